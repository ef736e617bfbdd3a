"""How a sensitive column was spread in the table, as a certificate says it: read, and doubted."""

from itertools import pairwise

import numpy as np

from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate, Spread
from incrowd.table.counted import CountedRows
from incrowd.verify.crowds import numbered, weighted
from incrowd.verify.verify import Reference


def close(policy: Policy) -> tuple[str, ...]:
    """The columns that must be spread in each class as in the whole table."""
    models = (model for model in policy.models if "reference" in model.requires)
    return tuple(dict.fromkeys(name for model in models for name in model.columns))


def reference_of(spread: Spread, labels: list[str]) -> Reference:
    """What a spread says of these labels of the release, in code-point order."""
    maps = None if spread.maps is None else np.array(spread.maps, dtype=np.int32)
    place = dict(zip(labels, spread.places, strict=True))
    return Reference(place, np.array(spread.people, dtype=np.int64), maps)


def fits(certificate: Certificate, name: str, rows: CountedRows, policy: Policy) -> bool:
    """Whether the column can come from a table in which it was spread as the certificate says.

    `rows` are its distinct cells.
    """
    spread, cells = certificate.spread[name], numbered(rows.cells[name])
    places, people = np.array([0, *spread.places]), len(spread.people)
    if len(places) != len(cells.labels) + 1 or ((places < 0) | (places >= people)).any():
        return False
    if not sum(spread.people) or min(spread.people) < 0 or not _is_hierarchy(spread):
        return False
    held = weighted(places[cells.codes], rows.records, people)
    whole = sum(spread.people) == certificate.records_in and bool((held <= spread.people).all())
    return whole or policy.unit is not None


def _is_hierarchy(spread: Spread) -> bool:
    """Whether the maps of a spread, if any, are levels from the values themselves to one node."""
    if spread.maps is None:
        return True
    values = len(spread.people)
    if len(spread.maps) < 2 or any(len(level) != values for level in spread.maps):
        return False
    nested = all(
        len(set(zip(lower, upper, strict=True))) == len(set(lower))
        for lower, upper in pairwise(spread.maps)
    )
    return nested and spread.maps[0] == tuple(range(values)) and set(spread.maps[-1]) == {1}
