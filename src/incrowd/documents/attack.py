"""Attacks as people read them. Nothing is computed here."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table

from incrowd.documents.words import (
    BAD,
    GOOD,
    SHOWN,
    counted,
    line,
    lines,
    number,
    sentence,
    spaced,
    table,
)

if TYPE_CHECKING:
    from incrowd.attacks import Attack, Attacked

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


def attack_text(found: "Attacked") -> RenderableType:
    """What attackers get right, the worst attack of each kind in words."""
    parts: list[RenderableType] = [*_verdict(found), *lines(_candidates(found)), _attacks(found)]
    more = len(found.attacks) - SHOWN
    if more > 0:
        parts.append(line(f"{more:,} more gain less; --json has them all."))
    for attack in _worst(found).values():
        parts += [line(""), line(" ".join((attack.says, *_people(attack))))]
    if found.advice:
        parts += [line(""), *lines(f"- {sentence(text)}" for text in found.advice)]
    return spaced(parts[0], *parts[1:])


def _verdict(found: "Attacked") -> list[RenderableType]:
    if found.ok:
        return [line("No limit is broken.", GOOD), *lines(_limits(found))]
    head = f"{counted(len(found.broken), 'limit is', 'limits are')} broken."
    return [line(head, BAD), *lines(f"- {sentence(text)}" for text in found.broken)]


def _limits(found: "Attacked") -> Iterator[str]:
    """The limits that the attacks keep."""
    limits = found.limits
    if limits.get("max_posterior") is not None:
        most = limits.get("max_people") or 0
        who = "Nobody is" if not most else f"At most {counted(most, 'person is', 'people are')}"
        chance = number(limits["max_posterior"])
        yield f"{who} found, or their value learned, with a chance above {chance}."
    if limits.get("max_success") is not None:
        yield f"No attack gains more than {number(limits['max_success'])} on average."
    if limits.get("max_raise") is not None:
        yield f"Nobody's chance rises by more than {number(limits['max_raise'])} of what was open."


def _people(attack: "Attack") -> Iterator[str]:
    """What an attack does to single people, in sentences."""
    persons = attack.persons
    if persons is None or not persons.largest or attack.claims:
        return
    who = f"a group of {number(persons.worst)}" if persons.worst > 1 else "one person"
    most = "at most " if attack.bound else ""
    chance = f"{most}{_chance(persons.largest)} ({who})"
    yield f"The largest chance to be right about anybody is {chance}."
    if persons.above:
        above = counted(round(persons.above), "person", "people")
        yield f"The release lifts it above {number(persons.limit)} for {above}."


def _candidates(found: "Attacked") -> Iterator[str]:
    """How many people a released row may be: in this world, in every world, by promises."""
    if found.inconsistent is not None:
        yield f"k in the world: {number(found.k_world)}."
    if found.inconsistent:
        rows = counted(found.inconsistent, "released row matches", "released rows match")
        yield f"{rows} nobody in the world: these people are not in it, or are spelled differently."
    if found.k_with_release is not None and found.k_with_release != found.k_world:
        least = number(found.k_with_release)
        yield f"k in the world and the release together, as the world lacks some people: {least}."
    if found.k_every_world is not None:
        yield f"k in every world, whatever table somebody has: {number(found.k_every_world)}."
    if found.proved is not None and found.proved.by is not None:
        names = ", ".join(found.proved.by.columns)
        yield f"k by the promise about {names}: {number(found.proved.k)}."
    elif found.proved is not None:
        yield "The promises prove nothing here."


def _attacks(found: "Attacked") -> Table:
    made = table(*_HEADS)
    shown = sorted(found.attacks, key=lambda one: -one.gain)[:SHOWN]
    for one in [attack for attack in found.attacks if attack in shown]:
        made.add_row(line(one.goal), line(", ".join(one.knows)), *_figures(one))
    return made


def _figures(one: "Attack") -> tuple[str, ...]:
    """The figures of an attack; an upper bound is marked as one."""
    low, high = one.interval
    most = "at most " if one.bound and one.success else ""
    persons = one.persons
    return (
        f"{most}{_chance(one.success)}" if one.trials else "nobody",
        f"{_chance(low)} to {_chance(high)}" if one.trials else "",
        _chance(one.baseline),
        _chance(one.gain),
        "" if persons is None or not one.trials else _chance(persons.largest),
        "" if persons is None else number(round(persons.above)),
    )


def _worst(found: "Attacked") -> dict[str, "Attack"]:
    """Of each goal, the attack that gains most."""
    worst: dict[str, Attack] = {}
    for attack in found.attacks:
        if attack.goal not in worst or attack.gain > worst[attack.goal].gain:
            worst[attack.goal] = attack
    return worst


def _chance(value: float) -> str:
    return f"{value:.4f}"
