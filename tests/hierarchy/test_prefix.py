import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
from incrowd.errors import PolicyError
from incrowd.hierarchy import Prefix
from incrowd.hierarchy.hierarchy import texts
from incrowd.table.column import Domain, Kind


def build(spec, *codes):
    return spec.build(Domain(Kind.TEXT, texts(sorted(codes))), "zip")


def labels(spec, *codes):
    return [line.tolist() for line in build(spec, *codes).labels[1:]]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text("AB*0", max_size=5), min_size=1, max_size=10, unique=True))
def test_masking_agrees_with_the_naive_twin(codes):
    steps = (4, 2, 1)
    rows = naive.hierarchy.rows_of(build(Prefix(steps=steps), *codes))
    width = max(len(code) for code in codes)
    assert sorted(row[0] for row in rows) == sorted(codes)
    for row in rows:
        expected = [naive.hierarchy.masked(row[0], shown, max(width, shown)) for shown in steps]
        assert row[1:-1] == expected


def test_zip_codes_lose_one_digit_after_the_other():
    assert labels(Prefix(), "02138", "02139", "02142", "04101", "10001", "02999") == [
        ["0213*", "0214*", "0299*", "0410*", "1000*"],
        ["021**", "029**", "041**", "100**"],
        ["02***", "04***", "10***"],
        ["0****", "1****"],
        ["*"],
    ]


def test_levels_that_merge_nothing_are_left_out_unless_asked_for():
    assert labels(Prefix(), "02138", "02139") == [["0213*"], ["*"]]
    assert labels(Prefix(steps=(4, 3)), "02138", "02139") == [["0213*"], ["021**"], ["*"]]


def test_at_least_so_many_characters_are_kept():
    assert labels(Prefix(keep=2), "123", "124", "134")[-2:] == [["12*", "13*"], ["*"]]


def test_diagnoses_lose_their_parts_first():
    found = labels(Prefix(separator="."), "E11", "E11.9", "E11.65", "E12.1", "I10", "E-1.2")
    assert found == [["E-1", "E11", "E12", "I10"], ["E-*", "E1*", "I1*"], ["E**", "I**"], ["*"]]
    hierarchy = build(Prefix(separator="."), "E11", "E11.9", "E12.1")
    assert [hierarchy.labels[0][c - 1] for c in hierarchy.decode("E11")] == ["E11", "E11.9"]


def test_short_codes_stay_until_their_turn():
    assert labels(Prefix(steps=(3, 2, 1)), "A", "ABC", "ABD", "AB") == [
        ["A", "AB", "ABC", "ABD"],
        ["A", "AB*"],
        ["A**"],
        ["*"],
    ]


def test_whole_numbers_get_back_the_zeros_that_they_lost():
    hierarchy = Prefix(steps=(3,)).build(Domain(Kind.NUMBER, np.array([501, 2138, 10001])), "zip")
    assert hierarchy.leaves.kind is Kind.TEXT
    assert hierarchy.labels[0].tolist() == ["501", "2138", "10001"]
    assert hierarchy.labels[1].tolist() == ["005**", "021**", "100**"]


@pytest.mark.parametrize("values", [[-9, 10, 11], [9.5, 10.0, 11.0]])
def test_other_numbers_are_masked_as_they_are_written(values):
    hierarchy = Prefix(steps=(1,)).build(Domain(Kind.NUMBER, np.array(values)), "x")
    first = sorted({label[0] for label in hierarchy.labels[0].tolist()})
    assert [label.rstrip("*") for label in hierarchy.labels[1].tolist()] == first


def test_long_texts_have_few_levels():
    words = [f"{'x' * 60}{i:03d}" for i in range(200)] + [f"{i}" for i in range(9)]
    assert build(Prefix(), *words).levels <= 10


def test_long_codes_are_shortened_in_even_steps():
    """13 characters, of which a level more shows one less: eight levels from 12 to 1."""
    codes = ["a" * n + "b" * (13 - n) for n in range(14)]
    shown = [12, 11, 9, 8, 6, 5, 3, 1]
    found = labels(Prefix(), *codes)
    assert [len(line[0].rstrip("*")) for line in found[:-1]] == shown
    assert labels(Prefix(keep=2), *codes)[-2][0] == "aa" + "*" * 11
    assert not build(Prefix(), *codes).ordered
    nine = ["a" * n + "b" * (9 - n) for n in range(10)]
    assert [len(line[0].rstrip("*")) for line in labels(Prefix(), *nine)[:-1]] == [*range(8, 0, -1)]


def test_codes_of_three_parts_keep_their_separator():
    found = labels(Prefix(separator=".", steps=(2, 1)), "A10.1.x", "A10.1.y", "A10.2.x", "B20.1.x")
    parts = [["A10.1", "A10.2", "B20.1"], ["A10", "B20"]]
    assert found == [*parts, ["A1*", "B2*"], ["A**", "B**"], ["*"]]


def test_zero_is_a_whole_number_and_a_sign_is_none():
    def first_level(values, steps):
        hierarchy = Prefix(steps=steps).build(Domain(Kind.NUMBER, np.array(values)), "x")
        return hierarchy.labels[1].tolist()

    assert first_level([0, 5, 10], (1,)) == ["0*", "1*"]
    assert first_level([-9, 100], (2,)) == ["-9*", "10*"]


def test_a_column_without_values_has_its_top():
    nothing = Domain(Kind.NUMBER, np.array([], dtype=np.int64))
    assert [line.tolist() for line in Prefix().build(nothing, "x").labels] == [[], ["*"]]


@pytest.mark.parametrize(
    "wrong", [{"steps": (2, 2)}, {"steps": (1, 3)}, {"steps": ()}, {"steps": (0,)}, {"keep": 0}]
)
def test_contradictions_are_refused(wrong):
    with pytest.raises(PolicyError):
        Prefix(**wrong)


def test_parts_stay_together_whatever_stands_beside_the_separator():
    hierarchy = build(Prefix(separator="-"), "a-b", "a", "ab-c", "a b-c", "a!-c")
    assert hierarchy.labels[1].tolist() == ["a", "a b", "a!", "ab"]
