"""Every search that a policy can name."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias, get_args

from pydantic import Field

from incrowd.search.auto import Auto
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.lattice.exhaustive import Exhaustive
from incrowd.search.lattice.lattice import Lattice
from incrowd.search.literature.accuracy.accuracy import Accuracy
from incrowd.search.literature.anatomy import Anatomy
from incrowd.search.literature.cuts import Cuts
from incrowd.search.literature.datafly import Datafly
from incrowd.search.literature.diversify.diversify import Diversify
from incrowd.search.literature.hilbert import Hilbert
from incrowd.search.literature.idistance import IDistance
from incrowd.search.literature.mingen.cells import MinGenCells
from incrowd.search.literature.mingen.mingen import MinGen
from incrowd.search.literature.mu_argus import MuArgus
from incrowd.search.literature.top_down import TopDown
from incrowd.search.mondrian import Mondrian
from incrowd.search.orders.tree import TreeSearch
from incrowd.search.refine.local import LatticeLocal
from incrowd.search.search import Search
from incrowd.search.world.world import AgainstWorld

AnySearch: TypeAlias = Annotated[
    Accuracy
    | AgainstWorld
    | Anatomy
    | Auto
    | Crowd
    | Cuts
    | Datafly
    | Diversify
    | Exhaustive
    | Hilbert
    | IDistance
    | Lattice
    | LatticeLocal
    | MinGen
    | MinGenCells
    | Mondrian
    | MuArgus
    | TopDown
    | TreeSearch,
    Field(discriminator="name"),
]
"""Any search, as a policy file writes it."""

SEARCHES: Mapping[str, type[Search]] = {
    one.__dataclass_fields__["name"].default: one for one in get_args(get_args(AnySearch)[0])
}
"""Every search's class by its name."""
