"""What has no end, or unpacks to more than memory holds, is refused in time."""

import gzip
import io
import zipfile

import polars as pl
import pytest

from incrowd.errors import InputError, LimitError, PolicyError
from incrowd.io import byte_limits, files, tables, unpacked
from incrowd.io.byte_limits import free_memory, most_bytes_at_once, read_all
from incrowd.io.files import read_policy
from incrowd.io.layout import Layout

MEMORY = 2**20


class Endless(io.RawIOBase):
    """A pipe into which somebody writes lines for ever; it counts what was taken."""

    def __init__(self):
        self.given = 0

    def read(self, size=-1):
        assert 0 < size <= 2**24
        self.given += size
        return b"1,2\n" * (size // 4) + b"1" * (size % 4)


def test_an_endless_stream_is_refused_at_a_quarter_of_the_memory():
    stream = Endless()
    with pytest.raises(LimitError, match="a quarter of the memory") as caught:
        read_all(stream, MEMORY)
    assert "--memory" in caught.value.remedy
    assert stream.given == MEMORY // 4 + 1


def test_what_fits_is_read_whole():
    assert read_all(io.BytesIO(b"x" * (MEMORY // 4)), MEMORY) == b"x" * (MEMORY // 4)


def test_standard_input_without_end_is_refused(monkeypatch):
    class Input:
        buffer = Endless()

    monkeypatch.setattr(tables.sys, "stdin", Input())
    with pytest.raises(LimitError, match="standard input cannot be read"):
        tables.read("-", Layout(memory=MEMORY))


def test_a_device_without_end_is_refused():
    with pytest.raises(LimitError, match="'/dev/zero' cannot be read: it holds more than"):
        tables.read("/dev/zero", Layout(memory=MEMORY))


@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_archives_that_expand_are_refused(tmp_path, pack):
    text = b"a,b\n" + b"1,2\n" * MEMORY
    path = tmp_path / "table.csv"
    if pack == "gzip":
        path.write_bytes(gzip.compress(text))
    else:
        path.write_bytes(bytes(pytest.importorskip("pyarrow").compress(text, "zstd")))
    with pytest.raises(LimitError, match="a quarter of the memory"):
        tables.read(path, Layout(memory=MEMORY))
    assert tables.read(path, Layout(memory=64 * MEMORY)).frame.height == MEMORY


@pytest.fixture
def zstd_at_once(monkeypatch):
    """No library that unpacks zstd in parts."""
    monkeypatch.setattr(unpacked, "open_zstd", lambda _: None)


def _compress_zstd(text):
    packed = io.BytesIO()
    pl.DataFrame({text: []}).write_csv(
        packed, compression="zstd", check_extension=False, quote_style="never", line_terminator=""
    )
    return packed.getvalue()


@pytest.mark.usefixtures("zstd_at_once")
def test_zstd_that_expands_is_refused_before_it_is_unpacked_at_once(monkeypatch):
    packed = _compress_zstd("1,2\n" * MEMORY)
    assert len(unpacked.unzstd(packed)) == 4 * MEMORY
    monkeypatch.setattr(pl, "read_csv", None)
    with pytest.raises(LimitError, match="it may unpack to more than 1 MB"):
        unpacked.unzstd(packed, 4 * MEMORY)
    monkeypatch.setenv(unpacked.VARIABLE, str(3 * MEMORY))
    with pytest.raises(LimitError, match="it may unpack to more than 3 MB"):
        unpacked.unzstd(packed)


@pytest.mark.usefixtures("zstd_at_once")
@pytest.mark.parametrize("text", ["a", "a,b\nä,1\n", "1,2\n" * 400_000])
def test_zstd_in_several_frames_is_unpacked_at_once(text):
    packed = _compress_zstd(text)
    skipped = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    assert unpacked.unzstd(packed).decode() == text
    assert unpacked.unzstd(packed + skipped + packed).decode() == 2 * text


@pytest.mark.usefixtures("zstd_at_once")
def test_damaged_zstd_is_refused():
    packed = _compress_zstd("1,2\n" * 1000)
    for wrong in (packed[:6], packed[:-1], packed + b"more", b"\x28\xb5\x2f\xfd"):
        with pytest.raises(InputError, match="zstd compression"):
            unpacked.unzstd(wrong)


def test_what_the_user_allows_to_unpack_is_not_asked_again(tmp_path, monkeypatch):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * MEMORY))
    monkeypatch.setenv(unpacked.VARIABLE, str(10**9))
    assert tables.read(path, Layout(memory=MEMORY)).frame.height == MEMORY


def test_workbooks_that_expand_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(byte_limits, "free_memory", lambda: MEMORY)
    path = tmp_path / "table.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", " " * MEMORY)
    with pytest.raises(LimitError, match="unpacks to more than"):
        tables.read(path, Layout(memory=64 * MEMORY))


def test_documents_have_a_largest_size(monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 1000)
    with pytest.raises(InputError, match="'/dev/zero' holds more than"):
        files.read_document("/dev/zero")
    with pytest.raises(PolicyError, match="the policy '/dev/zero' holds more than"):
        read_policy("/dev/zero")


def test_a_container_has_no_more_memory_than_it_may_use(tmp_path, monkeypatch):
    monkeypatch.setattr(byte_limits, "_GROUP", tmp_path)
    machine = free_memory()
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("400000\n")
    assert free_memory() == min(machine, 600_000) == 600_000
    assert most_bytes_at_once() == 150_000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory() > 600_000
