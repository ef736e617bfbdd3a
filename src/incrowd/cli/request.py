"""The request of a command: its policy and its worlds. Not loaded for --help."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incrowd.cli import options
from incrowd.cli.search_settings import SearchFlags
from incrowd.cli.sources import columns_of_policy, kept_by
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.io.files import read_policy
from incrowd.io.hierarchies import find, parse_option, read_tree, resolve
from incrowd.policy import analysis as analyses
from incrowd.policy.codec import make_value
from incrowd.policy.policy import Column, Policy
from incrowd.policy.presets import quick
from incrowd.table.names import unique_names


def hierarchies(
    texts: Iterable[str] | None, folder: str | None, names: Iterable[str]
) -> dict[str, AnyHierarchy]:
    """The hierarchies of `--hierarchy` and of the folder; their paths start here."""
    found: dict[str, AnyHierarchy] = {}
    if folder is not None:
        found |= {name: read_tree(path) for name, path in find(folder, names).items()}
    named: dict[str, AnyHierarchy] = {}
    for text in texts or ():
        name, spec = parse_option(text)
        if named.setdefault(name, spec) != spec:
            raise options.twice(name, "--hierarchy")
    return found | {name: resolve(spec, Path()) for name, spec in named.items()}


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

    def serving(self, analysis: str | None) -> tuple["PolicyRequest", *tuple[str, ...]]:
        """The request for an analysis (`--for`), and a note on what that changes."""
        if analysis is None:
            return (self,)
        policy = self.policy.for_analysis(analysis)
        return replace(self, policy=policy), analyses.note(self.policy, analysis)

    def notes(self) -> Iterator[str]:
        """What options leave open, or change in the policy file."""
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


@dataclass(frozen=True, eq=False, kw_only=True)
class PolicyFlags:
    """The options that make or change a policy; None or empty if not given."""

    policy: str | None = None
    quick: Mapping[str, Any]
    """Roles and models: in place of a policy file."""
    settings: Mapping[str, Any]
    """Other keys of the policy: with a policy file, too."""
    search: SearchFlags = field(default_factory=SearchFlags)
    hierarchy: Sequence[str] | None = None
    hierarchies: str | None = None
    limits: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    """By key of a column, such as `widest` or `kind`: the texts `COLUMN=VALUE`."""
    accepted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By key of a column, `derived` or `alone`: columns to release all the same."""

    @property
    def silent(self) -> bool:
        """Whether none of them is given."""
        given = (self.policy, self.hierarchies, *self.quick.values(), *self.settings.values())
        return not self.hierarchy and all(value in (None, ()) for value in given)

    @property
    def named(self) -> Iterator[str]:
        """Columns that the table should have: those of the options and of the policy file."""
        for value in self.quick.values():
            if isinstance(value, str | tuple):
                yield from unique_names(value)
        yield from columns_of_policy(self.policy)

    @property
    def kept(self) -> tuple[str, ...]:
        """Columns that leave unchanged: those of the options and of the policy file."""
        return (*(self.quick.get("keep") or ()), *kept_by(self.policy, None))

    def request(self, names: Sequence[str], keep: Sequence[str] = ()) -> PolicyRequest:
        """The policy of these options, for a table with columns of these names.

        `keep` are columns to release unchanged although no option names them.
        """
        flags: dict[str, Any] = {
            name: value for name, value in self.quick.items() if value not in (None, ())
        }
        settings = {name: value for name, value in self.settings.items() if value is not None}
        if self.policy is not None:
            _refuse_both(flags)
            policy = read_policy(self.policy)
            settings |= self._search(policy)
            trees = self._trees(policy.quasi)
            details = _details(trees, self.limits, self.accepted)
            policy = _laid_over(policy, settings, details)
            return PolicyRequest(
                policy,
                Path(self.policy).parent,
                unfound=self._unfound(policy.quasi, trees),
                changed=(*settings, *details),
                filed=True,
            )
        if "quasi" not in flags:
            raise PolicyError(
                "say which columns are quasi-identifiers" if flags else "say what must hold",
                remedy="give a policy with --policy, or columns with --quasi and a size with -k",
            )
        trees = self._trees(flags["quasi"])
        flags["keep"] = (*flags.get("keep", ()), *keep)
        settings |= self._search()
        policy = quick(names, **flags, **settings, hierarchies=trees)
        policy = _laid_over(policy, {}, _details({}, self.limits, self.accepted))
        return PolicyRequest(policy, Path(), policy.dropped, self._unfound(policy.quasi, trees))

    def _search(self, policy: Policy | None = None) -> dict[str, Any]:
        """The search that options ask for, if they say anything about it."""
        if not self.search.given:
            return {}
        return {"search": self.search.over(None if policy is None else policy.search)}

    def _unfound(self, quasi: Iterable[str], trees: Mapping[str, AnyHierarchy]) -> tuple[str, ...]:
        if self.hierarchies is None:
            return ()
        return tuple(name for name in quasi if name not in trees)

    def _trees(self, quasi: Iterable[str]) -> dict[str, AnyHierarchy]:
        return hierarchies(self.hierarchy, self.hierarchies, quasi)


def _refuse_both(flags: Mapping[str, Any]) -> None:
    if flags:
        given = ", ".join(f"--{name}" if len(name) > 1 else f"-{name}" for name in flags)
        raise PolicyError(
            f"--policy and {given} cannot be used together",
            remedy="write it into the policy, or leave out --policy",
        )


def _details(
    trees: Mapping[str, AnyHierarchy],
    limits: Mapping[str, Sequence[str] | None],
    accepted: Mapping[str, Sequence[str]],
) -> dict[str, dict[str, Any]]:
    """What options say about columns, by column and key."""
    details: dict[str, dict[str, Any]] = {name: {"hierarchy": tree} for name, tree in trees.items()}
    for key, texts in limits.items():
        for name, value in _by_column(key, texts).items():
            details.setdefault(name, {})[key] = value
    for key, names in accepted.items():
        for name in names:
            details.setdefault(name, {})[key] = "accept"
    return details


def _by_column(key: str, texts: Sequence[str] | None) -> Mapping[str, Any]:
    """What an option says about columns, for a key of a column."""
    match key:
        case "grid":
            return options.steps(texts)
        case "kind":
            return options.words(texts, "kind", "race=text")
        case "weight":
            return options.numbers(texts, "weights", "zip=2")
        case _:
            return options.numbers(texts, key)


def _laid_over(
    policy: Policy, settings: Mapping[str, Any], details: Mapping[str, Mapping[str, Any]]
) -> Policy:
    """The policy with some keys changed; `details` are those of columns."""
    for name in details:
        policy.role(name)
    columns = {
        name: {key: getattr(column, key) for key in Column.model_fields} | {**details.get(name, {})}
        for name, column in policy.columns.items()
    }
    values = {name: getattr(policy, name) for name in Policy.model_fields}
    return make_value(lambda: Policy.model_validate({**values, **settings, "columns": columns}))


@dataclass(frozen=True)
class WorldOptions:
    """The worlds of a request: tables with names that somebody may have."""

    worlds: tuple[str, ...] = ()
    id: str | None = None
    rename: tuple[str, ...] = ()

    @property
    def given(self) -> dict[str, Any]:
        """As keyword arguments of verbs."""
        names = options.other_names(self.rename, "rename", "zip=zipcode")
        return {"world": self.worlds, "world_id": self.id, "rename": names}

    def laid_over(self, request: PolicyRequest) -> PolicyRequest:
        """The request with k-map in place of k-anonymity; a policy file stays as it is."""
        if not self.worlds or request.filed:
            return request
        models = tuple(model.against_world() for model in request.policy.models)
        return replace(request, policy=request.policy.model_copy(update={"models": models}))

    def notes(self, request: PolicyRequest) -> Iterator[str]:
        """What -k means with a world."""
        asked = [model for model in request.policy.models if "world" in model.requires]
        if self.worlds and not request.filed and asked:
            yield (
                f"k = {asked[0].threshold:g} counts people of the world (k-map), not of the table "
                "(k-anonymity): a record may be alone in its class"
            )
