"""Faults that are told before the work is done, with a remedy that fits."""

import gzip

import polars as pl
import pytest

import incrowd as library
from incrowd import api
from patients import QUICK

USAGE, INPUT = 2, 3


@pytest.fixture
def unread(monkeypatch):
    """No table may be read any more."""

    def read(*_args, **_options):
        raise AssertionError

    monkeypatch.setattr("incrowd.io.tables.read", read)
    monkeypatch.setattr("incrowd.verbs.quantile_passes.open_rereadable", read)


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    "asked",
    [
        ("anonymize", "{}", *QUICK, "--certificate", "nodir/c.json"),
        ("mask", "{}", "--ratio", "0.5", "-o", "nodir/x.csv"),
        ("quantiles", "{}", "--columns", "age", "-k", "5", "-o", "nodir/x.csv"),
        ("init", "{}", "-o", "nodir/p.toml"),
    ],
)
def test_a_folder_that_is_not_there_is_told_before_the_table_is_read(refused, table, asked):
    name = table()
    said = refused(INPUT, *(name if part == "{}" else part for part in asked))
    assert "the folder 'nodir'" in said.err
    assert "help: create it" in said.err


@pytest.mark.parametrize(
    "asked",
    [
        ("anonymize", "--quasi", "q", "-k", "2", "-o", "out.csv"),
        ("discover", "--columns", "q"),
        ("mask", "--ratio", "0.5", "--keep", "q", "-o", "out.csv"),
        ("risk", "--quasi", "q"),
    ],
)
def test_the_columns_without_a_header_are_listed(refused, table, asked):
    said = refused(USAGE, asked[0], table("1,2\n3,4\n5,6\n"), "--no-header", *asked[1:])
    assert "help: it has 'column_1', 'column_2'" in said.err


def test_worths_of_columns_take_commas(incrowd, table):
    name = table("a,b,c\n1,2,3\n1,2,4\n1,3,5\n1,3,6\n")
    said = incrowd("mask", name, "--ratio", "0.5", "--weight", "a=1,b=5", "--dry-run", "--json")
    assert said.code == 0, said.err
    assert said.document["utility"] == 6


def test_weights_that_are_texts_are_told_as_such(refused, table):
    said = refused(INPUT, "risk", table("a,b\nx,p\nx,q\n"), "--quasi", "a", "--weight", "b")
    assert "weights must be numbers: the column 'b'" in said.err
    assert "the number of people that each record represents" in said.err


@pytest.mark.parametrize("packed", ["plain", "gzip", "zstd"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_an_encoding_that_does_not_fit_is_told_as_such(refused, table, here, packed, encoding):
    name = table("a,b\n" + "x,y\n" * 5)
    if packed == "gzip":
        (here / "t.gz").write_bytes(gzip.compress((here / name).read_bytes()))
        name = "t.gz"
    elif packed == "zstd":
        frame = pl.read_csv(here / name)
        frame.write_csv(here / "t.zst", compression="zstd", check_extension=False)
        name = "t.zst"
    said = refused(INPUT, "risk", name, "--quasi", "a", "--encoding", encoding)
    assert f"the text is not {encoding}" in said.err
    assert "help: name its encoding" in said.err


TABLE = pl.DataFrame({"zip": ["036", "021"] * 10, "age": [30, 40] * 10})


@pytest.mark.parametrize(
    "call",
    [
        lambda: library.plan(TABLE, ["age"], population=1000, k="2"),
        lambda: library.plan(TABLE, ["age"], population=1000, beta="0.1"),
        lambda: api.safe_harbor(TABLE, today="2026"),
        lambda: api.safe_harbor(TABLE, today=2026, zip_populations={36: 5}),
        lambda: api.safe_harbor(TABLE, today=2026, zip_populations={"036": "5"}),
    ],
)
def test_values_of_another_type_are_told_in_words(call):
    with pytest.raises(library.PolicyError):
        call()


def test_a_diversity_of_one_protects_nothing(incrowd, table):
    quick = ("--quasi", "age,zip", "--sensitive", "diagnosis", "-k", "2", "-o", "out.csv")
    none = "no model protects the sensitive column 'diagnosis'"
    assert none in incrowd("anonymize", table(), *quick, "-l", "1").err
    assert none not in incrowd("anonymize", "patients.csv", *quick, "-l", "2").err


def test_a_diversity_below_one_is_told_apart_from_one_of_one(refused, table):
    said = refused(USAGE, "anonymize", table(), *QUICK, "-l", "0")
    assert "l must be at least 1, and above 1 to protect" in said.err
