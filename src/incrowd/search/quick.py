"""Which search answers at once, where somebody only asks what a policy would mean."""

from incrowd.problem import Problem
from incrowd.search.lattice.lattice import Lattice
from incrowd.search.mondrian import Mondrian
from incrowd.search.search import Search
from incrowd.search.world.world import AgainstWorld


def quick_search(search: Search, problem: Problem) -> Search:
    """The quick search whose recodings are most like those of `search`.

    `problem` is asked only whether it has a world.
    """
    if search.recoding == "levels":
        return Lattice()
    return Mondrian() if problem.world is None else AgainstWorld()
