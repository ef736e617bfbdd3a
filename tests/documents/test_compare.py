"""What a comparison says of its releases in a sentence."""

from dataclasses import replace

import polars as pl
import pytest

import incrowd
from incrowd.documents.compare import headline

TABLE = pl.DataFrame({"sex": ["f", "m"] * 10})


@pytest.fixture(scope="module")
def found():
    """A comparison of a table with itself, to put other figures in."""
    return incrowd.compare(TABLE, TABLE, quasi=["sex"], models=False)


def with_places(found, places):
    """The comparison with a release at each place: its highest risk and distance, None unknown."""
    (release,) = found.releases
    releases = [
        replace(
            release,
            name=f"r{number}",
            risk=None if risk is None else replace(release.risk, highest=risk),
            columns=() if distance is None else release.columns,
            two_way=distance,
        )
        for number, (risk, distance) in enumerate(places)
    ]
    return replace(found, releases=tuple(releases))


BEATEN = "by another that is no worse in both risk and utility, and better in one"


@pytest.mark.parametrize(
    ("places", "says"),
    [
        ([(0.1, 0.2), (None, 0.3), (0.3, None), (None, None)], None),
        ([(None, 0.2), (None, 0.3)], None),
        ([(0.1, 0.2), (0.2, 0.1), (0.1, 0.2)], None),
        ([(0.1, 0.2), (0.1, 0.3), (None, 0.4)], f"1 release is beaten {BEATEN}."),
        ([(0.1, 0.2), (0.2, 0.2), (0.2, 0.3)], f"2 releases are beaten {BEATEN}."),
    ],
)
def test_only_releases_whose_places_are_known_can_be_beaten(found, places, says):
    said = headline(with_places(found, places))
    assert said.endswith(says) if says else "beaten" not in said and "worse" not in said
