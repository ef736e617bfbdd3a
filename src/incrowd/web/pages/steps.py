"""The seven steps from a table to a checked release: their names, paths and sentences."""

from dataclasses import dataclass
from typing import Literal

State = Literal["open", "done", "attention"]


@dataclass(frozen=True)
class Step:
    """A page of the path, with the sentence that says what to do there."""

    name: str
    path: str
    sentence: str


TABLE = Step("Table", "/", "Choose a table and see what its columns hold.")
ROLES = Step("Roles", "/roles", "Say what each column is. The draft guessed; you know better.")
HIERARCHIES = Step(
    "Hierarchies", "/hierarchies", "Decide how the values of each column become coarser."
)
PROMISE = Step("Promise", "/promise", "Choose what the release promises to the people in it.")
SEARCH = Step("Search", "/search", "See what each promise costs, and choose the point you want.")
RELEASE = Step("Release", "/release", "Make the release. It leaves only if it keeps the promise.")
CHECK = Step("Check", "/check", "Check a release with its certificate, yours or anybody's.")
STEPS = (TABLE, ROLES, HIERARCHIES, PROMISE, SEARCH, RELEASE, CHECK)
