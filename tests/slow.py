"""Write down which tests are slow, so that `make check` leaves them out.

    python -m pytest -n 2 -m 'not thorough' --durations=0 | python tests/slow.py

A function of which one case takes `LEAST` seconds is listed in `slow.txt`; `conftest.py` marks it.
What needs a server, a browser or Java says so itself.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

LEAST = 0.2
LIST = Path(__file__).with_suffix(".txt")
_LINE = re.compile(r"^(\d+\.\d+)s (?:call|setup) +(\S+?)(\[.*)?$")


def slow(lines):
    """The functions of which one case takes long, sorted.

    >>> slow(["0.15s setup tests/a.py::test_b[1]", "0.15s call tests/a.py::test_b[1]"])
    ['tests/a.py::test_b']
    >>> slow(["0.15s call tests/a.py::test_b[1]", "0.15s call tests/a.py::test_b[2]", "1 passed"])
    []
    """
    seconds = defaultdict(float)
    for line in lines:
        if case := _LINE.match(line.rstrip()):
            seconds[case[2], case[3]] += float(case[1])
    return sorted({function for (function, _), taken in seconds.items() if taken >= LEAST})


if __name__ == "__main__":
    LIST.write_text("".join(f"{function}\n" for function in slow(sys.stdin)), encoding="utf-8")
