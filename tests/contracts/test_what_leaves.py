"""Release, certificate and report name no folder of the holder, and comparisons no category."""

import csv
import json
import re

import numpy as np
import pytest

import incrowd
from incrowd.cli.main import perform

TREE = "f;*\nm;*\n"
POLICY = """
version = 1
missing_values = ["n/a"]
[[models]]
name = "k-anonymity"
k = 5
[columns.age]
role = "quasi"
[columns.sex]
role = "quasi"
hierarchy = { name = "file", path = "PLACE/sex.csv" }
[columns.school]
role = "sensitive"
[columns.income]
role = "keep"
alone = "accept"
"""
SCHOOLS = ["elementary-canary", "secondary-canary", "university-canary"]


@pytest.fixture
def holder(tmp_path, monkeypatch):
    """A folder with a table, a policy that names a file of it, and another current folder."""
    place = tmp_path / "private-folder-canary"
    place.mkdir()
    draw = np.random.default_rng(3)
    with (place / "table.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["age", "sex", "school", "income"])
        for _ in range(300):
            school = int(draw.choice(3, p=[0.5, 0.3, 0.2]))
            income = 10 * school + int(draw.integers(0, 9))
            rows.writerow(
                [int(draw.integers(20, 60)), "fm"[draw.integers(2)], SCHOOLS[school], income]
            )
    (place / "sex.csv").write_text(TREE)
    (place / "policy.toml").write_text(POLICY.replace("PLACE", str(place)))
    monkeypatch.chdir(tmp_path)
    return place


@pytest.mark.slow
def test_no_folder_leaves(holder, capfd):
    table, policy, release = (f"{holder}/{name}" for name in ("table.csv", "policy.toml", "r.csv"))
    made = ["anonymize", table, "-p", policy, "-o", release, "--report", f"{holder}/one.html"]
    assert perform(made) == 0, capfd.readouterr().err
    asked = ["report", release, "-o", f"{holder}/two.html"]
    assert perform(asked) == 0, capfd.readouterr().err
    more = ["-p", policy, "--original", table]
    assert perform([*asked[:-1], f"{holder}/three.html", *more]) == 0, capfd.readouterr().err
    leaving = ["r.csv", "r.csv.certificate.json", "one.html", "two.html", "three.html"]
    for name in leaving:
        assert holder.name not in (holder / name).read_text(encoding="utf-8"), name
    assert "incrowd check r.csv" in (holder / "one.html").read_text(encoding="utf-8")
    page = incrowd.report(release, certificate=f"{release}.certificate.json")
    assert holder.name not in page.html
    said = json.loads((holder / "r.csv.certificate.json").read_text())
    assert said["policy"]["columns"]["sex"]["hierarchy"]["path"] == "sex.csv"
    assert (
        perform(["check", release, "-p", policy, "--certificate", f"{release}.certificate.json"])
        == 0
    )


@pytest.mark.slow
def test_a_comparison_names_no_category(holder, capfd):
    table, policy, release = (f"{holder}/{name}" for name in ("table.csv", "policy.toml", "r.csv"))
    assert perform(["anonymize", table, "-p", policy, "-o", release]) == 0
    page = f"{holder}/page.html"
    asked = ["compare", table, release, "--for", "income~school+age"]
    for more in ([], ["--json"], ["-o", page]):
        capfd.readouterr()
        assert perform([*asked, *more]) == 0
        assert not re.findall(".{60}-canary", capfd.readouterr().out.replace(holder.name, ""))
    assert "canary" not in (holder / "page.html").read_text(encoding="utf-8").replace(
        holder.name, ""
    )
    perform([*asked, "--json"])
    terms = json.loads(capfd.readouterr().out)["releases"][0]["regression"]["coefficients"]
    names = [one["term"] for one in terms]
    assert names == ["school = value 2", "school = value 3", "age"]
    assert terms[0]["original"] == pytest.approx(10, abs=2)
    assert terms[1]["original"] == pytest.approx(20, abs=2)
