"""Models: conditions that every class of a release must meet."""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.models.alpha_k import AlphaK as AlphaK
    from incrowd.models.delta_presence import DeltaPresence as DeltaPresence
    from incrowd.models.k_anonymity import KAnonymity as KAnonymity
    from incrowd.models.k_map import KMap as KMap
    from incrowd.models.l_diversity import LDiversity as LDiversity
    from incrowd.models.model import Model as Model
    from incrowd.models.probabilistic import Probabilistic as Probabilistic
    from incrowd.models.t_closeness import TCloseness as TCloseness
    from incrowd.models.union import MODELS as MODELS
    from incrowd.models.union import AnyModel as AnyModel

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
