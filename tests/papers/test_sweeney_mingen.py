"""Sweeney's minimal generalizations and distortions: Sections 3.2 to 3.4, Figures 4, 5 and 7.

Figures 2, 3 and 6 are pictures: the hierarchies are those that the examples' figures need.
"""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from incrowd.loss import Precision
from incrowd.models.k_anonymity import KAnonymity
from incrowd.recoding import CellLevels, Pieces
from incrowd.search import MinGen, MinGenCells, Preferred
from incrowd.search.lattice.full_domain import recode
from incrowd.search.literature.mingen.mingen import (
    minimal_distortions,
    minimal_generalizations,
)
from incrowd.watch import Watch
from worked import problem, tree

RACE = tree([(race, "Person", "******") for race in ("Asian", "Black", "White")])
ZIP = tree([(z, z[:4] + "*", "021**", "*****") for z in ("02138", "02139", "02141", "02142")])
FIGURE_4 = list(product(("Black", "White"), ("02138", "02139", "02141", "02142")))

FIGURE_7 = [
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
GT_CLASSES = [{1, 2}, {3, 4, 8}, {5, 6}, {7, 11, 12}, {9, 10}]
"""Which tuples, t1 to t12, show the same in the GT of Figure 7."""
GT_SHOWN = [
    ("black", "1965", "male", "02141"),
    ("person", "1965", "female", "0213*"),
    ("black", "1964", "female", "02138"),
    ("white", "1960-69", "male", "02138"),
    ("white", "1964", "male", "02139"),
]
BIRTHS = sorted(row[1] for row in FIGURE_7)


def decade(birth):
    return f"{birth[:3]}0-{birth[2]}9"


def lustrum(birth):
    return f"{birth[:3]}{'0-4' if birth[3] < '5' else '5-9'}"


DATES = {
    "decades": tree([(b, b[:4], decade(b), "******") for b in BIRTHS]),
    "five years": tree([(b, b[:4], lustrum(b), decade(b), "******") for b in BIRTHS]),
}


def figure_4(k, **options):
    return problem(FIGURE_4, [RACE, ZIP], [KAnonymity(k)], **options)


def figure_7(dates, k=2):
    trees = [
        tree([(race, "person", "******") for race in ("black", "white")]),
        DATES[dates],
        tree([(gender, "human", "******") for gender in ("female", "male")]),
        tree([(z, z[:4] + "*", "021**", "*****") for z in ("02138", "02139", "02141")]),
    ]
    return problem(FIGURE_7, trees, [KAnonymity(k)])


def prec(recoding, of):
    loss = Precision()
    return loss.figure(loss.of(of.outcome(recoding)))


def test_definition_4_all_minimal_generalizations_of_figure_4():
    """Example 4: [1,1] and [0,2] did more generalization than necessary."""
    assert minimal_generalizations(figure_4(2), Watch()) == ((0, 1), (1, 0))
    explored = MinGen().run(figure_4(2), Watch()).explored
    assert {tuple(node) for node in explored.levels[explored.minimal].tolist()} == {(0, 1), (1, 0)}


@pytest.mark.parametrize(
    ("k", "nodes"),
    [(3, {(0, 2), (1, 1)}), (4, {(0, 2), (1, 1)}), (5, {(1, 2)}), (8, {(1, 2)})],
)
def test_definition_4_for_other_k(k, nodes):
    assert set(minimal_generalizations(figure_4(k), Watch())) == nodes


@pytest.mark.parametrize(
    ("levels", "printed"), [((1, 0), 0.75), ((1, 1), 0.58), ((0, 2), 0.67), ((0, 1), 0.83)]
)
def test_example_6_prec_of_the_tables_of_figure_4(levels, printed):
    of = figure_4(2)
    assert round(prec(recode(of, levels), of), 2) == printed


def test_definition_6_only_0_1_is_a_minimal_distortion_of_figure_4():
    assert minimal_distortions(figure_4(2), Watch()) == ((0, 1),)


def test_a_table_that_satisfies_k_anonymity_is_its_own_minimal_distortion():
    of = problem(FIGURE_4 * 2, [RACE, ZIP], [KAnonymity(2)])
    assert minimal_generalizations(of, Watch()) == ((0, 0),)
    assert minimal_distortions(of, Watch()) == ((0, 0),)


def test_figure_5_mingen_on_figure_4():
    of = figure_4(2)
    found = MinGen().run(of, Watch())
    assert found.recoding.levels == (0, 1)
    assert found.optimal
    assert found.facts["minimal"] == 2
    assert found.facts["least"] == 1
    assert prec(found.recoding, of) == pytest.approx(5 / 6)


def test_section_3_3_weights_make_the_preference_explicit():
    of = figure_4(2)
    race, zip_ = of.columns
    weighted = replace(of, columns=(race, replace(zip_, weight=3.0)))
    assert MinGen().run(weighted, Watch()).recoding.levels == (1, 0)
    even = replace(of, columns=(race, replace(zip_, weight=1.5)))
    assert minimal_distortions(even, Watch()) == ((0, 1), (1, 0))
    zip_first = MinGen(prefer=Preferred(order=("c1",)))
    assert zip_first.run(even, Watch()).recoding.levels == (1, 0)


def gt(of):
    """The GT of Figure 7 as a recoding: its classes at the levels that it prints."""
    dates = of.columns[1].hierarchy
    place = {f"t{i}": c for c, members in enumerate(GT_CLASSES) for i in members}
    levels = np.empty((4, len(GT_CLASSES)), dtype=np.int32)
    for c, shown in enumerate(GT_SHOWN):
        for j, (column, label) in enumerate(zip(of.columns, shown, strict=True)):
            labels = column.hierarchy.labels
            levels[j, c] = next(h for h in range(dates.levels) if label in labels[h])
    class_of = np.empty(of.tally.rows, dtype=np.int32)
    class_of[of.tally.row_of] = [place[f"t{i}"] for i in range(1, 13)]
    rows = np.arange(of.tally.rows, dtype=np.int32)
    return CellLevels(levels, Pieces(rows, of.tally.counts, class_of))


@pytest.mark.parametrize(
    ("dates", "printed", "exact"),
    [("decades", 0.8438, 0.8681), ("five years", 0.8542, 0.8819)],
)
def test_figure_7_is_not_a_minimal_distortion(dates, printed, exact):
    """The exact optimum pairs t7 with t8, whatever the natural hierarchy of dates."""
    of = figure_7(dates)
    assert round(prec(gt(of), of), 4) == printed
    found = MinGenCells().run(of, Watch())
    assert found.optimal
    assert round(prec(found.recoding, of), 4) == exact
    class_of = found.recoding.pieces.class_of[of.tally.row_of].tolist()
    assert Counter(class_of) == dict.fromkeys(range(6), 2)
    assert [class_of[i] for i in range(0, 12, 2)] == [class_of[i] for i in range(1, 12, 2)]
    assert of.satisfied_by(of.outcome(found.recoding).classes).all()


@pytest.mark.parametrize("dates", DATES)
def test_cells_lose_no_more_than_levels(dates):
    of = figure_7(dates)
    levels, cells = (search.run(of, Watch()).recoding for search in (MinGen(), MinGenCells()))
    assert prec(cells, of) > prec(levels, of)


def test_figure_4_cell_by_cell_is_no_better_than_by_level():
    of = figure_4(2)
    found = MinGenCells().run(of, Watch())
    assert prec(found.recoding, of) == pytest.approx(5 / 6)
    assert len(of.outcome(found.recoding).classes) == 4
