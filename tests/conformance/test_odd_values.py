"""An honest release passes its check, whatever its columns hold and whatever engine made it."""

from contextlib import closing
from datetime import UTC, date, datetime, time
from decimal import Decimal

import polars as pl
import pytest

import incrowd
from incrowd.errors import InputError
from servers import postgresql_server

duckdb = pytest.importorskip("duckdb")

RECORDS = 1200
"""More than a thousand: verification then counts in blocks and warns of telling columns."""
ODD = {
    "zeros": [0.0, -0.0, 1.5],
    "floats": [float("nan"), -0.0, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, 1e16, 1e22, None],
    "whole": [2**53, 2**53 + 1, 2**63 - 1, -(2**63), 0, None],
    "decimals": [Decimal("0.10"), Decimal("-0.00"), Decimal("12345678901234.56"), None],
    "texts": [
        *["", None, " ", "a", "a ", " a", "\u00e9", "e\u0301", "x" * 5000, 'q"uote', "'", "\\N"],
        *["new\nline", "\r\n", "semi;colon,comma", "\ttab", "\u2028", "\ufeff", "\U0001f389"],
        *["-0", "-0.0", "0", "0.0", "00", "1e5", "100000", "NaN", "null", "True", "true"],
    ],
    "answers": [True, False, None],
    "zoned": [datetime(2024, 3, 31, 1, 30, tzinfo=UTC), datetime(1960, 1, 1, tzinfo=UTC), None],
    "moments": [datetime(1500, 1, 1), datetime(2024, 1, 1, 12, 0, 0, 123456), None],  # noqa: DTZ001
    "dates": [date(1, 1, 1), date(1582, 10, 10), date(1969, 12, 31), date(9999, 12, 31), None],
    "times": [time(0, 0), time(23, 59, 59, 999999), None],
}


def _table() -> pl.DataFrame:
    age = pl.Series("age", [20 + i % 7 for i in range(RECORDS)])
    repeated = [
        pl.Series(name, [values[i % len(values)] for i in range(RECORDS)])
        for name, values in ODD.items()
    ]
    return pl.DataFrame([age, *repeated])


def _policy(roles: str) -> incrowd.Policy:
    policy = incrowd.quick(["age", *ODD], quasi=["age"], k=5, **{roles: list(ODD)})
    return policy.model_copy(update={"max_alone": 1.0})


@pytest.fixture(scope="module")
def table():
    return _table()


@pytest.fixture(scope="module")
def places(table):
    """By engine: the table, and where its releases go besides frames and files."""
    found = {"memory": (table, None)}
    connection = duckdb.connect()
    connection.register("odd", table.to_arrow())
    found["duckdb"] = (connection.sql("SELECT * FROM odd"), None)
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with (
        postgresql_server() as server,
        closing(dbapi.connect(server.address(), autocommit=True)) as link,
        link.cursor() as cursor,
    ):
        cursor.adbc_ingest("odd", table.to_arrow(compat_level=pl.CompatLevel.oldest()))
        address = f"{server.address()}?table="
        found["postgresql"] = (f"{address}odd", lambda name: f"{address}public.{name}")
        yield found


def _faults(check):
    return "" if check.ok else check.notes


@pytest.mark.slow
@pytest.mark.parametrize("roles", ["keep", "sensitive"])
@pytest.mark.parametrize("engine", ["memory", "duckdb", "postgresql"])
def test_a_release_passes_its_check(engine, roles, places, table, tmp_path):
    source, new = places[engine]
    policy = _policy(roles)
    made = incrowd.anonymize(source, policy, seed=1)
    assert not _faults(incrowd.check(made.frame, policy, made.certificate))
    for ending in ("csv", "parquet"):
        target = tmp_path / f"release.{ending}"
        paper = f"{target}.certificate.json"
        incrowd.anonymize(source, policy, target, seed=1)
        assert not _faults(incrowd.check(target, policy, paper))
        assert not _faults(incrowd.check(target, policy, paper, original=table))
    if new is not None:
        paper = tmp_path / "table.json"
        incrowd.anonymize(source, policy, new(roles), certificate=paper, seed=1)
        assert not _faults(incrowd.check(new(roles), policy, paper))


@pytest.mark.parametrize(
    "spellings", [("0.0", "-0.0", "1.5"), ("1.0", "1.00", "2"), ("1e3", "1000", "5")]
)
def test_a_certificate_of_a_file_holds_for_the_frame_that_was_read_from_it(spellings, tmp_path):
    rows = [f"{20 + i % 7},{spellings[i % 3]}\n" for i in range(RECORDS)]
    (tmp_path / "table.csv").write_text("age,x\n" + "".join(rows))
    policy = incrowd.quick(["age", "x"], quasi=["age"], k=5, keep=["x"]).model_copy(
        update={"max_alone": 1.0}
    )
    target = tmp_path / "release.csv"
    incrowd.anonymize(tmp_path / "table.csv", policy, target)
    paper = f"{target}.certificate.json"
    assert not _faults(incrowd.check(target, policy, paper))
    assert not _faults(incrowd.check(pl.read_csv(target), policy, paper))


def test_two_zeros_in_a_frame_are_one_value_in_every_engine(tmp_path):
    table = _table().select("age", "zeros")
    policy = incrowd.quick(table.columns, quasi=["age"], k=5, keep=["zeros"]).model_copy(
        update={"max_alone": 1.0}
    )
    connection = duckdb.connect()
    connection.register("odd", table.to_arrow())
    target = tmp_path / "release.parquet"
    there = incrowd.anonymize(connection.sql("SELECT * FROM odd"), policy, target)
    here = incrowd.anonymize(table, policy)
    assert there.certificate.unchanged == here.certificate.unchanged
    assert not _faults(incrowd.check(target, policy, f"{target}.certificate.json"))


def test_a_zero_byte_in_a_text_passes_or_is_refused(tmp_path):
    texts = ["a\x00b", "a", "\x00"]
    table = pl.DataFrame({"age": [20, 21] * 600, "x": texts * 400})
    policy = incrowd.quick(table.columns, quasi=["age"], k=5, keep=["x"]).model_copy(
        update={"max_alone": 1.0}
    )
    target = tmp_path / "release.parquet"
    incrowd.anonymize(table, policy, target)
    assert not _faults(incrowd.check(target, policy, f"{target}.certificate.json"))
    with pytest.raises(InputError):  # a text file with such bytes could not be read again
        incrowd.anonymize(table, policy, tmp_path / "release.csv")
    assert not (tmp_path / "release.csv").exists()
