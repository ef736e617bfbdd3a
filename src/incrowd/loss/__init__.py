"""Loss: how much a release differs from its table, one file each."""

from typing import Annotated, TypeAlias

from pydantic import Field

from incrowd.loss.average_class import AverageClass
from incrowd.loss.classification import Classification
from incrowd.loss.discernibility import Discernibility
from incrowd.loss.entropy import Entropy
from incrowd.loss.extent import Il1, IlInf
from incrowd.loss.figures import figures
from incrowd.loss.granularity import Granularity
from incrowd.loss.loss import Loss
from incrowd.loss.ncp import Gcp
from incrowd.loss.precision import Precision
from incrowd.loss.queries import Queries

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
    | Queries,
    Field(discriminator="name"),
]
"""Any loss, as a policy file writes it."""

__all__ = [
    "AnyLoss",
    "AverageClass",
    "Classification",
    "Discernibility",
    "Entropy",
    "Gcp",
    "Granularity",
    "Il1",
    "IlInf",
    "Loss",
    "Precision",
    "Queries",
    "figures",
]
