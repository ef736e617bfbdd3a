"""What a request compiled against the data says of itself."""

import numpy as np
import pytest

from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Gcp
from incrowd.models import KAnonymity, LDiversity
from incrowd.table.column import Domain, Kind
from strategies import problem_of


def table_of(records, unit=None):
    maps = np.array([[0, 1, 2], [1, 1, 1]], dtype=np.int32)
    labels = (np.array(["a", "b"], dtype=object), np.array(["*"], dtype=object))
    tree = Hierarchy(Domain(Kind.TEXT, labels[0]), maps, labels)
    return [tree], [[1 + i % 2 for i in range(records)]], [[1] * records], unit


@pytest.mark.parametrize(("share", "records", "most"), [(0.29, 100, 29), (0.3, 9, 2), (0.0, 9, 0)])
def test_as_many_records_may_be_left_out_as_the_share_says(share, records, most):
    assert problem_of(table_of(records), [], Gcp(), share).suppressible == most


@pytest.mark.parametrize(
    ("unit", "model", "monotone"),
    [
        (None, LDiversity("s0", 2), True),
        ([1, 2, 3, 4], LDiversity("s0", 2), True),
        ([1, 1, 2, 2], LDiversity("s0", 2), False),
        ([1, 1, 2, 2], KAnonymity(2), True),
    ],
)
def test_people_in_several_rows_unsettle_models_of_values_alone(unit, model, monotone):
    assert problem_of(table_of(4, unit), [model], Gcp()).monotone is monotone
