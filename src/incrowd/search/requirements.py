"""Compare what models require with what searches provide."""

from collections.abc import Sequence

from incrowd.errors import PolicyError
from incrowd.models.model import Model, Requirement
from incrowd.search import SEARCHES, Search

_KNOWLEDGE: dict[Requirement, str] = {
    "population": "the size of a population",
    "reference": "the distribution of values in the whole release",
    "world": "the people of a world",
}


def raise_if_unprovided(models: Sequence[Model], search: Search) -> None:
    """Raise `PolicyError` if a model requires what the search does not provide."""
    for model in models:
        for need in sorted(model.requires - search.provides):
            able = sorted(name for name, one in SEARCHES.items() if need in one.provides)
            raise PolicyError(
                f"the search '{search.name}' does not use {_KNOWLEDGE[need]}, but {model.name} "
                "needs it",
                remedy=f"use search = {' or '.join(map(repr, able))}",
            )
