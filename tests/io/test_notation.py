"""Decimal commas, thousands and the order of dates: found by the column, or asked."""

import datetime as dt
import traceback
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd.errors import InputError, PolicyError
from incrowd.io.batches import open_batches
from incrowd.io.layout import Layout
from incrowd.io.notation import NotationRequest, find_notations, parse_date_formats
from incrowd.io.tables import read

CANARY = "c4n4ry"


def rewritten(values, delimiter=";", **request):
    frame = pl.DataFrame({"x": values}, schema={"x": pl.String})
    ways = find_notations(frame, NotationRequest(**request), delimiter)
    return ways.rewrite(frame)["x"].to_list()


def undecided(values, delimiter=";", **request):
    frame = pl.DataFrame({"x": values}, schema={"x": pl.String})
    return dict(find_notations(frame, NotationRequest(**request), delimiter).undecided)


@pytest.mark.parametrize(
    ("values", "plain"),
    [
        (["1,5", "12", "-0,25", None, "NA"], ["1.5", "12", "-0.25", None, "NA"]),
        (["1.234,5", "7", ""], ["1234.5", "7", ""]),
        (["1.234.567,25"], ["1234567.25"]),
        (["0,125", "1,250"], ["0.125", "1.250"]),
        (["1,234.5", "7"], ["1234.5", "7"]),
        (["1,234,567", "12"], ["1234567", "12"]),
        (["1,50", "2,75"], ["1.50", "2.75"]),
        (["31/12/1990", "01/02/1990", "?"], ["1990-12-31", "1990-02-01", "?"]),
        (["12/31/1990", "01/02/1990"], ["1990-12-31", "1990-01-02"]),
        (["31-12-1990", "1-2-1990"], ["1990-12-31", "1990-02-01"]),
    ],
)
def test_one_way_to_write_a_column_is_found(values, plain):
    assert rewritten(values) == plain


@pytest.mark.parametrize(
    "values",
    [
        ["1.5", "2.25"],
        ["1.234", "2.345"],
        ["12", "13"],
        ["1,5", "many"],
        ["01,5", "02,5"],
        ["1,2,3", "4,5"],
        ["31/12/1990", "12/31/1990"],
        ["31/02/1990"],
        ["31/12-1990"],
        ["1990-12-31"],
        ["1,5 kg"],
        [None, ""],
        ["?", "NA"],
    ],
)
def test_other_columns_stay_as_they_are(values):
    assert rewritten(values) == values
    assert not undecided(values)


def test_what_can_be_read_in_two_ways_is_asked():
    assert undecided(["1,234", "5,678"]) == {"x": "--decimal , or --thousands ,"}
    assert rewritten(["1,234", "5,678"]) == ["1,234", "5,678"]
    assert "--date-format" in undecided(["03/04/1990", "05/06/1990"])["x"]
    assert rewritten(["03/04/1990"]) == ["03/04/1990"]


def test_what_is_said_decides():
    assert rewritten(["1,234"], decimal=",") == ["1.234"]
    assert rewritten(["1,234"], decimal=".") == ["1234"]
    assert rewritten(["1,234"], thousands=",") == ["1234"]
    assert rewritten(["1.234"], thousands=".") == ["1234"]
    assert rewritten(["1 234,5"], decimal=",", thousands=" ") == ["1234.5"]
    assert rewritten(["03/04/1990"], date_formats="%d/%m/%Y") == ["1990-04-03"]
    assert rewritten(["03/04/1990"], date_formats={"x": "%m/%d/%Y"}) == ["1990-03-04"]
    assert rewritten(["19900403"], date_formats={"x": "%Y%m%d"}) == ["1990-04-03"]
    assert rewritten(["3.4.90 08:30"], date_formats="%d.%m.%y %H:%M") == ["1990-04-03 08:30:00"]
    assert rewritten(["1,5"], decimal=".") == ["1,5"]


def test_a_comma_between_cells_is_no_decimal_comma():
    assert rewritten(["1,5", "2,5"], delimiter=",") == ["1,5", "2,5"]
    assert rewritten(["1,5", "2,5"], delimiter=",", decimal=",") == ["1.5", "2.5"]


def test_a_format_that_does_not_fit_is_refused_without_a_cell():
    with pytest.raises(InputError, match=r"2 values .* %d/%m/%Y \(first at row 2\)") as caught:
        rewritten(["03/04/1990", CANARY, CANARY], date_formats={"x": "%d/%m/%Y"})
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(PolicyError, match="no column 'y'"):
        rewritten(["x"], date_formats={"y": "%d/%m/%Y"})


@pytest.mark.parametrize(
    "request_", [{"decimal": ";"}, {"thousands": "x"}, {"decimal": ",", "thousands": ","}]
)
def test_wrong_marks_are_refused(request_):
    with pytest.raises(PolicyError):
        NotationRequest(**request_)


@pytest.mark.parametrize("texts", [["d/m/y"], ["a=%d", "a=%m"], ["%d", "%m"]])
def test_wrong_formats_are_refused(texts):
    with pytest.raises(PolicyError, match="--date-format"):
        parse_date_formats(texts)


MARKS = st.sampled_from([(",", "."), (",", ""), (".", ","), (",", " "), (".", "'")])


@settings(deadline=None)
@given(
    st.lists(st.decimals(-(10**7), 10**7, allow_nan=False, places=2), min_size=1, max_size=20),
    MARKS,
)
def test_numbers_are_those_that_were_written(numbers, marks):
    decimal, thousands = marks
    texts = []
    for number in numbers:
        text = f"{number:,.2f}".replace(",", "T").replace(".", decimal).replace("T", thousands)
        texts.append(text)
    plain = rewritten(texts, decimal=decimal, thousands=thousands or None)
    assert [*map(Decimal, plain)] == numbers
    if thousands in {".", ","} and any("," in text for text in texts):
        assert [*map(Decimal, rewritten(texts))] == numbers


@settings(deadline=None)
@given(st.lists(st.dates(dt.date(1900, 1, 1)), min_size=1, max_size=20), st.booleans())
def test_dates_are_read_as_they_were_written_or_not_at_all(days, day_first):
    form = "%d/%m/%Y" if day_first else "%m/%d/%Y"
    texts = [day.strftime(form) for day in days]
    found = rewritten(texts)
    told = any(day.day > 12 for day in days)
    assert found == ([day.isoformat() for day in days] if told else texts)
    assert rewritten(texts, date_formats=form) == [day.isoformat() for day in days]


def table(n=400):
    lines = (f"{i % 28 + 1:02}/{i % 12 + 1:02}/19{50 + i % 40};{i % 50},{i % 90 + 10};x{i % 3}\n"
             for i in range(n))  # fmt: skip
    return "birth_date;cost;ward\n" + "".join(lines)


@pytest.mark.slow
def test_kept_columns_leave_as_they_are_written(tmp_path):
    (tmp_path / "t.csv").write_text(table().replace("ward", "kept").replace(";x", ";1,5"))
    policy = incrowd.quick(
        ["birth_date", "cost", "kept"],
        quasi=["birth_date", "cost"],
        keep=["kept"],
        k=5,
        max_alone=1.0,
    )
    incrowd.anonymize(tmp_path / "t.csv", policy, tmp_path / "r.csv")
    found = read(tmp_path / "r.csv").frame
    assert found["kept"].str.starts_with("1,5").all()
    assert incrowd.check(tmp_path / "r.csv", policy, tmp_path / "r.csv.certificate.json").ok


def test_batches_find_what_the_whole_table_shows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(table())
    whole = read(path, Layout(notation=NotationRequest()))
    with open_batches(path, Layout(piece=1000, notation=NotationRequest())) as found:
        frames = pl.concat(list(found))
    assert frames.equals(whole.frame)
    assert whole.frame["birth_date"].str.starts_with("19").all()
    assert found.notes == [str(note) for note in whole.notes]
    assert not found.plain


def test_a_later_batch_that_does_not_fit_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(table() + f"{CANARY};1,25;x\n")
    layout = Layout(piece=1000, notation=NotationRequest())
    with (
        open_batches(path, layout) as found,
        pytest.raises(InputError, match="'birth_date'") as caught,
    ):
        list(found)
    assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_quantiles_divide_such_numbers_and_copy_the_rest(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(table())
    made = incrowd.quantiles(path, tmp_path / "r.csv", columns=["cost"], k=50, keep=["birth_date"])
    assert made.records == 400
    found = read(tmp_path / "r.csv").frame
    assert found["birth_date"].str.contains(r"^\d\d/\d\d/\d{4}$").all()
    assert found["cost"].n_unique() <= 8


def test_titles_and_skipped_lines_of_texts(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Report of the year\nfor everybody\n\nage,zip,sex\n1,02139,f\n2,02138,m\n")
    found = read(path)
    assert found.frame.columns == ["age", "zip", "sex"]
    assert [note.name for note in found.notes] == ["titles"]
    for skip in (None, 3):
        with open_batches(path, Layout(skip=skip)) as parts:
            assert pl.concat(list(parts)).equals(found.frame)
    assert not read(path, Layout(skip=3)).notes
    with pytest.raises(PolicyError, match="no 100 lines"):
        read(path, Layout(skip=99))
    path.write_text(path.read_text() + f"{CANARY}\n")
    for reader in (read, lambda path: [list(part) for part in [open_batches(path).__enter__()]]):
        with pytest.raises(InputError, match="line 7"):
            reader(path)
