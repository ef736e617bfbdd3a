"""Publish tables about people without giving the people away.

A release puts every record into a class and shows the class's coarser values. It may leave only
when every class satisfies every model.

Names are loaded when they are first used, so that `import incrowd` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from incrowd.lazy import modules_of

if TYPE_CHECKING:
    from incrowd.api import (
        Bucketed,
        Discovery,
        Groups,
        Masked,
        Reading,
        anonymize,
        anonymize_file,
        attack,
        attack_file,
        check,
        check_file,
        draft,
        draft_file,
        frontier,
        frontier_file,
        mask,
        mask_file,
        new_keys,
        quantiles_file,
        query_precision,
        risk,
        risk_file,
        safe_harbor,
        safe_harbor_file,
    )
    from incrowd.attacks import Attack, Attacked
    from incrowd.errors import (
        IncrowdError,
        InfeasibleError,
        InputError,
        LimitError,
        NotMetError,
        PolicyError,
    )
    from incrowd.exposure import Risk
    from incrowd.hierarchy import (
        Dates,
        File,
        Flat,
        Hierarchy,
        Intervals,
        Ordered,
        Prefix,
        Regions,
        Suggested,
        Tree,
        ZipCodes,
    )
    from incrowd.io.policies import read_policy
    from incrowd.io.side_files import read_workload
    from incrowd.loss import (
        AverageClass,
        Classification,
        Discernibility,
        Entropy,
        Gcp,
        Granularity,
        Il1,
        IlInf,
        Precision,
        Queries,
    )
    from incrowd.models import (
        AlphaK,
        DeltaPresence,
        KAnonymity,
        KMap,
        LDiversity,
        Probabilistic,
        TCloseness,
    )
    from incrowd.pii import Checklist
    from incrowd.policy.policy import Column, Policy
    from incrowd.policy.quick import quick
    from incrowd.population.plan import Plan
    from incrowd.release import Certificate, Check, Release, Verdict
    from incrowd.search import (
        Accuracy,
        AgainstWorld,
        Anatomy,
        Auto,
        Crowd,
        Cuts,
        Datafly,
        Diversify,
        Exhaustive,
        Hilbert,
        IDistance,
        Lattice,
        LatticeLocal,
        MinGen,
        MinGenCells,
        Mondrian,
        MuArgus,
        Preferred,
        TopDown,
        TreeSearch,
    )
    from incrowd.search.literature.accuracy.frontier import Frontier
    from incrowd.table.roles import Missing, Role
    from incrowd.verbs.discover import discover
    from incrowd.verbs.groups import groups
    from incrowd.verbs.plan import apply_plan, plan, plan_sizes
    from incrowd.verbs.plan import plan as plan_file
    from incrowd.verbs.quantiles import quantiles

    __version__: str

__all__ = [
    "Accuracy",
    "AgainstWorld",
    "AlphaK",
    "Anatomy",
    "Attack",
    "Attacked",
    "Auto",
    "AverageClass",
    "Bucketed",
    "Certificate",
    "Check",
    "Checklist",
    "Classification",
    "Column",
    "Crowd",
    "Cuts",
    "Datafly",
    "Dates",
    "DeltaPresence",
    "Discernibility",
    "Discovery",
    "Diversify",
    "Entropy",
    "Exhaustive",
    "File",
    "Flat",
    "Frontier",
    "Gcp",
    "Granularity",
    "Groups",
    "Hierarchy",
    "Hilbert",
    "IDistance",
    "Il1",
    "IlInf",
    "IncrowdError",
    "InfeasibleError",
    "InputError",
    "Intervals",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "Lattice",
    "LatticeLocal",
    "LimitError",
    "Masked",
    "MinGen",
    "MinGenCells",
    "Missing",
    "Mondrian",
    "MuArgus",
    "NotMetError",
    "Ordered",
    "Plan",
    "Policy",
    "PolicyError",
    "Precision",
    "Preferred",
    "Prefix",
    "Probabilistic",
    "Queries",
    "Reading",
    "Regions",
    "Release",
    "Risk",
    "Role",
    "Suggested",
    "TCloseness",
    "TopDown",
    "Tree",
    "TreeSearch",
    "Verdict",
    "ZipCodes",
    "__version__",
    "anonymize",
    "anonymize_file",
    "apply_plan",
    "attack",
    "attack_file",
    "check",
    "check_file",
    "discover",
    "draft",
    "draft_file",
    "frontier",
    "frontier_file",
    "groups",
    "mask",
    "mask_file",
    "new_keys",
    "plan",
    "plan_file",
    "plan_sizes",
    "quantiles",
    "quantiles_file",
    "query_precision",
    "quick",
    "read_policy",
    "read_workload",
    "risk",
    "risk_file",
    "safe_harbor",
    "safe_harbor_file",
]

_HOMES = {
    "api": "anonymize anonymize_file apply_plan attack attack_file check check_file discover draft "
    "draft_file frontier frontier_file groups mask mask_file new_keys plan plan_file plan_sizes "
    "quantiles quantiles_file query_precision risk risk_file safe_harbor safe_harbor_file Reading",
    "attacks": "Attack Attacked",
    "errors": "IncrowdError InfeasibleError InputError LimitError NotMetError PolicyError",
    "exposure": "Risk",
    "hierarchy": "Dates File Flat Hierarchy Intervals Ordered Prefix Regions Suggested Tree "
    "ZipCodes",
    "identify.outcome": "Discovery Groups Masked",
    "io.policies": "read_policy",
    "io.side_files": "read_workload",
    "loss": "AverageClass Classification Discernibility Entropy Gcp Granularity Il1 IlInf "
    "Precision Queries",
    "models": "AlphaK DeltaPresence KAnonymity KMap LDiversity Probabilistic TCloseness",
    "pii": "Checklist",
    "policy.policy": "Column Policy",
    "policy.quick": "quick",
    "population.quantiles": "Bucketed",
    "population.plan": "Plan",
    "release": "Certificate Check Release Verdict",
    "search": "Accuracy AgainstWorld Anatomy Auto Crowd Cuts Datafly Diversify Exhaustive "
    "Hilbert IDistance Lattice LatticeLocal MinGen MinGenCells Mondrian MuArgus Preferred "
    "TopDown TreeSearch",
    "search.literature.accuracy.frontier": "Frontier",
    "table.roles": "Missing Role",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
_module = modules_of(__name__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("incrowd")
    if name in _HOME:
        return getattr(import_module(f"incrowd.{_HOME[name]}"), name)
    return _module(name)


def __dir__() -> list[str]:
    return sorted(__all__)
