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
    from incrowd.discovery import Discovery, Masked, discover, mask, mask_file
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
    from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
    from incrowd.policy import Column, Policy
    from incrowd.policy.quick import quick
    from incrowd.release import Certificate, Check, Release, Verdict
    from incrowd.risk import Risk
    from incrowd.run import (
        Reading,
        anonymize,
        anonymize_file,
        check,
        check_file,
        draft,
        draft_file,
        query_precision,
        risk,
        risk_file,
    )
    from incrowd.search import Auto, Datafly, Exhaustive, Lattice, Mondrian, MuArgus
    from incrowd.table.roles import Missing, Role

    __version__: str

__all__ = [
    "AlphaK",
    "Auto",
    "AverageClass",
    "Certificate",
    "Check",
    "Classification",
    "Column",
    "Datafly",
    "Dates",
    "Discernibility",
    "Discovery",
    "Entropy",
    "Exhaustive",
    "File",
    "Flat",
    "Gcp",
    "Granularity",
    "Hierarchy",
    "Il1",
    "IlInf",
    "IncrowdError",
    "InfeasibleError",
    "InputError",
    "Intervals",
    "KAnonymity",
    "LDiversity",
    "Lattice",
    "LimitError",
    "Masked",
    "Missing",
    "Mondrian",
    "MuArgus",
    "NotMetError",
    "Ordered",
    "Policy",
    "PolicyError",
    "Precision",
    "Prefix",
    "Queries",
    "Reading",
    "Regions",
    "Release",
    "Risk",
    "Role",
    "Suggested",
    "TCloseness",
    "Tree",
    "Verdict",
    "__version__",
    "anonymize",
    "anonymize_file",
    "check",
    "check_file",
    "discover",
    "draft",
    "draft_file",
    "mask",
    "mask_file",
    "query_precision",
    "quick",
    "read_policy",
    "read_workload",
    "risk",
    "risk_file",
]

_HOMES = {
    "discovery": "Discovery Masked discover mask mask_file",
    "errors": "IncrowdError InfeasibleError InputError LimitError NotMetError PolicyError",
    "hierarchy": "Dates File Flat Hierarchy Intervals Ordered Prefix Regions Suggested Tree",
    "loss": "AverageClass Classification Discernibility Entropy Gcp Granularity Il1 IlInf "
    "Precision Queries",
    "models": "AlphaK KAnonymity LDiversity TCloseness",
    "io.policies": "read_policy",
    "io.workloads": "read_workload",
    "policy": "Column Policy",
    "policy.quick": "quick",
    "release": "Certificate Check Release Verdict",
    "risk": "Risk",
    "run": "Reading anonymize anonymize_file check check_file draft draft_file "
    "query_precision risk_file",
    "search": "Auto Datafly Exhaustive Lattice Mondrian MuArgus",
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
