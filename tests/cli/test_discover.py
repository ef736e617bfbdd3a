"""The commands discover and mask."""

import io
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from patients import MARK, patients, snapshot
from processes import hears_interrupts, let_work

COMMAND = [sys.executable, "-m", "incrowd.cli.main"]


def test_sets_are_found(incrowd, table):
    said = incrowd("discover", table(), "--ratio", "0.5", "--json")
    assert said.code == 0, said.err
    assert said.document["records"] == 40
    assert said.document["measure"] == "distinct"
    assert said.document["guarantee"]["exact"] is True
    assert said.document["figures"] == "table"
    assert [one["columns"] for one in said.document["sets"]] == [
        ["age", "zip"],
        ["zip", "diagnosis"],
    ]
    assert said.document["minimum"]["columns"] in [["age", "zip"], ["zip", "diagnosis"]]
    assert MARK not in said.out + said.err


def test_people_read_a_picture(incrowd, table):
    flags = ("--ratio", "0.5", "--population", "usa", "--explain", "zip,diagnosis")
    said = incrowd("discover", table(), *flags)
    assert said.code == 0, said.err
    for word in ("age + zip", "probably not", "possible values", "level"):
        assert word in said.out
    assert "Next: incrowd risk patients.csv -q age,zip\n" in said.out
    for word in ("Promise", "Searched"):
        assert word not in said.out
        assert word in incrowd("discover", table(), *flags, "--details").out
    assert MARK not in said.out + said.err
    assert incrowd("discover", table(), "--quiet").out == ""


def test_examples_3_and_4_of_lodha_and_thomas(incrowd):
    """Sex, birth date and ZIP code in America; nation, birth date and job in the world."""
    flags = "--domain sex=2,birth_date=2e4,zip=1e5 --population 3e8 --alpha 0.87 --json"
    found = incrowd("discover", "--set", "sex,birth_date,zip", *flags.split()).document
    (test,) = (one["test"] for one in found["sets"])
    assert (found["schema"], found["records"]) == ("incrowd.sets/1", None)
    assert test["share"] == pytest.approx(0.93, abs=0.005)
    assert (test["distinct"], test["possible"], test["people_per_value"]) == (4e9, True, 1)

    flags = "--domain nation=200,birth_date=2e4,job=100 --population 6e9 --alpha 0.05"
    said = incrowd("discover", "--set", "nation,birth_date,job", *flags.split())
    assert said.code == 0
    assert "almost certainly not an 0.05-quasi-identifier of 6,000,000,000 people" in (
        " ".join(said.out.split())
    )
    for figure in ("400,000,000", "2.5 %", "15"):
        assert figure in said.out


def test_named_sets_are_counted_in_a_table(incrowd, table):
    flags = ("--set", "age,zip", "--set", "sex", "--domain", "sex=2", "--population", "50")
    flags += ("--alpha", "0.2")
    said = incrowd("discover", table(), *flags)
    assert said.code == 0, said.err
    for word in ("age + zip", "sex", "values", "unique", "people per", "(declared)"):
        assert word in said.out
    assert "1 of 2 sets may tell 20 % of 50 people apart" in said.out
    found = incrowd("discover", table(), *flags, "--json").document
    pair, sex = found["sets"]
    assert (sex["test"]["source"], sex["test"]["people_per_value"]) == ("declared", 25)
    assert (pair["test"]["source"], pair["test"]["possible"]) == ("estimated", True)
    assert sex["values_seen"] == 2
    assert MARK not in said.out + said.err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("", "discover needs a table"),
        ("--set sex,zip --domain sex=2 --population 100", "'zip' is not declared"),
        ("--set sex --domain sex=2", "needs a population"),
        ("--set sex", "for how many people"),
        ("--set sex --domain sex=2,zpi=9 --population 100", "is in none of the sets"),
        ("--set sex --domain sex=2 --population 100 --ratio 0.5", "takes no --ratio"),
        ("--set sex --domain sex=2 --population 100 -k 5", "takes no --k"),
        ("--set sex --domain sex=0 --population 100", "at least one possible value"),
        ("--set sex --domain sex=2 --population 100 --source observed", "without a table"),
    ],
)
def test_named_sets_that_cannot_be_judged(refused, flags, words):
    assert words in refused(2, "discover", *flags.split()).err


def test_possible_values_are_declared_estimated_or_observed(incrowd, tmp_path):
    rows = [f"{100_000 + 7 * i},{i % 2}" for i in range(300)]
    table = tmp_path / "people.csv"
    table.write_text("\n".join(["ssn,sex", *rows]) + "\n")
    asked = ("discover", str(table), "--population", "usa", "--json")
    tests = [
        incrowd(*asked, *flags).document["sets"][0]["test"]
        for flags in ((), ("--domain", "ssn=1e9"), ("--source", "observed", "--alpha", "0.2"))
    ]
    assert [test["source"] for test in tests] == ["estimated", "declared", "observed"]
    assert [test["distinct"] for test in tests] == [None, 10**9, 300]
    assert all(test["possible"] and test["key"] for test in tests)
    assert [test["alpha"] for test in tests] == [0.5, 0.5, 0.2]
    said = incrowd("discover", str(table), "--population", "usa", "--domain", "ssn=1e9")
    assert "1,000,000,000" in said.out
    assert "(declared)" in said.out


def test_populations_and_explanations_are_in_the_document(incrowd, table):
    flags = ("--ratio", "0.5", "--population", "3e8", "--explain", "zip", "--json")
    document = incrowd("discover", table(), *flags).document
    test = document["sets"][0]["test"]
    assert test["population"] == 300_000_000
    assert "quasi-identifier" in test["verdict"]
    (one,) = document["explanations"]
    assert one["column"] == "zip"
    assert one["coarser"][0].keys() == {"level", "values", "distinct", "separation", "unique"}


def test_columns_and_sizes_are_limited(incrowd, table):
    flags = ("--columns", "age,sex", "--max-size", "1", "--ratio", "0.2", "--json")
    document = incrowd("discover", table(), *flags).document
    assert [one["columns"] for one in document["sets"]] == [["age"]]


@pytest.mark.slow
def test_standard_input_goes_by_once(incrowd, here, monkeypatch):
    lines = patients(5_000, row=[str(i) for i in range(5_000)])
    flags = ("discover", "-", "--sample", "1000", "--seed", "1", "--json")
    done = subprocess.run([*COMMAND, *flags], input=lines.encode(), capture_output=True, check=True)
    assert b'"records": 5000' in done.stdout
    assert b'"exact": false' in done.stdout
    assert b'"sample": 1000' in done.stdout
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    again = incrowd(*flags[:-1], "--quiet")
    assert (again.code, again.out, again.err) == (0, "", "")
    assert not snapshot(here).keys() - {here / "release.csv"}


def test_duplicates_are_told(incrowd, table):
    said = incrowd("discover", table(patients() + patients().split("\n", 1)[1]), "--ratio", "1")
    assert said.code == 0
    assert "equal another in all columns" in said.err
    assert "drop duplicates" in said.err


@pytest.mark.parametrize(
    "flags",
    [
        ("--ratio", "0"),
        ("--ratio", "1.5"),
        ("--ratio", "much"),
        ("--measure", "seperation"),
        ("--columns", "agee"),
        ("--max-size", "0"),
        ("--epsilon", "2"),
        ("--exact", "--epsilon", "0.1"),
        ("--population", "atlantis"),
        ("--domain", "age=9"),
        ("--population", "9", "--domain", "agee=9"),
        ("--population", "9", "--domain", "age"),
        ("--population", "9", "--source", "guessed"),
        ("--population", "9", "--alpha", "2"),
        ("--explain", "agee"),
        ("--sample", "0"),
    ],
    ids=" ".join,
)
def test_wrong_flags(refused, table, flags):
    refused(2, "discover", table(), *flags)


@pytest.mark.parametrize("text", ["", "a,b\n", "a,b\n1,2\n1\n", "a,b\n1,2,3\n", "\x00\x01"])
def test_wrong_tables(refused, table, text):
    refused(3, "discover", table(text))
    refused(3, "mask", "patients.csv", "--ratio", "0.5", "-o", "release.csv")


@pytest.mark.slow
def test_ctrl_c_tells_what_is_known(here):
    noise = np.random.default_rng(1).integers(0, 3, (60, 4_000))
    pl.DataFrame({f"c{j:02}": line for j, line in enumerate(noise)}).write_csv("wide.csv")
    flags = ("discover", "wide.csv", "--ratio", "0.999", "--max-size", "30", "--json")
    run = subprocess.Popen(
        [*COMMAND, *flags, "--time-limit", "300"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hears_interrupts,  # noqa: PLW1509  it only sets a signal
    )
    let_work(run, 4.0)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=600)
    assert run.returncode == 130, err
    assert '"partial": true' in out
    assert '"minimum": {' in out
    assert "interrupted" in err
    assert "Traceback" not in err
    assert (here / "wide.csv").exists()


def test_published_columns_are_written(incrowd, table):
    flags = ("--measure", "separation", "--ratio", "0.8", "-o", "published.csv", "--json")
    said = incrowd("mask", table(), *flags)
    assert said.code == 0, said.err
    rows = pl.read_csv("published.csv", infer_schema=False)
    assert rows.columns == said.document["published"]
    assert said.document["written"] == "published.csv"
    assert said.document["ratio"] <= said.document["limit"] == 0.8
    assert "not anonymization" in said.err
    assert MARK not in said.out + said.err


def test_masks_as_people_read_them(incrowd, table):
    said = incrowd("mask", table(), "--ratio", "0.3", "--dry-run")
    assert "not anonymization" in said.out
    assert "nothing written" in said.out
    assert not Path("published.csv").exists()


def test_masks_keep_drop_and_weigh(incrowd, table):
    flags = ("--keep", "sex", "--drop", "zip", "--weight", "diagnosis=5", "-o", "p.csv", "--json")
    document = incrowd("mask", table(), "--ratio", "0.3", *flags).document
    assert "sex" in document["published"]
    assert "zip" in document["withheld"]
    assert document["utility"] >= 6


def test_the_cheapest_set_is_found(incrowd, table):
    asked = ("discover", table(), "--ratio", "0.5")
    said = incrowd(*asked, "--weights", "age=5,diagnosis=0.5", "--json")
    assert said.code == 0, said.err
    assert said.document["minimum"]["columns"] == ["zip", "diagnosis"]
    assert said.document["minimum"]["cost"] == 1.5
    assert incrowd(*asked, "--weights", "age=0.5", "--json").document["minimum"]["cost"] == 1.5
    assert "Cheapest (cost 1.5): age + zip" in incrowd(*asked, "--weights", "age=0.5").out
    assert "cost" not in incrowd(*asked, "--json").document["minimum"]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--weights", "zip"), "--weights takes COLUMN=NUMBER"),
        (("--weights", "zip=0"), "above 0"),
        (("--weights", "zipp=2"), "did you mean 'zip'?"),
        (("--weights", "zip=2", "--sample", "10"), "--exact"),
        (("--weights", "zip=2", "--sampled"), "--exact"),
        (("--weights", "zip=2", "-k", "3"), "takes no --weights"),
    ],
)
def test_wrong_weights(refused, table, flags, words):
    assert words in refused(2, "discover", table(), *flags).err


def test_masks_by_a_small_sample_name_a_better_one(incrowd, table):
    flags = ("--ratio", "0.8", "--method", "sampled", "--measure", "separation", "--seed", "1")
    asked = ("mask", table(patients(400)), *flags, "-o", "p.csv", "--json")
    said = incrowd(*asked, "--sample", "300")
    assert said.code == 0, said.err
    (note,) = (note for note in said.document["notes"] if "--sample" in note)
    better = int(note.partition("--sample ")[2].split()[0])
    notes = incrowd(*asked, "--sample", better).document["notes"]
    assert not any("--sample" in note for note in notes)


def test_the_order_is_kept_on_request(incrowd, table):
    ids = [str(i) for i in range(40)]
    flags = ("--ratio", "1", "--keep", "row", "-o", "p.csv")
    incrowd("mask", table(row=ids), *flags, "--keep-order")
    assert pl.read_csv("p.csv", infer_schema=False)["row"].to_list() == ids
    incrowd("mask", table(row=ids), *flags, "--seed", "1")
    found = pl.read_csv("p.csv", infer_schema=False)["row"].to_list()
    assert found != ids
    assert sorted(found, key=int) == ids


@pytest.mark.parametrize(
    ("code", "flags"),
    [
        (2, ("-o", "release.csv")),
        (2, ("--ratio", "0.5")),
        (2, ("--ratio", "2", "-o", "release.csv")),
        (2, ("--ratio", "0.5", "-o", "-")),
        (2, ("--ratio", "0.5", "-o", "patients.csv")),
        (2, ("--ratio", "0.5", "--method", "best", "-o", "release.csv")),
        (2, ("--ratio", "0.5", "--weight", "sex", "-o", "release.csv")),
        (2, ("--ratio", "0.5", "--weight", "sex=0", "-o", "release.csv")),
        (2, ("--ratio", "0.5", "--keep", "agee", "-o", "release.csv")),
        (4, ("--ratio", "0.01", "-o", "release.csv")),
        (4, ("--ratio", "0.01", "--keep", "age", "-o", "release.csv")),
        (3, ("--ratio", "0.5", "-o", "nowhere/release.csv")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_wrong_masks(refused, table, code, flags):
    refused(code, "mask", table(), *flags)


def test_init_tells_the_company(incrowd, table):
    ages = [str(20 + i // 4) for i in range(40)]
    columns = incrowd("init", table(age=ages), "--json").document["columns"]
    assert "it singles out" in columns["zip"]["reasons"][0]
    assert sum("it singles out" in column["reasons"][0] for column in columns.values()) >= 2


@pytest.mark.slow
def test_standard_input_is_masked_by_way_of_the_disk(incrowd, here, monkeypatch):
    lines = patients(5_000, row=[str(i) for i in range(5_000)])
    command = ("mask", "-", "--ratio", "0.3", "--method", "sampled", "--sample", "2000")
    flags = ("--seed", "1", "--json", "-o", "published.csv")
    done = subprocess.run(
        [*COMMAND, *command, *flags], input=lines.encode(), capture_output=True, check=True
    )
    assert b'"records": 5000' in done.stdout
    assert b'"exact": false' in done.stdout
    assert b'"written": "published.csv"' in done.stdout
    assert b"not anonymization" in done.stderr
    rows = pl.read_csv("published.csv", infer_schema=False)
    assert rows.height == 5_000
    assert "row" not in rows.columns
    assert snapshot(here).keys() == {here / "release.csv", here / "published.csv"}
    before = (here / "published.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    said = incrowd(*command, "--json", "--dry-run")
    assert said.code == 0, said.err
    assert said.document["written"] is None
    assert (here / "published.csv").read_bytes() == before


@pytest.mark.parametrize("text", ["", "a,b\n", "a,b\n1,2\n1\n", "a,b\n1,2,3\n", "\x00\x01"])
def test_wrong_large_tables(refused, table, monkeypatch, text):
    monkeypatch.setattr("incrowd.verbs.tables.LARGE", -1)
    flags = ("--ratio", "0.5", "--method", "sampled", "-o", "release.csv")
    refused(3, "mask", table(text), *flags)


def test_small_groups_of_people(incrowd, refused):
    """Somebody with two rows is one person; a set in another is not told again."""
    lines = ["1,02138,F,30", "1,02138,F,31", "2,02138,F,30", "3,02138,M,30", "4,02139,M,40"]
    Path("voters.csv").write_text("\n".join(["ssn,zip,sex,age", *lines, "5,02139,M,40"]) + "\n")
    said = incrowd("discover", "voters.csv", "-k", "1", "--world-id", "ssn", "--json").document
    assert said["schema"] == "incrowd.groups/1"
    assert said["people"] == 5
    found = [(one["columns"], one["smallest"]) for one in said["sets"]]
    assert found == [(["age"], 1), (["zip", "sex"], 1)]
    assert not said["partial"]
    two = incrowd("discover", "voters.csv", "-k", "2", "--world-id", "ssn", "--json").document[
        "sets"
    ]
    assert {one["columns"][0]: one["smallest"] for one in two} == {"zip": 2, "sex": 2, "age": 1}
    one = incrowd(
        "discover", "voters.csv", "-k", "1", "--world-id", "ssn", "--max-size", "1", "--json"
    )
    assert one.document["partial"]
    said = incrowd("discover", "voters.csv", "-k", "2", "--world-id", "ssn", "--columns", "zip,sex")
    told = "2 column combinations single out groups of at most 2 people among 5 people."
    assert told in " ".join(said.out.split())
    said = incrowd("discover", "voters.csv", "-k", "1", "--columns", "zip")
    assert "No column combination" in said.out
    assert "the world has no ids" in said.err
    flags = ("discover", "voters.csv", "-k", "2")
    for wrong in (["--ratio", "0.5"], ["--sampled"], ["--explain", "age"], ["--measure", "unique"]):
        refused(2, *flags, *wrong)
    refused(2, *flags, "--world-id", "who")
    refused(2, *flags, "--max-size", "0")
    refused(2, "discover", "voters.csv", "-k", "0")
    refused(2, "discover", "voters.csv", "--world-id", "ssn")
    refused(2, "discover", "voters.csv", "--id", "ssn")
