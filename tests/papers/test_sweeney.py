"""Every worked example of Sweeney that full-domain generalization can reproduce.

Figures 2, 3 and 6 are pictures: the hierarchies are those that the examples' figures need.
"""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.loss import Precision
from incrowd.models.k_anonymity import KAnonymity
from incrowd.search.lattice.exhaustive import Exhaustive, lattice_size
from incrowd.search.lattice.full_domain import levels_recoding, node_classes, recode
from incrowd.search.literature.datafly import Datafly
from incrowd.watch import Watch
from strategies import problem_of, tables
from worked import problem, shown, tree

FIGURE_1 = [
    ("Black", "1965", "m", "02141"),
    ("Black", "1965", "m", "02141"),
    ("Black", "1964", "f", "02138"),
    ("Black", "1964", "f", "02138"),
    ("White", "1964", "m", "02138"),
    ("White", "1964", "m", "02138"),
    ("White", "1964", "m", "02138"),
]

RACE = tree([(race, "Person", "******") for race in ("Asian", "Black", "White")])
ZIP = tree([(z, z[:4] + "*", "021**", "*****") for z in ("02138", "02139", "02141", "02142")])
FIGURE_4 = list(product(("Black", "White"), ("02138", "02139", "02141", "02142")))
GENERALIZED = {
    (1, 0): [("Person", z) for _, z in FIGURE_4],
    (1, 1): [("Person", z[:4] + "*") for _, z in FIGURE_4],
    (0, 2): [(race, "021**") for race, _ in FIGURE_4],
    (0, 1): [(race, z[:4] + "*") for race, z in FIGURE_4],
}

FIGURE_9A = [
    ("black", "1965-09-20", "male", "02141"),
    ("black", "1965-02-14", "male", "02141"),
    ("black", "1965-10-23", "female", "02138"),
    ("black", "1965-08-24", "female", "02138"),
    ("black", "1964-11-07", "female", "02138"),
    ("black", "1964-12-01", "female", "02138"),
    ("white", "1964-10-23", "male", "02138"),
    ("white", "1965-03-15", "female", "02139"),
    ("white", "1964-08-13", "male", "02139"),
    ("white", "1964-05-05", "male", "02139"),
    ("white", "1967-02-13", "male", "02138"),
    ("white", "1967-03-21", "male", "02138"),
]
FIGURE_9B = {
    ("black", "1965", "male", "02141"): 2,
    ("black", "1965", "female", "02138"): 2,
    ("black", "1964", "female", "02138"): 2,
    ("white", "1964", "male", "02138"): 1,
    ("white", "1965", "female", "02139"): 1,
    ("white", "1964", "male", "02139"): 2,
    ("white", "1967", "male", "02138"): 2,
}
FIGURE_10 = [
    ("black", "1965", "male", "02141"),
    ("black", "1965", "male", "02141"),
    ("black", "1965", "female", "02138"),
    ("black", "1965", "female", "02138"),
    ("black", "1964", "female", "02138"),
    ("black", "1964", "female", "02138"),
    None,
    None,
    ("white", "1964", "male", "02139"),
    ("white", "1964", "male", "02139"),
    ("white", "1967", "male", "02138"),
    ("white", "1967", "male", "02138"),
]
BIRTHS = sorted({row[1] for row in FIGURE_9A})
FIGURE_6 = [
    tree([(race, "person", "******") for race in ("black", "white")]),
    tree([(b, b[:4], b[:3] + "0-" + b[2] + "9", "******") for b in BIRTHS]),
    tree([(gender, "human", "******") for gender in ("female", "male")]),
    tree([(z, z[:4] + "*", "021**", "*****") for z in ("02138", "02139", "02141")]),
]


def at(levels, of):
    """The recoding of a node with nothing suppressed."""
    class_of, number = node_classes(of, levels)
    return levels_recoding(of, levels, class_of, np.ones(number, dtype=np.bool_))


def smallest_class(levels, of):
    return int(of.outcome(at(levels, of)).classes.records.min())


def flat(values):
    return tree([(value, "*") for value in sorted(set(values))])


def figure_1(models=()):
    return problem(FIGURE_1, [flat(column) for column in zip(*FIGURE_1, strict=True)], models)


def test_figure_1_is_2_anonymous():
    of = figure_1([KAnonymity(2)])
    assert KAnonymity(2).achieved_by(of.outcome(at([0] * 4, of)).classes) == 2
    class_of = node_classes(of, [0] * 4)[0][of.tally.row_of].tolist()
    assert class_of[0] == class_of[1]
    assert class_of[2] == class_of[3]
    assert class_of[4] == class_of[5] == class_of[6]
    assert recode(of, [0] * 4) is not None
    assert recode(figure_1([KAnonymity(3)]), [0] * 4) is None


def test_example_2_counts_every_value():
    counted = [
        {label: int(n) for label, n in zip(c.hierarchy.labels[0], c.frequency[1:], strict=True)}
        for c in figure_1().columns
    ]
    assert counted == [
        {"Black": 4, "White": 3},
        {"1964": 5, "1965": 2},
        {"f": 2, "m": 5},
        {"02138": 5, "02141": 2},
    ]


@settings(deadline=None)
@given(tables(), st.integers(2, 4), st.data())
def test_theorem_1_every_released_value_occurs_k_times(table, k, data):
    of = problem_of(table, [KAnonymity(k)], Precision(), 1.0)
    levels = [data.draw(st.integers(0, c.hierarchy.height)) for c in of.columns]
    found = recode(of, levels)
    if found is not None:
        released = of.outcome(found)
        for j in range(len(of.columns)):
            occurrences = Counter()
            for value, records in zip(released.low[j], released.classes.records, strict=True):
                occurrences[int(value)] += int(records)
            assert min(occurrences.values()) >= k


@pytest.mark.parametrize("levels", GENERALIZED, ids=str)
def test_figure_4_generalized_tables(levels):
    of = problem(FIGURE_4, [RACE, ZIP])
    assert shown(at(levels, of), of) == GENERALIZED[levels]


@pytest.mark.parametrize(
    ("levels", "k"), [((0, 1), 2), ((1, 0), 2), ((0, 2), 4), ((1, 1), 4), ((0, 0), 1)]
)
def test_example_3_k_of_the_generalized_tables(levels, k):
    assert smallest_class(levels, problem(FIGURE_4, [RACE, ZIP])) == k


def test_equation_1_counts_the_generalizations():
    assert lattice_size(problem(FIGURE_4, [RACE, ZIP])) == (2 + 1) * (3 + 1)


def test_example_4_minimal_generalizations():
    of = problem(FIGURE_4, [RACE, ZIP])
    fine = [node for node in product(range(3), range(4)) if smallest_class(node, of) >= 2]
    minimal = {
        node
        for node in fine
        if not any(o != node and o[0] <= node[0] and o[1] <= node[1] for o in fine)
    }
    assert minimal == {(0, 1), (1, 0)}


def prec(levels, of):
    loss = Precision()
    return loss.figure(loss.of(of.outcome(at(levels, of))))


def test_example_5_prec_of_the_table_itself_and_of_nothing():
    of = problem(FIGURE_4, [RACE, ZIP])
    assert prec((0, 0), of) == 1
    assert prec((2, 3), of) == 0


@pytest.mark.parametrize(
    ("levels", "printed"), [((1, 0), 0.75), ((1, 1), 0.58), ((0, 2), 0.67), ((0, 1), 0.83)]
)
def test_example_6_prec(levels, printed):
    assert round(prec(levels, problem(FIGURE_4, [RACE, ZIP])), 2) == printed


def test_the_minimal_distortion_of_figure_4():
    of = problem(FIGURE_4, [RACE, ZIP], [KAnonymity(2)])
    found = Exhaustive().run(of, Watch())
    assert found.recoding.levels == (0, 1)
    assert shown(found.recoding, of) == GENERALIZED[0, 1]


def figure_9(suppression):
    return problem(FIGURE_9A, FIGURE_6, [KAnonymity(2)], suppression=suppression)


def test_figure_9a_counts_distinct_values():
    of = figure_9(0.2)
    assert [len(set(column)) for column in zip(*FIGURE_9A, strict=True)] == [2, 12, 2, 3]
    assert node_classes(of, [0] * 4)[1] == 12
    assert Datafly()._views(of).union.next_column([0] * 4) == 1


def test_figure_9b_after_one_step():
    of = figure_9(0.2)
    assert Counter(shown(at([0, 1, 0, 0], of), of)) == FIGURE_9B


def test_figure_10_datafly_suppresses_t7_and_t8():
    of = figure_9(2 / 12)
    found = Datafly().run(of, Watch())
    assert found.recoding.levels == (0, 1, 0, 0)
    assert shown(found.recoding, of) == FIGURE_10
    outcome = of.outcome(found.recoding)
    assert outcome.suppressed == 2
    assert KAnonymity(2).achieved_by(outcome.classes) == 2


def test_datafly_over_distorts():
    of = figure_9(2 / 12)
    datafly, best = Datafly().run(of, Watch()), Exhaustive().run(of, Watch())
    loss = Precision()
    assert loss.of(of.outcome(best.recoding)) <= loss.of(of.outcome(datafly.recoding))


def test_datafly_goes_on_where_the_policy_allows_no_suppression():
    of = figure_9(0.0)
    found = Datafly().run(of, Watch())
    assert None not in shown(found.recoding, of)
    assert smallest_class(found.recoding.levels, of) >= 2
