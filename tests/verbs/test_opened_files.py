"""Files out of memory, opened to be counted: closed with their block, and noted."""

import polars as pl
import pytest

from incrowd.errors import PolicyError
from incrowd.io import large
from incrowd.io.reading import Reading
from incrowd.verbs import tables

pytest.importorskip("duckdb")

READING = Reading(memory="1GB")


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A file of a few records that takes more memory than there is, and stays out of it."""
    monkeypatch.setattr(large, "CELL", 10**9)
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


def test_the_note_on_a_large_file_is_kept_where_it_is_true(path):
    with tables.open_to_count(path, None, READING, whole=False) as table:
        assert any("counted with DuckDB, out of memory" in note for note in table.notes)
    with tables.open_to_count(path, None, READING, whole=True) as table:
        assert table.notes == ()
