"""The population that a table was drawn from."""

from incrowd.errors import PolicyError


def population_size(
    people: int, population: int | None = None, fraction: float | None = None
) -> int | None:
    """How many people the population has, told as their number or as the share drawn of them.

    >>> population_size(500, fraction=0.05)
    10000
    """
    if population is not None and fraction is not None:
        raise PolicyError(
            "both the size of the population and the sampling fraction are given",
            remedy="give one of them",
        )
    if fraction is not None:
        if not 0 < fraction <= 1:
            raise PolicyError(
                "the sampling fraction must be above 0 and at most 1",
                remedy="give the share of the population that the table holds: 0.1 is one in ten",
            )
        return max(round(people / fraction), people, 1)
    if population is not None and population < max(people, 1):
        raise PolicyError(
            f"a population of {population:,} is smaller than the table, which holds {people:,}"
            " people",
            remedy="give the number of all people that the table was drawn from",
        )
    return population
