"""Workbooks: what goes in comes out as values, and nothing in them is run or shown."""

import datetime as dt
import io
import traceback
import zipfile

import openpyxl
import polars as pl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd.errors import InputError, LimitError, PolicyError
from incrowd.io import sheet_writing
from incrowd.io.batches import open_batches
from incrowd.io.layout import Layout
from incrowd.io.tables import read, write

CANARY = "c4n4ry"


@pytest.fixture
def book(tmp_path):
    """Write a workbook with xlsxwriter; `fill` gets the workbook and its first sheet."""

    def made(fill, name="t.xlsx"):
        path = tmp_path / name
        with xlsxwriter.Workbook(path) as workbook:
            fill(workbook, workbook.add_worksheet("people"))
        return path

    return made


def rows(path, **options):
    return read(path, Layout(**options)).frame.rows()


def notes(path, **options):
    return {note.name: note.count for note in read(path, Layout(**options)).notes}


def people(sheet, first=0):
    sheet.write_row(first, 0, ["age", "zip", "name"])
    for i in range(6):
        sheet.write_row(first + 1 + i, 0, [20 + i, f"0213{i}", f"{CANARY} {i}"])


def test_cells_have_the_types_that_the_sheet_gives_them(book):
    def fill(workbook, sheet):
        day = workbook.add_format({"num_format": "dd.mm.yyyy"})
        sheet.write_row(0, 0, ["age", "cost", "birth_date", "visit", "smoker", "zip", "empty"])
        for i in (1, 2, 3):
            sheet.write_number(i, 0, 30 + i)
            sheet.write_number(i, 1, i + 0.1)
            sheet.write_datetime(i, 2, dt.datetime.fromisoformat(f"1990-02-0{i}"), day)
            sheet.write_datetime(i, 3, dt.datetime.fromisoformat(f"2020-01-0{i}T08:30"), day)
            sheet.write_boolean(i, 4, i == 1)
            sheet.write_string(i, 5, f"0213{i}")

    found = read(book(fill))
    assert found.format == "xlsx"
    assert found.frame.row(0) == (
        31,
        1.1,
        dt.date(1990, 2, 1),
        dt.datetime.fromisoformat("2020-01-01T08:30"),
        True,
        "02131",
        None,
    )
    assert not found.text


def test_mixed_columns_are_text_as_it_is_shown(book):
    def fill(workbook, sheet):
        day = workbook.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ["age", "birth_date"])
        sheet.write_row(1, 0, [30, "unknown"])
        sheet.write(2, 0, "old")
        sheet.write_datetime(2, 1, dt.datetime.fromisoformat("1990-02-03"), day)

    assert rows(book(fill), header=True) == [("30", "unknown"), ("old", "1990-02-03")]


def test_errors_are_missing_and_formulas_show_their_stored_values(book):
    def fill(_, sheet):
        sheet.write_row(0, 0, ["age", "double"])
        for i in range(1, 5):
            sheet.write_number(i, 0, 20 + i)
            sheet.write_formula(i, 1, f"=A{i + 1}*2", None, 40 + 2 * i)
        sheet.write_formula(5, 0, "=1/0", None, "#DIV/0!")
        sheet.write_formula(5, 1, "=NA()", None, "#N/A")
        sheet.write(6, 0, 60)

    path = book(fill)
    assert read(path).frame["double"].to_list() == [42, 44, 46, 48, None]
    assert notes(path) == {"formulas_cells": 6, "errors_cells": 2}


def test_formulas_without_stored_values_are_said(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.active.append(["age", "double"])
    for i in range(3):
        workbook.active.append([20 + i, f"=A{i + 2}*2"])
    workbook.save(tmp_path / "t.xlsx")
    assert notes(tmp_path / "t.xlsx")["empty_cells"] == 3
    assert read(tmp_path / "t.xlsx").frame["double"].null_count() == 3


def test_hidden_rows_and_merged_cells_are_read_and_said(book):
    def fill(_, sheet):
        people(sheet)
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.set_column(1, 1, 8, None, {"hidden": True})
        sheet.write(0, 3, "ward")
        sheet.merge_range(1, 3, 3, 3, "together")

    path = book(fill)
    assert read(path).frame.height == 6
    assert read(path).frame["ward"].to_list()[:4] == ["together", None, None, None]
    assert notes(path) == {"merged_cells": 1, "hidden_cells": 2}


def test_titles_above_the_header_are_skipped(book):
    def fill(_, sheet):
        sheet.write(1, 0, "Patients of the year")
        sheet.write(2, 0, "as of today")
        people(sheet, 4)

    path = book(fill)
    assert read(path).frame.columns == ["age", "zip", "name"]
    assert notes(path) == {"titles": 2}
    assert read(path, Layout(skip=4)).frame.equals(read(path).frame)
    assert not notes(path, skip=4)


def test_names_that_lack_or_repeat_are_repaired(book):
    def fill(_, sheet):
        sheet.write_row(0, 0, ["age", "age", "age_2", None, "zip", None])
        for i in range(1, 5):
            sheet.write_row(i, 0, [i, i, i, i, f"0213{i}"])

    path = book(fill)
    assert read(path).frame.columns == ["age", "age_3", "age_2", "column_4", "zip"]
    assert notes(path) == {"nameless": 1, "repeated_names": 1}


def test_the_first_visible_sheet_with_cells_is_read(tmp_path):
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as workbook:
        workbook.add_worksheet("empty").activate()
        hidden = workbook.add_worksheet("hidden")
        people(hidden, 2)
        hidden.hide()
        people(workbook.add_worksheet("people"))
        workbook.add_worksheet("more").write_row(0, 0, ["sex", "zip"])
    assert read(path).frame.columns == ["age", "zip", "name"]
    assert "'people'" in str(read(path).notes[0])
    assert read(path, Layout(sheet="hidden")).frame.height == 6
    with pytest.raises(PolicyError, match="no sheet 'nowhere'"):
        read(path, Layout(sheet="nowhere"))
    with open_batches(path, Layout(sheet="hidden")) as found:
        assert sum(frame.height for frame in found) == 6


def test_a_first_row_of_data_gives_no_names(book):
    def fill(_, sheet):
        for i in range(6):
            sheet.write_row(i, 0, [20 + i, f"0213{i}", dt.date(2020, 1, 1).isoformat()])

    found = read(book(fill))
    assert found.frame.columns == ["column_1", "column_2", "column_3"]
    assert found.frame.height == 6
    assert [note.name for note in found.notes] == ["no_header"]


@pytest.mark.slow
def test_sheets_of_all_columns_are_read(book):
    def fill(_, sheet):
        sheet.write_row(0, 0, [f"q{j}" for j in range(1, 16_385)])
        sheet.write_row(1, 0, list(range(16_384)))

    assert read(book(fill)).frame.width == 16_384


BROKEN = {
    "cut": (lambda data: data[: len(data) // 2], "damaged"),
    "empty": (lambda _: b"PK\x05\x06" + b"\0" * 18, "ZIP archive"),
    "sealed": (
        lambda data: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
        + data,
        "password",
    ),
    "old": (lambda data: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + data, r"97-2003"),
    "noise": (lambda data: data[:60] + CANARY.encode() * 20 + data[200:], "damaged"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_workbooks_are_refused_in_one_sentence(book, tmp_path, kind):
    data = book(lambda _, sheet: people(sheet)).read_bytes()
    change, words = BROKEN[kind]
    path = tmp_path / "broken.xlsx"
    path.write_bytes(change(data))
    with pytest.raises(InputError, match=words) as caught:
        read(path)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert "\n" not in str(caught.value)


def changed(path, name, text):
    """The same archive with another text in one of its parts."""
    made = path.with_name("changed.xlsx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w") as new:
        for part in old.infolist():
            new.writestr(part, text if part.filename == name else old.read(part))
    return made


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml"])
def test_parts_that_are_no_xml_are_refused(book, part):
    path = changed(book(lambda _, sheet: people(sheet)), part, f"<c {CANARY}<row>")
    with pytest.raises(InputError) as caught:
        read(path)
    assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_entities_are_not_expanded(book):
    path = book(lambda _, sheet: people(sheet))
    text = '<!DOCTYPE x [<!ENTITY a "aaaa">]><workbook>&a;</workbook>'
    with pytest.raises(InputError, match="damaged"):
        read(changed(path, "xl/workbook.xml", text))


def test_an_archive_that_unpacks_to_too_much_is_refused(book, monkeypatch):
    path = book(lambda _, sheet: people(sheet))
    monkeypatch.setenv("INCROWD_MAX_UNPACKED", "1000")
    with pytest.raises(LimitError, match="unpacks to more"):
        read(path)


def test_macros_are_neither_run_nor_written(book, tmp_path):
    path = book(lambda _, sheet: people(sheet))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/vbaProject.bin", CANARY)
    found = read(path.rename(tmp_path / "t.xlsm"))
    assert [note.name for note in found.notes] == ["macros"]
    with pytest.raises(PolicyError, match=r"cannot write \.xlsm"):
        write(found.frame, tmp_path / "out.xlsm", found)
    write(found.frame, tmp_path / "out", found)
    with zipfile.ZipFile(tmp_path / "out") as archive:
        assert "xl/vbaProject.bin" not in archive.namelist()
    assert read(tmp_path / "out").frame.equals(found.frame)


def test_an_absent_library_names_the_extra(book, monkeypatch):
    path = book(lambda _, sheet: people(sheet))
    monkeypatch.setattr("incrowd.io.sheets.find_spec", lambda _: None)
    with pytest.raises(PolicyError, match=r"install incrowd\[excel\]"):
        read(path)


TEXTS = st.text(
    st.one_of(
        st.sampled_from("=+-@'\"<>&_x0041\t\n\r"),
        st.characters(codec="utf-8", exclude_characters="\0\ufffe\uffff"),
    ),
    min_size=1,
    max_size=12,
)
COLUMNS = {
    "text": TEXTS,
    "whole": st.integers(-(2**53), 2**53),
    "wide": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "truth": st.booleans(),
    "day": st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)),
    "moment": st.datetimes(*map(dt.datetime.fromisoformat, ["1910-01-01", "2100-01-01"])),
}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_written_comes_back_as_values(data):
    size = data.draw(st.integers(1, 6))
    cells = {
        name: data.draw(st.lists(st.none() | values, min_size=size, max_size=size))
        for name, values in COLUMNS.items()
    }
    cells["number"] = list(range(size))
    types = {"wide": pl.Int64, "whole": pl.Int64, "float": pl.Float64}
    frame = pl.DataFrame(cells, schema_overrides=types)
    target = io.BytesIO()
    sheet_writing.write(frame, target)
    again = io.BytesIO()
    sheet_writing.write(frame, again)
    assert target.getvalue() == again.getvalue()
    with zipfile.ZipFile(target) as archive:
        assert b"<f" not in archive.read("xl/worksheets/sheet1.xml").replace(b"<f_", b"")
    sheet = openpyxl.load_workbook(target).active
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
    found = _read(target.getvalue())
    for name in frame.columns:
        assert [*map(_plain, found[name])] == [*map(_plain, frame[name])], name


def _read(data):
    from incrowd.io import sheets
    from incrowd.io.layout import Layout

    return sheets.read(data, Layout(header=True, skip=0)).frame


def _plain(cell):
    """A cell as it may be written: days and moments as ISO text, numbers by their value."""
    if isinstance(cell, dt.datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(cell, dt.date):
        return cell.isoformat()
    if isinstance(cell, bool) or cell is None:
        return cell
    if isinstance(cell, int | float):
        return str(int(cell)) if cell == int(cell) else repr(float(cell))
    return cell.removesuffix(" 00:00:00")


def test_a_sheet_has_room_for_so_many_rows(tmp_path):
    frame = pl.DataFrame({"age": pl.Series(range(1_048_576)) % 90})
    policy = incrowd.quick(["age"], quasi=["age"], k=5)
    with pytest.raises(LimitError, match="1,048,575 records"):
        incrowd.anonymize(frame, policy, tmp_path / "r.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_text_that_no_cell_can_hold_is_refused(tmp_path):
    with pytest.raises(InputError, match="32,767 letters"):
        write(pl.DataFrame({"a": ["x" * 32_768]}), tmp_path / "t.xlsx")


def test_a_release_of_a_workbook_is_a_workbook(book, tmp_path):
    def fill(_, sheet):
        sheet.write_row(0, 0, ["age", "zip", "note"])
        for i in range(60):
            sheet.write_row(i + 1, 0, [20 + i % 20, f"0213{i % 5}"])
            sheet.write_string(i + 1, 2, f"=cmd|{i % 3}")

    policy = incrowd.quick(["age", "zip", "note"], quasi=["age", "zip"], keep=["note"], k=5)
    path = book(fill)
    made = incrowd.anonymize(path, policy, tmp_path / "r.xlsx", seed=1)
    found = read(tmp_path / "r.xlsx").frame
    assert found["note"].str.starts_with("=cmd|").all()
    assert incrowd.check(tmp_path / "r.xlsx", policy, made.certificate).ok
    again = incrowd.anonymize(path, policy, tmp_path / "s.xlsx", seed=1)
    assert made.certificate.digest.sha256 == again.certificate.digest.sha256
