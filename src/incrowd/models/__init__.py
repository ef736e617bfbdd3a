"""Models: conditions that every class of a release must meet."""

from typing import Annotated, TypeAlias

from pydantic import Field

from incrowd.models.alpha_k import AlphaK
from incrowd.models.delta_presence import DeltaPresence
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.k_map import KMap
from incrowd.models.l_diversity import LDiversity
from incrowd.models.model import Model
from incrowd.models.probabilistic import Probabilistic
from incrowd.models.t_closeness import TCloseness

AnyModel: TypeAlias = Annotated[
    AlphaK | DeltaPresence | KAnonymity | KMap | LDiversity | Probabilistic | TCloseness,
    Field(discriminator="name"),
]
"""Any of the models, as a policy file writes them."""

__all__ = [
    "AlphaK",
    "AnyModel",
    "DeltaPresence",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "Model",
    "Probabilistic",
    "TCloseness",
]
