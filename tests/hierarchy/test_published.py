"""Published code lists: every code stands under the groups that its list has."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.hierarchy import CodeList, check
from incrowd.hierarchy.hierarchy import texts
from incrowd.hierarchy.published import _BLOCKS, _CHAPTERS, path_of
from incrowd.hierarchy.scales import scale_of
from incrowd.hierarchy.suggestion import suggest
from incrowd.hierarchy.tree import OTHER
from incrowd.pii.names import STATES
from incrowd.table.column import Domain, Kind
from naive.hierarchy import icd_groups


def shown(system, *codes):
    """What each code shows at each level below the top."""
    hierarchy = CodeList(system).build(Domain(Kind.TEXT, texts(sorted(codes))), "x")
    return {
        label: [
            hierarchy.labels[h][hierarchy.maps[h, code] - 1] for h in range(1, hierarchy.height)
        ]
        for code, label in enumerate(hierarchy.labels[0], start=1)
    }


@pytest.mark.parametrize(
    ("system", "code", "groups"),
    [
        ("icd-10", "I21.4", ("I21", "I20-I25", "I00-I99")),
        ("icd-10", "e119", ("E11", "E10-E14", "E00-E90")),
        ("icd-10", "W19", ("W19", "W00-X59", "V01-Y98")),
        ("icd-10", "X86", ("X86", "X85-Y09", "V01-Y98")),
        ("icd-10", "D49", None),
        ("nace", "62.01", ("62", "J")),
        ("nace", "C10", ("10", "C")),
        ("nace", "04", None),
        ("naics", "541511", ("5415", "541", "54")),
        ("naics", "4451", ("4451", "445", "44-45")),
        ("us-states", "tx", ("West South Central", "South")),
        ("us-states", "Maine", ("New England", "Northeast")),
        ("us-states", "6", ("Pacific", "West")),
        ("us-counties", "06037", ("06***", "Pacific", "West")),
        ("us-counties", "6037", ("06***", "Pacific", "West")),
        ("us-counties", "99001", None),
        ("months", "Dec", ("Q4", "H2")),
        ("months", "ju", None),
        ("weekdays", "Sunday", ("weekend",)),
        ("weekdays", "7", None),
    ],
)
def test_the_groups_of_a_code(system, code, groups):
    assert path_of(system, code) == groups


LETTERS = st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@given(st.lists(st.builds("{}{:02d}.{}".format, LETTERS, st.integers(0, 99), st.integers(0, 9))))
def test_diagnoses_stand_where_a_search_through_the_ranges_finds_them(codes):
    for code in codes:
        assert path_of("icd-10", code) == icd_groups(code, _CHAPTERS, _BLOCKS)


@given(st.sets(st.builds("{}{:02d}".format, LETTERS, st.integers(0, 99)), min_size=1, max_size=30))
def test_what_is_built_is_a_hierarchy(codes):
    domain = Domain(Kind.TEXT, texts(sorted(codes)))
    if any(path_of("icd-10", code) for code in codes):
        hierarchy = CodeList("icd-10").build(domain, "x")
        check(hierarchy, "x")
        assert sorted(hierarchy.leaves.values.tolist()) == sorted(codes)


def test_blocks_lie_in_order_within_one_chapter():
    assert sorted(_BLOCKS) == _BLOCKS
    assert all(a[4:] < b[:3] for a, b in pairwise(_BLOCKS))
    for block in _BLOCKS:
        assert any(c[:3] <= block[:3] and block[4:] <= c[4:] for c in _CHAPTERS)


def test_every_state_has_its_division():
    assert all(path_of("us-states", state) for state in STATES)


def test_what_is_no_code_stands_apart():
    assert shown("us-states", "TX", "nowhere")["nowhere"] == [OTHER, OTHER]
    with pytest.raises(InputError, match="none of the 2 values"):
        CodeList("nace").build(Domain(Kind.TEXT, texts(["a", "b"])), "x")
    assert CodeList("nace").build(Domain(Kind.TEXT, texts([])), "x").height == 1


def numbers(*values):
    return Domain(Kind.NUMBER, np.array(values))


@pytest.mark.parametrize(
    ("values", "name", "nature", "expected"),
    [
        (range(1, 13), "mmarr_month", "", "codes"),
        (range(1940, 2010), "ymarr", "", "intervals"),
        (range(1, 10), "relat", "code", "flat"),
        (
            [1100015 + 7919 * i % 99991 + 100000 * (i % 9) for i in range(200)],
            "x",
            "code",
            "prefix",
        ),
        (range(15), "nchild", "count", "intervals"),
        ([x / 10 for x in range(100, 900)], "lat", "", "intervals"),
    ],
)
def test_numbers_get_what_a_person_would_draw(values, name, nature, expected):
    found = suggest(numbers(*sorted(set(values))), name, nature)
    assert found.spec.name == expected
    found.spec.build(numbers(*sorted(set(values))), name)


def test_counts_are_pooled_at_their_end():
    spec = suggest(
        numbers(*range(15)), "kids", "count", np.array([500, 300, 200, 90, 30] + [1] * 10)
    ).spec
    assert spec.top == 4.0


def test_scales_keep_their_order():
    assert scale_of(["always", "never", "often", "rarely"]).values == (
        "never",
        "rarely",
        "often",
        "always",
    )
    assert scale_of(["always", "never", "blue"]) is None
    assert scale_of(["low", "high"]) is None
