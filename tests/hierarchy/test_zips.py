import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import ZipCodes
from incrowd.hierarchy.hierarchy import texts
from incrowd.hierarchy.zips import is_populous, people_by_area
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import Domain, Kind
from naive.safe_harbor import zip_shown

PUBLISHED = "036 059 102 203 205 369 556 692 821 823 878 879 884 893"
"""The small areas of the census of 2010."""
SMALL_2010 = PUBLISHED.split()


def shown(spec, *codes):
    """What level 1 shows of each code."""
    hierarchy = spec.build(Domain(Kind.TEXT, texts(sorted(set(codes)))), "zip")
    leaves = hierarchy.labels[0].tolist()
    return [hierarchy.labels[1][hierarchy.maps[1, leaves.index(code) + 1] - 1] for code in codes]


def test_the_small_areas_of_2010_are_those_that_were_published():
    small = {area for area, people in people_by_area(2010).items() if 0 < people <= 20_000}
    assert small == set(SMALL_2010)


def test_the_small_areas_of_2020():
    people = people_by_area()
    assert {area for area, count in people.items() if count <= 20_000} == {
        *SMALL_2010,
        *("202", "204", "753", "772"),
    }
    assert len(people) == 894
    assert 334e6 < sum(people.values()) < 335e6


def test_limits_are_sharp():
    assert not is_populous("999", {"999": 20_000})
    assert is_populous("999", {"999": 20_001})


def test_small_areas_unknown_ones_and_what_is_no_code_are_pooled():
    codes = ["02138", "03601", "59259", "00100", "SW1A 1AA", "021**", "02138-0001", "036"]
    expected = ["021**", "000**", "592**", "000**", "000**", "021**", "021**", "000**"]
    assert shown(ZipCodes(), *codes) == expected


def test_counts_of_ones_own_are_laid_over():
    assert shown(ZipCodes(people={"036": 20_001, "021": 5}), "02138", "03601", "10001") == [
        "000**",
        "036**",
        "100**",
    ]


def test_levels_become_coarser_and_keep_the_pooled_apart():
    domain = Domain(Kind.TEXT, texts(["00***", "02138", "02201", "03601", "10001"]))
    labels = ZipCodes().build(domain, "zip").labels
    assert labels[0].tolist() == ["03601", "00***", "02138", "02201", "10001"]
    assert [found.tolist() for found in labels[1:]] == [
        ["000**", "00***", "021**", "022**", "100**"],
        ["000**", "00***", "02***", "10***"],
        ["000**", "0****", "1****"],
        ["*"],
    ]


def test_numbers_get_their_zeros_back():
    domain = Domain(Kind.NUMBER, np.array([2138, 3601, 10001]))
    assert ZipCodes().build(domain, "zip").labels[1].tolist() == ["000**", "021**", "100**"]
    first = Domain(Kind.NUMBER, np.array([21, 36, 100]))
    assert ZipCodes().build(first, "zip").labels[1].tolist() == ["000**", "021**", "100**"]


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 99_999).map("{:05}".format), min_size=1, max_size=20, unique=True),
    st.dictionaries(st.integers(0, 999).map("{:03}".format), st.integers(0, 40_000), max_size=5),
)
def test_every_code_shows_what_the_rule_says(codes, people):
    assert shown(ZipCodes(people=people), *codes) == [zip_shown(code, people) for code in codes]


def test_what_is_shown_can_be_decoded():
    domain = Domain(Kind.TEXT, texts(["02138", "02139", "03601", "05901"]))
    hierarchy = ZipCodes().build(domain, "zip")
    assert hierarchy.decode("000**").tolist() == [1, 2]
    assert hierarchy.decode("021**").tolist() == [3, 4]


def test_empty_columns_have_a_hierarchy():
    assert ZipCodes().build(Domain(Kind.TEXT, texts([])), "zip").height == 1


def test_columns_without_zip_codes_are_refused():
    with pytest.raises(InputError, match="none of the 2 values of 'zip' is a ZIP code"):
        ZipCodes().build(Domain(Kind.TEXT, texts(["north", "south"])), "zip")


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": (1, 3)},
        {"steps": (4,)},
        {"steps": ()},
        {"people": {"36": 1}},
        {"people": {"036": -1}},
        {"peple": {}},
    ],
)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(PolicyError):
        ZipCodes(**wrong)


def test_a_policy_says_it_and_can_be_read_back():
    spec = ZipCodes(steps=(3, 1), people={"036": 30_000})
    columns = {"zip": Column(role="quasi", hierarchy=spec), "b": Column(role="quasi")}
    policy = Policy(columns=columns, models=(KAnonymity(2),))
    assert Policy.loads(policy.dumps()) == policy
    named = Column(role="quasi", hierarchy="zip-codes")
    assert named.hierarchy == ZipCodes()
