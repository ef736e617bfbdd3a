"""The policy that a command follows, from a file or from options. Not loaded for --help."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from incrowd.cli import search_settings, sources
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.io import files
from incrowd.policy import analysis as analyses
from incrowd.policy.policy import Column, Policy
from incrowd.policy.presets import quick
from incrowd.requests.policy import PolicyOptions
from incrowd.table.column import Role


@dataclass(frozen=True, eq=False)
class PolicyRequest:
    """The policy that a command follows, from a file or from options."""

    policy: Policy
    folder: Path
    """Where the policy's own paths start."""
    left_out: tuple[str, ...] = ()
    """Columns that no option names: they are left out."""
    unfound: tuple[str, ...] = ()
    """Columns for which the folder of hierarchies has no file."""
    changed: tuple[str, ...] = ()
    """Keys of the policy and columns that options change."""
    filed: bool = False
    """Whether it comes from a policy file."""

    def for_analysis(self, analysis: str | None) -> tuple["PolicyRequest", *tuple[str, ...]]:
        """Return the request for an analysis (`--for`) and a note; itself alone without one."""
        if analysis is None:
            return (self,)
        policy = self.policy.for_analysis(analysis)
        return replace(self, policy=policy), analyses.analysis_note(self.policy, analysis)

    def in_world(self, world: object) -> "PolicyRequest":
        """The request; with a `world` and no policy file, with k-map in place of k-anonymity."""
        if not world or self.filed:
            return self
        models = tuple(model.as_world_model() for model in self.policy.models)
        return replace(self, policy=self.policy.model_copy(update={"models": models}))

    def notes(self) -> Iterator[str]:
        """Yield what options leave open, or change in the policy file."""
        if self.left_out:
            yield f"left out, because no option names them: {', '.join(self.left_out)}"
        if self.unfound:
            names = ", ".join(self.unfound)
            yield f"the folder of hierarchies has no file for {names}; incrowd uses the usual ones"
        if self.changed:
            yield (
                f"options change {', '.join(self.changed)} of the policy file; the certificate "
                "holds the changed policy"
            )

    def world_notes(self, world: object) -> Iterator[str]:
        """Yield what -k means with a world; nothing without one, or for the policy of a file."""
        counted = [model for model in self.policy.models if "world" in model.requires]
        if world and not self.filed and counted:
            yield (
                f"k = {counted[0].threshold:g} counts people of the world (k-map), not of the "
                "table (k-anonymity): a record may be alone in its class"
            )


@dataclass(frozen=True, eq=False)
class AskedPolicy:
    """A policy as options ask for it; its file is read once."""

    options: PolicyOptions
    file: Policy | None = None
    """What the policy file holds, if one is named."""
    search: str | None = None
    """The search that settings are for if no option names one; None: the policy's."""

    @classmethod
    def read(cls, asked: PolicyOptions, search: str | None = None) -> Self:
        """Read the policy file that options name, if any; refuse options that a file settles."""
        if asked.policy is None:
            return cls(asked, None, search)
        if asked.roles:
            given = ", ".join(f"--{name}" if len(name) > 1 else f"-{name}" for name in asked.roles)
            raise PolicyError(
                f"--policy and {given} cannot be used together",
                remedy="write it into the policy, or leave out --policy",
            )
        return cls(asked, files.read_policy(asked.policy), search)

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns that options or the policy file name: the table should have them."""
        return (*self.options.named_columns, *(() if self.file is None else self.file.columns))

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """Columns that leave unchanged."""
        return (*self.options.keep, *(() if self.file is None else self.file.names(Role.KEEP)))

    def request(self, names: Iterable[str], keep: Iterable[str] = ()) -> PolicyRequest:
        """Make the policy of these options, for a table with columns of these names.

        `keep` are columns to release unchanged although no option names them. `PolicyError` if
        neither a file nor quasi-identifiers are given.
        """
        if self.file is not None:
            return self._request_of_file(self.file)
        flags = self.options.roles
        if "quasi" not in flags:
            raise PolicyError(
                "say which columns are quasi-identifiers" if flags else "say what must hold",
                remedy="give a policy with --policy, or columns with --quasi and a size with -k",
            )
        trees = self._read_hierarchies(flags["quasi"])
        flags["keep"] = (*flags.get("keep", ()), *keep)
        policy = quick(
            names, **flags, **self.options.keys, **self._chosen_search(), hierarchies=trees
        )
        policy = _with_changes(policy, {}, self.options.details)
        return PolicyRequest(
            policy, Path(), policy.dropped, self._without_hierarchy(policy.quasi, trees)
        )

    def _request_of_file(self, policy: Policy) -> PolicyRequest:
        """Make the request for the policy of the file, with what options change."""
        settings = self.options.keys | self._chosen_search(policy)
        trees = self._read_hierarchies(policy.quasi)
        details = {name: {"hierarchy": tree} for name, tree in trees.items()}
        for name, keys in self.options.details.items():
            details[name] = {**details.get(name, {}), **keys}
        return PolicyRequest(
            _with_changes(policy, settings, details),
            Path(self.options.policy).parent,
            unfound=self._without_hierarchy(policy.quasi, trees),
            changed=(*settings, *details),
            filed=True,
        )

    def _chosen_search(self, policy: Policy | None = None) -> dict[str, Any]:
        """The setting `search` of the policy if options say anything about it; else empty."""
        if not search_settings.has_search_options(self.options):
            return {}
        before = None if policy is None else policy.search
        return {"search": search_settings.search_with_options(self.options, before, self.search)}

    def _without_hierarchy(
        self, quasi: Iterable[str], trees: Mapping[str, AnyHierarchy]
    ) -> tuple[str, ...]:
        """The columns for which the folder of hierarchies has none; empty if no folder is named."""
        if self.options.hierarchies is None:
            return ()
        return tuple(name for name in quasi if name not in trees)

    def _read_hierarchies(self, quasi: Iterable[str]) -> dict[str, AnyHierarchy]:
        """Read the hierarchies of options, by column; of the folder those of `quasi` columns."""
        return sources.read_hierarchies(self.options.hierarchy, self.options.hierarchies, quasi)


def _with_changes(
    policy: Policy, settings: Mapping[str, Any], details: Mapping[str, Mapping[str, Any]]
) -> Policy:
    """The policy with settings and `details` of columns changed; `PolicyError` for unknown ones."""
    for name in details:
        policy.role(name)
    columns = {
        name: {key: getattr(column, key) for key in Column.model_fields} | {**details.get(name, {})}
        for name, column in policy.columns.items()
    }
    return policy.with_settings(**settings, columns=columns)
