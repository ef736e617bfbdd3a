"""Writes the list of signatures for which kernels are compiled: `kernels/signatures.json`.

    python tests/record_signatures.py [--more]

Runs every golden case and the commands below, and notes what they call; with `--more` only the
commands, and adds what is new. A test compares the list
with what the golden cases call (`tests/golden/conftest.py`).
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from golden import tables
from golden.cases import CASES
from golden.outcome import outcome
from incrowd.cli.main import perform
from incrowd.datasets import hospital
from incrowd.kernels import signatures, store

QUASI = "-q birth_date,zip,sex,country"
COMMON = {
    "init": "init people.csv --json",
    "discover": "discover people.csv --json",
    "risk": f"risk people.csv {QUASI} -s diagnosis --json",
    "plan": "plan people.csv --columns birth_date,zip,sex --population 3e8 -k 100 --beta 0.1",
    "mask": "mask people.csv --ratio 0.3 --seed 1 -o out.csv",
    "quantiles": "quantiles people.csv -c income -k 10 --seed 1 -o out.csv",
    "anonymize": f"anonymize many.csv {QUASI} -s diagnosis -k 5 --seed 1 -o release.csv",
    "frontier": f"frontier people.csv {QUASI} -s diagnosis",
    "check": "check release.csv --certificate release.csv.certificate.json",
    "attack": "attack release.csv --certificate release.csv.certificate.json --original many.csv",
    "safe-harbor": "safe-harbor people.csv --today 2026",
}
"""A common run of each verb; each in a process of its own, as the order counts."""
METHODS = "crowd lattice lattice+local mondrian hilbert idistance tree top-down diversify cuts"
MAKE = f"anonymize many.csv {QUASI} -s diagnosis --seed 1 -o out.csv"
TREES = "--hierarchy sex=flat --hierarchy zip=prefix:3,1"
MORE = (
    f"risk many.csv {QUASI} --population 3e6",
    "risk people.csv -q birth_date,zip,sex,country,ward --special-uniques --max-size 3",
    "discover many.csv",
    "discover people.csv -k 3 --max-size 3",
    "discover many.csv --sampled --seed 1",
    "mask many.csv --method sampled --ratio 0.1 --seed 1 -o out.csv",
    "quantiles many.csv -c income -k 100 --keep sex --seed 1 -o out.csv",
    *(f"{MAKE} -k 5 -l 2 --suppress 0.1 --method {method}" for method in METHODS.split()),
    f"{MAKE} -k 5",
    f"{MAKE} -k 5 -t 0.4",
    f"{MAKE} -k 5 --unit patient_id",
    f"{MAKE} -k 50 {TREES}",
    "anonymize many.csv -q occupation,sex,country,smoker -k 5 --seed 1 -o out.csv",
    f"{MAKE} -k 5 --missing matches-anything",
    f"{MAKE} --maximize privacy --max-loss 0.4",
    "attack out.csv --certificate out.csv.certificate.json --original many.csv",
)
"""Tables of other sizes and shapes than the golden cases have: large ones take other ways."""


def main(*, anew: bool) -> None:
    """Run everything, or the commands only, and write the list."""
    every = [] if anew else list(signatures.load_signatures()["all"])
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        hospital(4000).with_row_index("income").write_csv("people.csv")
        hospital(40_000).with_row_index("income").write_csv("many.csv")
        verbs = {verb: called(line) for verb, line in COMMON.items()}
        if anew:
            golden()
        for line in MORE:
            found = called(line)
            print(f"{len(set(found) - set(every)):4} more: {line}", flush=True)
            every += found
    every += [*store.USED, *(one for used in verbs.values() for one in used)]
    verbs["all"] = [one for one in every if one[1].startswith("[")]
    signatures.LIST.write_text(signatures.list_as_text(verbs), encoding="utf-8")
    print(len(set(verbs["all"])), "signatures")


def called(line: str) -> list[signatures.Signature]:
    """What a command calls in a process of its own, in that order."""
    done = subprocess.run(
        [sys.executable, __file__, line], stdout=subprocess.PIPE, text=True, check=True
    )
    return [(name, takes) for name, takes in json.loads(done.stdout)]


def golden() -> None:
    """Every golden case, in this process."""
    folder = Path.cwd()
    tables.make(folder / "inputs")
    for case in CASES:
        outcome(case, folder / case.name, folder / "inputs")


if __name__ == "__main__":
    if sys.argv[1:] in ([], ["--more"]):
        main(anew=len(sys.argv) == 1)
    else:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
            code = perform(shlex.split(sys.argv[1]))
        if code not in {0, 1, 4}:
            sys.exit(said.getvalue())
        print(json.dumps(list(store.USED)))
