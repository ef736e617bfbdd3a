"""Sweeney Section 4.1: Datafly on the table of Figure 7, from the frame to the release.

The steps of Figures 9 and 10 on codes are in `test_sweeney.py`.
"""

from collections import Counter

import pytest

import incrowd
from incrowd.errors import NotMetError
from incrowd.hierarchy import Tree
from incrowd.models.k_anonymity import KAnonymity
from incrowd.search.literature.datafly import Datafly
from papers.test_sweeney_mu_argus import BIRTH, NAMES, PATHS, RACE, SEX, ZIP, frame

FIGURE_10 = {
    ("black", "1965", "male", "02141"): 2,
    ("black", "1965", "female", "02138"): 2,
    ("black", "1964", "female", "02138"): 2,
    ("white", "1964", "male", "02139"): 2,
    ("white", "1967", "male", "02138"): 2,
}


def release(search, suppression=0.0):
    trees = {name: Tree(rows=tuple(paths)) for name, paths in PATHS.items()}
    policy = incrowd.Policy(
        columns={name: {"role": "quasi", "hierarchy": trees[name]} for name in NAMES},
        models=(KAnonymity(2),),
        search=search,
        suppression=suppression,
    )
    return incrowd.anonymize(frame(), policy)


def test_figure_10_is_released():
    found = release(Datafly(), 2 / 12)
    assert Counter(found.frame.rows()) == FIGURE_10
    assert found.levels == {RACE: 0, BIRTH: 1, SEX: 0, ZIP: 0}
    assert (found.suppressed, found.k) == (2, 2)


@pytest.mark.parametrize("weights", [{}, dict.fromkeys(NAMES, 0.3)], ids=["none", "equal"])
def test_equal_weights_can_be_considered_as_not_being_present(weights):
    found = release(Datafly(likelihood=weights, preference=weights), 2 / 12)
    assert Counter(found.frame.rows()) == FIGURE_10


def test_what_the_recipient_prefers_unchanged_goes_up_last():
    # 12 births by 0.1 are fewer than 2 races, 2 genders and 3 ZIP codes.
    found = release(Datafly(preference={BIRTH: 0.1}), 2 / 12)
    assert found.levels == {RACE: 1, BIRTH: 1, SEX: 1, ZIP: 2}


SETS = ((RACE, BIRTH), (SEX, ZIP))


def test_two_quasi_identifiers_one_by_one_leave_t8_unique():
    with pytest.raises(NotMetError) as caught:
        release(Datafly(sets=SETS, joint=False))
    assert "achieves 1" in caught.value.message
    assert "does not protect all columns together" in caught.value.remedy
    assert [verdict.ok for verdict in caught.value.verdicts] == [False]


def test_two_quasi_identifiers_and_then_the_whole():
    found = release(Datafly(sets=SETS))
    assert found.levels == {RACE: 1, BIRTH: 2, SEX: 0, ZIP: 1}
    assert found.k == 2
    assert "2 sets of columns in turn, then for all columns together" in found.why


def test_suppressing_for_one_quasi_identifier_is_completed_to_k():
    # t8 is unique in both sets; one record is fewer than k, so the smallest class, t7, goes too.
    found = release(Datafly(sets=SETS, joint=False), 2 / 12)
    assert Counter(found.frame.rows()) == FIGURE_10
