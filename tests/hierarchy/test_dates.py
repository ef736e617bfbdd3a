import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.hierarchy
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import Dates
from incrowd.hierarchy.hierarchy import texts
from incrowd.table.column import Domain, Kind

STEPS = ("day", "month", "quarter", "year", "5 years", "10 years")


def days(*values):
    return Domain(Kind.DATE, np.unique(np.array(values, dtype="datetime64[D]")))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.datetimes(), min_size=1, max_size=8), st.sets(st.sampled_from(STEPS), min_size=1)
)
def test_dates_agree_with_the_naive_twin(moments, chosen):
    steps = tuple(step for step in STEPS if step in chosen)
    domain = Domain(Kind.DATE, np.unique(np.array(moments, dtype="datetime64[us]")))
    rows = naive.hierarchy.rows_of(Dates(steps=steps).build(domain, "x"))
    for moment, row in zip(domain.values.tolist(), rows, strict=True):
        assert row[1:-1] == [naive.hierarchy.period(moment, step) for step in steps]


def test_all_steps_that_merge_anything():
    domain = days(
        "1961-01-05", "1965-03-01", "1965-03-09", "1965-02-01", "1965-07-01", "1969-12-31"
    )
    found = [line.tolist() for line in Dates().build(domain, "birth").labels[1:]]
    assert found[0] == ["1961-01", "1965-02", "1965-03", "1965-07", "1969-12"]
    assert found[1] == ["1961-Q1", "1965-Q1", "1965-Q3", "1969-Q4"]
    assert found[2:] == [
        ["1961", "1965", "1969"],
        ["[1960, 1965)", "[1965, 1970)"],
        ["[1960, 1970)"],
        ["*"],
    ]


def test_moments_become_days_first():
    moments = np.array([dt.datetime(1965, 3, 1, hour) for hour in (8, 9)], dtype="M8[us]")  # noqa: DTZ001  wall time
    hierarchy = Dates().build(Domain(Kind.DATE, moments), "x")
    assert hierarchy.labels[0].tolist() == ["1965-03-01 08:00:00", "1965-03-01 09:00:00"]
    assert hierarchy.labels[1].tolist() == ["1965-03-01"]


def test_other_columns_and_steps_are_refused():
    with pytest.raises(InputError, match="'x' holds texts, not dates"):
        Dates().build(Domain(Kind.TEXT, texts(["canary"])), "x")
    with pytest.raises(PolicyError):
        Dates(steps=("year", "month"))
    with pytest.raises(PolicyError):
        Dates(steps=("week",))
