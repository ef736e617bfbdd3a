import codecs
import gzip
import io
import sys
import tempfile
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError, PolicyError
from incrowd.io import tables
from incrowd.io.batches import open_batches
from incrowd.io.layout import Layout

CELLS = st.text(st.sampled_from('ab,"\n\r é;'), max_size=6)


def frame(n=400):
    return pl.DataFrame(
        {
            "number": [str(i) for i in range(n)],
            "text": [f'a "{i}"\nb,' if i % 5 == 0 else f"w{i % 9}" for i in range(n)],
            "town": [None if i % 4 == 0 else "Zürich" for i in range(n)],
        }
    )


def read(path, **options):
    with open_batches(path, Layout(**options)) as found:
        return pl.concat(list(found))


WRITERS = {
    "t.csv": lambda f, p: f.write_csv(p),
    "t.tsv": lambda f, p: f.write_csv(p, separator="\t"),
    "t.csv.gz": lambda f, p: p.write_bytes(gzip.compress(f.write_csv().encode())),
    "t.csv.zst": lambda f, p: f.write_csv(p, compression="zstd", check_extension=False),
    "t.parquet": lambda f, p: f.write_parquet(p, row_group_size=50),
    "t.arrow": lambda f, p: f.write_ipc(p),
    "t.stream": lambda f, p: f.write_ipc_stream(p),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("size", [64, 1_000, 10**6])
def test_the_batches_are_the_table(tmp_path, name, size):
    if name.endswith("zst"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    WRITERS[name](frame(), path)
    assert read(path, piece=size, rows=size).equals(tables.read(path).frame)
    assert read(path, columns=("town", "number")).columns == ["town", "number"]


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12),
    piece=st.integers(1, 60),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
)
def test_records_are_never_cut(rows, piece, end, last):
    lines = [",".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row) for row in rows]
    text = end.join(["one,two", *lines]) + (end if last else "")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        found = read(path, piece=piece, delimiter=",", header=True)
        wanted = tables.read(path, Layout(",", header=True)).frame
    assert found.fill_null("").equals(wanted.fill_null(""))


def test_blank_lines_are_no_records(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\n\n" + b"a,b\n1,2\n\n\n3,4\n" + b"\n" * 50 + b"5,6\n\n")
    for piece in (1, 5, 30, 1000):
        assert read(path, piece=piece)["a"].to_list() == ["1", "3", "5"]


def test_lines_that_end_with_returns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\r1,2\r3,4\r")
    assert read(path, piece=3).rows() == [("1", "2"), ("3", "4")]


def test_texts_without_a_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1;x\n2;y\n3;z\n")
    found = read(path, piece=4)
    assert found.columns == ["column_1", "column_2"]
    assert found.height == 3


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_encodings(tmp_path, encoding, piece):
    path = tmp_path / "t.csv"
    path.write_text("stadt,n\nZürich,1\nKöln,2\n", encoding=encoding)
    with open_batches(path, Layout(piece=piece)) as found:
        rows = pl.concat(list(found)).rows()
    assert rows == [("Zürich", "1"), ("Köln", "2")]
    assert bool(found.notes) == (encoding == "latin-1")
    assert read(path, piece=piece, encoding=encoding).rows() == rows


MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@pytest.mark.parametrize("encoding", MARKS)
@pytest.mark.parametrize("piece", [1, 7, 1000])
@pytest.mark.parametrize("header", ["年齢", "𠮷野", "age"])
def test_a_marked_text_is_read_whatever_its_first_letters_are(tmp_path, encoding, piece, header):
    """No byte of the first Japanese letter is 0 in UTF-16, and 𠮷 is a pair of halves there."""
    path = tmp_path / "t.csv"
    path.write_bytes(MARKS[encoding] + f"{header},n\n𠮷,1\n齢,2\n".encode(encoding))
    found = read(path, piece=piece)
    assert found.equals(tables.read(path).frame)
    assert (found.columns, found["n"].to_list()) == ([header, "n"], ["1", "2"])


@pytest.mark.parametrize("encoding", MARKS)
def test_a_marked_text_with_a_byte_that_does_not_fit_is_refused_as_in_memory(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(MARKS[encoding] + "a,n\n1,2\n".encode(encoding) * 9 + b"\xe9\xff\xff")
    for read_in in (tables.read, partial(read, piece=16)):
        with pytest.raises(InputError, match="the text is not utf"):
            read_in(path)


def test_standard_input(monkeypatch, tmp_path):
    for name in ("t.csv", "t.csv.gz", "t.parquet", "t.arrow"):
        WRITERS[name](frame(), tmp_path / name)
        data = io.BytesIO((tmp_path / name).read_bytes())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
        assert read("-", piece=100, rows=100).height == 400


@pytest.mark.parametrize("name", WRITERS)
def test_a_table_of_too_many_columns_is_refused_in_every_format(tmp_path, monkeypatch, name):
    if name.endswith("zst"):
        pytest.importorskip("pyarrow")
    monkeypatch.setattr("incrowd.io.titles.MOST_COLUMNS", 2)
    WRITERS[name](frame(3), tmp_path / name)
    for read_in in (read, tables.read):
        with pytest.raises(InputError, match="it has 3 columns; incrowd reads at most 2"):
            read_in(tmp_path / name)


BAD = {
    "ragged": (b"a,b\n1,2\n" * 3 + b"1,2,3\n", "fields", 64),
    "endless": (b'a,b\n1,"2\n3,4\n', "never closed", 64),
    "empty": (b"", "empty", 64),
    "blank": (b"\n \n", "empty", 64),
    "binary": (b"a,b\n\x00", "neither text", 64),
    "zip": (b"PK\x03\x04aaaa", "ZIP", 64),
    "gzip": (gzip.compress(b"a,b\n" + b"1,2\n" * 9999)[:-20], "cannot be read", 64),
    "parquet": (b"PAR1 and nothing", "cannot be read", 64),
    "late": ("a,b\né,2\n".encode() + b"\xe9,3\n", "name its encoding", 64),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_refused(tmp_path, name):
    data, words, piece = BAD[name]
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(InputError, match=words) as failure:
        read(path, piece=piece)
    assert str(path) in str(failure.value)
    assert failure.value.__context__ is None


def test_ragged_lines_are_told_by_their_number(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b'"1\n1",2\n' * 40 + b"1\n" + b"1,2\n" * 40)
    for piece in (5, 50, 10_000):
        with pytest.raises(InputError, match="first at line 82"):
            read(path, piece=piece)


def test_wrong_requests(tmp_path):
    path = tmp_path / "t.csv"
    frame().write_csv(path)
    with pytest.raises(PolicyError, match="no column 'nobody'"):
        read(path, columns=("nobody",))
    with pytest.raises(PolicyError, match="unknown delimiter"):
        Layout(delimiter="#")
    with pytest.raises(PolicyError, match="unknown encoding"):
        read(path, encoding="klingon")
    with pytest.raises(InputError, match="not ascii"):
        read(path, encoding="ascii")
    with pytest.raises(InputError, match="folder"):
        read(tmp_path)
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "nothing.csv")


def test_batches_show_no_values(tmp_path):
    path = tmp_path / "t.csv"
    frame().write_csv(path)
    with open_batches(path) as found:
        assert repr(found) == "Batches(3 columns)"
        assert found.text
        assert found.names == ("number", "text", "town")
