"""Probabilistic anonymity: how coarse columns must be for a known population (Lodha-Thomas)."""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.population.bounds import Bound as Bound
    from incrowd.population.bounds import beta_needed as beta_needed
    from incrowd.population.bounds import classes_allowed as classes_allowed
    from incrowd.population.bounds import k_of_shares as k_of_shares
    from incrowd.population.bounds import k_supported as k_supported
    from incrowd.population.bounds import population_needed as population_needed

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
