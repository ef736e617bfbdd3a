from datetime import date
from importlib import util

import polars as pl
import pytest

from incrowd.errors import InputError, PolicyError
from incrowd.io import tables
from incrowd.io.layout import Layout
from incrowd.io.tables import Form, form_of
from incrowd.io.target import write_in_pieces

TABLE = pl.DataFrame(
    {
        "text": ["a", None, 'q"uo,te', "line\nend", "", "é"],
        "number": [1.5, float("nan"), None, -2.0, 0.0, 3.0],
        "day": [date(2024, 1, day) for day in range(1, 7)],
        "kind": pl.Series(["x", "y", "x", None, "x", "y"], dtype=pl.Categorical),
        "enum": pl.Series(["x", "y"] * 3, dtype=pl.Enum(["x", "y", "unused"])),
    }
)
ENDINGS = ["csv", "tsv", "csv.gz", "csv.zst", "parquet", "arrow"]


def written(path, frames, like=None):
    with write_in_pieces(path, form_of(path, like)) as write:
        for frame in frames:
            write(frame)
    return path


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("size", [1, 4, 6])
def test_pieces_are_the_table(tmp_path, ending, size):
    frames = [TABLE[start : start + size] for start in range(0, 6, size)]
    path = written(tmp_path / f"t.{ending}", frames)
    tables.write(TABLE, tmp_path / f"w.{ending}")
    delimiter = "\t" if ending == "tsv" else ","
    found, whole = (
        tables.read(tmp_path / f"{name}.{ending}", Layout(delimiter, "utf-8", header=True)).frame
        for name in "tw"
    )
    plain = pl.col(pl.Categorical, pl.Enum).cast(pl.String)
    assert found.equals(whole.with_columns(plain))
    assert b"unused" not in path.read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_cells_of_one_column_are_no_blank_lines(tmp_path, ending):
    column = pl.DataFrame({"a": ["x", None, "y", None]})
    path = written(tmp_path / f"t.{ending}", [column[:2], column[2:]])
    assert (
        tables.read(path, Layout("\t" if ending == "tsv" else ",", header=True)).frame.height == 4
    )


def test_rows_taken_from_a_table_bring_no_other_texts(tmp_path):
    names = [f"{'long ' * 5}secret {i}" for i in range(100)]
    some = pl.DataFrame({"a": names})[[3, 5]]
    path = written(tmp_path / "t.arrow", [some])
    assert pl.read_ipc(path)["a"].to_list() == [names[3], names[5]]
    assert path.read_bytes().count(b"secret") == 2


def test_the_delimiter_is_that_of_the_source(tmp_path):
    path = written(tmp_path / "t.csv", [TABLE.select("day", "enum")], Form(delimiter=";"))
    assert path.read_bytes().startswith(b"day;enum\n2024-01-01;x\n")


def test_parquet_needs_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setattr("incrowd.io.target.find_spec", lambda _: None)
    with pytest.raises(PolicyError, match=r"incrowd\[arrow\]"):
        written(tmp_path / "t.parquet", [TABLE])
    written(tmp_path / "t.csv", [TABLE])
    assert util.find_spec("polars")


def test_other_libraries_are_not_quoted(tmp_path):
    other = pl.DataFrame({"text": [["secret"]]})
    with pytest.raises(InputError, match="cannot be written") as caught:
        written(tmp_path / "t.csv", [other])
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None
    with pytest.raises(InputError, match="cannot be written"):
        written(tmp_path / "t.parquet", [TABLE.select("text"), TABLE.select(text="number")])
