"""An original is read as it was when the release was made from it."""

import numpy as np
import polars as pl
import pytest

import incrowd

NUMBERS = {"decimal": ","}
DATES = {"date_formats": {"born": "%d/%m/%Y"}}


def table(path, *, dates=False):
    rng = np.random.default_rng(4)
    born = pl.Series(rng.integers(0, 3_000, 200)).cast(pl.Date)
    columns = {
        "age": rng.integers(20, 60, 200),
        "born": born.dt.strftime("%d/%m/%Y") if dates else born,
        "paid": [f"{value:.2f}".replace(".", ",") for value in rng.uniform(1, 3_000, 200)],
        "ill": rng.choice(["a", "b", "c"], 200),
    }
    pl.DataFrame(columns).write_csv(path, separator=";")
    return path


def policy(quasi):
    names = ["age", "born", "paid", "ill"]
    keep = [name for name in names if name not in (*quasi, "ill")]
    return incrowd.quick(names, quasi=quasi, keep=keep, sensitive="ill", k=4, max_alone=1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dates", "quasi", "reading"),
    [
        (False, ["age"], None),
        (True, ["age"], None),
        (False, ["age", "paid"], incrowd.Reading(**NUMBERS)),
        (True, ["age", "born"], incrowd.Reading(**DATES)),
        (True, ["born"], incrowd.Reading(**DATES, **NUMBERS)),
    ],
)
def test_an_honest_release_keeps_its_policy(tmp_path, dates, quasi, reading):
    source = table(tmp_path / "table.csv", dates=dates)
    target = tmp_path / "release.csv"
    incrowd.anonymize(source, policy(quasi), target, reading=reading, seed=1)
    paper = f"{target}.certificate.json"
    found = incrowd.check(target, policy(quasi), paper, original=source, original_reading=reading)
    assert found.ok, found.notes
    page = tmp_path / "report.html"
    made = incrowd.report(
        target, page, policy(quasi), paper, original=source, original_reading=reading
    )
    assert made.facts.verdict.ok, made.facts.verdict.notes
