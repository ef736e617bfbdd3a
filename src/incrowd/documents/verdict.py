"""The one verdict on a release: promises, attacks and warnings together, the worst first.

Reports and the page say it in the same words. It says no more than was shown: promises that are
kept are no proof against attacks that nobody played.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from incrowd.verify.alone import Alone

Tone: TypeAlias = Literal["good", "warn", "bad"]

UNCHECKED = "The release could not be checked: do not publish it on this report."
BROKEN = "The release does NOT keep its policy."
NOT_PASSED = "The models are met, but the release does not pass its check: see below."
ATTACKED = (
    "The release keeps its policy, but an attack on it succeeds: read Attacks before you publish."
)
UNTESTED = "The release keeps its policy. Whether attacks on it succeed is not known."
WARNED = "The release keeps its policy. Read the warnings before you publish."
KEPT = "The release keeps its policy."


@dataclass(frozen=True, kw_only=True)
class AttackOutcome:
    """What attacks on a release came to."""

    broken: int
    """Limits that they break."""
    goals: tuple[str, ...] = ()
    """What the attackers who break them are after."""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What is known about a release."""

    promises: tuple[str, ...]
    """A sentence for each promise that is kept; if one is broken, for those that are broken."""
    kept: bool = True
    models_met: bool = True
    """Whether every model is met; something else may stand in the way."""
    first: tuple[str, ...] = ()
    """What is said before all else: whom columns that leave unchanged single out."""
    attacks: AttackOutcome | None = None
    """None if no attack was played."""
    warnings: tuple[str, ...] = ()
    """What to think about before it is published."""
    notes: tuple[str, ...] = ()
    """What is good to know."""


@dataclass(frozen=True)
class ReleaseVerdict:
    """How good a release is, in sentences; the first is the headline."""

    tone: Tone
    sentences: tuple[str, ...]


def check_sentence(*, kept: bool, models_met: bool) -> str:
    """Say whether a release passes its check; if not, whether its models are to blame."""
    if kept:
        return KEPT
    return NOT_PASSED if models_met else BROKEN


def alone_sentences(alone: "Alone | None") -> tuple[str, ...]:
    """The sentence on people whom unchanged columns single out; none without such columns."""
    return () if alone is None else (alone.sentence,)


def release_verdict(found: Findings) -> ReleaseVerdict:
    """Judge a release by all that is known about it: one verdict, the worst first.

    >>> release_verdict(Findings(promises=(), attacks=AttackOutcome(broken=1))).tone
    'warn'
    """
    if not found.kept:
        head = check_sentence(kept=False, models_met=found.models_met)
        end = "Do not publish it as it is."
        said = (*found.first, *found.promises, end, *found.warnings, *found.notes)
        return ReleaseVerdict("bad", (head, *said))
    head, tone = _headline(found)
    attacks = tuple(_attack_sentences(found.attacks))
    said = (*found.first, *attacks, *found.warnings, *found.promises, *found.notes)
    return ReleaseVerdict(tone, (head, *said))


def _headline(found: Findings) -> tuple[str, Tone]:
    """Return the headline of a release that keeps its policy, and its tone."""
    if found.attacks is not None and found.attacks.broken:
        return ATTACKED, "warn"
    if found.attacks is None:
        return UNTESTED, "warn"
    return (WARNED, "warn") if found.warnings else (KEPT, "good")


def _attack_sentences(attacks: AttackOutcome | None) -> Iterator[str]:
    """Yield what attacks came to; nothing if none were played or no goal is named."""
    if attacks is None:
        return
    if not attacks.broken:
        yield "No attack that was played on it breaks a limit."
    elif attacks.goals:
        yield f"What succeeds: {', '.join(attacks.goals)}."
