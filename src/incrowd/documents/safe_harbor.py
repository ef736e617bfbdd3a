"""The checklist of Safe Harbor for people at a terminal. No cell is shown."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.words import counted, printable

if TYPE_CHECKING:
    from incrowd.pii import Checklist, IdentifierCheck

_STYLES = {"pass": "green", "fail": "bold red", "unseen": "yellow"}
_WORDS = {"pass": "pass", "fail": "FAIL", "unseen": "look"}
_KNOWLEDGE = (
    "It also asks that you know of no other way to identify a person in the table; that, and what "
    "is marked 'look', no program can see."
)


def safe_harbor_picture(found: "Checklist") -> RenderableType:
    """Whether anything speaks against Safe Harbor, identifier by identifier."""
    failing = sum(check.status == "fail" for check in found.checks)
    head = Text("Nothing was found that Safe Harbor forbids.", style="green")
    if failing:
        many = counted(failing, "identifier", "identifiers")
        head = Text(f"The table is NOT de-identified by Safe Harbor: it holds {many}.")
        head.stylize("bold red")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("", "identifier", "", "why"):
        table.add_column(title, header_style="bold", overflow="fold")
    for check in found.checks:
        word = Text(_WORDS[check.status], style=_STYLES[check.status])
        table.add_row(check.letter, check.identifier.title, word, _why(check))
    year = Text(f"Ages are counted in {found.today}.", style="dim")
    return Group(head, Text(), table, Text(), Text(_KNOWLEDGE), year)


def _why(check: "IdentifierCheck") -> Text:
    lines = [f"{found.column}: {found.why}" for found in check.columns]
    return Text(printable("\n".join(lines or [check.note])))
