"""What `make demo` shows: commands that you could type turn patients into a verified release."""

import shlex
import sys
import time
from pathlib import Path

from incrowd.cli.main import perform
from incrowd.datasets import hospital

FOLDER = Path("demo")
ROWS, SEED = 20_000, 7

STEPS = (
    (
        "What is in the table? Draft a policy, with a reason for every column:",
        "incrowd init {0}/patients.csv -o {0}/policy.toml --force",
    ),
    (
        "How exposed are the patients to somebody who knows three columns?",
        "incrowd risk {0}/patients.csv --quasi birth_date,zip,sex --sensitive diagnosis",
    ),
    (
        "Find the release with the least loss, write it, read it again and verify it:",
        "incrowd anonymize {0}/patients.csv --policy {0}/policy.toml -o {0}/release.csv",
    ),
    (
        "Check it, from the release alone, as anybody can:",
        (
            "incrowd check {0}/release.csv --policy {0}/policy.toml "
            "--certificate {0}/release.csv.certificate.json"
        ),
    ),
)


def demo(folder: Path = FOLDER, rows: int = ROWS) -> int:
    """Run the steps in this folder; return the exit code of the first that fails, or 0."""
    start = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    hospital(rows, seed=SEED).write_csv(folder / "patients.csv")
    _say(f"A made-up hospital: {rows:,} patients in {folder}/patients.csv. Nobody in it exists.")
    for why, template in STEPS:
        command = template.format(folder)
        _say(f"\n{why}\n$ {command}\n")
        if code := perform(shlex.split(command)[1:]):
            return code
    _say(f"\nDone in {time.monotonic() - start:.0f} seconds. The files:")
    for path in sorted(folder.iterdir()):
        _say(f"  {path}  ({path.stat().st_size:,} bytes)")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(demo())
