"""pyCANON agrees with our k, l, t and alpha on generated tables without missing values.

It lives in its own environment, `.venv-pycanon` in the repository, made here if it is not there.
What its source (1.3) does differently, and how that is met:

- classes are lists of index labels that it uses as positions, so its figures are wrong after any
  sort: it gets tables with the default index;
- rows with a missing quasi-identifier vanish (pandas' groupby): the tables have none;
- entropy l is cut to a whole number, after rounding: exactly 3 values may give 2;
- t is the ordered distance over the distinct values for numbers and the equal distance for text,
  as ours; with one distinct number it divides by zero: the tables have several.
"""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from incrowd.exposure import measure
from incrowd.partition.classes import SensitiveColumn
from incrowd.table.fold import fold

ENVIRONMENT = Path(__file__).parents[2] / ".venv-pycanon"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

SCRIPT = """
import json, sys
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
json.dump(found, sys.stdout)
"""


def run(*command):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=True, timeout=600
    ).stdout


def require_pycanon():
    """Make the environment, or fail where all must be tested and skip loudly elsewhere."""
    try:
        run(PYTHON, "-c", "import pycanon.anonymity")
    except (OSError, subprocess.SubprocessError):
        try:
            run(sys.executable, "-m", "venv", "--clear", ENVIRONMENT)
            run(PYTHON, "-m", "pip", "install", "--quiet", "pycanon")
            run(PYTHON, "-c", "import pycanon.anonymity")
        except (OSError, subprocess.SubprocessError) as error:
            reason = f"pyCANON cannot be installed into {ENVIRONMENT.name}: {error}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)


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


def write(columns, path):
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def risk_of(columns):
    codes = {
        name: np.unique(column, return_inverse=True)[1].astype(np.int32) + 1
        for name, column in columns.items()
    }
    sensitive = [
        SensitiveColumn(name, np.bincount(codes[name]), ordered=name == "cost")
        for name in ("diagnosis", "cost")
    ]
    tally = fold(
        [codes[name] for name in ("age", "sex", "zip")], [codes[c.name] for c in sensitive]
    )
    return measure(tally, sensitive)


@pytest.mark.slow
def test_pycanon_agrees_on_tables_without_missing_values(tmp_path):
    require_pycanon()
    tables = [columns_of(seed) for seed in range(12)]
    paths = [tmp_path / f"{i}.csv" for i in range(len(tables))]
    for columns, path in zip(tables, paths, strict=True):
        write(columns, path)

    theirs = json.loads(run(PYTHON, "-W", "ignore", "-c", SCRIPT, *paths))

    for columns, other in zip(tables, theirs, strict=True):
        ours = risk_of(columns)
        assert ours.k == other["k"]
        for name, distance in (("diagnosis", "equal"), ("cost", "ordered")):
            reached = ours.sensitive[name]
            assert reached.l["distinct"] == other[name]["distinct"]
            assert other[name]["entropy"] in {
                math.floor(reached.l["entropy"] - 1e-9),
                math.floor(reached.l["entropy"] + 1e-9),
            }
            assert reached.t[distance] == pytest.approx(other[name]["t"])
            assert 1 / reached.l["frequency"] == pytest.approx(other[name]["alpha"])
    assert len({other["k"] for other in theirs}) > 1
