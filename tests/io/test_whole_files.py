"""JSON lines and files of SPSS, Stata and SAS."""

import datetime as dt
import gzip
import json
import traceback

import polars as pl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError
from incrowd.io import json_lines, stat_files
from incrowd.io.batches import open_batches
from incrowd.io.layout import Layout
from incrowd.io.tables import read, write

CANARY = "c4n4ry"
PEOPLE = pl.DataFrame(
    {
        "age": [20, 30, None, 50],
        "sex": [1.0, 2.0, 1.0, 9.0],
        "zip": ["02139", "02138", "02137", "02139"],
        "day": [dt.date(2020, 1, 1), dt.date(1990, 2, 3), None, dt.date(2000, 1, 1)],
    }
)
LABELS = {"sex": {1.0: "male", 2.0: "female"}}
WRITERS = {
    "sav": pyreadstat.write_sav,
    "zsav": lambda frame, path, **more: pyreadstat.write_sav(frame, path, compress=True, **more),
    "dta": pyreadstat.write_dta,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_labels_are_cells_and_codes_without_one_stay(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    WRITERS[kind](
        PEOPLE, path, variable_value_labels=LABELS, column_labels={"age": "Age of the person"}
    )
    found = read(path)
    assert found.frame["sex"].to_list() == ["male", "female", "male", "9"]
    assert found.frame["age"].to_list() == [20, 30, None, 50]
    assert found.frame["day"].to_list() == PEOPLE["day"].to_list()
    assert found.frame["zip"].to_list() == PEOPLE["zip"].to_list()
    assert found.labels["age"] == "Age of the person"
    with open_batches(path) as parts:
        assert pl.concat(list(parts)).equals(found.frame)


def test_values_that_a_file_declares_missing_are_missing(tmp_path):
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(
        PEOPLE, path, variable_value_labels=LABELS, missing_ranges={"sex": [9], "age": [50]}
    )
    found = read(path).frame
    assert found["sex"].to_list() == ["male", "female", "male", None]
    assert found["age"].to_list() == [20, 30, None, None]


@pytest.mark.parametrize(("kind", "writer"), [("xpt", "write_xport"), ("por", "write_por")])
def test_files_without_labels(tmp_path, kind, writer):
    path = tmp_path / f"t.{kind}"
    getattr(pyreadstat, writer)(PEOPLE, path)
    found = read(path).frame
    assert [name.lower() for name in found.columns] == PEOPLE.columns
    assert found.to_series(0).to_list() == PEOPLE["age"].to_list()
    assert found.to_series(3).to_list() == PEOPLE["day"].to_list()


def test_a_number_with_few_labels_stays_a_number(tmp_path):
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(PEOPLE, path, variable_value_labels={"age": {20: "young"}})
    found = read(path)
    assert found.frame["age"].to_list() == [20, 30, None, 50]
    assert [note.name for note in found.notes] == ["few_labels"]


def test_labels_that_look_alike_stay_apart(tmp_path):
    path = tmp_path / "t.sav"
    labels = {"sex": {1.0: "other", 2.0: "other", 3.0: "9"}}
    pyreadstat.write_sav(PEOPLE, path, variable_value_labels=labels)
    assert read(path).frame["sex"].to_list() == ["other (1)", "other (2)", "other (1)", "9"]


def test_a_label_that_looks_like_another_with_its_code_is_another_value(tmp_path):
    path = tmp_path / "t.sav"
    labels = {"sex": {1.0: "a", 2.0: "a", 9.0: "a (1)"}}
    pyreadstat.write_sav(PEOPLE, path, variable_value_labels=labels)
    assert read(path).frame["sex"].to_list() == ["a (1) (1)", "a (2)", "a (1) (1)", "a (1)"]


WORDS = st.sampled_from(["", " ", "a", "b", "a (1)", "a (2)", "a (1) (1)", " (1)", "1"])


@given(st.lists(WORDS, max_size=7), st.sets(WORDS))
def test_no_two_codes_have_one_text_and_none_that_a_value_without_label_has(labels, taken):
    codes = [str(code) for code in range(1, len(labels) + 1)]
    texts = stat_files._texts_of_codes(codes, labels, taken)
    assert len(set(texts) | taken) == len(labels) + len(taken)
    for text, label in zip(texts, labels, strict=True):
        assert text.startswith(label)
        assert text.strip()
        assert text == label or labels.count(label) > 1 or not label.strip() or label in taken


@pytest.mark.parametrize("kind", WRITERS)
def test_a_broken_statistics_file_shows_nothing(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    WRITERS[kind](pl.DataFrame({CANARY: [CANARY] * 50}), path)
    path.write_bytes(path.read_bytes()[:150] + CANARY.encode() * 5)
    with pytest.raises(InputError, match="damaged") as caught:
        read(path)
    assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_an_absent_library_names_the_extra(tmp_path, monkeypatch):
    pyreadstat.write_sav(PEOPLE, tmp_path / "t.sav")
    monkeypatch.setattr(stat_files, "find_spec", lambda _: None)
    with pytest.raises(PolicyError, match=r"install incrowd\[stat\]"):
        read(tmp_path / "t.sav")


def test_labels_of_columns_help_a_draft(tmp_path):
    frame = pl.DataFrame({"v1": [i % 60 + 20 for i in range(200)], "v2": [1.0, 2.0] * 100})
    labels = {"v1": "Age of the respondent", "v2": "Sex"}
    pyreadstat.write_sav(frame, tmp_path / "t.sav", column_labels=labels)
    drafted = incrowd.draft(tmp_path / "t.sav")
    assert drafted.policy.quasi == ("v1", "v2")
    assert drafted.reasons["v1"].startswith("age is easy to find out")


VALUES = {
    "number": st.integers(-(2**40), 2**40),
    "share": st.floats(-1e9, 1e9, allow_nan=False),
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
    "truth": st.booleans(),
    "day": st.dates(),
}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_json_lines_have_the_codes_of_the_frame(data):
    size = data.draw(st.integers(1, 8))
    cells = {
        name: data.draw(st.lists(st.none() | values, min_size=size, max_size=size))
        for name, values in VALUES.items()
    }
    frame = pl.DataFrame(cells)
    lines = "".join(
        json.dumps({k: v for k, v in row.items() if v is not None}, default=str) + "\n"
        for row in frame.iter_rows(named=True)
    )
    if not lines.strip("{}\n"):
        return
    found = json_lines.read(lines.encode(), Layout()).frame
    one, other = MemoryEngine(frame), MemoryEngine(found)
    for name in found.columns:
        assert one.code(name).codes.tolist() == other.code(name).codes.tolist(), name


@pytest.mark.parametrize("ending", ["jsonl", "ndjson", "jsonl.gz", "jsonl.zst"])
def test_json_lines_come_back_as_they_left(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    write(PEOPLE, path)
    found = read(path)
    assert found.format == "jsonl"
    assert found.frame.equals(PEOPLE)
    with open_batches(path) as parts:
        assert pl.concat(list(parts)).equals(PEOPLE)
        assert parts.form.format == "jsonl"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": {"b": "%s"}}\n', r"'a\.b'"),
        ('{"a": ["%s"]}\n', "'a'"),
        ('{"a": 1}\n{"a": "%s\n', "JSON object"),
        ('{"a": 1}\n%s\n', "JSON object"),
        ('[{"a": "%s"}]\n', "JSON array"),
        ('{"a": true}\n{"a": 1}\n', "JSON object"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_other_json_is_refused_without_a_cell(tmp_path, text, words, packed):
    path = tmp_path / "t.jsonl"
    data = text.replace("%s", CANARY).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    for reader in (read, lambda path: open_batches(path).__enter__()):
        with pytest.raises(InputError, match=words) as caught:
            reader(path)
        assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_options_that_do_not_fit_are_refused(tmp_path):
    write(PEOPLE, tmp_path / "t.jsonl")
    (tmp_path / "t.csv").write_text("age,zip\n1,2\n")
    with pytest.raises(InputError, match="--skip does not fit JSON lines"):
        read(tmp_path / "t.jsonl", Layout(skip=2))
    for name in ("t.jsonl", "t.csv"):
        with pytest.raises(InputError, match="--sheet does not fit"):
            read(tmp_path / name, Layout(sheet="people"))


def test_folders_name_columns(tmp_path):
    for region, day, ages in (("north", 1, [1, 2]), ("north", 2, [3]), ("south%20east", 1, [4])):
        folder = tmp_path / "hive" / f"region={region}" / f"day={day}"
        folder.mkdir(parents=True)
        pl.DataFrame({"age": ages}).write_parquet(folder / "part.parquet")
    found = read(tmp_path / "hive").frame
    assert found.rows() == [
        (1, "north", 1),
        (2, "north", 1),
        (3, "north", 2),
        (4, "south east", 1),
    ]
    assert read(tmp_path / "hive" / "region=north").frame.columns == ["age", "day"]
    assert read(f"{tmp_path}/hive/region=*/day=1/*.parquet").frame.height == 3
    assert read(tmp_path / "hive", Layout(columns=["day"])).frame["day"].to_list() == [1, 1, 2, 1]


def test_a_folder_of_parts_is_counted_the_same_in_and_out_of_memory(tmp_path):
    pytest.importorskip("duckdb")
    frame = pl.DataFrame({"age": [i % 7 for i in range(90)], "sex": list("fm") * 45})
    for sex in "fm":
        folder = tmp_path / "hive" / f"sex={sex}"
        folder.mkdir(parents=True)
        frame.filter(sex=sex).drop("sex").write_parquet(folder / "part.parquet")
    here = MemoryEngine(read(tmp_path / "hive").frame)
    there = incrowd.risk(tmp_path / "hive", quasi=["age", "sex"])
    assert there == incrowd.risk(here.rows, quasi=["age", "sex"])
