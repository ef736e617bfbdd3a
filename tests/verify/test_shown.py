"""What single cells and classes may show, judged row by row the obvious way."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
from evidence import altered, counted, each, shown_column
from incrowd.errors import InputError, NotMetError
from incrowd.hierarchy import Intervals, Prefix
from incrowd.table.column import Domain, Kind
from incrowd.verify.crowds import crowds_of, number_cells
from incrowd.verify.shown import (
    ShownColumn,
    demand_coarse,
    demand_consistent,
    demand_covering,
    demand_numbered_classes,
    demand_permuted,
    demand_represented,
    demand_steady,
    demand_within,
)
from incrowd.verify.verify import demand_complete, demand_pseudonyms, demand_unchanged
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


TEXTS = {"held": pl.String, "shown": pl.String}


def coded(codes):
    return {"c": np.array(codes, dtype=np.int32)}


def series(labels):
    return number_cells(pl.Series(labels, dtype=pl.String))


@settings(max_examples=80)
@given(cells())
def test_cells_that_do_not_cover_their_values_are_counted(drawn):
    tree, shown, codes, _ = drawn
    lost = sum(code not in decoded(tree, label) for label, code in zip(shown, codes, strict=True))
    assert refuses(demand_covering, tree, shown_column("c", series(shown), codes)) == lost
    rows = counted(pl.DataFrame({"c": pl.Series(shown, dtype=pl.String)}), None, coded(codes))
    assert refuses(demand_covering, tree, ShownColumn.of("c", rows)) == lost


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
    column = shown_column("c", series(shown), codes, crowd)
    assert refuses(demand_represented, tree, column) == len(strange)


@settings(max_examples=40)
@given(cells())
def test_representatives_are_judged_among_rows_that_show_the_same(drawn):
    """Of counted rows: who shows the same in all columns is one crowd."""
    tree, shown, codes, crowd = drawn
    frame = pl.DataFrame(
        {"c": pl.Series(shown, dtype=pl.String), "b": [f"{number}" for number in crowd]}
    )
    held = {}
    for label, code, number in zip(shown, codes, crowd, strict=True):
        held.setdefault((label, number), set()).add(code)
    strange = sum(not decoded(tree, label) & there for (label, _), there in held.items())
    column = ShownColumn.of("c", counted(frame, None, coded(codes)))
    assert refuses(demand_represented, tree, column) == strange


def test_representatives_of_neighbouring_classes_are_kept_apart():
    """The last value of one class is not the missing one of the next; labels of several runs."""
    tree = Prefix().build(Domain(Kind.TEXT, np.array(["11", "12", "21"], dtype=object)), "c")

    def strange(shown, codes, crowd):
        return refuses(demand_represented, tree, shown_column("c", series(shown), codes, crowd))

    assert strange(["21", None], [3, 1], [0, 1]) == 1
    held = [1, 2, 3], [0, 1, 2]
    for label, number in (("{11, 21}", 1), ("{12, 21}", 1), ("{11, 12}", 1)):
        assert strange([label] * 3, *held) == number
    assert strange(["{11, 21}", "12", "{11, 21}"], *held) == 0
    assert strange(["12", "{11, 21}", "11"], *held) == 3


@settings(max_examples=60)
@given(cells())
def test_equal_values_show_the_same(drawn):
    _, shown, codes, crowd = drawn
    pairs = set(zip(codes, shown, strict=True))
    torn = len(pairs) - len(set(codes))
    assert refuses(demand_steady, shown_column("c", series(shown), codes)) == torn
    seen = pl.DataFrame(
        {"a": pl.Series(shown, dtype=pl.String), "b": [f"{number}" for number in crowd]}
    )
    both = {"a": np.array(codes, dtype=np.int32), "b": np.array(crowd, dtype=np.int32)}
    lines = list(zip(codes, crowd, strict=True))
    torn = len(set(zip(lines, shown, strict=True))) - len(set(lines))
    for rows in (counted, each):
        assert refuses(demand_consistent, rows(seen, None, both)) == torn


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
    assert refuses(demand_within, tree, "c", series(shown), limits) == len(wide)


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
    assert (refuses(demand_within, tree, "c", series([label]), limits) == 0) is fits


def test_a_span_may_miss_the_widest_by_rounding():
    """From 0.1 to 0.4 is 0.30000000000000004."""
    tree = Intervals(widths=(1,)).build(Domain(Kind.NUMBER, np.array([0.1, 0.4, 0.9])), "c")
    for widest, fits in ((0.3, True), (0.2999, False)):
        limits = SimpleNamespace(highest=None, widest=widest)
        assert (refuses(demand_within, tree, "c", series(["[0.1, 0.4]"]), limits) == 0) is fits


def test_one_column_alone_is_consistent_or_not():
    for codes, shown, torn in (([1, 2, 3], "yxx", 0), ([1, 2, 3], "xyz", 0), ([1, 1, 3], "yxx", 1)):
        rows = counted(pl.DataFrame({"c": list(shown)}), None, coded(codes))
        assert refuses(demand_consistent, rows) == torn


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
    assert refuses(demand_coarse, tree, "c", series(labels), lowest) == finer


def test_labels_that_no_hierarchy_made_cover_nothing():
    tree = Prefix().build(Domain(Kind.TEXT, np.array(["12", "13"], dtype=object)), "c")
    assert (
        refuses(demand_covering, tree, shown_column("c", series(["12", "zz", "13"]), [1, 2, 2]))
        == 3
    )
    with pytest.raises(InputError):
        tree.decode_all(["zz"])


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
    for evidence in (counted, each):
        both = (evidence(frame, classes=classes) for frame in frames)
        assert (refuses(demand_permuted, *both) == 0) is (held(rows) == held(after))


@pytest.mark.parametrize("numbers", [(0, 1, 2), (0, 3, 6)])
def test_values_that_go_round_three_classes_are_found(numbers):
    """Number and value add up to the same in every row, before and after."""
    before, after = (pl.DataFrame({"s": list(held)}) for held in ("qrp", "rpq"))
    here, there = (counted(rows, classes=np.array(numbers)) for rows in (before, after))
    assert refuses(demand_permuted, here, there) == 1
    assert refuses(demand_permuted, here, here) == 0
    with pytest.raises(NotMetError, match="does not show its classes"):
        demand_permuted(here, counted(after))


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
    for evidence in (counted, each):
        rows = evidence(pl.DataFrame({"class": shown}), classes=classes)
        assert (refuses(demand_numbered_classes, "class", rows) == 0) is good


def test_columns_rows_and_kept_cells():
    rows = pl.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    there = rows.columns, rows.height
    demand_complete(*there, ["a", "b"], 2)
    for names, records in ((["a"], 2), (["b", "a"], 2), (["a", "b", "c"], 2), (["a", "b"], 3)):
        with pytest.raises(NotMetError):
            demand_complete(*there, names, records)
    with pytest.raises(NotMetError, match=r"\(1 other\)"):
        demand_complete(*there, ["a"], 2)
    demand_unchanged(altered(rows, rows, [0, 1]), ["a", "b"])
    demand_unchanged(
        altered(rows, rows.with_columns(pl.col("b").cast(pl.String)), [0, 1]), ["a", "b"]
    )
    for wrong in (rows[::-1], rows.with_columns(b=pl.lit(1)), rows.with_columns(a=pl.lit("x"))):
        with pytest.raises(NotMetError):
            demand_unchanged(altered(rows, wrong, [0, 1]), ["a", "b"])
    with pytest.raises(NotMetError, match=r"'c' .* were not compared"):
        demand_unchanged(altered(rows, rows, [0, 1]), ["a", "b", "c"])


def test_identifiers_show_the_pseudonyms_of_what_they_held():
    def pairs(held, shown):
        return counted(pl.DataFrame({"held": held, "shown": shown}, schema_overrides=TEXTS))

    known = {"x": "p", "y": "q"}
    demand_pseudonyms("a", pairs(["x", "y", "x"], ["p", "q", "p"]), known)
    demand_pseudonyms("a", pairs([None, "y"], [None, "q"]), known)
    wrong = (
        (["x", "y"], ["q", "p"]),
        (["x", "y"], ["p", "x"]),
        (["x", "x"], ["p", "q"]),
        (["x", None], ["p", "p"]),
        (["x", "y"], ["p", None]),
        (["x", "z"], ["p", "z"]),
    )
    for held, shown in wrong:
        with pytest.raises(NotMetError, match="'a'"):
            demand_pseudonyms("a", pairs(held, shown), known)


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
    assert crowds.people_of_class[crowds.class_of].tolist() == own
    assert crowds.number == len(set(rows))


def test_many_columns_of_many_values_are_told_apart():
    """Their product is beyond 64 bits."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 2**20, 300) for _ in range(6)]
    columns = [np.concatenate([column, column[:40]]) for column in columns]
    crowds = crowds_of(columns, None, anything=False)
    assert crowds.number == 300
    assert sorted(crowds.people.tolist()) == [1] * 260 + [2] * 40
