"""What speaks for a role, and what is said of it."""

import polars as pl
import pytest

import incrowd


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("birth_date", "birth dates appear in many public records"),
        ("dob", "birth dates appear in many public records"),
        ("x7", "others often know when something happened to a person"),
    ],
)
def test_a_date_is_told_by_what_it_is_the_date_of(name, reason):
    days = pl.Series(name, range(300)).cast(pl.Date)
    found = incrowd.draft(pl.DataFrame({name: days, "ill": ["a", "b", "c"] * 100}))
    assert found.reasons[name].startswith(reason)
