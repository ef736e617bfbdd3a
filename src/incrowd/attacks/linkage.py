"""Linkage: whoever holds a named list, a *world*, looks up who fits a row (Bettini Section 3)."""

from dataclasses import replace

import numpy as np

from incrowd.arrays import Flags, Floats
from incrowd.attacks.attack import (
    Attack,
    columns_phrase,
    part_phrase,
    people_phrase,
    rows_phrase,
    share_phrase,
)
from incrowd.attacks.rates import PersonRisk, Rate
from incrowd.linkage.attack_data import LIMIT
from incrowd.linkage.world_linkage import RowCandidates


def linkage(candidates: RowCandidates, limit: float = LIMIT) -> Attack:
    """Play linkage: how often a random candidate of a row is the right person.

    Without the truth this is the most that it can be: as many people as possible are assumed to be
    in the world. The baseline is to draw from the whole world, where people outside it cannot be
    drawn. A chance above `limit` counts as found. If some people cannot be in the world and nothing
    says who is, the rate is only a bound and no limit applies to it.
    """
    total = len(candidates.number)
    chances = candidates.chances
    rate = Rate.of_classes(chances, candidates.sizes, fixed=candidates.fixed)
    known = candidates.right is not None or candidates.listed is not None
    listed = candidates.listed
    if listed is None:  # the most that can be
        listed = float(candidates.most_listed.sum()) / max(total, 1)
    baseline = listed / candidates.individuals if candidates.individuals else 0.0
    single: Flags = candidates.number == 1  # and the right person, if the truth is known
    alone = int((single if candidates.right is None else single & candidates.right).sum())
    return Attack(
        kind="linkage",
        outsider=True,
        knows=candidates.knows,
        rate=rate,
        baseline=baseline,
        says=(
            f"Somebody holds a list of {people_phrase(candidates.individuals)} with "
            f"{columns_phrase(candidates.knows)}, and looks up who fits each released row. "
            f"{_listed_sentence(candidates, listed)} "
            f"{_fewest_sentence(candidates, alone)} {_draw_sentence(candidates, rate.success)}"
        ),
        figures=_linkage_figures(candidates, (alone / max(total, 1), listed)),
        persons=_person_risk(candidates, baseline, limit),
        gated=known or not candidates.unlisted,
        lacks=(
            f"no limit applies to linkage: at least {candidates.unlisted:,} of the released people "
            "are not on the list, and nothing says who is: give --truth, or the --original with "
            "the id column, or the share of them that is listed (--listed; 1 is the worst case)"
        ),
        bound=candidates.right is None,
    )


def _person_risk(candidates: RowCandidates, before: float, limit: float) -> PersonRisk:
    """The worst for single people, an upper bound without truth; `before` is a guess's chance."""
    if candidates.right is None:
        among = np.maximum(candidates.fitting, candidates.sizes if candidates.one_each else 1)
        some: Flags = (candidates.fitting > 0) & (candidates.listed != 0)
        chance: Floats = np.where(some, 1 / np.maximum(among, 1), 0.0)
        worst = PersonRisk.of(chance, before, candidates.sizes, limit)
        return replace(worst, above=min(worst.above, float(candidates.most_listed.sum())))
    right = np.bincount(candidates.classes, weights=candidates.right & (candidates.number > 0))
    return PersonRisk.of(1 / np.maximum(candidates.fitting, 1), before, right, limit)


def _listed_sentence(candidates: RowCandidates, listed: float) -> str:
    """How many of the released people are on the list, as a sentence."""
    if candidates.listed is not None:
        some = (
            f"{share_phrase(listed)} of the"
            if 0 < listed < 1
            else ("All" if listed else "None of the")
        )
        if candidates.listed_at_most:
            some = f"At most {some[:1].lower()}{some[1:]}"
        return f"{some} released people are on the list."
    if candidates.unlisted:
        return (
            f"At most {share_phrase(listed)} of the released people can be on the list; nothing "
            "given here says who is."
        )
    return "All released people may be on the list, and are taken to be."


def _fewest_sentence(candidates: RowCandidates, alone: int) -> str:
    """How few people a row fits, and how many rows fit one only, as a sentence."""
    if candidates.k is None:
        return "No row fits anybody."
    sure = "" if candidates.right is None else ", the right one"
    return (
        f"The row with the fewest fits {people_phrase(candidates.k)}; {alone:,} of "
        f"{rows_phrase(len(candidates.number))} fit one person only{sure}."
    )


def _draw_sentence(candidates: RowCandidates, success: float) -> str:
    """How often a draw is right, of all released rows, listed or not, as a sentence."""
    rows_named = part_phrase(success, "all released rows")
    if candidates.right is None and success:
        rows_named = f"at most {share_phrase(success)} of all released rows"
    return f"Drawing one of those who fit names the right person for {rows_named}."


def _linkage_figures(candidates: RowCandidates, shares: tuple[float, float]) -> dict[str, float]:
    """What else was counted; `shares` are (rows that fit one person, released people listed)."""
    total = max(len(candidates.number), 1)
    alone, listed = shares
    figures: dict[str, float] = {"inconsistent": candidates.inconsistent, "listed": listed}
    if candidates.k is not None:
        figures = {"k": candidates.k, **figures}
    if candidates.right is None:
        return {**figures, "alone": alone, "unlisted": candidates.unlisted}
    return {**figures, "right_alone": alone, "right": float(candidates.right.sum()) / total}
