"""Verification: agrees with its slow twin, refuses what it cannot verify."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import altered, counted, shown_column
from incrowd.errors import NotMetError
from incrowd.hierarchy import Dates
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.models import MODELS, DeltaPresence
from incrowd.models.model import Model
from incrowd.policy.policy import Column
from incrowd.table.column import Domain, Kind, Missing
from incrowd.verify.crowds import crowds_of, number_cells
from incrowd.verify.judges import Evidence, judge
from incrowd.verify.shown import demand_coarse, demand_consistent, demand_covering, demand_within
from incrowd.verify.verify import Reference, demand_models_met, demand_unchanged, see_release
from incrowd.verify.verify import verify as verify_seen
from naive import verify as naive
from strategies import hierarchies


def model(name, column=None, **parameters):
    columns = () if column is None else (column,)
    asked = next(iter(parameters.values()))
    known = MODELS.get(name, Model)
    return SimpleNamespace(
        name=name,
        column=column,
        columns=columns,
        threshold=asked,
        requires=known.requires,
        higher_is_safer=known.higher_is_safer,
        **parameters,
    )


def verify(rows, policy, people=None, reference=None):
    return verify_seen(see_release(counted(rows, people), policy), policy, reference)


def policy_of(*models, quasi=("a", "b"), missing=Missing.OWN_VALUE):
    return SimpleNamespace(quasi=quasi, models=models, missing=missing)


def frame_of(rows):
    schema = {"a": pl.String, "b": pl.String, "s": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


CELL = st.sampled_from([None, "x", "y", ""])
VALUE = st.sampled_from([None, "p", "q", "r"])


@st.composite
def released(draw):
    rows = draw(st.lists(st.tuples(CELL, CELL, VALUE), min_size=1, max_size=12))
    unit = draw(st.none() | st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    return rows, unit, draw(st.sampled_from(list(Missing)))


def prepared(table):
    rows, unit, missing = table
    crowds = naive.crowds([row[:2] for row in rows], missing is Missing.MATCHES_ANYTHING)
    persons = unit or list(range(len(rows)))
    codes = None if unit is None else np.array(unit, dtype=np.int32)
    return crowds, [row[2] for row in rows], persons, codes


@settings(max_examples=100, deadline=None)
@given(released(), st.integers(2, 4))
def test_people_agree_with_the_twin(table, k):
    crowds, _, persons, codes = prepared(table)
    policy = policy_of(model("k-anonymity", k=k), missing=table[2])
    (verdict,) = verify(frame_of(table[0]), policy, people=codes)
    smallest = min(naive.people(crowd, persons) for crowd in crowds)
    assert (verdict.reached, verdict.ok) == (smallest, smallest >= k)


@settings(max_examples=100, deadline=None)
@given(released(), st.sampled_from([1.5, 2.0, 2.5, 3.0]))
def test_diversity_agrees_with_the_twin(table, l):
    crowds, values, persons, codes = prepared(table)
    kinds = ("frequency", "distinct", "entropy")
    models = [model("l-diversity", "s", l=l, kind=kind) for kind in kinds]
    verdicts = verify(frame_of(table[0]), policy_of(*models, missing=table[2]), people=codes)
    for kind, verdict in zip(kinds, verdicts, strict=True):
        reached = min(getattr(naive, kind)(crowd, values, persons) for crowd in crowds)
        assert verdict.reached == pytest.approx(float(reached))
        assert verdict.ok == (reached >= l - (1e-9 if kind == "entropy" else 0))


@st.composite
def spreads(draw):
    tree = draw(hierarchies())
    places = st.integers(0, len(tree.leaves))
    whole = draw(st.lists(places, min_size=1, max_size=14))
    rows = draw(st.lists(st.tuples(CELL, st.sampled_from(whole)), min_size=1, max_size=10))
    return tree, whole, rows


@settings(max_examples=100, deadline=None)
@given(spreads(), st.sampled_from(["equal", "ordered", "hierarchical"]))
def test_distances_agree_with_the_twin(table, distance):
    tree, whole, rows = table
    places = range(len(tree.leaves) + 1)
    people = np.bincount(whole, minlength=len(places)).astype(np.int64)
    reference = Reference({f"v{p}": p for p in places if p}, people, tree.maps)
    frame = frame_of([(a, "b", f"v{p}" if p else None) for a, p in rows])
    asked = model("t-closeness", "s", t=0.3, distance=distance)
    (verdict,) = verify(frame, policy_of(asked), reference={"s": reference})
    shares = naive.spread(dict(enumerate(people.tolist())), places)
    more = (tree.maps.tolist(),) if distance == "hierarchical" else ()
    reached = max(
        getattr(naive, distance)(
            naive.spread(naive.holders(crowd, [p for _, p in rows], range(len(rows))), places),
            shares,
            *more,
        )
        for crowd in naive.crowds([row[:1] for row in rows], anything=False)
    )
    assert verdict.reached == pytest.approx(float(reached), abs=1e-12)
    assert verdict.ok == (reached <= 0.3 + 1e-9)


def test_shares_are_compared_exactly():
    rows = frame_of([("x", "x", "p")] * 10 + [("x", "x", "q")] * 1)
    (verdict,) = verify(rows, policy_of(model("l-diversity", "s", l=1.1, kind="frequency")))
    assert verdict.ok
    (verdict,) = verify(rows, policy_of(model("l-diversity", "s", l=1.1000001, kind="frequency")))
    assert not verdict.ok


def test_alpha_k_needs_both():
    rows = frame_of([("x", "x", "p"), ("x", "x", "q")] * 2)
    (verdict,) = verify(rows, policy_of(model("alpha-k", "s", alpha=0.5, k=4)))
    assert verdict.ok
    (verdict,) = verify(rows, policy_of(model("alpha-k", "s", alpha=0.5, k=5)))
    assert not verdict.ok
    (verdict,) = verify(rows, policy_of(model("alpha-k", "s", alpha=0.4, k=4)))
    assert not verdict.ok


def test_numbers_are_grouped_like_text():
    rows = pl.DataFrame({"a": [0.0, -0.0], "b": [1, 1], "s": ["p", "q"]})
    (verdict,) = verify(rows, policy_of(model("k-anonymity", k=2)))
    assert verdict.reached == 1


def test_an_unknown_model_is_refused():
    with pytest.raises(NotMetError, match="cannot verify"):
        verify(frame_of([("x", "x", "p")]), policy_of(model("m-invariance", m=2)))


def test_an_empty_release_is_refused():
    with pytest.raises(NotMetError, match="empty"):
        verify(frame_of([]), policy_of(model("k-anonymity", k=2)))


def test_values_that_the_table_never_had_are_refused_without_naming_them():
    reference = Reference({"p": 1}, np.array([0, 3]))
    asked = model("t-closeness", "s", t=0.3, distance="equal")
    with pytest.raises(NotMetError, match="1 sensitive") as caught:
        verify(frame_of([("x", "x", "canary")]), policy_of(asked), reference={"s": reference})
    assert "canary" not in str(caught.value)


def test_demand_names_the_model_that_fails():
    verdicts = verify(frame_of([("x", "x", "p")]), policy_of(model("k-anonymity", k=2)))
    with pytest.raises(NotMetError, match="k-anonymity achieves 1, the policy asks for 2"):
        demand_models_met(verdicts)


def test_cells_must_cover_their_originals():
    domain = Domain(Kind.TEXT, np.array(["x", "y"], dtype=object))
    maps = np.array([[0, 1, 2], [0, 1, 1], [1, 1, 1]], dtype=np.int32)
    names = tuple(np.array(level, dtype=object) for level in (["x", "y"], ["xy"], ["*"]))
    hierarchy = Hierarchy(domain, maps, names)
    labels = pl.Series("zip", ["x", "xy", "*", None, "*"])
    demand_covering(hierarchy, shown_column("zip", labels, [1, 2, 2, 0, 0]))
    with pytest.raises(NotMetError, match="2 cells of 'zip'"):
        demand_covering(hierarchy, shown_column("zip", labels, [2, 2, 2, 1, 0]))
    with pytest.raises(NotMetError, match="1 cell of 'zip'") as caught:
        demand_covering(hierarchy, shown_column("zip", pl.Series(["canary"]), [1]))
    assert "canary" not in str(caught.value)


def test_numbers_may_be_written_with_a_fraction():
    domain = Domain(Kind.NUMBER, np.array([30, 31]))
    maps = np.array([[0, 1, 2], [1, 1, 1]], dtype=np.int32)
    names = tuple(np.array(level, dtype=object) for level in (["30", "31"], ["*"]))
    hierarchy = Hierarchy(domain, maps, names, ordered=True)
    demand_covering(hierarchy, shown_column("n", pl.Series([30.0]), [1]))
    with pytest.raises(NotMetError):
        demand_covering(hierarchy, shown_column("n", pl.Series([31.0]), [1]))


def test_kept_columns_follow_the_new_order():
    before = pl.DataFrame({"c": [1.5, float("nan"), None]})
    demand_unchanged(altered(before, before[[2, 0, 1]], [2, 0, 1]), ["c"])
    with pytest.raises(NotMetError, match=r"'c' .* 2 cells were changed"):
        demand_unchanged(altered(before, before, [2, 0, 1]), ["c"])


@pytest.mark.parametrize(
    ("spec", "fine", "finer"),
    [
        (
            Dates(steps=("year", "5 years")),
            ["1921", "[1921, 1938]", "[1920, 1925)", "*"],
            "1921-05-17",
        ),
        (Dates(steps=("year",)), ["*"], "[1921-05-17, 1938]"),
        (Dates(steps=("year",)), ["*"], "[1921, 1938-11-23]"),
        (Dates(steps=("year",)), ["*"], "[1921, 1938-11]"),
    ],
)
def test_cells_and_spans_finer_than_the_lowest_level_are_refused(spec, fine, finer):
    days = np.array(["1921-05-17", "1938-11-23"], dtype="datetime64[D]")
    tree = spec.build(Domain(Kind.DATE, days), "birth")
    demand_coarse(tree, "birth", number_cells(pl.Series([*fine, None])), 1)
    demand_coarse(tree, "birth", number_cells(pl.Series([*fine, finer])), 0)
    with pytest.raises(NotMetError, match="1 label of 'birth' is finer"):
        demand_coarse(tree, "birth", number_cells(pl.Series([*fine, finer])), 1)


@pytest.mark.parametrize(
    ("limits", "wide"),
    [
        ({"highest": 1}, ["[1921, 1928]", "*"]),
        ({"highest": 2}, ["*"]),
        ({"widest": 365.0}, ["[1921, 1928]", "*"]),
        ({"widest": 2747.0}, []),
        ({"widest": 2746.0}, ["[1921, 1928]", "*"]),
        ({}, []),
    ],
)
def test_cells_coarser_than_the_limits_are_refused(limits, wide):
    days = np.array(["1921-05-17", "1921-09-01", "1928-11-23"], dtype="datetime64[D]")
    tree = Dates(steps=("year", "10 years")).build(Domain(Kind.DATE, days), "birth")
    asked = Column(role="quasi", **limits)
    for label in ["1921-05-17", "1921", "[1921, 1928]", "*", None]:
        cells = number_cells(pl.Series([label], dtype=pl.String))
        if label in wide:
            with pytest.raises(NotMetError, match="1 label of 'birth' is coarser"):
                demand_within(tree, "birth", cells, asked)
        else:
            demand_within(tree, "birth", cells, asked)


def test_equal_values_that_show_different_cells_are_refused():
    codes = {"a": np.array([1, 1, 2]), "b": np.array([0, 0, 1])}
    same = pl.DataFrame({"a": ["x", "x", "x"], "b": ["1", "1", "2"]})
    demand_consistent(counted(same, codes=codes))
    torn = pl.DataFrame({"a": ["x", "y", "x"], "b": ["1", "1", "2"]})
    with pytest.raises(NotMetError, match="1 label too many"):
        demand_consistent(counted(torn, codes=codes))


def test_people_of_a_class_are_those_of_its_own_rows():
    """A missing value matches anything: the crowd of (1) is everybody, its class two people."""
    cells, unit = np.array([1, 1, 2, 0]), np.array([1, 2, 3, 3])
    crowds = crowds_of([cells], unit, anything=True)
    shown = crowds.class_of.tolist()
    assert crowds.people[shown].tolist() == [3, 3, 1, 3]
    assert crowds.people_of_class[shown].tolist() == [2, 2, 1, 1]


def test_delta_presence_asks_for_the_people_of_each_class():
    """Of three people two show (1), whom four of the world fit; the third matches anything."""
    cells, unit = np.array([1, 1, 2, 0]), np.array([1, 2, 3, 3])
    crowds = crowds_of([cells], unit, anything=True)
    world = np.full(crowds.number, 4)
    reached, met = judge(DeltaPresence(0.5), Evidence(crowds, {}, world))
    assert (reached, met) == (0.5, True)
