"""Exposure: how easily a person of a table is found, and what is then learned."""

from incrowd.exposure.measure import measure as measure
from incrowd.exposure.measure import measure_blocks as measure_blocks
from incrowd.exposure.measure import population_size as population_size
from incrowd.exposure.risk import Figures as Figures
from incrowd.exposure.risk import Individual as Individual
from incrowd.exposure.risk import Journalist as Journalist
from incrowd.exposure.risk import Marketer as Marketer
from incrowd.exposure.risk import PopulationModel as PopulationModel
from incrowd.exposure.risk import Prosecutor as Prosecutor
from incrowd.exposure.risk import Reached as Reached
from incrowd.exposure.risk import Risk as Risk
from incrowd.lazy import modules_of

__getattr__ = modules_of(__name__)
