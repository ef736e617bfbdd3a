"""The columns that a search names, found among those of the problem."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from incrowd.errors import PolicyError
from incrowd.problem import Problem


def places(problem: Problem, names: Iterable[str], search: str) -> tuple[int, ...]:
    """The place of each of these columns among the problem's, once; `PolicyError` if one is none.

    `search` is the name of the search that asks.
    """
    place_of = _place_of(problem)
    found: dict[int, None] = {}
    for name in names:
        if name not in place_of:
            raise _unknown(name, place_of, search)
        found[place_of[name]] = None
    return tuple(found)


def _place_of(problem: Problem) -> dict[str, int]:
    return {column.name: j for j, column in enumerate(problem.columns)}


def _unknown(name: str, known: Mapping[str, int], search: str) -> PolicyError:
    near = get_close_matches(name, known, n=1)
    some = ", ".join(f"'{column}'" for column in known)
    return PolicyError(
        f"{search} names '{name}', which is not a quasi-identifying column",
        remedy=f"did you mean '{near[0]}'?" if near else f"choose among {some}",
    )
