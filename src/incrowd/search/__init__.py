"""Search: how to look for the recoding with the least loss, one file each."""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.search.auto import Auto as Auto
    from incrowd.search.crowd.crowd import Crowd as Crowd
    from incrowd.search.lattice.exhaustive import Exhaustive as Exhaustive
    from incrowd.search.lattice.lattice import Lattice as Lattice
    from incrowd.search.literature.accuracy.accuracy import Accuracy as Accuracy
    from incrowd.search.literature.anatomy import Anatomy as Anatomy
    from incrowd.search.literature.cuts import Cuts as Cuts
    from incrowd.search.literature.datafly import Datafly as Datafly
    from incrowd.search.literature.diversify.diversify import Diversify as Diversify
    from incrowd.search.literature.hilbert import Hilbert as Hilbert
    from incrowd.search.literature.idistance import IDistance as IDistance
    from incrowd.search.literature.mingen.cells import MinGenCells as MinGenCells
    from incrowd.search.literature.mingen.mingen import MinGen as MinGen
    from incrowd.search.literature.mingen.mingen import Preferred as Preferred
    from incrowd.search.literature.mu_argus import MuArgus as MuArgus
    from incrowd.search.literature.top_down import TopDown as TopDown
    from incrowd.search.mondrian import Mondrian as Mondrian
    from incrowd.search.orders.tree import TreeSearch as TreeSearch
    from incrowd.search.refine.local import LatticeLocal as LatticeLocal
    from incrowd.search.search import Found as Found
    from incrowd.search.search import Search as Search
    from incrowd.search.union import SEARCHES as SEARCHES
    from incrowd.search.union import AnySearch as AnySearch
    from incrowd.search.world.world import AgainstWorld as AgainstWorld

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
