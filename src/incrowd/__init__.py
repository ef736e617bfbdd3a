"""Publish tables about people without giving the people away.

A release puts every record into a class and shows the class's coarser values. It may leave only
when every class satisfies every model.

Names are loaded when they are first used, so that `import incrowd` costs next to nothing.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.attacks import Attack, Attacked
    from incrowd.discovery import (
        Bucketed,
        Discovery,
        Groups,
        Masked,
        discover,
        groups,
        mask,
        mask_file,
        quantiles,
        quantiles_file,
    )
    from incrowd.errors import (
        IncrowdError,
        InfeasibleError,
        InputError,
        LimitError,
        NotMetError,
        PolicyError,
    )
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
    from incrowd.io.workloads import read_workload
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
    from incrowd.policy import Column, Policy
    from incrowd.policy.quick import quick
    from incrowd.probabilistic.plan import Plan
    from incrowd.release import Certificate, Check, Release, Verdict
    from incrowd.risk import Risk
    from incrowd.risk.safe_harbor import Checklist
    from incrowd.run import (
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
        new_keys,
        query_precision,
        risk,
        risk_file,
        safe_harbor,
        safe_harbor_file,
    )
    from incrowd.run.plans import apply_plan, plan, plan_file, plan_sizes
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
    from incrowd.search.accuracy.frontier import Frontier
    from incrowd.table.roles import Missing, Role

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
    "attacks": "Attack Attacked",
    "discovery": "Bucketed Discovery Groups Masked discover groups mask mask_file quantiles "
    "quantiles_file",
    "errors": "IncrowdError InfeasibleError InputError LimitError NotMetError PolicyError",
    "hierarchy": "Dates File Flat Hierarchy Intervals Ordered Prefix Regions Suggested Tree "
    "ZipCodes",
    "loss": "AverageClass Classification Discernibility Entropy Gcp Granularity Il1 IlInf "
    "Precision Queries",
    "models": "AlphaK DeltaPresence KAnonymity KMap LDiversity Probabilistic TCloseness",
    "io.policies": "read_policy",
    "io.workloads": "read_workload",
    "policy": "Column Policy",
    "policy.quick": "quick",
    "probabilistic.plan": "Plan",
    "release": "Certificate Check Release Verdict",
    "risk": "Risk",
    "risk.safe_harbor": "Checklist",
    "run": "Reading anonymize anonymize_file attack attack_file check check_file draft draft_file "
    "frontier frontier_file new_keys query_precision risk_file safe_harbor "
    "safe_harbor_file",
    "run.plans": "apply_plan plan plan_file plan_sizes",
    "search": "Accuracy AgainstWorld Anatomy Auto Crowd Cuts Datafly Diversify Exhaustive "
    "Hilbert IDistance Lattice LatticeLocal MinGen MinGenCells Mondrian MuArgus Preferred "
    "TopDown TreeSearch",
    "search.accuracy.frontier": "Frontier",
    "table.roles": "Missing Role",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


class _Risk(ModuleType):
    """The package `incrowd.risk`, which is also the function of that name."""

    def __call__(self, frame: Any, **options: Any) -> Any:
        """See `incrowd.run.risk`."""
        return import_module("incrowd.run").risk(frame, **options)


class _Incrowd(ModuleType):
    """This package: `incrowd.risk(frame, …)` works however its subpackage was imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "risk" and type(value) is ModuleType:
            value.__class__ = _Risk
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Incrowd


def __getattr__(name: str) -> Any:
    if name == "risk":
        return import_module("incrowd.risk")
    if name == "__version__":
        return import_module("importlib.metadata").version("incrowd")
    if name in _HOME:
        return getattr(import_module(f"incrowd.{_HOME[name]}"), name)
    raise AttributeError(f"module 'incrowd' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
