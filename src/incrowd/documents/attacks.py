"""Attacks for people at a terminal and for other programs. Nothing is computed here."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.words import counted, number, printable

if TYPE_CHECKING:
    from incrowd.attacks import Attack, Attacked

_SHOWN = 20
"""Attacks that a terminal shows."""
_GOOD, _BAD = "green", "bold red"
_HEADS = (
    "attack",
    "knows",
    "right",
    "95 % interval",
    "by guessing",
    "gain",
    "largest chance",
    "people found",
)


def attack_document(found: "Attacked") -> dict[str, Any]:
    """`incrowd.attack/1`: what attackers get right."""
    return found.as_dict()


def attack_picture(found: "Attacked") -> RenderableType:
    """What attackers get right, the worst of each kind in words."""
    parts: list[RenderableType] = [*_verdict(found), *map(_text, _crowds(found))]
    parts += [Text(), _table(found)] if parts else [_table(found)]
    more = len(found.attacks) - _SHOWN
    if more > 0:
        parts.append(_text(f"{more:,} more with a smaller gain; --json has them all."))
    for attack in _worst(found).values():
        parts += [Text(), _text(" ".join((attack.says, *_people(attack))))]
    if found.advice:
        parts += [Text(), *(_text(f"- {_sentence(line)}") for line in found.advice)]
    return Group(*parts)


def _verdict(found: "Attacked") -> list[RenderableType]:
    if found.ok:
        return [Text("No limit is broken.", style=_GOOD), *map(_text, _limits(found))]
    head = f"{counted(len(found.broken), 'limit is', 'limits are')} broken."
    return [Text(head, style=_BAD), *(_text(f"- {_sentence(line)}") for line in found.broken)]


def _limits(found: "Attacked") -> Iterator[str]:
    """What was held against the attacks."""
    limits = found.limits
    if limits.get("max_posterior") is not None:
        most = limits.get("max_people") or 0
        who = "Nobody is" if not most else f"At most {counted(most, 'person is', 'people are')}"
        chance = number(limits["max_posterior"])
        yield f"{who} found, or their value learned, with a chance above {chance}."
    if limits.get("max_success") is not None:
        yield f"No attack gains more than {number(limits['max_success'])} on the average."
    if limits.get("max_raise") is not None:
        yield f"Nobody's chance rises by more than {number(limits['max_raise'])} of what was open."


def _people(attack: "Attack") -> Iterator[str]:
    """What an attack does to single people, in sentences."""
    persons = attack.persons
    if persons is None or not persons.largest or attack.claims:
        return
    who = f"a group of {number(persons.worst)}" if persons.worst > 1 else "one person"
    most = "at most " if attack.bound else ""
    chance = f"{most}{_share(persons.largest)} ({who})"
    yield f"The largest chance to be right about anybody is {chance}."
    above = counted(round(persons.above), "person", "people")
    if persons.above:
        yield f"The release lifts it above {number(persons.limit)} for {above}."


def _crowds(found: "Attacked") -> Iterator[str]:
    """Among how many people a row hides: in this world, in every one, by what is promised."""
    if found.inconsistent is not None:
        yield f"k against the world: {number(found.k_world)}."
    if found.inconsistent:
        rows = counted(found.inconsistent, "released row fits", "released rows fit")
        yield f"{rows} nobody of the world: these people are not in it, or are spelled differently."
    if found.k_with_release is not None and found.k_with_release != found.k_world:
        least = number(found.k_with_release)
        yield f"k with the people of the release, whom the world lacks in part: {least}."
    if found.k_every_world is not None:
        yield f"k whatever table somebody holds: {number(found.k_every_world)}."
    if found.proved is not None and found.proved.by is not None:
        told = ", ".join(found.proved.by.columns)
        yield f"k by what is promised of {told}: {number(found.proved.k)}."
    elif found.proved is not None:
        yield "What is promised proves nothing here."


def _table(found: "Attacked") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in _HEADS:
        table.add_column(head, header_style="bold", overflow="fold")
    shown = sorted(found.attacks, key=lambda one: -one.gain)[:_SHOWN]
    for one in [attack for attack in found.attacks if attack in shown]:
        table.add_row(_text(one.goal), _text(", ".join(one.knows)), *_figures(one))
    return table


def _figures(one: "Attack") -> tuple[str, ...]:
    """The figures of an attack; an upper bound is marked as one."""
    low, high = one.interval
    most = "at most " if one.bound and one.success else ""
    persons = one.persons
    return (
        f"{most}{_share(one.success)}" if one.trials else "nobody",
        f"{_share(low)} to {_share(high)}" if one.trials else "",
        _share(one.baseline),
        _share(one.gain),
        "" if persons is None or not one.trials else _share(persons.largest),
        "" if persons is None else number(round(persons.above)),
    )


def _worst(found: "Attacked") -> dict[str, "Attack"]:
    """Of each goal, the attack that gains most."""
    worst: dict[str, Attack] = {}
    for attack in found.attacks:
        if attack.goal not in worst or attack.gain > worst[attack.goal].gain:
            worst[attack.goal] = attack
    return worst


def _share(value: float) -> str:
    return f"{value:.4f}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _text(text: str) -> Text:
    return Text(printable(text))
