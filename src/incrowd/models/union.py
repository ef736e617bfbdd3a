"""Every model that a policy can name."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias, get_args

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

MODELS: Mapping[str, type[Model]] = {
    member.__dataclass_fields__["name"].default: member
    for member in get_args(get_args(AnyModel)[0])
}
"""Every model's class by its name."""
