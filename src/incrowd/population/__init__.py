"""Probabilistic anonymity: how coarse columns must be for a known population (Lodha-Thomas)."""

from incrowd.population.bounds import (
    Bound,
    beta_needed,
    classes_allowed,
    k_of_shares,
    k_supported,
    population_needed,
)

__all__ = [
    "Bound",
    "beta_needed",
    "classes_allowed",
    "k_of_shares",
    "k_supported",
    "population_needed",
]
