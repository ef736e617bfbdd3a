import pytest

from incrowd.errors import InputError
from incrowd.hierarchy import Regions
from incrowd.hierarchy.hierarchy import texts
from incrowd.hierarchy.regions import _groups_by_name, is_country
from incrowd.table.column import Domain, Kind


def paths(*values):
    hierarchy = Regions().build(Domain(Kind.TEXT, texts(sorted(values))), "country")
    return {
        label: [hierarchy.labels[h][hierarchy.maps[h, code] - 1] for h in (1, 2, 3)]
        for code, label in enumerate(hierarchy.labels[0], start=1)
    }


def test_names_and_codes_in_any_case():
    found = paths("Germany", "de", "DEU", "united-states", "South Korea", "VIETNAM")
    assert found["Germany"] == found["de"] == found["DEU"] == ["Western Europe", "Europe", "*"]
    assert found["united-states"] == ["Northern America", "Americas", "*"]
    assert found["South Korea"] == ["Eastern Asia", "Asia", "*"]
    assert found["VIETNAM"] == ["South-eastern Asia", "Asia", "*"]


@pytest.mark.parametrize(
    "alias",
    [
        "USA",
        "UK",
        "Russia",
        "Iran",
        "Taiwan",
        "Turkey",
        "U.S.A.",
        "The Gambia",
        "Republic of Korea",
        "St. Lucia",
        "Bosnia & Herzegovina",
        "Cote d'Ivoire",
        "Democratic Republic of the Congo",
        "Côte d'Ivoire",
    ],
)
def test_common_names_are_known(alias):
    assert is_country(alias)


def test_what_is_no_country_is_put_aside():
    found = paths("Kenya", "Atlantis", "Mordor")
    assert found["Atlantis"] == found["Mordor"] == ["*other*", "*other*", "*"]


def test_every_country_has_both_regions():
    known = _groups_by_name()
    assert len(set(known.values())) < 30
    assert all(sub and region for sub, region in known.values())


def test_a_column_without_countries_is_refused_without_values():
    with pytest.raises(InputError, match="none of the 2 values of 'country'") as caught:
        paths("canary", "narnia")
    assert "canary" not in str(caught.value)


def test_nothing_but_missing_values():
    assert paths() == {}
