from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.loss
import naive.mingen
import naive.models
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.loss import Discernibility, Entropy, Gcp, Granularity, Precision
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.search.literature.mingen.cells import MinGenCells
from incrowd.search.literature.mingen.mingen import MinGen
from incrowd.search.small_tables import partitions
from incrowd.search.small_tables.small_table import SmallTable
from incrowd.table.column import Missing
from incrowd.watch import Watch
from strategies import problem_of, tables, tally_of
from worked import problem, tree

LOSSES = {
    Precision(): naive.loss.precision,
    Gcp(): naive.loss.ncp,
    Granularity(): naive.loss.granularity,
    Entropy(): naive.loss.entropy,
}
MODELS = [
    (KAnonymity(2),),
    (KAnonymity(3),),
    (KAnonymity(2), LDiversity("s0", 2, kind="frequency")),
    (LDiversity("s0", 2, kind="distinct"),),
    (KAnonymity(2), TCloseness("s0", 0.4)),
]


def fine(table, models, members):
    """Whether these records, one by one, may be a class."""
    _, _, (values, *_), unit = table
    unit = list(range(len(values))) if unit is None else unit
    people = len({unit[i] for i in members})
    held = Counter(v for v, _ in {(values[i], unit[i]) for i in members})
    whole = Counter(v for v, _ in set(zip(values, unit, strict=True)))
    judged = {
        "k-anonymity": lambda model: people >= model.k,
        "l-diversity": lambda model: (
            naive.models.distinct(held) >= model.l
            if model.kind == "distinct"
            else naive.models.frequency(people, held) >= model.l
        ),
        "t-closeness": lambda model: naive.models.equal(held, whole) <= model.t,
    }
    return all(judged[model.name](model) for model in models)


@st.composite
def cases(draw, units=False):
    """A table with models, limits of columns and a suppression limit."""
    drawn = tables(max_records=6, max_columns=2, units=units)
    table = draw(drawn.filter(lambda table: len(table[2][0]) > 3))
    models = draw(st.sampled_from(MODELS))
    loss = draw(st.sampled_from(list(LOSSES)))
    lowest = draw(st.lists(st.integers(0, 1), min_size=2, max_size=2))
    of = problem_of(table, models, loss, draw(st.sampled_from([0.0, 0.2, 0.5])), lowest)
    columns = tuple(
        replace(
            column,
            highest=draw(st.sampled_from([None, column.hierarchy.height - 1])),
            weight=draw(st.sampled_from([1.0, 2.5])),
        )
        for column in of.columns
    )
    return table, replace(of, columns=columns)


def expected(table, of, blocks=None):
    """The least loss by going through all partitions; `blocks` of records stay together."""
    _, quasi, _, _ = table
    columns = [
        naive.loss.Column(c.hierarchy, codes, c.weight)
        for c, codes in zip(of.columns, quasi, strict=True)
    ]
    judge = partial(fine, table, of.models)
    if blocks:
        whole = [{i for i in range(len(quasi[0])) if blocks[i] == b} for b in set(blocks)]
        judge = lambda m: fine(table, of.models, m) and _whole(whole, m)  # noqa: E731
    limits = naive.mingen.Limits(
        judge, [c.lowest for c in of.columns], [c.top for c in of.columns], of.suppressible
    )
    return naive.mingen.best_cells(LOSSES[of.loss], columns, limits)


def _whole(blocks, members):
    return all(block <= set(members) or not block & set(members) for block in blocks)


def check(of, least):
    """The search finds exactly this loss, or that there is nothing."""
    try:
        found = MinGenCells().run(of, Watch())
    except InfeasibleError as error:
        assert least is None, error.message  # noqa: PT017
        return None
    outcome = of.outcome(found.recoding)
    assert found.optimal
    assert of.loss.of(outcome) == pytest.approx(least, abs=1e-9)
    assert of.satisfied_by(outcome.classes).all()
    assert outcome.suppressed <= of.suppressible
    for j, column in enumerate(of.columns):
        assert (outcome.level[j] >= column.lowest).all()
        assert (outcome.level[j] <= column.top).all()
    shown = np.vstack([outcome.low, outcome.high, outcome.level])
    assert len(np.unique(shown, axis=1).T) == len(outcome.classes)
    return found


@settings(max_examples=120, deadline=None)
@given(cases())
def test_it_finds_the_least_loss_of_all_partitions(case):
    table, of = case
    check(of, expected(table, of))


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(cases(units=True))
def test_people_with_several_records(case):
    table, of = case
    blocks = None if table[3] is None else of.tally.row_of.tolist()
    check(of, expected(table, of, blocks))


@settings(max_examples=40, deadline=None)
@given(
    tables(max_records=11, max_columns=3),
    st.sampled_from(MODELS),
    st.sampled_from(list(LOSSES)),
    st.sampled_from([0.0, 0.2]),
)
def test_both_ways_to_divide_agree_where_classes_may_be_joined(table, models, loss, share):
    of = problem_of(table, models, loss, share)
    losses = []
    for way in (partitions._BestDivisions, partitions._BestDistinctDivisions):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(partitions, "_BestDivisions", way)
            try:
                losses.append(loss.of(of.outcome(MinGenCells().run(of, Watch()).recoding)))
            except InfeasibleError:
                losses.append(None)
    assert losses[0] == (losses[1] if losses[1] is None else pytest.approx(losses[1], abs=1e-9))


@settings(max_examples=60, deadline=None)
@given(cases())
def test_equal_values_show_the_same_if_they_must(case):
    table, of = case
    records = list(zip(*table[1], strict=True))
    blocks = [records.index(record) for record in records]
    found = check(replace(of, consistent=True), expected(table, of, blocks))
    if found is not None:
        class_of = found.recoding.pieces.class_of[of.tally.row_of]
        assert len(set(zip(records, class_of.tolist(), strict=True))) == len(set(records))


@settings(max_examples=60, deadline=None)
@given(cases(units=True), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant(case, random):
    _, of = case
    order = list(range(of.tally.rows))
    random.shuffle(order)
    mixed = replace(of, tally=of.tally.take(np.array(order, dtype=np.int32)))
    answers = []
    for one in (of, mixed):
        try:
            outcome = one.outcome(MinGenCells().run(one, Watch()).recoding)
            answers.append(sorted(map(tuple, np.vstack([outcome.low, outcome.high]).T.tolist())))
        except InfeasibleError:
            answers.append(None)
    assert answers[0] == answers[1]


@settings(max_examples=40, deadline=None)
@given(cases(), st.integers(2, 3))
def test_many_equal_records_are_divided_among_classes(case, times):
    """Copies of every record: the items are few, so that larger tables can be divided."""
    (trees, quasi, values, _), of = case
    few = [codes[:2] for codes in quasi], [codes[:2] for codes in values]
    table = trees, *([codes * times for codes in part] for part in few), None
    of = replace(
        problem_of(table, of.models, of.loss, of.suppression),
        columns=tuple(
            replace(c, frequency=np.bincount(codes, minlength=len(c.frequency)))
            for c, codes in zip(of.columns, table[1], strict=True)
        ),
    )
    check(of, expected(table, of))


@settings(max_examples=40, deadline=None)
@given(cases())
def test_other_losses_are_replaced_by_gcp_and_not_called_optimal(case):
    table, of = case
    of = replace(of, loss=Discernibility())
    least = expected(table, replace(of, loss=Gcp()))
    if least is None:
        return
    found = MinGenCells().run(of, Watch())
    assert not found.optimal
    assert "discernibility is not a sum over cells" in found.why
    assert Gcp().of(of.outcome(found.recoding)) == pytest.approx(least, abs=1e-9)


def records(number):
    """As many different records, nothing between their value and nothing."""
    values = [str(i) for i in range(number)]
    trees = [tree([(value, "*") for value in values])]
    return problem([(value,) for value in values], trees, [KAnonymity(2)])


def test_large_tables_are_refused_with_the_limit():
    with pytest.raises(PolicyError, match=r"2,097,152 parts of 21 records.*\(20 different"):
        MinGenCells().run(records(21), Watch())
    with pytest.raises(PolicyError, match=r"limit of 16 \(4 different records\)"):
        MinGenCells(limit=16).run(records(5), Watch())
    with pytest.raises(PolicyError, match=r"more than 10\^4515 parts"):
        MinGenCells().run(records(15_000), Watch())
    with pytest.raises(PolicyError, match=r"more than 10\^90 parts"):
        MinGenCells().run(records(300), Watch())
    for limit in (0, 2**21):
        with pytest.raises(PolicyError):
            MinGenCells(limit=limit)


def test_sixty_records_of_two_kinds_are_few_parts():
    of = problem([("a",)] * 31 + [("b",)] * 29, [tree([("a", "*"), ("b", "*")])], [KAnonymity(2)])
    found = MinGenCells().run(of, Watch())
    assert found.facts == {"parts": 32 * 30, "classes": 2}
    assert of.loss.of(of.outcome(found.recoding)) == 0


def test_out_of_time():
    with pytest.raises(LimitError):
        MinGenCells().run(records(5), Watch(limit=0.0))
    diverse = problem_of(([tree([("a", "*")])], [[1, 1]], [[1, 2]], None), [], Gcp())
    diverse = replace(diverse, models=(LDiversity("s0", 2),))
    with pytest.raises(LimitError):
        MinGenCells().run(diverse, Watch(limit=0.0))


@pytest.mark.parametrize("highest", [0, 1])
def test_limits_that_leave_nothing_are_refused(highest):
    of = problem([("a",), ("b",)], [tree([("a", "x", "*"), ("b", "y", "*")])], [KAnonymity(2)])
    of = replace(of, columns=(replace(of.columns[0], highest=highest),))
    with pytest.raises(InfeasibleError, match="'c0'"):
        MinGenCells().run(of, Watch())


@pytest.mark.parametrize(("widest", "classes", "left_out"), [(9.0, 3, 0), (1.0, 2, 1)])
def test_no_class_is_wider_than_its_column_allows(widest, classes, left_out):
    paths = [(v, f"{(v - 1) // 2}", f"{(v - 1) // 4}", "*") for v in range(1, 9)]
    of = problem([(v,) for v in (1, 3, 3, 4, 7, 8)], [tree(paths, ordered=True)], [KAnonymity(2)])
    of = replace(of, columns=(replace(of.columns[0], widest=widest),), suppression=0.2)
    outcome = of.outcome(MinGenCells().run(of, Watch()).recoding)
    assert (len(outcome.classes), outcome.suppressed) == (classes, left_out)


@pytest.mark.parametrize(("codes", "widest"), [([0, 2, 5, 5], 7.0), ([0, 0, 5, 5], 1.0)])
def test_missing_values_are_in_no_class_that_is_too_wide(codes, widest):
    ages = tree([(v, f"{(v - 1) // 4}", "*") for v in range(1, 9)], ordered=True)
    of = problem_of(([ages], [codes], [[1] * 4], None), [KAnonymity(2)], Gcp())
    of = replace(of, columns=(replace(of.columns[0], widest=widest),))
    assert len(of.outcome(MinGenCells().run(of, Watch()).recoding).classes) == 2


def test_what_mixes_missing_values_with_others_shows_the_whole_column():
    ages = tree([(v, f"{(v - 1) // 4}", "*") for v in range(1, 9)], ordered=True)
    of = problem_of(([ages], [[0, 2, 5, 5]], [[1] * 4], None), [KAnonymity(2)], Gcp())
    of = replace(of, columns=(replace(of.columns[0], widest=6.0),))
    with pytest.raises(InfeasibleError, match="'q0'"):
        MinGenCells().run(of, Watch())


def test_missing_values_that_match_anything_are_not_called_optimal():
    table = [tree([("a", "*"), ("b", "*")])], [[0, 0, 1, 1]], [[1, 1, 1, 1]], None
    of = replace(problem_of(table, [KAnonymity(2)], Gcp()), missing=Missing.MATCHES_ANYTHING)
    found = MinGenCells().run(of, Watch())
    assert not found.optimal
    assert of.loss.of(of.outcome(found.recoding)) == 0
    shared = (*table[:3], [1, 2, 1, 3])
    units = problem_of(shared, [LDiversity("s0", 1)], Gcp())
    with pytest.raises(PolicyError, match="own-value"):
        MinGenCells().run(replace(units, missing=Missing.MATCHES_ANYTHING), Watch())


def test_classes_that_gaps_alone_would_save_are_left_to_mingen():
    table = [tree([("a", "*"), ("b", "*")])], [[0, 1, 1]], [[1, 1, 1]], None
    of = replace(problem_of(table, [KAnonymity(2)], Gcp()), missing=Missing.MATCHES_ANYTHING)
    of = replace(of, columns=(replace(of.columns[0], highest=0),))
    with pytest.raises(InfeasibleError, match='search = "mingen"'):
        MinGenCells().run(of, Watch())
    assert MinGen().run(of, Watch()).recoding.levels == (0,)


def test_values_that_no_model_looks_at_do_not_make_records_different():
    tally = tally_of([[1, 1, 2]], [[1, 2, 1]])
    of = replace(records(2), tally=tally)
    assert SmallTable.of(of).copies.tolist() == [2, 1]
