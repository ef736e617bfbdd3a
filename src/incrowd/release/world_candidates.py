"""How many people of a world a released row may be: by containment, and after matching."""

from incrowd.linkage.concealment import MOST_PAIRS, FittingPairs, count_after_matching
from incrowd.policy.policy import Policy
from incrowd.verify.candidates import CandidateCounts, PublicTable
from incrowd.verify.verdict import WorldCandidates
from incrowd.verify.verify import SeenRelease

_UNITS = "people may have several rows"
_TOO_MANY = "there are too many pairs of rows and people"
_CONTRADICTED = (
    "the world has too few people who fit for every row to be a different one of them (it is not "
    "individualized consistent)"
)


def world_candidates(seen: SeenRelease, policy: Policy, world: PublicTable) -> WorldCandidates:
    """The fewest people of this world that a row may be (Bettini Definitions 4 and 7)."""
    found = CandidateCounts(seen.quasi, seen.crowds, world, policy.missing)
    k = int(found.counts.min())
    if policy.unit is not None:
        return WorldCandidates(k, uncounted=_UNITS)
    pairs = found.list_pairs(seen.crowds.sizes, MOST_PAIRS)
    concealed = None if pairs is None else count_after_matching(FittingPairs(*pairs))
    if concealed is None:
        return WorldCandidates(k, uncounted=_TOO_MANY)
    if concealed.k is None:
        return WorldCandidates(k, uncounted=_CONTRADICTED)
    return WorldCandidates(k, concealed.k)
