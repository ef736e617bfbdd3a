import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import PolicyError
from incrowd.hierarchy import Dates
from incrowd.hierarchy.dates import _ALL
from incrowd.table.column import Domain, Kind


def births(*days):
    return Domain(Kind.DATE, np.unique(np.array(days, dtype="datetime64[D]")))


DAYS = births("1901-05-05", "1936-12-31", "1937-01-01", "1939-07-07", "1941-01-01", "1946-02-02")


def test_earlier_years_are_one_on_every_level():
    hierarchy = Dates(steps=("year", "5 years", "10 years"), bottom=1937).build(DAYS, "birth")
    assert [labels.tolist() for labels in hierarchy.labels[1:]] == [
        ["< 1937", "1937", "1939", "1941", "1946"],
        ["< 1937", "[1937, 1940)", "[1940, 1945)", "[1945, 1950)"],
        ["< 1937", "[1937, 1940)", "[1940, 1950)"],
        ["*"],
    ]
    assert hierarchy.decode("< 1937").tolist() == [1, 2]
    assert hierarchy.decode("≤ 1939").tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("bottom", [1800, 1902, 1947, 2000])
def test_all_or_none_may_be_earlier(bottom):
    shown = Dates(steps=("year",), bottom=bottom).build(DAYS, "birth").labels[1].tolist()
    pooled = int((DAYS.values.astype("datetime64[Y]").astype(int) + 1970 < bottom).sum())
    assert (shown[0] == f"< {bottom}") == (pooled > 0)
    assert len(shown) == min(pooled, 1) + len(DAYS) - pooled


def test_even_one_date_is_pooled():
    one = births("1901-05-05")
    assert Dates(bottom=1937).build(one, "birth").labels[1].tolist() == ["< 1937"]


@settings(max_examples=60)
@given(
    st.lists(st.integers(-30_000, 20_000), min_size=1, max_size=12),
    st.integers(1880, 2030),
    st.sets(st.sampled_from(_ALL), min_size=1),
)
def test_labels_stand_for_what_they_show(days, bottom, steps):
    domain = births(*np.array(days).astype("datetime64[D]"))
    spec = Dates(steps=tuple(sorted(steps, key=_ALL.index)), bottom=bottom)
    hierarchy = spec.build(domain, "birth")
    years = domain.values.astype("datetime64[Y]").astype(int) + 1970
    for level in range(1, hierarchy.height):
        for code, year in enumerate(years.tolist(), start=1):
            label = hierarchy.labels[level][hierarchy.maps[level, code] - 1]
            same = hierarchy.maps[level] == hierarchy.maps[level, code]
            assert hierarchy.decode(label).tolist() == np.flatnonzero(same).tolist()
            assert (label == f"< {bottom}") == (year < bottom)


def test_a_bottom_is_a_year():
    with pytest.raises(PolicyError):
        Dates(bottom=0)
