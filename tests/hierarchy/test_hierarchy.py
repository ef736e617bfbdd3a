import datetime as dt
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
from incrowd.errors import InputError
from incrowd.hierarchy import (
    Dates,
    Flat,
    Hierarchy,
    Intervals,
    Ordered,
    Prefix,
    Regions,
    Suggested,
    Tree,
    check,
)
from incrowd.hierarchy.hierarchy import texts
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.encode import align

QUICK = settings(max_examples=60, deadline=None)

numbers = st.lists(
    st.one_of(
        st.integers(-50, 50),
        st.floats(-50, 50).map(lambda x: round(x, 3)),
        st.floats(allow_nan=False, allow_infinity=False),
        st.integers(-(2**62), 2**62),
    ),
    max_size=12,
)
words = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=6)
spicy = st.text(st.sampled_from('ab*[](), "-1.'), min_size=1, max_size=5)
moments = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31))  # noqa: DTZ001  as on the wall


@st.composite
def number_domains(draw):
    values = draw(numbers)
    whole = all(isinstance(value, int) for value in values)
    array = np.unique(np.array(values, dtype=np.int64 if whole else np.float64) + 0)
    return Domain(Kind.NUMBER, array)


@st.composite
def date_domains(draw):
    unit = draw(st.sampled_from(["datetime64[D]", "datetime64[us]"]))
    values = draw(st.lists(moments, max_size=12))
    return Domain(Kind.DATE, np.unique(np.array(values, dtype=unit)))


@st.composite
def text_domains(draw, alphabet=None):
    values = draw(st.lists(alphabet or st.one_of(words, spicy), max_size=12, unique=True))
    return Domain(Kind.TEXT, texts(sorted(values)))


anything = st.one_of(number_domains(), date_domains(), text_domains())
BUILDERS = [
    (Intervals(), number_domains()),
    (Intervals(width=5), number_domains()),
    (Intervals(width=0.1, factor=3, levels=3, origin=0.05), number_domains()),
    (Intervals(widths=(0.5, 1, 10), bottom=-3.25, top=20), number_domains()),
    (Intervals(cuts=((-1, 0, 2.5), (0,))), number_domains()),
    (Intervals(quantiles=4), number_domains()),
    (Intervals(top=10), number_domains()),
    (Dates(), date_domains()),
    (Dates(steps=("month", "10 years")), date_domains()),
    (Prefix(), anything),
    (Prefix(steps=(3, 1)), text_domains()),
    (Prefix(separator="."), text_domains()),
    (Flat(), anything),
    (Suggested(), anything),
    (Tree((("a", "x"), ("b", "y", "z"), ("[a, b]", "[b]", "z")), other="rest"), text_domains()),
    (Tree((("1", "a"), ("2", "a"), ("3.5", "b"))), number_domains()),
    (Ordered(("a", "b, c", '"', "[d]", "e"), sizes=(2, 4)), text_domains()),
    (Ordered(("1", "2", "3"), groups=(("low", "low", "high"),)), number_domains()),
]


@st.composite
def built(draw):
    """A hierarchy by any builder from any domain that it takes."""
    spec, domains = draw(st.sampled_from(BUILDERS))
    return spec.build(draw(domains), "column")


@QUICK
@given(built())
def test_builders_give_hierarchies(hierarchy):
    check(hierarchy, "column")
    rows = naive.hierarchy.rows_of(hierarchy)
    assert not rows or naive.hierarchy.is_hierarchy(rows)
    assert hierarchy.labels[0].tolist() == hierarchy.leaves.labels.tolist()


@QUICK
@given(st.data())
def test_values_find_their_leaf(data):
    of_the_data = (Dates, Flat, Intervals, Prefix, Suggested)
    chosen = [pair for pair in BUILDERS if isinstance(pair[0], of_the_data)]
    spec, domains = data.draw(st.sampled_from(chosen))
    domain = data.draw(domains)
    column = CodedColumn("x", np.arange(len(domain) + 1, dtype=np.int32), domain)
    hierarchy = spec.build(domain, "x")
    aligned = align(column, hierarchy.leaves).codes
    assert aligned[0] == 0
    assert hierarchy.labels[0][aligned[1:] - 1].tolist() == domain.labels.tolist()


@QUICK
@given(built())
def test_every_label_decodes_to_the_leaves_that_show_it(hierarchy):
    rows = naive.hierarchy.rows_of(hierarchy)
    for h, labels in enumerate(hierarchy.labels):
        for node, label in enumerate(labels.tolist(), start=1):
            codes = set(hierarchy.decode(label).tolist())
            assert codes >= set(np.flatnonzero(hierarchy.maps[h] == node).tolist())
            assert codes >= naive.hierarchy.decode(rows, label)
            if hierarchy.leaves.kind is not Kind.TEXT or not label.startswith("["):
                assert codes == naive.hierarchy.decode(rows, label) or not rows


@st.composite
def shown(draw):
    """A hierarchy and cells as a release shows them, each with a code that it stands for."""
    hierarchy = draw(built())
    n = len(hierarchy.leaves)
    code, low, high, level = [], [], [], []
    for _ in range(draw(st.integers(1, 8))):
        a, b = sorted(draw(st.lists(st.integers(0, n), min_size=2, max_size=2)))
        code.append(draw(st.integers(a, b)))
        low.append(a)
        high.append(b)
        level.append(draw(st.integers(0, hierarchy.height)))
    cells = [np.array(line, dtype=np.int32) for line in (code, low, high, level)]
    return hierarchy, *cells


def through_csv(labels):
    buffer = io.BytesIO()
    pl.DataFrame(
        {"x": labels.tolist(), "y": "."}, schema={"x": pl.String, "y": pl.String}
    ).write_csv(buffer)
    buffer.seek(0)
    return pl.read_csv(buffer, infer_schema=False)["x"].to_list()


@QUICK
@given(shown())
def test_spans_survive_a_csv_file_and_cover_the_original(cells):
    hierarchy, code, low, high, _ = cells
    level = hierarchy.join_level(low, high)
    labels = hierarchy.show(low, high, level, spans=True)

    back = through_csv(labels)

    assert back == labels.tolist()
    decoded = hierarchy.decode_all(back)
    assert decoded.covers(code).all()
    assert all(c in decoded[i] for i, c in enumerate(code))
    assert decoded.sizes.tolist() == [len(decoded[i]) for i in range(len(code))]


@QUICK
@given(shown())
def test_nodes_survive_a_csv_file_and_cover_the_original(cells):
    hierarchy, code, _, _, level = cells
    low, high = hierarchy.cover(level, code)

    labels = through_csv(hierarchy.show(low, high, level, spans=False))

    assert hierarchy.decode_all(labels).covers(code).all()
    rows = naive.hierarchy.rows_of(hierarchy)
    for label, c, h in zip(labels, code.tolist(), level.tolist(), strict=True):
        top = hierarchy.labels[-1][0] if h == hierarchy.height else None
        assert label == (rows[c - 1][h] if c else top)


@QUICK
@given(number_domains(), st.data())
def test_spans_of_numbers_decode_to_exactly_what_they_show(domain, data):
    n = len(domain)
    if not n:
        return
    low, high = sorted(data.draw(st.lists(st.integers(1, n), min_size=2, max_size=2)))
    hierarchy = Intervals().build(domain, "x")
    ends = np.array([low], dtype=np.int32), np.array([high], dtype=np.int32)

    label = hierarchy.show(*ends, hierarchy.join_level(*ends), spans=True)[0]

    values = domain.values.tolist()
    expected = naive.hierarchy.between(values, values[low - 1], values[high - 1])
    assert set(hierarchy.decode(label).tolist()) == expected


def ages():
    return Intervals(widths=(5, 10)).build(Domain(Kind.NUMBER, np.arange(17, 31)), "age")


def codes(*values):
    return np.array(values, dtype=np.int32)


def test_what_cells_show():
    hierarchy = ages()
    low, high = codes(0, 0, 1, 1, 1, 4), codes(0, 3, 1, 9, 9, 4)
    level = codes(0, 3, 0, 3, 1, 3)
    shown = hierarchy.show(low, high, level, spans=True).tolist()
    assert shown == [None, "*", "17", "[17, 25]", "[17, 25]", "*"]
    shown = hierarchy.show(low, high, codes(0, 0, 0, 3, 2, 1), spans=False).tolist()
    assert shown == [None, "*", "17", "*", "[10, 20)", "[20, 25)"]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (None, [0]),
        ("[17, 19]", [1, 2, 3]),
        ("[28, inf)", [12, 13, 14]),
        ("(-inf, 18.5)", [1, 2]),
        ("(28, 30]", [13, 14]),
        ("[0, 18)", [1]),
        ("17.0", [1]),
        ("*", list(range(15))),
    ],
)
def test_labels_decode_by_arithmetic(label, expected):
    assert ages().decode(label).tolist() == expected


@pytest.mark.parametrize("label", ["", "16", "[", "[]", "[31, 40)", "[19, 17]", "canary", '["1"]'])
def test_foreign_labels_are_refused_without_being_repeated(label):
    with pytest.raises(InputError, match=r"1 distinct label .* \(first at row 2\)") as caught:
        ages().decode_all(["17", label, label])
    assert "canary" not in str(caught.value)


def test_numbers_as_texts_decode_in_any_spelling():
    hierarchy = Prefix().build(Domain(Kind.NUMBER, np.array([10, 11, 25])), "x")
    assert hierarchy.decode("11.0").tolist() == [2]
    with pytest.raises(InputError):
        hierarchy.decode("11.5")


def test_dates_decode_in_their_own_unit():
    days = np.array(["1965-02-28", "1965-03-01", "1965-04-17", "1966-01-01"], dtype="M8[D]")
    hierarchy = Dates().build(Domain(Kind.DATE, days), "birth")
    assert hierarchy.decode("[1965-03-01, 1965-04-17]").tolist() == [2, 3]
    assert hierarchy.decode("[1965-03, 1965-04]").tolist() == [2, 3]
    assert hierarchy.decode("[1966, 1970)").tolist() == [4]
    assert hierarchy.decode("1965-03-01 00:00:00").tolist() == [2]


def test_a_value_with_the_name_of_its_parent_stands_for_the_parent():
    rows = (("a", "b", "*"), ("b", "b", "*"), ("d", "c", "*"), ("e", "e", "*"))
    hierarchy = Tree(rows).build(Domain(Kind.TEXT, texts(["a"])), "x")
    assert hierarchy.decode("b").tolist() == [1, 2]


def test_leaves_between_two_members_of_a_set_stay_out():
    rows = (("a", "p", "*"), ("b", "q", "*"), ("s", "r", "*"), ("c", "r", "*"))
    hierarchy = Tree(rows).build(Domain(Kind.TEXT, texts(["a"])), "x")
    decoded = hierarchy.decode_all(["{p, s}"] * 3)
    assert decoded[0].tolist() == [1, 3]
    assert decoded.covers(codes(1, 2, 3)).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("[0.5, 1.50]", [1, 2]),
        ("(0.50, 2.5)", [2]),
        ("[0.50, 2.5)", [1, 2]),
        ("(0.50, 2.5]", [2, 3]),
        ("1.50", [2]),
    ],
)
def test_floats_decode_by_arithmetic(label, expected):
    domain = Domain(Kind.NUMBER, np.array([0.5, 1.5, 2.5]))
    assert Intervals(width=1).build(domain, "x").decode(label).tolist() == expected


def test_texts_that_look_like_spans_stay_apart():
    hierarchy = Ordered(("a", "a, b", "b, c", "c")).build(Domain(Kind.TEXT, texts([])), "x")
    label = hierarchy.show(codes(1), codes(3), codes(1), spans=True)[0]
    assert label == '["a", "b, c"]'
    assert hierarchy.decode(label).tolist() == [1, 2, 3]


def test_many_labels_are_decoded_once_each():
    decoded = ages().decode_all(["17", "[10, 20)", "17", None])
    assert decoded.of.tolist() == [0, 1, 0, 2]
    assert len(decoded) == 4
    assert decoded[1].tolist() == [1, 2, 3]


def broken(maps, labels):
    domain = Domain(Kind.TEXT, texts(["canary-a", "canary-b", "canary-c"]))
    arrays = tuple(texts(line) for line in [domain.labels.tolist(), *labels, ["*"]])
    full = [[0, 1, 2, 3], *maps, [1, 1, 1, 1]]
    return Hierarchy.create(domain, np.array(full, dtype=np.int32), arrays, column="x")


@pytest.mark.parametrize(
    ("maps", "labels", "message"),
    [
        ([[0, 1, 2, 1]], [["m", "n"]], "level 1 .* has 1 node whose values are not side by side"),
        ([[0, 2, 2, 3]], [["m", "n", "o"]], "not side by side"),
        ([[0, 1, 1, 2], [0, 1, 2, 2]], [["m", "n"], ["o", "p"]], "level 2 .* tears 1 node"),
        ([[0, 1, 1, 2]], [["m", "m"]], "2 nodes but 1 distinct label"),
        ([[0, 1, 1, 2]], [["m"]], "2 nodes but 1 distinct label"),
        ([[1, 1, 1, 2]], [["m", "n"]], "does not start from the values"),
        ([[0, 1, 1, 2]], [], "does not cover its 3 values"),
    ],
)
def test_broken_hierarchies_are_refused_without_values(maps, labels, message):
    with pytest.raises(InputError, match=message) as caught:
        broken(maps, labels)
    assert "canary" not in str(caught.value)


def test_one_value_must_stand_on_top():
    domain = Domain(Kind.TEXT, texts(["a", "b"]))
    maps = np.array([[0, 1, 2], [0, 1, 2]], dtype=np.int32)
    with pytest.raises(InputError, match="one value on top"):
        Hierarchy.create(domain, maps, (domain.labels, domain.labels), column="x")


def test_repr_shows_no_value():
    hierarchy = Regions().build(Domain(Kind.TEXT, texts(["Kenya"])), "x")
    assert repr(hierarchy) == "Hierarchy(4 levels, 1 leaves)"
    assert repr(Tree((("canary", "x"),))) == "Tree(1 rows)"
    assert repr(Ordered(("canary", "x"))) == "Ordered(2 values)"
