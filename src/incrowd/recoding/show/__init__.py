"""Transformations: what `show` in a policy can be, one line each."""

from typing import Final

from incrowd.recoding.show.labels import ShowSets, ShowSpans
from incrowd.recoding.show.permutation import ShowPermutation
from incrowd.recoding.show.representatives import ShowRepresentatives
from incrowd.recoding.show.transformation import Transformation

SHOWS: Final[dict[str, Transformation]] = {
    show.name: show
    for show in (
        ShowSpans(),
        ShowSets(),
        ShowRepresentatives(),
        ShowPermutation(),
    )
}
"""By its name in a policy: how the classes of a release are turned into cells."""

__all__ = ["SHOWS", "Transformation"]
