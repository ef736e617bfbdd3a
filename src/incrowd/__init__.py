"""Publish tables about people without giving the people away.

A release puts every record into a class and shows the class's coarser values. It may leave only
when every class satisfies every model.

Names are loaded when they are first used, so that `import incrowd` costs next to nothing. Searches
of the literature are in `incrowd.search`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from incrowd.lazy import homes_of, module, modules_of
from incrowd.showing import Shown

if TYPE_CHECKING:
    from incrowd.api import Reading as Reading
    from incrowd.api import anonymize as anonymize
    from incrowd.api import apply_plan as apply_plan
    from incrowd.api import attack as attack
    from incrowd.api import check as check
    from incrowd.api import compare as compare
    from incrowd.api import discover as discover
    from incrowd.api import draft as draft
    from incrowd.api import frontier as frontier
    from incrowd.api import groups as groups
    from incrowd.api import judge_sets as judge_sets
    from incrowd.api import mask as mask
    from incrowd.api import new_keys as new_keys
    from incrowd.api import plan as plan
    from incrowd.api import plan_sizes as plan_sizes
    from incrowd.api import quantiles as quantiles
    from incrowd.api import query_precision as query_precision
    from incrowd.api import report as report
    from incrowd.api import risk as risk
    from incrowd.api import safe_harbor as safe_harbor
    from incrowd.api import warm as warm
    from incrowd.attacks import Attacked as Attacked
    from incrowd.errors import IncrowdError as IncrowdError
    from incrowd.errors import InfeasibleError as InfeasibleError
    from incrowd.errors import InputError as InputError
    from incrowd.errors import LimitError as LimitError
    from incrowd.errors import NotMetError as NotMetError
    from incrowd.errors import PolicyError as PolicyError
    from incrowd.exposure import Risk as Risk
    from incrowd.hierarchy import Dates as Dates
    from incrowd.hierarchy import File as File
    from incrowd.hierarchy import Flat as Flat
    from incrowd.hierarchy import Intervals as Intervals
    from incrowd.hierarchy import Ordered as Ordered
    from incrowd.hierarchy import Prefix as Prefix
    from incrowd.hierarchy import Regions as Regions
    from incrowd.hierarchy import Suggested as Suggested
    from incrowd.hierarchy import Tree as Tree
    from incrowd.hierarchy import ZipCodes as ZipCodes
    from incrowd.identify.outcome import Discovery as Discovery
    from incrowd.identify.outcome import Groups as Groups
    from incrowd.identify.outcome import Masked as Masked
    from incrowd.io.files import read_policy as read_policy
    from incrowd.io.files import read_workload as read_workload
    from incrowd.loss import AverageClass as AverageClass
    from incrowd.loss import Classification as Classification
    from incrowd.loss import Discernibility as Discernibility
    from incrowd.loss import Entropy as Entropy
    from incrowd.loss import Gcp as Gcp
    from incrowd.loss import Granularity as Granularity
    from incrowd.loss import Il1 as Il1
    from incrowd.loss import IlInf as IlInf
    from incrowd.loss import Precision as Precision
    from incrowd.loss import Queries as Queries
    from incrowd.models import AlphaK as AlphaK
    from incrowd.models import DeltaPresence as DeltaPresence
    from incrowd.models import KAnonymity as KAnonymity
    from incrowd.models import KMap as KMap
    from incrowd.models import LDiversity as LDiversity
    from incrowd.models import Probabilistic as Probabilistic
    from incrowd.models import TCloseness as TCloseness
    from incrowd.pii import Checklist as Checklist
    from incrowd.policy.policy import Column as Column
    from incrowd.policy.policy import Policy as Policy
    from incrowd.policy.presets import quick as quick
    from incrowd.population.plan import Plan as Plan
    from incrowd.population.quantiles import Bucketed as Bucketed
    from incrowd.release import Certificate as Certificate
    from incrowd.release import Check as Check
    from incrowd.release import Release as Release
    from incrowd.search import AgainstWorld as AgainstWorld
    from incrowd.search import Auto as Auto
    from incrowd.search import Crowd as Crowd
    from incrowd.search import Lattice as Lattice
    from incrowd.search import LatticeLocal as LatticeLocal
    from incrowd.search import Mondrian as Mondrian
    from incrowd.search.literature.accuracy.frontier import Frontier as Frontier
    from incrowd.table.column import Missing as Missing
    from incrowd.table.column import Role as Role
    from incrowd.utility.comparison import Comparison as Comparison

    __version__: str

_HOMES = homes_of(__name__)
_FORMER = {
    "attacks": "Attack",
    "hierarchy": "Hierarchy",
    "release": "Verdict",
    "search": "Accuracy Anatomy Cuts Datafly Diversify Exhaustive Hilbert IDistance MinGen "
    "MinGenCells MuArgus Preferred TopDown TreeSearch",
}
"""Where names are that this package offered up to version 0.1; the next version drops them."""
_TWINS = "anonymize attack check draft frontier mask plan quantiles risk safe_harbor"
"""Verbs that had a twin for files, such as `risk_file`; the next version drops those names."""
_module = modules_of(__name__)
Shown.presenter = cast("Any", module("incrowd.documents.shown"))
__all__ = sorted([*_HOMES, "__version__"])  # noqa: PLE0605  the imports above are the list


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("incrowd")
    if (now := _current_name(name)) is None:
        return _module(name)
    warn = import_module("warnings").warn
    warn(f"incrowd.{name} is deprecated: write {now} instead", DeprecationWarning, stacklevel=2)
    home, _, found = now.rpartition(".")
    return getattr(import_module(home), found)


def _current_name(name: str) -> str | None:
    """What to write in place of a former name of this package; None if it never was one."""
    twin = name.removesuffix("_file")
    if twin != name and twin in _TWINS.split():
        return f"incrowd.{twin}"
    homes = (home for home, names in _FORMER.items() if name in names.split())
    return next((f"incrowd.{home}.{name}" for home in homes), None)


def __dir__() -> list[str]:
    return __all__
