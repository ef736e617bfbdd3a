"""What single cells and classes may show, judged row by row the obvious way."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
from incrowd.errors import InputError, NotMetError
from incrowd.hierarchy import Intervals, Prefix
from incrowd.table.column import Domain, Kind
from incrowd.verify.crowds import crowds_of, numbered
from incrowd.verify.permuted import numbers_shown, permuted, places_drawn, told_by
from incrowd.verify.shown import coarse, consistent, covers, represents, steady, within
from incrowd.verify.verify import complete, replaced, unchanged
from strategies import hierarchies


def refuses(judge, *given):
    """The number that a refusal begins with, 0 if there is none."""
    try:
        judge(*given)
    except NotMetError as error:
        first = error.message.split()[0].replace(",", "")
        return int(first) if first.isdigit() else 1
    return 0


def decoded(tree, label):
    """The leaves of a label, 0 for missing, one by one."""
    if label is None:
        return {0}
    found = naive.hierarchy.decode(naive.hierarchy.rows_of(tree), label)
    if tree.ordered and label.startswith("["):
        low, high = (int(end) for end in label[1:-1].split(", "))
        found |= {c for c, v in enumerate(tree.leaves.values.tolist(), start=1) if low <= v <= high}
    return found


@st.composite
def cells(draw):
    """A hierarchy, labels that its column shows, and what the records held."""
    tree = draw(hierarchies())
    labels = sorted({label for level in tree.labels for label in level.tolist()})
    if tree.ordered:
        n = len(tree.leaves)
        labels += [f"[{a}, {b}]" for a in range(1, n + 1) for b in range(a + 1, n + 1)]
    size = draw(st.integers(1, 8))
    shown = draw(st.lists(st.sampled_from([None, *labels]), min_size=size, max_size=size))
    codes = draw(st.lists(st.integers(0, len(tree.leaves)), min_size=size, max_size=size))
    crowd = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    return tree, shown, codes, crowd


def series(labels):
    return numbered(pl.Series(labels, dtype=pl.String))


@settings(max_examples=80)
@given(cells())
def test_cells_that_do_not_cover_their_values_are_counted(drawn):
    tree, shown, codes, _ = drawn
    lost = sum(code not in decoded(tree, label) for label, code in zip(shown, codes, strict=True))
    assert refuses(covers, tree, "c", series(shown), np.array(codes, dtype=np.int32)) == lost


@settings(max_examples=80)
@given(cells())
def test_representatives_are_of_somebody_in_the_class(drawn):
    tree, shown, codes, crowd = drawn
    strange = {
        (group, label)
        for label, group in zip(shown, crowd, strict=True)
        if not decoded(tree, label)
        & {code for code, other in zip(codes, crowd, strict=True) if other == group}
    }
    given = np.array(codes, dtype=np.int32), np.array(crowd, dtype=np.int64)
    assert refuses(represents, tree, "c", series(shown), *given) == len(strange)


def test_representatives_of_neighbouring_classes_are_kept_apart():
    """The last value of one class is not the missing one of the next; labels of several runs."""
    tree = Prefix().build(Domain(Kind.TEXT, np.array(["11", "12", "21"], dtype=object)), "c")
    codes, crowd = np.array([3, 1], dtype=np.int32), np.array([0, 1], dtype=np.int64)
    assert refuses(represents, tree, "c", series(["21", None]), codes, crowd) == 1
    codes, crowd = np.array([1, 2, 3], dtype=np.int32), np.array([0, 1, 2], dtype=np.int64)
    for label, strange in (("{11, 21}", 1), ("{12, 21}", 1), ("{11, 12}", 1)):
        assert refuses(represents, tree, "c", series([label] * 3), codes, crowd) == strange
    shown = series(["{11, 21}", "12", "{11, 21}"])
    assert refuses(represents, tree, "c", shown, codes, crowd) == 0
    assert refuses(represents, tree, "c", series(["12", "{11, 21}", "11"]), codes, crowd) == 3


@settings(max_examples=60)
@given(cells())
def test_equal_values_show_the_same(drawn):
    _, shown, codes, crowd = drawn
    pairs = set(zip(codes, shown, strict=True))
    array = np.array(codes, dtype=np.int32)
    assert refuses(steady, "c", series(shown), array) == len(pairs) - len(set(codes))
    both = [array, np.array(crowd, dtype=np.int32)]
    seen = {"a": series(shown), "b": series([f"{c}" for c in crowd])}
    lines = list(zip(codes, crowd, strict=True))
    torn = len(set(zip(lines, shown, strict=True))) - len(set(lines))
    assert refuses(consistent, both, seen) == torn


@settings(max_examples=80)
@given(cells(), st.integers(0, 3))
def test_cells_beyond_the_highest_level_are_counted(drawn, highest):
    tree, shown, _, _ = drawn
    highest = min(highest, tree.height)
    limits = SimpleNamespace(highest=highest, widest=None)
    nodes = tree.maps[highest]
    wide = {
        label
        for label in shown
        if label is not None and len({int(nodes[code]) for code in decoded(tree, label)}) > 1
    }
    assert refuses(within, tree, "c", series(shown), limits) == len(wide)


@pytest.mark.parametrize(
    ("widest", "label", "fits"),
    [
        (9, "[20, 29]", True),
        (8, "[20, 29]", False),
        (9, "[20, 30)", True),
        (0, "20", True),
        (9, None, True),
        (100, "*", True),
        (9, "*", False),
    ],
)
def test_spans_at_the_widest(widest, label, fits):
    tree = Intervals(widths=(10,)).build(Domain(Kind.NUMBER, np.array([20, 25, 29, 31])), "c")
    limits = SimpleNamespace(highest=None, widest=float(widest))
    assert (refuses(within, tree, "c", series([label]), limits) == 0) is fits


def test_a_span_may_miss_the_widest_by_rounding():
    """From 0.1 to 0.4 is 0.30000000000000004."""
    tree = Intervals(widths=(1,)).build(Domain(Kind.NUMBER, np.array([0.1, 0.4, 0.9])), "c")
    for widest, fits in ((0.3, True), (0.2999, False)):
        limits = SimpleNamespace(highest=None, widest=widest)
        assert (refuses(within, tree, "c", series(["[0.1, 0.4]"]), limits) == 0) is fits


def test_one_column_alone_is_consistent_or_not():
    codes = [np.array([1, 2, 3], dtype=np.int32)]
    assert refuses(consistent, codes, {"a": series(["y", "x", "x"])}) == 0
    assert refuses(consistent, codes, {"a": series(["x", "y", "z"])}) == 0
    again = [np.array([1, 1, 3], dtype=np.int32)]
    assert refuses(consistent, again, {"a": series(["y", "x", "x"])}) == 1


@pytest.mark.parametrize(
    ("lowest", "labels", "finer"),
    [
        (0, ["02138", "0213*"], 0),
        (1, ["0213*", "021**", "*"], 0),
        (1, ["02138", "0213*"], 1),
        (2, ["0213*", "02139", "021**"], 2),
    ],
)
def test_labels_below_the_lowest_level(lowest, labels, finer):
    tree = Prefix(steps=(4, 3)).build(
        Domain(Kind.TEXT, np.array(["02138", "02139", "02141"], dtype=object)), "c"
    )
    assert refuses(coarse, tree, "c", series(labels), lowest) == finer


def test_labels_that_no_hierarchy_made_cover_nothing():
    tree = Prefix().build(Domain(Kind.TEXT, np.array(["12", "13"], dtype=object)), "c")
    codes = np.array([1, 2, 2], dtype=np.int32)
    assert refuses(covers, tree, "c", series(["12", "zz", "13"]), codes) == 3
    with pytest.raises(InputError):
        tree.decode_all(["zz"])


CLASSES = st.lists(st.integers(-1, 2), min_size=1, max_size=12)


@settings(max_examples=60)
@given(CLASSES, st.integers(0, 99))
def test_places_are_drawn_inside_the_class(drawn, seed):
    classes = np.array(drawn, dtype=np.int32)
    moved = places_drawn(classes, np.random.default_rng(seed))
    assert sorted(moved.tolist()) == list(range(len(drawn)))
    assert (classes[moved] == classes).all()
    assert (moved[classes < 0] == np.flatnonzero(classes < 0)).all()


@pytest.mark.parametrize("number", [0, 1])
def test_places_are_drawn_in_the_first_class_too(number):
    classes = np.full(9, number, dtype=np.int32)
    drawn = {tuple(places_drawn(classes, np.random.default_rng(seed))) for seed in range(4)}
    assert len(drawn) > 1


@settings(max_examples=60)
@given(CLASSES, st.randoms())
def test_numbers_are_given_as_classes_come_up(drawn, random):
    classes = np.array(drawn, dtype=np.int32)
    records = [i for i, c in enumerate(drawn) if c >= 0]
    random.shuffle(records)
    numbers = numbers_shown(classes, np.array(records, dtype=np.int64))
    order = list(dict.fromkeys(drawn[i] for i in records))
    expected = [order.index(c) + 1 if c >= 0 else 0 for c in drawn]
    assert numbers.tolist() == expected


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from("pq"), st.sampled_from("xy")),
        min_size=1,
        max_size=8,
    ),
    st.randoms(),
)
def test_classes_show_what_they_held(rows, random):
    """Whole records change places; whether classes still hold the same is compared as lists."""
    places = list(range(len(rows)))
    random.shuffle(places)
    after = [(rows[i][0], *rows[places[i]][1:]) for i in range(len(rows))]

    def held(lines):
        return sorted(lines)

    schema = ["s", "r"]
    frames = [
        pl.DataFrame([r[1:] for r in part], schema=schema, orient="row") for part in (rows, after)
    ]
    classes = np.array([row[0] for row in rows], dtype=np.int64)
    assert (refuses(permuted, *frames, classes) == 0) is (held(rows) == held(after))


@pytest.mark.parametrize("numbers", [(0, 1, 2), (0, 3, 6)])
def test_values_that_go_round_three_classes_are_found(numbers):
    """Number and value add up to the same in every row, before and after."""
    before, after = (pl.DataFrame({"s": list(held)}) for held in ("qrp", "rpq"))
    assert refuses(permuted, before, after, np.array(numbers)) == 1
    assert refuses(permuted, before, before, np.array(numbers)) == 0


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([None, "1", "2", "3"])), min_size=1, max_size=6
    )
)
def test_a_class_column_tells_classes_apart(rows):
    classes = np.array([c for c, _ in rows], dtype=np.int64)
    shown = pl.Series([s for _, s in rows], dtype=pl.String)
    pairs = {(c, s) for c, s in rows}
    one = len({c for c, _ in pairs}) == len(pairs) == len({s for _, s in pairs})
    good = one and None not in {s for _, s in rows}
    assert (refuses(told_by, "class", shown, classes) == 0) is good


def test_columns_rows_and_kept_cells():
    rows = pl.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    complete(rows, ["a", "b"], 2)
    for names, records in ((["a"], 2), (["b", "a"], 2), (["a", "b", "c"], 2), (["a", "b"], 3)):
        with pytest.raises(NotMetError):
            complete(rows, names, records)
    with pytest.raises(NotMetError, match="has 1 that"):
        complete(rows, ["a"], 2)
    replaced("a", rows["a"], np.array(["x", "y"], dtype=object))
    replaced("a", pl.Series([None, "y"]), np.array([None, "y"], dtype=object))
    with pytest.raises(NotMetError, match="'a'"):
        replaced("a", rows["a"], np.array(["x", "z"], dtype=object))
    unchanged(rows, rows, np.array([0, 1]))
    unchanged(rows, rows.with_columns(pl.col("b").cast(pl.String)), np.array([0, 1]))
    for wrong in (rows[::-1], rows.with_columns(b=pl.lit(1)), rows.with_columns(a=pl.lit("x"))):
        with pytest.raises(NotMetError):
            unchanged(rows, wrong, np.array([0, 1]))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=10),
    st.booleans(),
    st.booleans(),
)
def test_crowds_are_those_of_equal_or_missing_cells(rows, anything, units):
    unit = np.array([1 + i // 2 for i in range(len(rows))]) if units else None
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    crowds = crowds_of(columns, unit, anything=anything)

    def alike(a, b):
        return all(x == y or (anything and 0 in (x, y)) for x, y in zip(a, b, strict=True))

    persons = range(len(rows)) if unit is None else unit.tolist()
    people = [len({p for p, b in zip(persons, rows, strict=True) if alike(a, b)}) for a in rows]
    own = [len({p for p, b in zip(persons, rows, strict=True) if a == b}) for a in rows]
    assert crowds.people[crowds.class_of].tolist() == people
    assert crowds.of_class[crowds.class_of].tolist() == own
    assert crowds.number == len(set(rows))


def test_many_columns_of_many_values_are_told_apart():
    """Their product is beyond 64 bits."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 2**20, 300) for _ in range(6)]
    columns = [np.concatenate([column, column[:40]]) for column in columns]
    crowds = crowds_of(columns, None, anything=False)
    assert crowds.number == 300
    assert sorted(crowds.people.tolist()) == [1] * 260 + [2] * 40
