"""A value that is literally the label of a suppressed cell."""

import polars as pl
import pytest

import incrowd
from incrowd.errors import InputError, NotMetError
from incrowd.models import KAnonymity
from incrowd.policy.policy import Policy
from incrowd.search import Lattice

STARS = ("x1", "x2", "y1", "y2", "*")


def starred(n=100):
    return pl.DataFrame({"a": [STARS[i % 5] for i in range(n)], "b": [i % 3 for i in range(n)]})


def released(frame, k=2, *, highest=None, **more):
    columns = {
        "a": {"role": "quasi", "hierarchy": {"name": "prefix"}, "highest": highest},
        "b": {"role": "quasi"},
    }
    asked = {"columns": columns, "models": [KAnonymity(k)], **more}
    return incrowd.anonymize(frame, Policy.model_validate(asked), seed=0)


def test_it_is_refused_before_the_search_where_it_cannot_be_shown():
    with pytest.raises(InputError, match=r"20 records of 'a' cannot be shown") as caught:
        released(starred(), highest=0)
    assert "missing_values" in caught.value.remedy


def test_it_may_leave_where_cells_may_be_suppressed():
    assert released(starred()).frame.height == 100


def test_it_may_leave_at_a_level_that_is_no_top():
    frame = pl.DataFrame({"a": ["x1", "x2", "*", "*"] * 25, "b": [0] * 100})
    assert released(frame, 30, highest=1, search=Lattice()).frame.height == 100


def test_found_only_in_the_rows_it_is_told_what_to_do():
    with pytest.raises(NotMetError, match="1 label of 'a' is coarser") as caught:
        released(starred(), 15, highest=1, search=Lattice())
    assert "missing_values" in caught.value.remedy


def test_it_is_refused_only_where_it_is_held():
    found = released(starred().filter(pl.col("a") != "*"), highest=0)
    assert found.frame.height == 80


def test_declared_as_missing_it_leaves():
    found = released(starred(), highest=0, missing_values=["*"])
    assert found.frame.height == 100


def test_what_may_be_left_out_is_not_refused():
    frame = starred().vstack(pl.DataFrame({"a": ["x1"] * 900, "b": [0] * 900}))
    found = released(frame, 8, highest=0, suppression=0.3, search=Lattice())
    assert "*" not in found.frame["a"].to_list()
