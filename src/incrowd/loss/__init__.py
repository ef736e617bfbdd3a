"""Loss: how much a release differs from its table, one file each."""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.loss.class_sizes import AverageClass as AverageClass
    from incrowd.loss.class_sizes import Discernibility as Discernibility
    from incrowd.loss.classification import Classification as Classification
    from incrowd.loss.entropy import Entropy as Entropy
    from incrowd.loss.extent import Il1 as Il1
    from incrowd.loss.extent import IlInf as IlInf
    from incrowd.loss.extent import WeightedMaxNcp as WeightedMaxNcp
    from incrowd.loss.granularity import Granularity as Granularity
    from incrowd.loss.granularity import Precision as Precision
    from incrowd.loss.loss import Loss as Loss
    from incrowd.loss.loss_figures import figures as figures
    from incrowd.loss.ncp import Gcp as Gcp
    from incrowd.loss.queries import Queries as Queries
    from incrowd.loss.union import LOSSES as LOSSES
    from incrowd.loss.union import AnyLoss as AnyLoss
    from incrowd.loss.volume import Volume as Volume

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
