"""Options that make or change a policy, for all commands that have them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from incrowd.cli import options
from incrowd.cli import request as requests

if TYPE_CHECKING:
    from incrowd.cli.request import PolicyFlags, WorldOptions
    from incrowd.cli.search_settings import SearchFlags


@dataclass(frozen=True, kw_only=True)
class AskedFlags:
    """What must hold: a policy file, or roles and models."""

    quasi: options.Quasi = None
    sensitive: options.Sensitive = None
    keep: options.Keep = None
    unit: options.Unit = None
    weight: options.Weight = None
    accept_derived: options.AcceptDerived = None
    accept_alone: options.AcceptAlone = None
    policy: options.PolicyFile = None
    k: options.K = None
    l: options.L = None
    t: options.T = None
    suppress: options.Suppress = None
    missing: options.MissingReading = None

    @property
    def quick(self) -> dict[str, Any]:
        """Roles and models, in place of a policy file."""
        return {
            "quasi": options.columns(self.quasi),
            "sensitive": options.columns(self.sensitive),
            "keep": options.columns(self.keep),
            **{name: getattr(self, name) for name in ("unit", "weight", "k", "l", "t")},
        }


@dataclass(frozen=True, kw_only=True)
class ColumnFlags:
    """How columns become coarser, and what classes show."""

    hierarchy: options.HierarchyOf = None
    hierarchies: options.Hierarchies = None
    widest: options.Widest = None
    lowest: options.Lowest = None
    highest: options.Highest = None
    grid: options.Grid = None
    kind: options.Kinds = None
    weights: options.Matters = None
    ends: options.Ends = None
    show: options.Show = None
    consistent: options.Consistent = False

    @property
    def limits(self) -> dict[str, Any]:
        """By key of a column: the texts `COLUMN=VALUE`."""
        names = ("widest", "lowest", "highest", "grid", "kind")
        return {name: getattr(self, name) for name in names} | {"weight": self.weights}

    @property
    def settings(self) -> dict[str, Any]:
        """Keys of the policy."""
        return {"ends": self.ends, "show": self.show, "consistent": self.consistent or None}


@dataclass(frozen=True, kw_only=True)
class HeldToFlags:
    """What a release is held to, beside a policy file and a certificate."""

    k: options.K = None
    l: options.L = None
    t: options.T = None
    missing: options.MissingReading = None
    quasi: options.Quasi = None
    sensitive: options.Sensitive = None
    hierarchy: options.HierarchyOf = None
    hierarchies: options.Hierarchies = None
    world: options.World = None
    world_id: options.WorldId = None
    rename: options.Rename = None

    def over(self, policy: str | None) -> "PolicyFlags":
        """The flags with this policy file."""
        roles = {"quasi": options.columns(self.quasi), "sensitive": options.columns(self.sensitive)}
        return requests.PolicyFlags(
            policy=policy,
            quick=roles | {"k": self.k, "l": self.l, "t": self.t},
            settings={"missing": self.missing},
            hierarchy=self.hierarchy,
            hierarchies=self.hierarchies,
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that have a role."""
        return (*options.columns(self.quasi), *options.columns(self.sensitive))

    @property
    def worlds(self) -> "WorldOptions":
        """The worlds that models are about."""
        return requests.WorldOptions(
            tuple(self.world or ()), self.world_id, tuple(self.rename or ())
        )


ASKED, COLUMNS, HELD_TO = AskedFlags(), ColumnFlags(), HeldToFlags()


def policy_flags(
    asked: AskedFlags, columns: ColumnFlags, search: "SearchFlags", settings: Mapping[str, Any]
) -> "PolicyFlags":
    """All that makes or changes a policy; `settings` are further keys of it."""
    own = {"suppression": asked.suppress, "missing": asked.missing}
    return requests.PolicyFlags(
        policy=asked.policy,
        quick=asked.quick,
        settings=own | columns.settings | dict(settings),
        search=search,
        hierarchy=columns.hierarchy,
        hierarchies=columns.hierarchies,
        limits=columns.limits,
        accepted={
            "derived": options.columns(asked.accept_derived),
            "alone": options.columns(asked.accept_alone),
        },
    )
