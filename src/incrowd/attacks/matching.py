"""Matching: who of a world a row may be if every row is somebody else's (Bettini Definition 7).

The attacker of linkage also knows that all released people are on the list and that no two rows are
about one person. People whom a row fits, but whom another row needs, are then ruled out.
"""

from dataclasses import dataclass, replace

from incrowd.attacks.attack import Attack, columns_phrase, part_phrase, people_phrase, rows_phrase
from incrowd.attacks.linkage import linkage
from incrowd.linkage.attack_data import LIMIT
from incrowd.linkage.concealment import Concealed, count_after_matching
from incrowd.linkage.tables import AttackTables
from incrowd.linkage.world_linkage import RowCandidates

_TOO_MANY = (
    "candidates after matching were not counted: there are too many pairs of rows and people"
)
_TOO_FEW = (
    "candidates after matching were not counted: the world has too few people who fit for every "
    "row to be a different one of them (it is not individualized consistent, Bettini Definition 7)"
)


@dataclass(frozen=True, eq=False)
class MatchingPlayed:
    """The attack by matching, or why it was not played."""

    attack: Attack | None = None
    k: int | None = None
    """The fewest people that are left for a row; None if it was not counted."""
    notes: tuple[str, ...] = ()


def play_matching(tables: AttackTables) -> MatchingPlayed:
    """Play matching with the world of these tables, or say in a note why it cannot be played."""
    if why := _reason_not_played(tables):
        return MatchingPlayed(notes=(why,))
    pairs = tables.linked_world.pairs
    concealed = None if pairs is None else count_after_matching(pairs)
    if pairs is None or concealed is None:
        return MatchingPlayed(notes=(_TOO_MANY,))
    after = tables.linked_world.candidates_after_matching(concealed)
    if after is None:
        return MatchingPlayed(notes=(_TOO_FEW,))
    known = _count_for_insiders(tables)
    before = tables.linked_world.candidates()
    attack = matching_attack(
        before, after, None if known is None else known.k, tables.knowledge.limit
    )
    return MatchingPlayed(attack, concealed.k)


def _reason_not_played(tables: AttackTables) -> str:
    """The note why matching says nothing about these tables; empty if it does."""
    linked = tables.linked_world
    if not tables.knowledge.one_each:
        return "candidates after matching were not counted: people may have several rows"
    listed = linked.candidates().listed
    if listed is not None and listed < 1:
        return "candidates after matching were not counted: not all released people are on the list"
    right = linked.candidates().right
    return _TOO_FEW if right is not None and not right.all() else ""


def _count_for_insiders(tables: AttackTables) -> Concealed | None:
    """Count whom matching leaves if one knows who is in the table; None if unknown or too many."""
    membership, pairs = tables.membership, tables.linked_world.pairs
    if not membership.known or membership.inside is None or pairs is None:
        return None
    return count_after_matching(pairs.keep_people(membership.inside))


def matching_attack(
    before: RowCandidates, after: RowCandidates, k_known: int | None = None, limit: float = LIMIT
) -> Attack:
    """The attack: how often a random one of the people left for a row is the right person.

    `before` are the candidates by containment, `after` those that are left, and `k_known` are the
    fewest that are left for somebody who also knows who of the list is in the table. Rows whose
    chance is above `limit` are found.
    """
    attack = linkage(after, limit)
    k, k_matched = before.k or 0, after.k or 0
    fewer = int((after.number < before.number).sum())
    alone = int((after.number == 1).sum())
    right = ("at most " if attack.bound else "") + part_phrase(attack.success, "all released rows")
    more = {} if k_known is None else {"k_known": k_known}
    says = (
        f"Somebody holds a list of {people_phrase(after.individuals)} with "
        f"{columns_phrase(after.knows)}, and knows that all released people are on it and that "
        "every row is a different one of them. By containment the row with the fewest fits "
        f"{people_phrase(k)}; if every row has a person of its own, {people_phrase(k_matched)} "
        f"{'is' if k_matched == 1 else 'are'} left. For {rows_phrase(fewer)} fewer people are left "
        f"than fit, for {rows_phrase(alone)} one only. Drawing one of those left names the right "
        f"person for {right}."
    )
    if k_known is not None:
        says += (
            " Somebody who also knows who of the list is in the table is left with "
            f"{people_phrase(k_known)} for some row."
        )
    return replace(
        attack,
        kind="matching",
        says=says,
        figures={
            "k": k,
            "k_matched": k_matched,
            "fewer": fewer,
            "alone": alone / max(len(after.number), 1),
            **more,
        },
    )
