"""Models: conditions that every class of a release must meet."""

from typing import Annotated, TypeAlias

from pydantic import Field

from incrowd.models.alpha_k import AlphaK
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.l_diversity import LDiversity
from incrowd.models.model import Model
from incrowd.models.t_closeness import TCloseness

AnyModel: TypeAlias = Annotated[
    AlphaK | KAnonymity | LDiversity | TCloseness, Field(discriminator="name")
]
"""Any of the models, as a policy file writes them."""

__all__ = ["AlphaK", "AnyModel", "KAnonymity", "LDiversity", "Model", "TCloseness"]
