"""Small groups of people for those at a terminal and for other programs. Nothing is computed."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.words import counted, number, printable

if TYPE_CHECKING:
    from incrowd.identify.outcome import Groups

_SHOWN = 20
"""Sets that a terminal shows."""


def groups_document(found: "Groups") -> dict[str, Any]:
    """`incrowd.groups/1`: which sets of columns name groups of few people."""
    return {"schema": "incrowd.groups/1", **asdict(found)}


def groups_picture(found: "Groups") -> RenderableType:
    """Which sets of columns name groups of few people."""
    people = counted(found.people, "person", "people")
    size = counted(found.k, "person", "people")
    sets = counted(len(found.sets), "minimal set")
    head = f"{people}: {sets} of columns found with values that name at most {size}."
    safe = "" if found.partial else "green"
    parts: list[RenderableType] = [Text(head, style="bold red" if found.sets else safe)]
    if found.partial:
        parts.append(Text("PARTIAL: not all sets were looked at; there may be more."))
    if found.sets:
        parts += [Text(), _table(found)]
    if len(found.sets) > _SHOWN:
        parts.append(Text(f"and {len(found.sets) - _SHOWN:,} more; --json lists them", "dim"))
    return Group(*parts)


def _table(found: "Groups") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("columns", header_style="bold", overflow="fold")
    table.add_column("people of the smallest group", header_style="bold")
    for one in found.sets[:_SHOWN]:
        table.add_row(Text(printable(" + ".join(one.columns))), number(one.smallest))
    return table
