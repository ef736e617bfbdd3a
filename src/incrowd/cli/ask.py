"""`incrowd init --ask`: the draft column by column, as a conversation.

Questions go to standard error and answers come from standard input, so it works on any terminal
and through a pipe. Enter takes the draft, `?` explains, `q` stops.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from incrowd.documents.words import printable_text
from incrowd.policy.draft_answers import CHOICES, ColumnAnswer, role_of

if TYPE_CHECKING:
    from incrowd.policy.draft import Draft
    from incrowd.table.column import Role

STOPS = frozenset(("q", "quit", "stop"))
_HOW = (
    "Enter takes what stands in brackets, ? explains, q stops without writing. Roles: "
    + ", ".join(CHOICES)
    + " (their first letters are enough: qu, s, i)."
)

Say = Callable[[str], None]
Hear = Callable[[], str | None]
"""The next answer; None if there is none any more."""
Explain = Callable[[str], str]
"""What is known of the column of this name, as text."""


def ask_about_columns(
    draft: "Draft", say: Say, hear: Hear, explain: Explain
) -> dict[str, ColumnAnswer] | None:
    """Ask about each column; return the answers by column, None if somebody stopped."""
    say(_HOW + "\n")
    answers: dict[str, ColumnAnswer] = {}
    names = list(draft.policy.columns)
    for place, name in enumerate(names, start=1):
        say(f"\n{place} of {len(names)}  {printable_text(name)}: {draft.reasons[name]}\n")
        found = _ask_about_column(draft, name, say, hear, explain)
        if found is None:
            return None
        answers[name] = found
    return answers


def _ask_about_column(
    draft: "Draft", name: str, say: Say, hear: Hear, explain: Explain
) -> ColumnAnswer | None:
    """Ask what a column is; return the answer, None if somebody stopped."""
    default = draft.policy.columns[name].role
    offered = name in draft.offers and default.value != "weight"
    choice = "role, or b for bands" if offered else "role"
    while True:
        said = _hear_answer(f"  {choice} [{default.value}]: ", say, hear)
        if said is None:
            return None
        if said == "?":
            say(explain(name))
        elif offered and said in {"b", "bands"}:
            return ColumnAnswer(default, bands=True)
        elif (role := default if not said else role_of(said)) is not None:
            return _ask_about_marks(draft, name, role, say, hear)
        else:
            say(f"  That is no role; it is one of {', '.join(CHOICES)}.\n")


def _ask_about_marks(
    draft: "Draft", name: str, role: "Role", say: Say, hear: Hear
) -> ColumnAnswer | None:
    """The answer with this role; if marks of missing values were found, ask; None if stopped."""
    answer = ColumnAnswer(CHOICES[str(role)])
    if name not in draft.missing:
        return answer
    say(f"  {draft.missing_reasons[name]}.\n")
    said = _hear_answer("  read as missing [yes]: ", say, hear)
    if said is None:
        return None
    return ColumnAnswer(answer.role, reads_missing=not said.startswith("n"))


def _hear_answer(question: str, say: Say, hear: Hear) -> str | None:
    """Hear an answer, in lower case; None if somebody stops or nothing comes any more."""
    say(question)
    said = hear()
    if said is None:
        return None
    plain = said.strip().casefold()
    return None if plain in STOPS else plain
