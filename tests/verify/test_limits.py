"""Verdicts at the limit itself: what is asked is exactly what the rows reach, or a hair more.

Tables have missing units (everybody without one is somebody of their own), missing values under
every reading, and people with several records.
"""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evidence import accounted_for, counted, each, reference
from incrowd.errors import NotMetError
from incrowd.models import MODELS
from incrowd.models.model import Model
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.verify.candidates import PublicTable
from incrowd.verify.crowds import crowds_of
from incrowd.verify.judges import Evidence, judge
from incrowd.verify.shown import crowds_by_number
from incrowd.verify.verify import SeenRelease, see_release, verify
from naive import verify as naive

CELL = st.sampled_from([None, "x", "y", ""])
VALUE = st.sampled_from([None, "p", "q", "r"])
HAIR = Fraction(1, 10_000)


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


@st.composite
def tables(draw):
    rows = draw(st.lists(st.tuples(CELL, CELL, VALUE), min_size=1, max_size=14))
    units = st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))
    return rows, draw(st.none() | units), draw(st.sampled_from(list(Missing)))


class Table:
    """The rows as verification sees them, and as the twin does."""

    def __init__(self, drawn):
        rows, unit, self.missing = drawn
        schema = dict.fromkeys("abs", pl.String)
        self.frame = pl.DataFrame(rows, schema=schema, orient="row")
        self.unit = None if unit is None else np.array(unit, dtype=np.int32)
        self.persons = [u or f"row {i}" for i, u in enumerate(unit or [0] * len(rows))]
        self.values = [row[2] for row in rows]
        anything = self.missing is Missing.MATCHES_ANYTHING
        self.crowds = naive.crowds([row[:2] for row in rows], anything)

    def of(self, figure, *more):
        return [figure(crowd, self.values, self.persons, *more) for crowd in self.crowds]

    def verdict(self, asked, spread=None):
        policy = SimpleNamespace(quasi=("a", "b"), models=(asked,), missing=self.missing)
        found, one_by_one = (
            verify(see_release(rows(self.frame, self.unit), policy), policy, spread)[0]
            for rows in (counted, each)
        )
        assert found == one_by_one
        return found


@settings(max_examples=60)
@given(tables())
def test_k_counts_people_and_those_without_a_unit_each(drawn):
    table = Table(drawn)
    smallest = min(naive.people(crowd, table.persons) for crowd in table.crowds)
    for k, met in ((smallest, True), (smallest + 1, False)):
        verdict = table.verdict(model("k-anonymity", k=k))
        assert (verdict.reached, verdict.ok) == (smallest, met)


@settings(max_examples=60)
@given(tables())
def test_frequency_and_alpha_at_their_limit(drawn):
    table = Table(drawn)
    reached, share = min(table.of(naive.frequency)), max(table.of(naive.alpha))
    for l, met in ((reached, True), (reached + HAIR, False), (reached - HAIR, True)):
        asked = model("l-diversity", "s", l=float(l), kind="frequency")
        verdict = table.verdict(asked)
        assert verdict.reached == pytest.approx(float(reached))
        assert verdict.ok is met
    smallest = min(naive.people(crowd, table.persons) for crowd in table.crowds)
    for alpha, met in ((share, True), (share - HAIR, False), (share + HAIR, True)):
        verdict = table.verdict(model("alpha-k", "s", alpha=float(alpha), k=smallest))
        assert (verdict.reached, verdict.ok) == (pytest.approx(float(share)), met)
    verdict = table.verdict(model("alpha-k", "s", alpha=float(share), k=smallest + 1))
    assert (verdict.reached, verdict.ok) == (1, False)


@settings(max_examples=60)
@given(tables())
def test_distinct_and_entropy_at_their_limit(drawn):
    table = Table(drawn)
    fewest, lowest = min(table.of(naive.distinct)), min(table.of(naive.entropy))
    for l, met in ((fewest, True), (fewest + 1, False), (fewest + 0.5, False)):
        verdict = table.verdict(model("l-diversity", "s", l=l, kind="distinct"))
        assert (verdict.reached, verdict.ok) == (fewest, met)
    for l, met in ((lowest, True), (lowest * (1 + 1e-7), False), (lowest * (1 - 1e-7), True)):
        verdict = table.verdict(model("l-diversity", "s", l=l, kind="entropy"))
        assert (verdict.reached, verdict.ok) == (pytest.approx(lowest), met)


@settings(max_examples=80)
@given(tables(), st.integers(1, 3), st.data())
def test_recursive_diversity_is_strict(drawn, l, data):
    """The c at which a crowd's commonest value equals what it is compared with does not do."""
    table = Table(drawn)
    limits = [
        Fraction(falling[0], sum(falling[l - 1 :]))
        for crowd in table.crowds
        if len(falling := _falling(table, crowd)) >= l
    ]
    assume(limits)
    c = data.draw(st.sampled_from(limits)) + data.draw(st.sampled_from([0, HAIR, -HAIR]))
    reached = min(table.of(naive.recursive, c))
    verdict = table.verdict(model("l-diversity", "s", l=l, kind="recursive", c=float(c)))
    assert (verdict.reached, verdict.ok) == (reached, reached >= l)


@pytest.mark.parametrize(
    ("c", "reached"), [(0.5, 0), (5 / 9, 0), (0.6, 1), (1, 1), (2, 2), (5, 2), (6, 3), (9, 3)]
)
@pytest.mark.parametrize("names", ["xy", "yx"])
def test_recursive_diversity_by_hand(names, c, reached):
    """1, 3 and 5 people in one class, two of each in another: 5 < c (5, 4 or 1), 2 < c (…)."""
    skewed, even = names
    held = [(skewed, v) for v in "pqqqrrrrr"] + [(even, v) for v in "ppqqrr"]
    table = Table(([(a, a, s) for a, s in held], None, Missing.OWN_VALUE))
    for l in (1, 2, 3):
        verdict = table.verdict(model("l-diversity", "s", l=l, kind="recursive", c=c))
        assert (verdict.reached, verdict.ok) == (reached, reached >= l)


def _falling(table, crowd):
    return sorted(naive.holders(crowd, table.values, table.persons).values(), reverse=True)


@settings(max_examples=60)
@given(tables(), st.sampled_from(["equal", "ordered"]), st.data())
def test_closeness_at_its_limit(drawn, distance, data):
    """WorldReference a table as it was read of which the rows that leave are a part."""
    table = Table(drawn)
    places = [None, "p", "q", "r"]
    more = data.draw(st.lists(st.sampled_from(places), max_size=6))
    codes = np.array([places.index(v) for v in [*table.values, *more]], dtype=np.int32)
    column = pl.Series("s", [*table.values, *more], dtype=pl.String)
    domain = Domain(Kind.TEXT, np.array(places[1:], dtype=object))
    unit = None if table.unit is None else np.append(table.unit, [0] * len(more)).astype(np.int32)
    spread = reference(column, CodedColumn("s", codes, domain), unit)
    who = [*table.persons, *(f"more {i}" for i in range(len(more)))]
    everybody = range(len(codes))
    whole = naive.spread(naive.holders(everybody, codes.tolist(), who), range(4))
    assert spread.people.tolist() == [
        naive.holders(everybody, codes.tolist(), who).get(p, 0) for p in range(4)
    ]
    worst = max(
        getattr(naive, distance)(
            naive.spread(naive.holders(crowd, codes.tolist(), table.persons), range(4)), whole
        )
        for crowd in table.crowds
    )
    for t, met in ((worst, True), (worst - HAIR, False), (worst + HAIR, True)):
        asked = model("t-closeness", "s", t=float(t), distance=distance)
        verdict = table.verdict(asked, {"s": spread})
        assert (verdict.reached, verdict.ok) == (pytest.approx(float(worst), abs=1e-9), met)


def test_what_misses_the_limit_by_rounding_is_said_to_be_the_limit():
    table = Table(([("x", "x", "p"), ("x", "x", "q"), ("y", "y", "p")], None, Missing.OWN_VALUE))
    for t, told in ((1 / 3 + 5e-10, 1 / 3 + 5e-10), (1 / 3 + 5e-9, 1 / 3)):
        verdict = table.verdict(model("t-closeness", "s", t=t, distance="equal"))
        assert verdict.ok
        assert verdict.reached == pytest.approx(told, rel=1e-12)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 9)), min_size=1, max_size=4),
    st.one_of(st.none(), st.fractions(0, 1, max_denominator=20)),
)
def test_models_of_a_world_at_their_limit(classes, sure):
    """Classes of n people that fit m individuals; `sure` is what all together say of one."""
    cells = np.repeat(np.arange(1, len(classes) + 1), [n for n, _ in classes])
    crowds = crowds_of([cells], None, anything=False)
    there = np.array([m for _, m in classes])
    evidence = Evidence(crowds, {}, there, None if sure is None else float(sure))
    fewest = int(there.min())
    for k, met in ((fewest, True), (fewest + 1, False)):
        assert judge(model("k-map", k=k), evidence) == (fewest, met)
    share = max([Fraction(n, max(m, 1)) for n, m in classes] + [sure or Fraction(0)])
    for delta in (share, share - HAIR, share + HAIR):
        if not 0 < delta < 1:
            continue
        reached, met = judge(model("delta-presence", delta=float(delta)), evidence)
        assert reached == pytest.approx(float(min(share, 1)))
        assert met == (fewest > 0 and share <= delta)


def test_a_class_that_nobody_of_the_world_fits_is_never_met():
    crowds = crowds_of([np.array([1, 2, 2])], None, anything=False)
    evidence = Evidence(crowds, {}, np.array([0, 9]), 0.0)
    assert judge(model("delta-presence", delta=0.99), evidence) == (1.0, False)
    assert judge(model("k-map", k=2), evidence) == (0.0, False)
    with pytest.raises(NotMetError, match="world"):
        judge(model("k-map", k=2), Evidence(crowds, {}))


def test_a_world_is_looked_at_only_if_a_model_asks_for_it():
    frame = pl.DataFrame({"a": ["x", "x"]})
    cells = CodedColumn("b", np.array([1], dtype=np.int32), Domain(Kind.NUMBER, np.array([7])))
    other = PublicTable({"b": cells})
    asked = {"k": model("k-anonymity", k=2), "map": model("k-map", k=2)}
    policies = {
        name: SimpleNamespace(quasi=("a",), models=(one,), missing=Missing.OWN_VALUE)
        for name, one in asked.items()
    }
    seen = see_release(counted(frame), policies["k"])
    assert verify(seen, policies["k"], None, other)[0].ok
    for world, said in ((None, "needs its world"), (other, "column in common")):
        with pytest.raises(NotMetError, match=said):
            verify(seen, policies["map"], None, world)


def test_rows_without_a_quasi_identifier_are_one_class():
    asked = SimpleNamespace(quasi=(), models=(), missing=Missing.OWN_VALUE)
    assert see_release(counted(pl.DataFrame({"s": ["p", "q"]})), asked).crowds.people.tolist() == [
        2
    ]


def test_everybody_counts_once_in_the_release():
    cells = np.array([1, 1, 2])
    for unit, people in ((None, 3), (np.array([4, 4, 9]), 2)):
        assert Evidence(crowds_of([cells], unit, anything=False), {}).number_of_people == people


@settings(max_examples=60)
@given(tables())
def test_without_a_reference_closeness_is_to_the_release_itself(drawn):
    table = Table(drawn)
    places = [None, "p", "q", "r"]
    codes = [places.index(v) for v in table.values]
    held = naive.holders(range(len(codes)), codes, table.persons)
    whole = naive.spread(held, range(4))
    worst = max(
        naive.equal(naive.spread(naive.holders(c, codes, table.persons), range(4)), whole)
        for c in table.crowds
    )
    verdict = table.verdict(model("t-closeness", "s", t=0.25, distance="equal"))
    assert verdict.reached == pytest.approx(float(worst))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), VALUE), min_size=1, max_size=12), st.sampled_from([1, 2])
)
def test_classes_that_are_told_by_a_number(rows, l):
    """Numbers need not be 1, 2, …, nor side by side."""
    classes = np.array([7 * number for number, _ in rows], dtype=np.int64)
    frame = pl.DataFrame([(v,) for _, v in rows], schema={"s": pl.String}, orient="row")
    crowds = [[j for j, (other, _) in enumerate(rows) if other == number] for number, _ in rows]
    values = [v for _, v in rows]
    reached = min(naive.frequency(crowd, values, range(len(rows))) for crowd in crowds)
    policy = SimpleNamespace(
        quasi=(),
        models=(model("l-diversity", "s", l=l, kind="frequency"),),
        missing=Missing.OWN_VALUE,
    )
    for evidence in (counted(frame, classes=classes), each(frame, classes=classes)):
        crowds = crowds_by_number(evidence.classes, evidence.records)
        (verdict,) = verify(SeenRelease(evidence.cells, {}, crowds), policy)
        assert (verdict.reached, verdict.ok) == (pytest.approx(float(reached)), reached >= l)


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=8),
    st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5]),
    st.sampled_from(list(Missing)),
    st.data(),
)
def test_records_left_out_at_the_limit(rows, share, missing, data):
    """Of those that lack nothing, where others are suppressed, at most this share is left out."""
    original = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    records = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=len(rows)))
    suppress = missing is Missing.SUPPRESS
    there = {i for i, row in enumerate(rows) if not suppress or 0 not in row}
    gone = len(there - set(records))
    allowed = (
        len(set(records)) == len(records)
        and set(records) <= there
        and gone <= Fraction(share).limit_denominator(100) * len(there)
    )
    policy = SimpleNamespace(missing=missing, suppression=share)
    if allowed:
        accounted_for(original, records, policy)
    else:
        with pytest.raises(NotMetError):
            accounted_for(original, records, policy)


def test_a_table_of_one_quasi_identifier_is_accounted_for():
    policy = SimpleNamespace(missing=Missing.OWN_VALUE, suppression=0.5)
    accounted_for([np.array([1, 0], dtype=np.int32)], [1], policy)
    with pytest.raises(NotMetError, match="2 of 2"):
        accounted_for([np.array([1, 0], dtype=np.int32)], [], policy)


def test_records_that_lack_a_value_do_not_leave_where_they_are_suppressed():
    original = [np.array([1, 0, 1, 2], dtype=np.int32), np.array([1, 1, 0, 2], dtype=np.int32)]
    policy = SimpleNamespace(missing=Missing.SUPPRESS, suppression=0.0)
    accounted_for(original, [3, 0], policy)
    for wrong in ([0], [0, 1, 3], [0, 2, 3], [0, 3, 3]):
        with pytest.raises(NotMetError):
            accounted_for(original, wrong, policy)
