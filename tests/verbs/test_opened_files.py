"""Files out of memory, opened to be counted: closed with their block, and noted."""

import polars as pl
import pytest

import incrowd
from incrowd.engines import elsewhere
from incrowd.engines.duckdb import DuckDB
from incrowd.errors import IncrowdError, InputError, PolicyError
from incrowd.io import large
from incrowd.io.reading import Reading, rows_of
from incrowd.verbs import tables

duckdb = pytest.importorskip("duckdb")

READING = Reading(memory="1GB")


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A file of a few records that takes more memory than there is, and stays out of it."""
    monkeypatch.setattr(large, "CELL", 10**12)
    monkeypatch.setattr(tables, "FEW_RECORDS", 2)
    pl.DataFrame({"age": [20, 30, 40, 20, 40]}).write_parquet(tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


@pytest.fixture
def opened(monkeypatch):
    """Large tables, as they are opened: kept here, none is closed by its finalizer."""
    kept, open_large = [], Reading.open_large

    def open_and_keep(reading, path):
        kept.append(open_large(reading, path))
        return kept[-1]

    monkeypatch.setattr(Reading, "open_large", open_and_keep)
    return kept


@pytest.mark.parametrize("whole", [False, True])
def test_a_large_file_is_closed_with_its_block(path, opened, whole):
    with tables.open_to_count(path, None, READING, whole=whole) as table:
        folder = opened[0].engine.database.folder
        assert folder.is_dir()
        assert table.engine.records == 5
    assert not folder.exists()


def test_a_large_file_without_a_wanted_column_is_closed(path, opened):
    with (
        pytest.raises(PolicyError, match="weight"),
        tables.open_to_count(path, ["weight"], READING, whole=False),
    ):
        pass
    assert not opened[0].engine.database.folder.exists()


@pytest.fixture
def databases(monkeypatch):
    """Databases of DuckDB, as they are made: kept here, none is closed by its finalizer."""
    kept, make = [], DuckDB.__init__

    def make_and_keep(database, *given, **named):
        kept.append(database)
        make(database, *given, **named)

    monkeypatch.setattr(DuckDB, "__init__", make_and_keep)
    return kept


def people(number):
    return pl.DataFrame({"age": [20 + 10 * (i % 2) for i in range(number)]})


def relation_of(frame):
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    return connection.sql("SELECT * FROM given")


WITH_WORLD = {
    "anonymize": lambda world, asked: incrowd.anonymize(people(6), asked, world=world),
    "check": lambda world, asked: incrowd.check(people(6), asked, world=world),
    "report": lambda world, asked: incrowd.report(people(6), None, asked, world=world),
    "attack": lambda world, asked: incrowd.attack(people(6), policy=asked, world=world),
}


@pytest.mark.parametrize("kind", ["file", "relation"])
@pytest.mark.parametrize("verb", WITH_WORLD)
def test_a_world_is_closed_by_the_verb_that_opens_it(tmp_path, monkeypatch, databases, verb, kind):
    world = relation_of(people(60)) if kind == "relation" else tmp_path / "world.parquet"
    if kind == "file":
        monkeypatch.setattr("incrowd.io.large.CELL", 10**12)
        people(60).write_parquet(world)
    asked = incrowd.quick(["age"], quasi=["age"], k=2)
    WITH_WORLD[verb](world, asked.model_copy(update={"models": (incrowd.KMap(2),)}))
    assert databases
    assert not [made for made in databases if made.folder.exists()]


@pytest.mark.parametrize("verb", WITH_WORLD)
def test_a_world_that_does_not_fit_is_closed(databases, verb):
    asked = incrowd.quick(["age"], quasi=["age"], k=2)
    world = relation_of(people(60).rename({"age": "weight"}))
    with pytest.raises(IncrowdError):
        WITH_WORLD[verb](world, asked.model_copy(update={"models": (incrowd.KMap(2),)}))
    assert databases
    assert not [made for made in databases if made.folder.exists()]


def test_a_relation_that_is_read_into_memory_is_closed(databases):
    assert rows_of(relation_of(people(3))).rows() == [(20,), (30,), (20,)]
    assert len(databases) == 1
    assert not databases[0].folder.exists()


def test_few_rows_of_a_lazy_frame_leave_no_database(databases):
    assert rows_of(pl.LazyFrame({"a": [1, 2]}).select(pl.col("a"))).height == 2
    engine = elsewhere.engine_of(people(3).lazy())
    assert engine.records == 3
    assert not [made for made in databases if made.folder.exists()]


def test_a_stored_table_that_cannot_be_read_leaves_no_database(databases, tmp_path):
    duckdb.connect(str(tmp_path / "t.db")).close()
    with pytest.raises(InputError, match="others"):
        elsewhere.engine_of(f"duckdb:{tmp_path / 't.db'}::others")
    assert not databases[0].folder.exists()


def test_the_note_on_a_large_file_is_kept_where_it_is_true(path):
    with tables.open_to_count(path, None, READING, whole=False) as table:
        assert any("counted with DuckDB, out of memory" in note for note in table.notes)
    with tables.open_to_count(path, None, READING, whole=True) as table:
        assert table.notes == ()
