"""The command quantiles."""

import subprocess
import sys

import polars as pl
import pytest

from patients import MARK, patients, snapshot

COMMAND = [sys.executable, "-m", "incrowd.cli.main"]
WISH = ("--columns", "age", "-k", "5")


def test_columns_show_quantiles(incrowd, table):
    said = incrowd("quantiles", table(), *WISH, "--keep", "sex", "-o", "out.csv", "--json")
    assert said.code == 0, said.err
    found = said.document
    assert found["schema"] == "incrowd.quantiles/1"
    assert found["records"] == 40
    assert found["smallest"] >= found["k"] == 5
    assert found["columns"]["age"].keys() == {
        "kind",
        "buckets",
        "smallest",
        "merged",
        "missing",
        "emptied",
        "error",
    }
    assert found["kept"] == ["sex"]
    assert found["withheld"] == ["zip", "diagnosis"]
    assert found["promise"]["exact"] is True
    assert found["written"] == "out.csv"
    rows = pl.read_csv("out.csv", infer_schema=False)
    assert rows.columns == ["age", "sex"]
    assert rows["age"].n_unique() == found["columns"]["age"]["buckets"] > 1
    assert MARK not in said.out + said.err


def test_people_read_a_picture(incrowd, table):
    flags = ("--columns", "age", "--buckets", "3", "--show", "range", "--dry-run")
    said = incrowd("quantiles", table(), *flags)
    assert said.code == 0, said.err
    for word in (
        "40 records",
        "nothing written",
        "age",
        "Exact",
        "Withheld: zip, sex and diagnosis",
    ):
        assert word in said.out
    assert MARK not in said.out + said.err
    assert incrowd("quantiles", table(), *flags, "--quiet").out == ""


def test_samples_say_what_they_promise(incrowd, table):
    text = patients(3_000)
    flags = (*WISH[:-1], "100", "--epsilon", "0.1", "--delta", "0.1", "-o", "out.csv")
    said = incrowd("quantiles", table(text), *flags)
    assert said.code == 0, said.err
    assert "From a sample of 231 records: with probability 90 %" in said.out
    document = incrowd("quantiles", table(text), *flags, "--json").document
    assert document["promise"]["sample"] == 231
    assert document["promise"]["simultaneous"] > 0


def test_several_columns_are_warned_of(incrowd, table):
    said = incrowd("quantiles", table(), *WISH, "--keep", "zip", "-o", "out.csv", "--keep-order")
    assert "may still single people out" in said.err
    assert "keep their order" in said.err
    assert "exact values" in said.err


@pytest.mark.slow
def test_standard_input(here):
    flags = ("quantiles", "-", *WISH, "-o", "out.csv", "--seed", "1", "--json")
    done = subprocess.run(
        [*COMMAND, *flags], input=patients(400).encode(), capture_output=True, check=True
    )
    assert b'"records": 400' in done.stdout
    assert {path.name for path in snapshot(here)} == {"out.csv", "release.csv"}


@pytest.mark.parametrize(
    "flags",
    [
        ("--columns", "age", "-o", "out.csv"),
        ("--columns", "age", "-k", "5", "--buckets", "3", "-o", "out.csv"),
        ("--columns", "age", "-k", "1", "-o", "out.csv"),
        ("--columns", "age", "-k", "many", "-o", "out.csv"),
        ("--columns", "age", "-k", "5"),
        ("--columns", "agee", "-k", "5", "-o", "out.csv"),
        ("-k", "5", "-o", "out.csv"),
        (*WISH, "--show", "mean", "-o", "out.csv"),
        (*WISH, "--epsilon", "1", "-o", "out.csv"),
        (*WISH, "--delta", "0", "-o", "out.csv"),
        (*WISH, "--keep", "age", "-o", "out.csv"),
        (*WISH, "-o", "patients.csv"),
        (*WISH, "-o", "-"),
        (*WISH, "-o", "out.sav"),
    ],
    ids=" ".join,
)
def test_wrong_flags(refused, table, flags):
    refused(2, "quantiles", table(), *flags)


def test_wrong_tables(refused, table):
    for text in ("", "a,b\n", "a,b\n1,2\n1\n", "a,b\n1,2,3\n", "\x00\x01"):
        refused(3, "quantiles", table(text), "--columns", "a", "-k", "2", "-o", "release.csv")
    said = refused(3, "quantiles", table(), "-c", "diagnosis", "-k", "2", "-o", "release.csv")
    assert "values that are not a number" in said.err
    refused(4, "quantiles", table(), "--columns", "age", "-k", "41", "-o", "release.csv")
