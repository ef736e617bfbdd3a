"""Columns of many values: all are looked at where a name hints at something, else a sample."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import api
from incrowd.engines.memory import MemoryEngine
from incrowd.pii import SafeHarborRules, names_identifier
from incrowd.pii.checklist import checklist
from incrowd.verbs.safe_harbor import sampled_profiles

N = 3_000
TODAY = 2026
CELLS = ("", " ", "NA", "?", "17", "93", "1931-05-06", "ann@example.org", "*", "Ohio", "x y", None)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr("incrowd.verbs.safe_harbor.SAMPLE", 100)


def column(one, place=N - 1):
    cells = [f"w{chr(97 + i % 26)}{'abc'[i % 3] * (i // 26 % 40)}{i // 1040}" for i in range(N)]
    cells[place] = one
    return cells


@pytest.mark.usefixtures("small")
def test_one_identifier_is_found_where_the_name_hints_at_something():
    table = pl.DataFrame({"contact": column("12 Long Hill Avenue"), "sex": ["m"] * N})
    found = api.safe_harbor(table, today=TODAY)
    assert "B" in found.failing["contact"]
    assert found.notes == ()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("cell", "letter"),
    [("ann@example.org", "F"), ("078-05-1120", "G"), ("https://a.b/c", "N"), ("2024-01-31", "C")],
)
def test_what_is_written_as_an_identifier_is_found_everywhere(cell, letter):
    found = api.safe_harbor(pl.DataFrame({"stuff": column(cell)}), today=TODAY)
    assert letter in found.failing["stuff"]


@pytest.mark.usefixtures("small")
def test_it_is_said_of_which_columns_a_sample_was_looked_at():
    table = pl.DataFrame({"stuff": column("wz"), "kind": ["a", "b"] * (N // 2)})
    found = api.safe_harbor(table, today=TODAY)
    assert len(found.notes) == 1
    assert found.notes[0].endswith(": stuff")
    assert found.as_dict()["notes"] == list(found.notes)
    assert found == api.safe_harbor(table, today=TODAY)


@pytest.mark.usefixtures("small")
def test_values_that_return_are_not_codes_of_their_own():
    codes = [f"q{i // 2:05d}" for i in range(N)]
    found = api.safe_harbor(pl.DataFrame({"stuff": codes}), today=TODAY)
    assert "stuff" not in found.failing


@pytest.mark.parametrize("name", ["patient", "zip", "dob", "visit_day", "region", "email", "age"])
def test_names_that_hint(name):
    assert names_identifier(name)


@pytest.mark.parametrize("name", ["stuff", "x1", "amount"])
def test_names_that_do_not(name):
    assert not names_identifier(name)


@given(st.lists(st.tuples(*[st.sampled_from(CELLS)] * 3), min_size=1, max_size=30), st.booleans())
@settings(max_examples=50)
def test_distinct_values_tell_what_all_records_tell(rows, text):
    frame = pl.DataFrame(
        rows, schema={"a": pl.String, "zip": pl.String, "age": pl.String}, orient="row"
    )
    engine = MemoryEngine(frame, text=text)
    whole = checklist(engine.codes(engine.names).values(), SafeHarborRules(TODAY))
    profiles = sampled_profiles(engine, engine.names)
    assert checklist(profiles, SafeHarborRules(TODAY)) == whole
