"""Attacks as people read them. Nothing is computed here."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table

from incrowd.documents.words import (
    BAD,
    GOOD,
    SHOWN,
    hint,
    line,
    lines,
    list_columns,
    number,
    percent,
    quantity,
    rate,
    share,
    stack,
    table,
)
from incrowd.errors import sentence

if TYPE_CHECKING:
    from rich.text import Text

    from incrowd.attacks import Attack, Attacked

_FAR, _BARELY = 0.5, 0.01
"""Gains over guessing from which an attack is far better, and below which it is barely better."""
_HEADS = ("attack", "right (95 % interval)", "guess", "verdict")
_BROKEN = 5
"""Broken limits that a terminal shows without `details`."""


def attack_text(found: "Attacked", *, details: bool = False) -> RenderableType:
    """Say whether attacks break a limit; list the worst of each kind, or all with `details`."""
    worst = sort_by_harm(tuple(_worst_by_goal(found).values()))
    parts: list[RenderableType] = [_headline(found, worst), *_broken_limits(found, details=details)]
    shown = sort_by_harm(found.attacks)[:SHOWN] if details else worst
    if shown:
        parts.append(_attacks_table(shown, details=details))
    parts += lines(_candidate_sentences(found))
    if details:
        return stack(*parts, *_attacker_lines(found, worst))
    parts += lines(sentence(text) for text in found.advice[:1])
    return stack(*parts, *([hint("what each attacker knows and does")] if shown else []))


def sort_by_harm(attacks: "tuple[Attack, ...]") -> "list[Attack]":
    """Sort attacks by harm: people found, then the gain over guessing, then the rate."""
    return sorted(attacks, key=lambda one: (-_people_above_limit(one), -one.gain, -one.success))


def _people_above_limit(attack: "Attack") -> float:
    """How many people the attack lifts above the limit; 0 if not counted or if it may be luck."""
    return 0.0 if attack.persons is None or attack.claims else attack.persons.above


def _headline(found: "Attacked", worst: "list[Attack]") -> "Text":
    """The headline: how many limits are broken, or which limits hold for how many attacks."""
    if not found.ok:
        return line(f"{quantity(len(found.broken), 'limit is', 'limits are')} broken.", BAD)
    tried = [attack for attack in worst if attack.trials]
    if not tried:
        return line("No limit is broken, and there was nobody to attack.")
    kinds = f"{quantity(len(tried), 'kind')} of attack"
    return line(" ".join((f"No limit is broken by {kinds}.", *_kept_limits(found))), GOOD)


def _broken_limits(found: "Attacked", *, details: bool) -> Iterator[RenderableType]:
    """Yield the broken limits, without `details` the first few and how many more."""
    most = len(found.broken) if details else _BROKEN
    yield from lines(f"- {sentence(text)}" for text in found.broken[:most])
    if len(found.broken) > most:
        yield hint(quantity(len(found.broken) - most, "more broken limit"))


def _kept_limits(found: "Attacked") -> Iterator[str]:
    """Yield a sentence for each limit that was set, as all of them hold."""
    limits = found.limits
    if (posterior := limits.get("max_posterior")) is not None:
        most = limits.get("max_people") or 0
        who = "Nobody is" if not most else f"At most {quantity(most, 'person is', 'people are')}"
        yield f"{who} found, or their value learned, with a chance above {percent(posterior)}."
    if (success := limits.get("max_success")) is not None:
        yield f"No attack gains more than {percent(success)} on average."
    if (rise := limits.get("max_raise")) is not None:
        yield f"Nobody's chance rises by more than {percent(rise)} of what was open."


def _attacks_table(shown: "list[Attack]", *, details: bool) -> Table:
    """Make a table with a line for each attack; with `details` what it knows, too."""
    made = table(_HEADS[0], *(["knows"] if details else []), *_HEADS[1:])
    for one in shown:
        knows = [line(list_columns(one.knows))] if details else []
        right = rate(one.success, one.interval) if one.trials else "nobody to attack"
        most = "at most " if one.bound and one.success else ""
        verdict, style = judgement_of(one)
        made.add_row(
            line(one.goal), *knows, f"{most}{right}", share(one.baseline), line(verdict, style)
        )
    return made


def judgement_of(one: "Attack") -> tuple[str, str]:
    """Return words on the number of people found, or how far guessing is beaten, and a style."""
    if not one.trials:
        return "not tested", ""
    if people := round(_people_above_limit(one)):
        return f"right about {quantity(people, 'person', 'people')}", BAD
    if not one.gain:
        return "no better than guessing", GOOD
    if one.interval[0] <= one.baseline:
        return "not clearly better", GOOD
    if one.gain < _BARELY:
        return "barely better", ""
    return ("far better", BAD) if one.gain >= _FAR else ("better than guessing", "")


def _attacker_lines(found: "Attacked", worst: "list[Attack]") -> Iterator[RenderableType]:
    """Yield how many attacks are not shown, what each attacker does, and all advice."""
    hidden = len(found.attacks) - SHOWN
    if hidden > 0:
        yield line(f"{hidden:,} more do less harm; --json has them all.")
    for attack in worst:
        yield line("")
        yield line(" ".join((attack.says, *_people_sentences(attack))))
    if found.advice:
        yield line("")
        yield from lines(f"- {sentence(text)}" for text in found.advice)


def _people_sentences(attack: "Attack") -> Iterator[str]:
    """Yield the largest chance to be right about anybody, and how many are above the limit.

    Nothing if chances were not counted, if nobody has one, or if luck may explain the rate.
    """
    persons = attack.persons
    if persons is None or not persons.largest or attack.claims:
        return
    who = f"a group of {number(persons.worst)}" if persons.worst > 1 else "one person"
    most = "at most " if attack.bound else ""
    chance = f"{most}{share(persons.largest)} ({who})"
    yield f"The largest chance to be right about anybody is {chance}."
    if persons.above:
        above = quantity(round(persons.above), "person", "people")
        yield f"The release lifts it above {percent(persons.limit)} for {above}."


def _matching_words(found: "Attacked") -> str:
    """The end of a sentence on k in the world: k after matching; empty if the same or unknown."""
    if found.k_matched is None or found.k_matched == found.k_world:
        return ""
    left = number(found.k_matched)
    return f" by containment, and {left} after matching, as every row is a different person"


def _candidate_sentences(found: "Attacked") -> Iterator[str]:
    """Yield how many people a row may be: in this world, in every world, by promises."""
    if found.inconsistent is not None:
        yield f"k in the world: {number(found.k_world)}{_matching_words(found)}."
    if found.inconsistent:
        rows = quantity(found.inconsistent, "released row matches", "released rows match")
        yield f"{rows} nobody in the world: these people are not in it, or are spelled differently."
    if found.k_with_release is not None and found.k_with_release != found.k_world:
        least = number(found.k_with_release)
        yield f"k in the world and the release together, as the world lacks some people: {least}."
    if found.k_every_world is not None:
        yield f"k in every world, whatever table somebody has: {number(found.k_every_world)}."
    if found.proved is not None and found.proved.by is not None:
        known = ", ".join(found.proved.by.columns)
        yield f"k by the promise about {known}: {number(found.proved.k)}."
    elif found.proved is not None:
        yield "The promises prove nothing here."


def _worst_by_goal(found: "Attacked") -> dict[str, "Attack"]:
    """The most harmful attack of each goal, by goal, the most harmful first."""
    worst: dict[str, Attack] = {}
    for attack in sort_by_harm(found.attacks):
        worst.setdefault(attack.goal, attack)
    return worst
