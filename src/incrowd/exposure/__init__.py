"""Exposure: how easily a person of a table is found, and what is then learned."""

from incrowd.exposure.measure import measure, measure_blocks, population_size
from incrowd.exposure.risk import (
    Figures,
    Individual,
    Journalist,
    Marketer,
    PopulationModel,
    Prosecutor,
    Reached,
    Risk,
)
from incrowd.lazy import modules_of

__all__ = [
    "Figures",
    "Individual",
    "Journalist",
    "Marketer",
    "PopulationModel",
    "Prosecutor",
    "Reached",
    "Risk",
    "measure",
    "measure_blocks",
    "population_size",
]

__getattr__ = modules_of(__name__)
