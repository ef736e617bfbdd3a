"""`incrowd attack`: what somebody with other tables learns from a release."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

from incrowd import api
from incrowd.cli import next_command, options, sources
from incrowd.cli.asks import asks
from incrowd.cli.output import Output, show_progress
from incrowd.documents import attack as texts
from incrowd.errors import NotMetError, PolicyError
from incrowd.io import reading as readers
from incrowd.linkage import identify
from incrowd.requests.attack import KNOWS, AttackRequest
from incrowd.requests.kinds import OptionKind
from incrowd.requests.shared import HierarchyFolder, HierarchyOf

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy
    from incrowd.linkage.identify import AtLeast


@asks(AttackRequest, beside={"rename": ("promise",), "certificate": ("hierarchy",)})
def attack(
    asked: dict[str, Any],
    *,
    promise: Annotated[
        list[str] | None,
        OptionKind("COLUMNS=PEOPLE", form="repeated"),
        KNOWS,
        "What holds in every world: zip,sex=500 says that at least 500 people share any values of "
        "these columns. Repeat it.",
    ] = None,
    hierarchy: HierarchyOf = None,
    hierarchies: HierarchyFolder = None,
    output: Output,
) -> int:
    """Attack a release with what somebody may have or know.

    Example: incrowd attack release.csv --policy policy.toml --world voters.csv --world-id ssn
    """
    file = asked["release"]
    with show_progress(output, "attack") as bar, ExitStack() as stack:
        policy = sources.read_policy(asked)
        columns = () if policy is None else policy.columns
        named = (*asked["knows"], *asked["sensitive"], *columns)
        beside = (asked["original"], asked["truth"], asked["control"], asked["other"])
        others = [one for one in (*beside, *(asked["world"] or ())) if one]
        reading, before = sources.split_reading(asked["reading"], next(iter(others), None))
        table = stack.enter_context(readers.open_table(file, reading, named, watch=bar.watch))
        asked |= {"release": table, "reading": None, "original_reading": before}
        found = api.attack(
            **asked,
            promises=_promises_of(promise),
            hierarchies=_hierarchies_by_column(hierarchy, hierarchies, table.names),
            watch=bar.watch,
        )
    output.show_notes(found.notes)
    output.show_result(
        found.as_dict,
        lambda: texts.attack_text(found, details=output.details),
        lambda: next_command.command_after_attack(file, found),
    )
    return 0 if found.ok else NotMetError.exit_code


def _hierarchies_by_column(
    texts: Sequence[str] | None, folder: str | None, names: Sequence[str]
) -> "dict[str, AnyHierarchy]":
    """Read the hierarchies of labels; refuse one of a column that is not among `names`."""
    found = sources.read_hierarchies(texts, folder, names)
    for name in found:
        if name not in names:
            raise PolicyError(
                f"the release has no column {name!r}", remedy="it has: " + ", ".join(names)
            )
    return found


def _promises_of(texts: Iterable[str] | None) -> "tuple[AtLeast, ...]":
    """Read the promises about a world from COLUMNS=PEOPLE; refuse other texts.

    >>> _promises_of(["zip,sex=500"])
    (AtLeast(columns=('zip', 'sex'), people=500),)
    """
    found = []
    for text in texts or ():
        names, _, people = text.rpartition("=")
        some = options.read_columns([names])
        if not some or not people.isdecimal() or int(people) < 1:
            raise PolicyError(
                "--promise takes COLUMNS=PEOPLE", remedy="write, for example, --promise zip,sex=500"
            )
        found.append(identify.AtLeast(some, int(people)))
    return tuple(found)
