"""What was asked on the command line, put together for `run`. Loaded by commands, not for help."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incrowd.cli import options
from incrowd.cli.table import named_by
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.io import files
from incrowd.io.hierarchies import find, parse_option, read_tree, resolve
from incrowd.io.policies import read_policy
from incrowd.policy.codec import made
from incrowd.policy.policy import Column, Policy
from incrowd.policy.quick import quick
from incrowd.table.names import listed


@dataclass(frozen=True, eq=False)
class Request:
    """The policy that was asked for, by a file or by quick flags."""

    policy: Policy
    folder: Path
    """Where the policy's own paths start."""
    left_out: tuple[str, ...] = ()
    """Columns that do not leave because no flag names them."""
    unfound: tuple[str, ...] = ()
    """Columns for which the folder of hierarchies has no file."""
    changed: tuple[str, ...] = ()
    """What flags say in place of the policy file: keys of the policy, columns."""
    filed: bool = False
    """Whether it comes from a policy file."""

    def notes(self) -> Iterator[str]:
        """What flags left unsaid, or said against the policy file."""
        if self.left_out:
            yield f"left out, as no flag names them: {', '.join(self.left_out)}"
        if self.unfound:
            names = ", ".join(self.unfound)
            yield f"the folder of hierarchies has no file for {names}: theirs are as without it"
        if self.changed:
            yield (
                f"flags replace what the policy file says about {', '.join(self.changed)}; "
                "the certificate is of the policy as changed"
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Flags:
    """What the flags say; those that were not given are None or empty."""

    policy: str | None = None
    quick: Mapping[str, Any]
    """Roles and models: they take the place of a policy."""
    settings: Mapping[str, Any]
    """Further keys of a policy: they go with both."""
    hierarchy: Sequence[str] | None = None
    hierarchies: str | None = None
    limits: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    """By key of a column, `widest`, `highest` or `grid`: the texts `COLUMN=NUMBER`."""
    accepted: Sequence[str] = ()
    """Columns that may leave although others tell them."""

    @property
    def silent(self) -> bool:
        """Whether they say nothing at all."""
        said = (self.policy, self.hierarchies, *self.quick.values(), *self.settings.values())
        return not self.hierarchy and all(value in (None, ()) for value in said)

    @property
    def named(self) -> Iterator[str]:
        """Columns that a table should have: those of flags and those of the policy file."""
        for value in self.quick.values():
            if isinstance(value, str | tuple):
                yield from listed(value)
        yield from named_by(self.policy)

    def request(self, names: Sequence[str], keep: Sequence[str] = ()) -> Request:
        """The policy that they mean, for a table with columns of these names.

        `keep` are columns that leave as they are although no flag names them.
        """
        flags: dict[str, Any] = {
            name: value for name, value in self.quick.items() if value not in (None, ())
        }
        settings = {name: value for name, value in self.settings.items() if value is not None}
        if self.policy is not None:
            _refuse_both(flags)
            policy = read_policy(self.policy)
            trees = self._trees(policy.quasi)
            details = _details(trees, self.limits, self.accepted)
            policy = _laid_over(policy, settings, details)
            return Request(
                policy,
                Path(self.policy).parent,
                unfound=self._unfound(policy.quasi, trees),
                changed=(*settings, *details),
                filed=True,
            )
        if "quasi" not in flags:
            unsaid = "it is not said which columns are quasi-identifying"
            raise PolicyError(
                unsaid if flags else "nothing is asked for",
                remedy="name a policy with --policy, or columns with --quasi and a size with -k",
            )
        trees = self._trees(flags["quasi"])
        flags["keep"] = (*flags.get("keep", ()), *keep)
        policy = quick(names, **flags, **settings, hierarchies=trees)
        policy = _laid_over(policy, {}, _details({}, self.limits, self.accepted))
        return Request(policy, Path(), policy.dropped, self._unfound(policy.quasi, trees))

    def _unfound(self, quasi: Iterable[str], trees: Mapping[str, AnyHierarchy]) -> tuple[str, ...]:
        if self.hierarchies is None:
            return ()
        return tuple(name for name in quasi if name not in trees)

    def _trees(self, quasi: Iterable[str]) -> dict[str, AnyHierarchy]:
        """The hierarchies that are named, by folder or one by one; their paths start here."""
        found: dict[str, AnyHierarchy] = {}
        if self.hierarchies is not None:
            found |= {name: read_tree(path) for name, path in find(self.hierarchies, quasi).items()}
        named: dict[str, AnyHierarchy] = {}
        for text in self.hierarchy or ():
            name, spec = parse_option(text)
            if named.setdefault(name, spec) != spec:
                raise options.twice(name, "--hierarchy")
        return found | {name: resolve(spec, Path()) for name, spec in named.items()}


def _refuse_both(flags: Mapping[str, Any]) -> None:
    if flags:
        given = ", ".join(f"--{name}" if len(name) > 1 else f"-{name}" for name in flags)
        raise PolicyError(
            f"a policy is given and its place is taken by {given}",
            remedy="write into the policy what it should say, or leave it out",
        )


def _details(
    trees: Mapping[str, AnyHierarchy],
    limits: Mapping[str, Sequence[str] | None],
    accepted: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """What flags say of columns, by column and key."""
    details: dict[str, dict[str, Any]] = {name: {"hierarchy": tree} for name, tree in trees.items()}
    for key, texts in limits.items():
        said = options.steps(texts) if key == "grid" else options.numbers(texts, key)
        for name, number in said.items():
            details.setdefault(name, {})[key] = number
    for name in accepted:
        details.setdefault(name, {})["derived"] = "accept"
    return details


def _laid_over(
    policy: Policy, settings: Mapping[str, Any], details: Mapping[str, Mapping[str, Any]]
) -> Policy:
    """The policy with some of its words replaced; `details` are those of columns."""
    for name in details:
        policy.role(name)
    columns = {
        name: {key: getattr(column, key) for key in Column.model_fields} | {**details.get(name, {})}
        for name, column in policy.columns.items()
    }
    values = {name: getattr(policy, name) for name in Policy.model_fields}
    return made(lambda: Policy.model_validate({**values, **settings, "columns": columns}))


def signing_key(path: str | None) -> str | None:
    """The file of the key that signs certificates, named by a flag or by the environment."""
    return path or os.environ.get("INCROWD_SIGNING_KEY") or None


def key_of(path: str | None) -> bytes | None:
    """The secret of pseudonyms, from a file or from the environment; never from a flag."""
    if path is not None:
        return files.content(path).rstrip(b"\r\n")
    given = os.environ.get("INCROWD_KEY")
    return given.encode() if given else None
