import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd.datasets import hospital
from incrowd.errors import InputError
from incrowd.models import KAnonymity, LDiversity
from incrowd.pii.profile import ColumnProfile
from incrowd.policy.codec import loads
from incrowd.policy.draft import draft, guess_role, to_toml
from incrowd.policy.policy import Policy
from incrowd.table.column import CodedColumn, Domain, Kind


def coded(name, values):
    """A column coded the obvious way; None is missing."""
    present = sorted({value for value in values if value is not None})
    place = {value: code for code, value in enumerate(present, start=1)}
    codes = np.array([place.get(value, 0) for value in values], dtype=np.int32)
    if all(isinstance(value, str) for value in present):
        return CodedColumn(name, codes, Domain(Kind.TEXT, np.array(present, dtype=object)))
    kind = Kind.DATE if isinstance(present[0], np.datetime64) else Kind.NUMBER
    return CodedColumn(name, codes, Domain(kind, np.array(present)))


def sketch(name, values):
    return ColumnProfile.of(coded(name, values))


AGE = sketch("age", [20 + i % 40 for i in range(100)])


def test_a_sketch_counts():
    found = sketch("x", ["a", "b", "a", None, "a"])
    assert (found.records, found.missing, found.distinct, found.kind) == (5, 1, 2, Kind.TEXT)
    assert (found.largest, found.distinct_share) == (3, 0.5)
    assert sketch("x", ["a", None, None]).largest == 2


def numbered(pattern):
    return [pattern.format(i=i, h=f"{i:012x}", z=i % 50) for i in range(100)]


@pytest.mark.parametrize(
    ("name", "values", "role", "sure"),
    [
        ("c1", numbered("user{i}@example.org"), "identifier", True),
        ("c1", numbered("123e4567-e89b-12d3-a456-{h}"), "identifier", True),
        ("c1", numbered("000-12-{i:04d}"), "identifier", True),
        ("c1", numbered("10.0.{i}.1"), "identifier", True),
        ("c1", numbered("+1 555 010 {i:04d}"), "identifier", True),
        ("c1", numbered("https://example.org/{i}"), "identifier", True),
        ("c1", numbered("{i:05d}"), "quasi", False),
        ("c1", numbered("SW1A {z}AA")[:10] * 10, "quasi", False),
        ("c1", numbered("E{z:02d}.1"), "sensitive", False),
        ("c1", numbered("$ {z}.50"), "sensitive", False),
        ("c1", numbered("thing {i}"), "identifier", False),
        ("c1", numbered("thing {z}"), "quasi", False),
        ("c1", numbered("a long remark about somebody, with number {i} in it"), "drop", False),
        ("c1", list(range(1000, 1100)), "identifier", True),
        ("c1", [i / 7 for i in range(100)], "quasi", False),
        (
            "c1",
            [np.datetime64("2020-01-01") + np.timedelta64(i, "D") for i in range(100)],
            "quasi",
            True,
        ),
        ("c1", ["same"] * 100, "keep", True),
        ("c1", [None] * 100, "drop", True),
        ("name", numbered("N {i}"), "identifier", True),
        ("patient_id", numbered("P{i}"), "identifier", True),
        ("patient_id", numbered("P{z}"), "unit", False),
        ("num_rooms", [i % 4 for i in range(100)], "quasi", True),
        ("diagnosis", numbered("D{z}"), "sensitive", True),
        ("diagnosis", numbered("remark {i}"), "identifier", False),
        ("salary", [i * 1.5 for i in range(100)], "sensitive", True),
        ("sex", ["m", "f"] * 50, "quasi", True),
        ("religion", ["a", "b", "c", "d"] * 25, "sensitive", True),
        ("fnlwgt", [1e4 + i % 70 for i in range(100)], "weight", True),
    ],
)
def test_roles_are_guessed_by_name_and_content(name, values, role, sure):
    found = guess_role(sketch(name, values))
    assert (found.role.value, found.sure) == (role, sure)


def test_reasons_never_tell_a_value():
    values = [f"XCANARY{i}X@canary.org" for i in range(100)]
    for name in ("c1", "email", "diagnosis", "patient_id", "zip"):
        drafted = draft([AGE, sketch(name, values)])
        assert "canary" not in to_toml(drafted).lower()


def test_a_draft_asks_for_models_that_the_table_can_satisfy():
    drafted = draft(
        [
            AGE,
            sketch("diagnosis", ["a", "b", "c", "d"] * 25),
            sketch("salary", ["low"] * 80 + ["high"] * 20),
            sketch("hiv", ["no"] * 100),
        ]
    )
    assert drafted.policy.models == (
        KAnonymity(5),
        LDiversity("diagnosis", 2),
        LDiversity("salary", 2, kind="distinct"),
    )


def test_people_with_several_records_can_make_a_value_too_common_for_frequency():
    illness = sketch("diagnosis", ["a", "b", "c", "d"] * 25)
    few_people = sketch("patient_id", [f"P{i % 40}" for i in range(100)])
    many_people = sketch("patient_id", [f"P{i % 90}" for i in range(100)])
    assert draft([AGE, illness, few_people]).policy.models[1].kind == "distinct"
    assert draft([AGE, illness, many_people]).policy.models[1].kind == "frequency"


def test_a_draft_is_written_with_reasons_and_marks():
    drafted = draft([AGE, sketch("c1", [i % 3 for i in range(100)])])
    text = to_toml(drafted)
    assert loads(text) == drafted.policy
    assert drafted.review == ("c1",)
    lines = text.splitlines()
    assert lines[lines.index("[columns.c1]") + 1].startswith("# review: ")
    assert lines[lines.index("[columns.age]") + 1] == 'role = "quasi"  # age is easy to find out'


def test_only_one_column_is_the_unit():
    repeated = [f"P{i % 40}" for i in range(100)]
    drafted = draft([AGE, sketch("patient_id", repeated), sketch("person_id", repeated)])
    assert drafted.policy.unit == "patient_id"
    assert drafted.policy.identifiers == ("person_id",)


def test_some_column_becomes_quasi_identifying():
    drafted = draft(
        [sketch("diagnosis", ["a", "b"] * 10), sketch("salary", [1.5, 2.5, 3.5, 4.5] * 5)]
    )
    assert drafted.policy.quasi == ("salary",)
    assert "salary" in drafted.review


def test_a_table_of_nothing_but_names_has_no_policy():
    with pytest.raises(InputError, match="no policy can be drafted"):
        draft([sketch("name", ["a", "b"])])


def test_risky_columns_come_first():
    drafted = draft([AGE, sketch("ssn", numbered("{i}")), sketch("sex", ["m", "f"] * 50)])
    assert drafted.risky == (("ssn", 1.0), ("age", 0.4), ("sex", 0.02))


def test_a_frame_gets_a_policy():
    policy = Policy.draft(hospital(300))
    assert policy.quasi == ("birth_date", "sex", "zip", "country", "occupation", "admission")
    assert policy.identifiers == ("patient_id", "name", "ssn")
    assert set(policy.sensitive) == {"ward", "diagnosis", "stay", "cost", "smoker"}
    assert policy.notes() == ()


@pytest.mark.parametrize(
    ("name", "pattern", "role"),
    [
        ("c1", "{i},5", "quasi"),
        ("cost", "{i},25", "sensitive"),
        ("dob", "{z}/13/1970", "quasi"),
    ],
)
def test_what_is_read_as_text_by_its_form_is_said(name, pattern, role):
    found = guess_role(sketch(name, numbered(pattern)))
    assert (found.role.value, found.sure) == (role, False)
    assert "read as text" in found.reason
    drafted = draft([AGE, sketch(name, numbered(pattern))])
    if role == "quasi":
        assert drafted.policy.columns[name].hierarchy.name == "flat"


def test_one_record_is_drafted_by_names():
    assert guess_role(sketch("age", [30])).role.value == "quasi"
    assert guess_role(sketch("age", [30, 30])).role.value == "keep"


def test_a_table_without_values_is_refused():
    with pytest.raises(InputError, match="no cell has a value"):
        draft([sketch("a", [None, None]), sketch("b", [None, None])])


def test_the_reason_of_each_hierarchy_is_written_down():
    drafted = draft([AGE])
    assert drafted.hierarchies["age"] == "40 numbers: intervals of width 2 and wider"
    assert 'hierarchy = { name = "intervals", width = 2 }' in to_toml(drafted)


def test_codes_like_those_of_diagnoses_that_all_differ_tell_persons_apart():
    alone = guess_role(sketch("code", [f"C{i:02d}" for i in range(40)]))
    assert (alone.role.value, alone.sure) == ("identifier", False)
    assert (
        guess_role(sketch("code", [f"C{i % 9:02d}" for i in range(40)])).role.value == "sensitive"
    )


def test_numbers_among_texts_are_numbers_only_in_a_text_file(tmp_path):
    cells = [str(20 + i % 40) for i in range(100)] + ["refused"] * 5
    frame = pl.DataFrame({"age": cells, "sex": ["f", "m", "f"] * 35})
    assert incrowd.draft(frame).policy.columns["age"].hierarchy.name != "intervals"
    frame.write_csv(tmp_path / "people.csv")
    column = incrowd.draft(tmp_path / "people.csv").policy.columns["age"]
    assert (column.hierarchy.name, column.missing_values) == ("intervals", ("refused",))
    policy = incrowd.draft(tmp_path / "people.csv").policy
    assert incrowd.anonymize(tmp_path / "people.csv", policy).k >= 5
