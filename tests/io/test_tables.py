import gzip
import io
import os
import sys
import traceback

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError, PolicyError
from incrowd.io.layout import Layout
from incrowd.io.tables import Source, read, write

CANARY = "kanarienvogel"
ENDINGS = ("csv", "tsv", "csv.gz", "csv.zst", "parquet", "arrow", "feather", "ipc", "else")


@pytest.fixture
def source(tmp_path):
    def make(data, **options):
        path = tmp_path / "table"
        path.write_bytes(data)
        return read(path, Layout(**options))

    return make


@pytest.mark.parametrize(
    ("data", "delimiter", "encoding", "columns", "rows"),
    [
        (b"a,b\n1,\n2,3\n", ",", "utf-8", ["a", "b"], [("1", None), ("2", "3")]),
        (b"a;b\n1,5;2\n3,5;4\n", ";", "utf-8", ["a", "b"], [("1,5", "2"), ("3,5", "4")]),
        (b"a\tb\nx y\tz\n", "\t", "utf-8", ["a", "b"], [("x y", "z")]),
        (b"a|b\nx|y\n", "|", "utf-8", ["a", "b"], [("x", "y")]),
        (b"a b\n1 2\n", " ", "utf-8", ["a", "b"], [("1", "2")]),
        (b"a\n1\n\n2\n\n", ",", "utf-8", ["a"], [("1",), ("2",)]),
        (b"\n\na,b\n1,2\n\n3,4\n\n", ",", "utf-8", ["a", "b"], [("1", "2"), ("3", "4")]),
        (b"a,b\r\n1,2\r\n\r\n", ",", "utf-8", ["a", "b"], [("1", "2")]),
        (b"a,b\r1,2\r3,4\r", ",", "utf-8", ["a", "b"], [("1", "2"), ("3", "4")]),
        (b"1,x\n2,y\n", ",", "utf-8", ["column_1", "column_2"], [("1", "x"), ("2", "y")]),
        (b"a,b\n02139,1.50", ",", "utf-8", ["a", "b"], [("02139", "1.50")]),
        (b'a,b\n"x ""y""\r\n\n,z",2\n', ",", "utf-8", ["a", "b"], [('x "y"\r\n\n,z', "2")]),
        (b'a,b\n5" pipe,2\n\n3,\n', ",", "utf-8", ["a", "b"], [('5" pipe', "2"), ("3", None)]),
        ("ä,b\né,1\n".encode(), ",", "utf-8", ["ä", "b"], [("é", "1")]),
        ("ä,b\né,1\n".encode("utf-8-sig"), ",", "utf-8-sig", ["ä", "b"], [("é", "1")]),
        ("ä,b\né,1\n".encode("utf-16"), ",", "utf-16", ["ä", "b"], [("é", "1")]),
        ("ä,b\né,1\n".encode("cp1252"), ",", "cp1252", ["ä", "b"], [("é", "1")]),
        (b"\x81,b\n\xe9,1\n", ",", "latin-1", ["\x81", "b"], [("é", "1")]),
    ],
)
def test_text_is_read_as_it_is(source, data, *, delimiter, encoding, columns, rows):
    found = source(data)

    assert found.text
    assert (found.format, found.delimiter, found.encoding) == ("csv", delimiter, encoding)
    assert found.frame.columns == columns
    assert found.frame.rows() == rows
    assert set(found.frame.dtypes) == {pl.String}


def test_what_is_given_is_not_guessed(source):
    found = source("1;é\n".encode("latin-1"), delimiter=";", encoding="latin-1", header=False)

    assert found.frame.rows() == [("1", "é")]
    assert found.notes == ()
    assert source(b"1,2\n3,4\n", header=True).frame.columns == ["1", "2"]
    assert source(b"a,b\n3,4\n", columns=["b"]).frame.columns == ["b"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf_16_be", "UTF-32-LE"])
def test_wide_characters_without_a_mark_are_read_if_they_are_named(source, encoding):
    data = "ä,b\né,1\n".encode(encoding)

    assert source(data, encoding=encoding).frame.rows() == [("é", "1")]
    with pytest.raises(InputError, match="name its encoding"):
        source(data)
    with pytest.raises(InputError, match="neither text"):
        source(b"a,b\n1,\x00\n", encoding="utf-8")


def test_guesses_and_formulas_are_noted(source):
    found = source("a,b\n=cmd(),é\n@x,+1\n".encode("cp1252"))

    assert {note.name: note.count for note in found.notes} == {
        "formula_cells": 3,
        "guessed_encoding": 1,
    }
    assert "cmd" not in "".join(map(str, found.notes))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"a,b\n", "no records"),
        (b"a,b\n1,2\n3,%b,5\n6\n", "2 rows have a different number of fields .*line 3"),
        (b"a,b,c\n1,2,3\n3,%b\n", "1 row has a different number of fields .*line 3"),
        (b'a,b\n"x\ny",2\n%b\n', "line 4"),
        (b'a,b\n1,2\n"%b,2\n3,4\n', "line 3 is never closed"),
        (b'a,b\n"%b"y,2\n', "not well-formed"),
        (b"PK\x03\x04%b", "workbook"),
        (b"\x00\x01%b", "neither text"),
        (b"PAR1%bPAR1", "does not fit"),
        (b"ARROW1%b", "does not fit"),
        (b"\x1f\x8b%b", "gzip"),
        (b"\x28\xb5\x2f\xfd%b", "zstd"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(source, data, words):
    data = data.replace(b"%b", CANARY.encode())
    with pytest.raises(InputError, match=words) as caught:
        source(data)

    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert "\n" not in str(caught.value)


def test_an_encoding_that_does_not_fit_is_refused(source):
    with pytest.raises(InputError, match=r"not utf-8: byte 7 \(line 3\)"):
        source(b"a\nx\nyz\xff\n", encoding="utf-8")
    with pytest.raises(PolicyError, match="unknown encoding 'klingon'"):
        source(b"a\nx\n", encoding="klingon")


def test_an_unknown_delimiter_or_column_is_refused(source):
    with pytest.raises(PolicyError, match="unknown delimiter"):
        source(b"a\nx\n", delimiter="xx")
    with pytest.raises(PolicyError, match="no column 'c'"):
        source(b"a,b\nx,y\n", columns=["c"])


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(InputError, match="folder"):
        read(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path):
    path = tmp_path / "closed.csv"
    path.touch(0o000)
    with pytest.raises(InputError, match="Permission denied"):
        read(path)


CELLS = st.none() | st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=4)
TRICKY = st.sampled_from(['"', 'a"b', "x\ny", "1,5", ";", "\t", "02139", "=cmd()", "a\r\nb", " "])


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_a_table_survives_every_format(tmp_path_factory, data):
    width = data.draw(st.integers(1, 3))
    row = st.lists(CELLS | TRICKY, min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=1, max_size=4))
    ending = data.draw(st.sampled_from(ENDINGS))
    like = Source(pl.DataFrame(), True, delimiter=data.draw(st.sampled_from(",;\t|")))
    names = [f"name{j}" for j in range(width)]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    path = tmp_path_factory.mktemp("tables") / f"table.{ending}"

    write(frame, path, like)
    delimiter = "\t" if ending == "tsv" else like.delimiter
    found = read(path, Layout(delimiter=delimiter, encoding="utf-8", header=True))

    empty = pl.all().replace("", None)
    assert found.frame.select(empty).equals(frame.select(empty))


def test_types_survive_parquet_and_arrow(tmp_path):
    frame = pl.DataFrame({"n": [1, None], "c": ["x", "y"]}).cast({"c": pl.Categorical})
    for ending in ("parquet", "arrow"):
        write(frame, tmp_path / f"t.{ending}")
        found = read(tmp_path / f"t.{ending}", Layout(columns=["n"]))
        assert not found.text
        assert found.format == ending
        assert found.frame.schema == {"n": pl.Int64}


def test_the_source_decides_where_the_ending_does_not(tmp_path):
    parquet = Source(pl.DataFrame(), False, "parquet")
    write(pl.DataFrame({"a": [1]}), tmp_path / "plain", parquet)
    assert read(tmp_path / "plain").format == "parquet"

    write(
        pl.DataFrame({"a": ["1"], "b": ["2"]}),
        tmp_path / "t.csv.gz",
        Source(parquet.frame, True, delimiter=";"),
    )
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()) == b"a;b\n1;2\n"
    assert read(tmp_path / "t.csv.gz").compression == "gzip"
    with pytest.raises(PolicyError, match="compressed parquet"):
        write(pl.DataFrame({"a": [1]}), tmp_path / "t.parquet.gz")


def test_standard_input_and_output(monkeypatch, capfdbinary):
    class Pipe:
        buffer = io.BytesIO(gzip.compress(b"a,b\n1,2\n"))

    monkeypatch.setattr(sys, "stdin", Pipe)
    found = read("-")
    write(found.frame, "-", found)

    assert capfdbinary.readouterr().out == b"a,b\n1,2\n"
    with pytest.raises(InputError, match="standard input cannot be read: it is empty"):
        read("-")


@pytest.mark.parametrize(
    ("path", "words"),
    [("/dev/full", "No space left"), ("/", "Is a directory"), ("/nowhere/t.csv", "No such file")],
)
def test_targets_that_cannot_be_written(path, words):
    with pytest.raises(InputError, match=words) as caught:
        write(pl.DataFrame({"a": [CANARY], "b": ["x"]}), path)

    assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_cells_that_do_not_fit_the_format_are_refused(tmp_path):
    with pytest.raises(InputError, match="does not fit the format") as caught:
        write(pl.DataFrame({"a": [[CANARY]], "b": [1]}), tmp_path / "t.csv")

    assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_frames_of_other_libraries_are_written(tmp_path):
    import pandas as pd

    write(pd.DataFrame({"a": [1, 2]}), tmp_path / "t.csv")

    assert (tmp_path / "t.csv").read_bytes() == b"a\n1\n2\n"


def test_a_source_does_not_show_its_cells(source):
    assert CANARY not in repr(source(f"age\n{CANARY}\n".encode()))


@pytest.mark.parametrize(
    ("text", "headed"),
    [
        ("age,sex\n30,m\n40,f\n", True),
        ("30,m\n40,f\n50,m\n", False),
        ("m,red\nf,blue\nm,red\n", False),
        ("sex,colour\nf,blue\nm,red\n", True),
        ("2024-01-01,x\n2024-02-01,y\n", False),
    ],
)
def test_a_first_line_of_data_is_no_header_and_noted(source, text, headed):
    found = source(text.encode())
    assert ("column_1" not in found.frame.columns) is headed
    assert ("no_header" not in [note.name for note in found.notes]) is headed
    assert not source(text.encode(), header=False).notes


@pytest.mark.parametrize("name", ["release.ods", "release.SAV", "release.csv.zip"])
def test_no_file_is_written_under_a_false_ending(tmp_path, name):
    with pytest.raises(PolicyError, match=r"cannot write \.\w+ files"):
        write(pl.DataFrame({"a": [1]}), tmp_path / name)
    assert not list(tmp_path.iterdir())
