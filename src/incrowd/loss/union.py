"""Every loss that a policy can name."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias, get_args

from pydantic import Field

from incrowd.loss.class_sizes import AverageClass, Discernibility
from incrowd.loss.classification import Classification
from incrowd.loss.entropy import Entropy
from incrowd.loss.extent import Il1, IlInf, WeightedMaxNcp
from incrowd.loss.granularity import Granularity, Precision
from incrowd.loss.loss import Loss
from incrowd.loss.ncp import Gcp
from incrowd.loss.queries import Queries
from incrowd.loss.volume import Volume

AnyLoss: TypeAlias = Annotated[
    AverageClass
    | Classification
    | Discernibility
    | Entropy
    | Gcp
    | Granularity
    | Il1
    | IlInf
    | Precision
    | Queries
    | Volume
    | WeightedMaxNcp,
    Field(discriminator="name"),
]
"""Any loss, as a policy file writes it."""

LOSSES: Mapping[str, type[Loss]] = {
    one.__dataclass_fields__["name"].default: one for one in get_args(get_args(AnyLoss)[0])
}
"""Every loss's class by its name."""
