"""What pyCANON finds on generated tables; written once, as it takes half a minute to ask.

    PYTHONPATH=src:tests python tests/conformance/pycanon_facts.py

writes `pycanon.json` anew. pyCANON lives in its own environment, `.venv-pycanon` in the repository,
made here if it is not there.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FACTS = Path(__file__).with_name("pycanon.json")
ENVIRONMENT = Path(__file__).parents[2] / ".venv-pycanon"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
TABLES = 24

SCRIPT = """
import json, sys
from importlib.metadata import version
import pandas as pd
from pycanon import anonymity

found = []
for path in sys.argv[1:]:
    table = pd.read_csv(path, dtype={"sex": str, "zip": str, "diagnosis": str})
    quasi = ["age", "sex", "zip"]
    found.append({
        "k": int(anonymity.k_anonymity(table, quasi)),
        **{
            column: {
                "distinct": int(anonymity.l_diversity(table, quasi, [column])),
                "entropy": int(anonymity.entropy_l_diversity(table, quasi, [column])),
                "t": float(anonymity.t_closeness(table, quasi, [column])),
                "alpha": float(anonymity.alpha_k_anonymity(table, quasi, [column])[0]),
            }
            for column in ("diagnosis", "cost")
        },
    })
json.dump({"pycanon": version("pycanon"), "found": found}, sys.stdout)
"""


def columns_of(seed):
    """A table of patients whose columns depend on each other, so that classes differ."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 400))
    area = rng.integers(0, 3, n)
    diagnosis = (area + rng.geometric(0.4, n)) % int(rng.integers(3, 9))
    return {
        "age": 10 * rng.integers(2, int(rng.integers(4, 9)), n),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
        "zip": np.char.add("0213", area.astype(str)),
        "diagnosis": np.char.add("D", diagnosis.astype(str)),
        "cost": rng.integers(1, 20, n) ** 2 + 100 * diagnosis,
    }


def text_of(columns):
    """The table as a CSV file."""
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    return "\n".join(lines) + "\n"


def digest_of(columns):
    """A digest of the table: facts are of the tables that they were found on."""
    return hashlib.sha256(text_of(columns).encode()).hexdigest()


def _run(*command):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=True, timeout=600
    ).stdout


def _require_pycanon():
    try:
        _run(PYTHON, "-c", "import pycanon.anonymity")
    except (OSError, subprocess.SubprocessError):
        _run(sys.executable, "-m", "venv", "--clear", ENVIRONMENT)
        _run(PYTHON, "-m", "pip", "install", "--quiet", "pycanon")


def main():
    """Ask pyCANON and write what it says."""
    _require_pycanon()
    tables = [columns_of(seed) for seed in range(TABLES)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{i}.csv" for i in range(TABLES)]
        for columns, path in zip(tables, paths, strict=True):
            path.write_text(text_of(columns))
        facts = json.loads(_run(PYTHON, "-W", "ignore", "-c", SCRIPT, *paths))
    facts["tables"] = [digest_of(columns) for columns in tables]
    FACTS.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
