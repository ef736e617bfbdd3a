"""Makes `src/incrowd/hierarchy/zip3.csv` from census counts by ZIP code tabulation area.

    python -m benchmarks._zip3_table COUNTS.csv > src/incrowd/hierarchy/zip3.csv

`COUNTS.csv` has a first column of ZIP codes, of five digits or of three, and a column of people for
2010 and one for 2020 (decennial censuses, total population). Five-digit areas are summed. Nothing
is estimated: the Bureau's counts are added, no more.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path


def main(path: str) -> None:
    """Sum the counts by the first three digits, and print them."""
    people = defaultdict(lambda: [0, 0])
    with Path(path).open(encoding="utf-8", newline="") as source:
        for code, *counts in list(csv.reader(source))[1:]:
            for year, count in enumerate(counts):
                people[code[:3]][year] += int(count or 0)
    print("prefix,people_2010,people_2020")
    for prefix in sorted(people):
        print(prefix, *people[prefix], sep=",")


if __name__ == "__main__":
    main(sys.argv[1])
