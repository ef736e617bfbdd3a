"""Losses of published optima on Adult."""

import numpy as np
import pytest

import arx_tables
from incrowd.loss import Gcp, Granularity
from incrowd.models.k_anonymity import KAnonymity
from incrowd.search.lattice.full_domain import levels_recoding, node_classes, recode

pytestmark = pytest.mark.skipif(not arx_tables.FOLDER.exists(), reason=arx_tables.ABSENT)

WHOLE = (0, 4, 1, 1, 3, 2, 2, 1, 0)
FIVE_PERCENT = (0, 3, 0, 0, 2, 1, 1, 2, 0)


@pytest.fixture(scope="module")
def adult():
    return arx_tables.problem(
        "adult", [KAnonymity(5)], Granularity(), 0.05, spelling=arx_tables.ONE_EUROPE
    )


@pytest.mark.slow
def test_without_suppression(adult):
    class_of, number = node_classes(adult, WHOLE)
    everything = np.ones(number, dtype=np.bool_)
    outcome = adult.outcome(levels_recoding(adult, WHOLE, class_of, everything))
    assert Granularity().of(outcome) == pytest.approx(0.6355438467, abs=5e-11)
    assert KAnonymity(5).achieved_by(outcome.classes) >= 5
    assert len(outcome.classes) == 24


def test_with_five_percent_suppressed(adult):
    outcome = adult.outcome(recode(adult, FIVE_PERCENT))
    assert Granularity().of(outcome) == pytest.approx(0.269635, abs=5e-7)
    assert outcome.suppressed == 1346
    assert len(outcome.classes) == 397


@pytest.mark.parametrize(("levels", "gcp"), [(WHOLE, 0.6502), (FIVE_PERCENT, 0.2908)])
def test_gcp(adult, levels, gcp):
    assert Gcp().of(adult.outcome(recode(adult, levels))) == pytest.approx(gcp, abs=1e-4)
