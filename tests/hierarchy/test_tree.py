import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
import naive.tree
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import File, Ordered, Tree
from incrowd.hierarchy.hierarchy import texts
from incrowd.hierarchy.labels import number_text, parse_date, parse_number
from incrowd.hierarchy.leaf_values import as_values, spell_numbers
from incrowd.table.column import Domain, Kind, as_float

NONE = Domain(Kind.TEXT, texts([]))


def text(*values):
    return Domain(Kind.TEXT, texts(values))


@st.composite
def trees(draw):
    """Rows of a random tree: every node has one parent."""
    n = draw(st.integers(1, 10))
    rows = [[f"v{i}"] for i in draw(st.permutations(range(n)))]
    for level in range(draw(st.integers(0, 3))):
        below = sorted({row[-1] for row in rows})
        parent = {name: f"L{level}N{draw(st.integers(0, 3))}" for name in below}
        for row in rows:
            row.append(parent[row[-1]])
    return tuple(tuple(row) for row in rows)


@settings(max_examples=80, deadline=None)
@given(trees())
def test_trees_agree_with_the_naive_twin(rows):
    hierarchy = Tree(rows).build(NONE, "x")
    found = naive.hierarchy.rows_of(hierarchy)
    assert len(found) == len(rows)
    added = len(rows[0]) == 1 or len({row[-1] for row in rows}) > 1
    assert hierarchy.levels == len(rows[0]) + added
    for row in found:
        for level in range(len(rows[0])):
            assert row[level] == naive.hierarchy.climb(rows, row[0], level)
    assert not added or hierarchy.labels[-1].tolist() == ["*"]


def test_leaves_stand_in_the_order_of_their_first_appearance():
    rows = (("b", "x", "*"), ("c", "y", "*"), ("a", "x", "*"))
    assert Tree(rows).build(NONE, "x").labels[0].tolist() == ["b", "a", "c"]


def test_shorter_rows_repeat_their_last_entry():
    hierarchy = Tree((("a", "x", "*"), ("b", "*"))).build(NONE, "x")
    assert [line.tolist() for line in hierarchy.labels] == [["a", "b"], ["x", "*"], ["*"]]
    assert hierarchy.decode("*").tolist() == [0, 1, 2]


def test_equal_levels_stay_as_they_were_written():
    assert Tree((("a", "b", "c", "any"), ("d", "e", "f", "any"))).build(NONE, "x").levels == 4


def test_numbers_in_ranges_are_ordered():
    rows = (("10", "high", "*"), ("9", "high", "*"), ("1", "low", "*"))
    for domain in (Domain(Kind.NUMBER, np.array([9, 10])), text("9")):
        hierarchy = Tree(rows).build(domain, "x")
        assert hierarchy.ordered
        assert hierarchy.leaves.kind is Kind.NUMBER
        assert hierarchy.leaves.values.tolist() == [1, 9, 10]


def test_numbers_whose_nodes_are_no_ranges_are_texts():
    rows = (("1.0", "odd", "*"), ("2", "even", "*"), ("3", "odd", "*"))
    hierarchy = Tree(rows).build(Domain(Kind.NUMBER, np.array([1, 2])), "x")
    assert not hierarchy.ordered
    assert hierarchy.labels[0].tolist() == ["1", "3", "2"]


def test_codes_with_leading_zeros_stay_texts():
    rows = (("02138", "0213*", "*"), ("02139", "0213*", "*"))
    hierarchy = Tree(rows).build(text("02138"), "zip")
    assert hierarchy.leaves.kind is Kind.TEXT
    assert not hierarchy.ordered


def test_dates_in_ranges_are_ordered():
    rows = (("1966-01-01", "1966", "*"), ("1965-03-01", "1965", "*"))
    domain = Domain(Kind.DATE, np.array(["1965-03-01"], dtype="M8[D]"))
    hierarchy = Tree(rows).build(domain, "x")
    assert hierarchy.ordered
    assert hierarchy.labels[0].tolist() == ["1965-03-01", "1966-01-01"]


def test_other_takes_what_the_tree_lacks():
    rows = (("a", "x", "*"), ("b", "y", "*"))
    hierarchy = Tree(rows, other="rest").build(text("a", "q", "r"), "x")
    assert hierarchy.labels[0].tolist() == ["a", "b", "q", "r"]
    assert hierarchy.labels[1].tolist() == ["x", "y", "rest"]
    flat = Tree((("a", "*"), ("b", "*")), other="*").build(text("q"), "x")
    assert flat.maps.tolist() == [[0, 1, 2, 3], [1, 1, 1, 1]]
    numbers = Domain(Kind.NUMBER, np.array([1, 5]))
    mixed = Tree((("1", "low", "*"), ("9", "low", "*")), other="rest").build(numbers, "x")
    assert mixed.labels[0].tolist() == ["1", "9", "5"]


def test_a_leaf_may_be_listed_twice_if_it_says_the_same():
    assert len(Tree((("a", "x"), ("a", "x"))).build(NONE, "x").leaves) == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((("canary", "x"), ("b", "x"), ("canary", "y")), r"lists 1 value twice .* at row 3"),
        (
            (("a", "canary", "x"), ("b", "canary", "y")),
            r"level 1 .* has 1 node with more than one parent",
        ),
    ],
)
def test_inconsistent_trees_are_refused_without_values(rows, message):
    with pytest.raises(InputError, match=message) as caught:
        Tree(rows).build(NONE, "x")
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("rows", [(), ((),), (("a", ""),)])
def test_empty_trees_are_refused(rows):
    with pytest.raises(PolicyError):
        Tree(rows)


def test_a_file_must_be_read_first():
    with pytest.raises(PolicyError, match="file that was not read"):
        File("age.csv").build(NONE, "age")


def test_ordered_lists():
    values = ("none", "school", "college", "bachelor", "master")
    sized = Ordered(values, sizes=(2, 4)).build(NONE, "education")
    assert sized.ordered
    assert [line.tolist() for line in sized.labels[1:]] == [
        ["[none, school]", "[college, bachelor]", "master"],
        ["[none, bachelor]", "master"],
        ["*"],
    ]
    named = Ordered(values, groups=(("low", "low", "mid", "high", "high"),))
    assert named.build(NONE, "education").labels[1].tolist() == ["low", "mid", "high"]


def test_ordered_numbers_stay_numbers():
    column = Domain(Kind.NUMBER, np.array([1, 2]))
    assert Ordered(("1", "2", "9")).build(column, "x").leaves.kind is Kind.NUMBER
    assert Ordered(("2", "1")).build(column, "x").leaves.kind is Kind.TEXT


@pytest.mark.parametrize(
    "wrong",
    [
        {"values": ()},
        {"values": ("a", "a")},
        {"values": ("a", "b"), "sizes": (2, 3)},
        {"values": ("a", "b"), "sizes": (2,), "groups": (("x", "x"),)},
        {"values": ("a", "b"), "groups": (("x",),)},
        {"values": ("a", "b", "c"), "groups": (("x", "y", "x"),)},
        {"values": ("a", "b"), "groups": (("x", "x"), ("y", "z"))},
    ],
)
def test_contradicting_lists_are_refused(wrong):
    with pytest.raises(PolicyError):
        Ordered(**wrong)


words = st.sampled_from(["a", "b", "c", "d", "e", "f", "10", "9", "*"])
any_rows = st.integers(1, 4).flatmap(
    lambda height: st.lists(st.tuples(*[words] * height), min_size=1, max_size=6)
)
ragged_rows = st.lists(
    st.lists(words, min_size=1, max_size=4).map(tuple), min_size=1, max_size=6
).map(tuple)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(any_rows, ragged_rows, trees()),
    st.lists(st.sampled_from("abcdexyz"), max_size=4, unique=True),
    st.sampled_from([None, "rest"]),
)
def test_any_rows_are_built_or_refused_as_the_naive_twin_does(rows, labels, other):
    height = max(map(len, rows))
    if again := naive.tree.reused([(*row, *[row[-1]] * (height - len(row))) for row in rows]):
        with pytest.raises(PolicyError, match=rf"first row {again[0] + 1}\)"):
            Tree(tuple(rows))
        return
    tree = Tree(tuple(rows), other=other, ordered=False)
    expected = naive.tree.paths(rows, labels, other)
    if not isinstance(expected, str) and naive.tree.reused(tuple(expected.values())):
        expected = "with the name of a node"
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            tree.build(text(*labels), "x")
    else:
        rows_in_order = list(map(list, naive.tree.depth_first(expected)))
        assert naive.hierarchy.rows_of(tree.build(text(*labels), "x")) == rows_in_order


@pytest.mark.parametrize("kind", list(Kind))
@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.lists(st.integers(-(2**64), 2**64).map(str), max_size=5),
        st.lists(st.sampled_from(["0", "7", "-1", "-0", "+1", "01", "1.50", "2e3", "x"])),
        st.lists(st.sampled_from(["1\n2", "3", "", "٣", "9" * 18, "9" * 19, "9" * 400, "1e999"])),
        st.lists(st.dates().map(str), max_size=5),
        st.lists(st.sampled_from(["1965-03-01", "1965", "2001-02-30", "1965-03-01 10:00"])),
    ),
    st.booleans(),
)
def test_leaves_are_read_at_once_as_one_by_one(kind, leaves, strict):
    found, expected = as_values(leaves, kind, strict=strict), one_by_one(leaves, kind, strict)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()
    numbers = map(parse_number, leaves)
    assert spell_numbers(leaves) == [
        leaf if number is None else number_text(number)
        for leaf, number in zip(leaves, numbers, strict=True)
    ]


def one_by_one(leaves, kind, strict):
    if kind is Kind.DATE:
        dates = list(map(parse_date, leaves))
        if None in dates:
            return None
        moments = np.array(dates, dtype="M8[us]")
        days = moments.astype("M8[D]")
        return days if (days == moments).all() else moments
    numbers = list(map(parse_number, leaves))
    if not leaves or None in numbers:
        return None
    if strict and list(map(number_text, numbers)) != leaves:
        return None
    if all(isinstance(number, int) and abs(number) < 2**63 for number in numbers):
        return np.array(numbers, dtype=np.int64)
    return np.array(list(map(as_float, numbers)), dtype=np.float64)
