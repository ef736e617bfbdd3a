"""JSON documents that the guides show have keys that the commands really write.

Their figures are those of other tables; keys are what programs rely on.
"""

import contextlib
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from incrowd.cli.main import perform
from incrowd.datasets import hospital

ROOT = Path(__file__).parents[2]
QUASI = "-q birth_date,sex,zip"
WORLD = "--world voters.csv --world-id ssn"
COMMANDS = {
    "init": ["init patients.csv -o policy.toml"],
    "discover": ["discover patients.csv --columns sex,zip,ward --explain zip --population usa"],
    "groups": ["discover voters.csv -k 5 --world-id ssn --columns sex,zip"],
    "risk": [
        f"risk patients.csv {QUASI} -s diagnosis --population 1e5 --explain --special-uniques"
    ],
    "plan": ["plan patients.csv --columns sex,zip --population 1e6 -k 100 --beta 0.1"],
    "mask": ["mask patients.csv --ratio 0.2 -o m.csv"],
    "quantiles": ["quantiles patients.csv --columns stay -k 50 -o q.csv"],
    "anonymize": [
        f"anonymize patients.csv {QUASI} -s diagnosis -k 5 -l 2 -o release.csv",
        f"anonymize patients.csv {QUASI} -k 5 --gap estimate --dry-run",
        f"anonymize patients.csv {QUASI} -k 5 {WORLD} --dry-run",
        f"anonymize patients.csv {QUASI} -k 5 --method lattice --dry-run",
    ],
    "frontier": ["frontier patients.csv -q sex,zip"],
    "check": [
        "check release.csv --certificate release.csv.certificate.json",
        f"check release.csv {QUASI} -s diagnosis -k 5",
    ],
    "attack": [f"attack release.csv --original patients.csv {WORLD} -s diagnosis --max-size 1"],
    "safe-harbor": ["safe-harbor patients.csv"],
    "keys": ["keys new steward"],
    "error": [
        "risk patients.csv --quasi zipp",
        "anonymize patients.csv -q birth_date,zip -s sex -k 5 -l 3 --dry-run",
        "anonymize few.csv -q w,x,y,z -k 2 --method mu-argus --show-refused --dry-run",
    ],
}
"""By schema: commands that write it, with what adds keys."""


def shown():
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text("utf-8")
        for block in re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            document = json.loads(block)
            schema = re.fullmatch(r"incrowd\.([a-z-]+)/\d+", document["schema"])[1]
            if schema in COMMANDS:
                yield pytest.param(schema, document, id=f"{page.relative_to(ROOT)}-{schema}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("documents")
    people = hospital(200, seed=7)
    people.head(100).write_csv(place / "patients.csv")
    people.select("ssn", "birth_date", "sex", "zip").write_csv(place / "voters.csv")
    rows = [f"{a},{b},{c},{d}" for a in "ab" for b in "cd" for c in "ef" for d in "gh"]
    (place / "few.csv").write_text("\n".join(["w,x,y,z", *rows]) + "\n")
    return place


@pytest.fixture(scope="module")
def written(folder):
    """By schema: the keys of all documents that the commands write."""
    keys = {}
    with contextlib.chdir(folder):
        for schema, lines in COMMANDS.items():
            for line in lines:
                out = io.StringIO()
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                    perform([*shlex.split(line), "--json"])
                document = json.loads(out.getvalue())
                assert document["schema"] == f"incrowd.{schema}/1", line
                keys.setdefault(schema, set()).update(document)
    return keys


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "document"), list(shown()))
def test_documents_have_the_keys_that_are_shown(schema, document, written):
    assert set(document) <= written[schema]
