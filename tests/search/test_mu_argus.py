from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive.mu_argus
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.loss import Gcp
from incrowd.models import KAnonymity, LDiversity
from incrowd.search.literature import mu_argus_combinations as combinations
from incrowd.search.literature.mu_argus import MuArgus, Outlying
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import problem as worked_problem
from worked import tree

KINDS = st.sampled_from(["identifying", "more", "most"])


@st.composite
def requests(draw):
    """A table with limits of levels, and a search for it."""
    table = draw(tables(max_records=8, max_columns=4, units=True))
    trees, _, _, _ = table
    d = len(trees)
    lowest = [draw(st.integers(0, tree.height - 1)) for tree in trees]
    highest = [
        tree.height if draw(st.booleans()) else draw(st.integers(lo, tree.height))
        for lo, tree in zip(lowest, trees, strict=True)
    ]
    search = MuArgus(
        identifying={f"q{j}": draw(KINDS) for j in range(d)},
        combinations=draw(st.sampled_from(["paper", "actual"])),
        levels={f"q{j}": draw(st.integers(0, highest[j])) for j in range(d) if draw(st.booleans())},
        rules=tuple(f"q{j}" for j in draw(st.lists(st.integers(0, d - 1), max_size=3))),
        share=draw(st.sampled_from([0.0, 0.3, 1.0])),
    )
    return table, lowest, highest, search


def problem_in(request, k):
    table, lowest, highest, _ = request
    problem = problem_of(table, [KAnonymity(k)], Gcp())
    columns = tuple(
        replace(column, lowest=lo, highest=hi)
        for column, lo, hi in zip(problem.columns, lowest, highest, strict=True)
    )
    return replace(problem, columns=columns)


def twin_of(request, k):
    (trees, quasi, _, unit), lowest, highest, search = request
    people = unit or list(range(len(quasi[0])))
    kinds = [search.identifying[f"q{j}"] for j in range(len(trees))]
    columns = list(zip(trees, quasi, lowest, highest, strict=True))
    twin = naive.mu_argus.MuArgus(columns, people, k, kinds, search.combinations)
    least = {int(name[1:]): level for name, level in search.levels.items()}
    levels = twin.generalized(least, [int(name[1:]) for name in search.rules], search.share)
    return levels, twin.blanked(levels)


def shown(recoding, problem):
    """The node that each record shows in each column, None if it is blank."""
    class_of = recoding.pieces.class_of[problem.tally.row_of]
    rows = []
    for i, c in enumerate(class_of.tolist()):
        codes = problem.tally.quasi[:, problem.tally.row_of[i]]
        cells = zip(problem.columns, recoding.levels[:, c].tolist(), codes.tolist(), strict=True)
        rows.append(
            [
                None
                if level == column.hierarchy.height
                else int(column.hierarchy.maps[level][code])
                for column, level, code in cells
            ]
        )
    return rows


@settings(deadline=None, max_examples=60)
@given(requests(), st.integers(2, 3), st.booleans())
def test_it_agrees_with_the_naive_twin(request, k, sparse):
    problem = problem_in(request, k)
    with pytest.MonkeyPatch.context() as patch:
        if sparse:
            patch.setattr(combinations, "_DENSE", 0)
        try:
            found = request[3].run(problem, Watch())
        except InfeasibleError:
            assume(False)
    _, expected = twin_of(request, k)
    assert shown(found.recoding, problem) == expected
    assert problem.outcome(found.recoding).suppressed == 0


@settings(deadline=None, max_examples=60)
@given(requests(), st.integers(2, 3))
def test_it_knows_whether_it_satisfies_the_models_and_never_promises_it(request, k):
    problem = problem_in(request, k)
    try:
        found = request[3].run(problem, Watch())
    except InfeasibleError:
        return
    classes = problem.outcome(found.recoding).classes
    fine = problem.satisfied_by(classes).all()
    assert ("the result satisfies" in found.why) == fine
    assert ("the result does not satisfy" in found.why) != fine
    assert found.caveat
    assert not found.optimal


BITS = tree([("0", "*"), ("1", "*")])
EVERY = [tuple(f"{number:04b}") for number in range(16)]
"""Each triple of columns shows every triple of values twice, all four tell everybody apart."""


def every():
    return worked_problem(EVERY, [BITS] * 4, [KAnonymity(2)])


def test_a_combination_of_four_columns_is_not_looked_at():
    of = every()
    found = MuArgus().run(of, Watch())
    assert found.facts["blank"] == 0
    assert KAnonymity(2).achieved_by(of.outcome(found.recoding).classes) == 1


def test_the_third_with_the_most_distinct_values_is_most_identifying():
    digits = tree([(digit, "*") for digit in "012345"])
    rows = [(str(i % 3), str(i % 2), str(i)) for i in range(6)]
    of = worked_problem(rows, [digits] * 3, [KAnonymity(2)])
    said = MuArgus().run(of, Watch()).why
    assert "by their numbers of distinct values: most c2; more c0; identifying c1" in said
    told = MuArgus(identifying={"c0": "most", "c1": "more", "c2": "more"}).run(of, Watch()).why
    assert "(how identifying they are: most c0; more c1, c2)" in told


PAIRS = [("0", "0"), ("0", "0"), ("1", "1"), ("1", "1"), ("0", "1")]


def pairs():
    """Two columns of which the last record's pair of values is rare."""
    return worked_problem(PAIRS, [BITS] * 2, [KAnonymity(2)])


def test_of_equal_columns_the_more_identifying_is_blanked():
    for most, blank in (("c0", [None, 2]), ("c1", [1, None])):
        search = MuArgus(identifying={"c0": "more", "c1": "more"} | {most: "most"})
        assert shown(search.run(pairs(), Watch()).recoding, pairs())[-1] == blank


def test_a_column_that_may_not_be_suppressed_is_not_blanked():
    of = pairs()
    of = replace(of, columns=(replace(of.columns[0], highest=0), of.columns[1]))
    search = MuArgus(identifying={"c0": "most", "c1": "more"})
    assert shown(search.run(of, Watch()).recoding, of)[-1] == [1, None]


def test_a_column_whose_top_is_too_wide_is_not_blanked():
    steps = tree([(n, f"{(n + 1) // 2}", "*") for n in range(1, 5)], ordered=True)
    of = worked_problem([(1, 1), (1, 1), (4, 4), (4, 4), (1, 4)], [steps] * 2, [KAnonymity(2)])
    of = replace(of, columns=(replace(of.columns[0], widest=1.0), of.columns[1]))
    search = MuArgus(identifying={"c0": "most", "c1": "more"})
    assert shown(search.run(of, Watch()).recoding, of)[-1] == [1, None]
    with pytest.raises(PolicyError, match="highest that may be shown is 1"):
        replace(search, levels={"c0": 2}).run(of, Watch())


def test_other_models_are_not_looked_at():
    table = ([BITS, BITS], [[1, 1, 1, 1], [2, 2, 2, 2]], [[1, 1, 1, 2]], None)
    problem = problem_of(table, [KAnonymity(2), LDiversity("s0", 1.3)], Gcp())
    found = MuArgus().run(problem, Watch())
    assert found.facts["blank"] == 0


def test_a_share_of_outliers_is_borne():
    of = pairs()
    bears = MuArgus(share=0.2).run(of, Watch())
    assert bears.facts["blank"] == 1
    strict = MuArgus(share=0.1).run(of, Watch())
    assert strict.facts["blank"] == 0
    assert strict.recoding.levels[:, 0].tolist() == [1, 0]


def test_a_data_holder_decides_and_the_decisions_are_rules():
    of, asked = every(), []
    of = replace(of, models=(KAnonymity(3),))

    def decide(seen):
        asked.append(seen)
        return ["c2", "c1", None][len(asked) - 1]

    search = MuArgus().deciding(of, decide)
    assert search == MuArgus(rules=("c2", "c1"))
    triples = 3 * 16
    assert asked[0] == Outlying(1.0, dict.fromkeys(["c0", "c1", "c2", "c3"], triples))
    assert asked[1:] == [Outlying(1.0, {"c0": 16, "c1": 16, "c3": 16})]
    levels = search.run(of, Watch()).recoding.levels
    assert (levels == [[0], [1], [1], [0]]).all()


def test_what_goes_up_by_share_is_a_rule_too():
    search = MuArgus(share=0.1).deciding(pairs(), lambda seen: "c1")  # noqa: ARG005
    assert search == MuArgus(rules=("c0",), share=0.1)


@settings(deadline=None, max_examples=40)
@given(requests(), st.integers(2, 3), st.data())
def test_decisions_give_the_same_again(request, k, data):
    problem = problem_in(request, k)

    def decide(seen):
        return data.draw(st.sampled_from([None, *seen.columns]))

    try:
        search = request[3].deciding(problem, decide)
        again = search.deciding(problem, lambda seen: None)  # noqa: ARG005
    except InfeasibleError:
        assume(False)
    assert again == search


def test_a_decision_that_does_not_help_is_refused():
    of = replace(every(), models=(KAnonymity(3),))
    with pytest.raises(PolicyError, match="does not help"):
        MuArgus(rules=("c2",)).deciding(of, lambda seen: "c2")  # noqa: ARG005
    with pytest.raises(PolicyError, match="did you mean"):
        MuArgus().deciding(of, lambda seen: "c22")  # noqa: ARG005


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (MuArgus(identifying={"c0": "most", "cc1": "more"}), "names 'cc1'.*did you mean 'c1'"),
        (MuArgus(identifying={"c0": "most"}), "does not know how identifying 'c1' is"),
        (MuArgus(rules=("zip",)), "names 'zip'.*use one of 'c0', 'c1'"),
        (MuArgus(levels={"c0": 2}), "level 2 of 'c0'; the highest that may be shown is 1"),
        (MuArgus(levels={"zip": 0}), "names 'zip'"),
    ],
)
def test_what_makes_no_sense_is_refused(search, said):
    with pytest.raises(PolicyError, match=said):
        search.run(pairs(), Watch())


@pytest.mark.parametrize(
    "values",
    [
        {"identifying": {"a": "very"}},
        {"share": 1.1},
        {"levels": {"a": -1}},
        {"combinations": "all"},
    ],
)
def test_settings_are_checked_when_they_are_written(values):
    with pytest.raises(PolicyError):
        MuArgus(**values)


def test_out_of_time():
    with pytest.raises(LimitError):
        MuArgus().run(pairs(), Watch(limit=0.0))


def test_more_people_than_there_are():
    of = replace(pairs(), models=(KAnonymity(6),))
    with pytest.raises(InfeasibleError):
        MuArgus().run(of, Watch())


def test_counts_are_of_people():
    rows = [("0", "0"), ("0", "0"), ("1", "1"), ("1", "1")]
    codes = [[int(a) + 1 for a, _ in rows], [int(b) + 1 for _, b in rows]]
    table = ([BITS, BITS], codes, [[1, 2, 1, 2]], [0, 0, 1, 2])
    problem = problem_of(table, [KAnonymity(2)], Gcp())
    found = MuArgus().run(problem, Watch())
    assert np.array_equal(found.recoding.levels, [[1], [1]])


def test_what_becomes_rare_by_blanking_is_blanked_too():
    # The first and the last record lose their first cell, after which nobody but the second shows
    # 1 and 3 together; the third and the fourth go the same way.
    digits = tree([(digit, "*") for digit in "123"])
    rows = [tuple(row) for row in ("131", "133", "221", "223", "231")]
    of = worked_problem(rows, [digits] * 3, [KAnonymity(2)])
    search = MuArgus(identifying={"c0": "most", "c1": "more", "c2": "identifying"})
    assert shown(search.run(of, Watch()).recoding, of) == [
        [None, 3, 1],
        [None, 3, None],
        [None, None, 1],
        [None, 2, None],
        [None, 3, 1],
    ]
