"""Search: how to look for the recoding with the least loss, one file each."""

from typing import Annotated, TypeAlias

from pydantic import Field

from incrowd.search.accuracy import Accuracy
from incrowd.search.anatomy import Anatomy
from incrowd.search.auto import Auto
from incrowd.search.crowd import Crowd
from incrowd.search.curve import Hilbert, IDistance, Tree
from incrowd.search.datafly import Datafly
from incrowd.search.diversify import Diversify
from incrowd.search.exhaustive import Exhaustive
from incrowd.search.lattice import Lattice
from incrowd.search.local import LatticeLocal
from incrowd.search.mingen import MinGen
from incrowd.search.mingen_cells import MinGenCells
from incrowd.search.mondrian import Mondrian
from incrowd.search.mu_argus import MuArgus
from incrowd.search.preferred import Preferred
from incrowd.search.search import Found, Search
from incrowd.search.top_down import TopDown

AnySearch: TypeAlias = Annotated[
    Accuracy
    | Anatomy
    | Auto
    | Crowd
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
    | Tree,
    Field(discriminator="name"),
]
"""Any search, as a policy file writes it."""

__all__ = [
    "Accuracy",
    "Anatomy",
    "AnySearch",
    "Auto",
    "Crowd",
    "Datafly",
    "Diversify",
    "Exhaustive",
    "Found",
    "Hilbert",
    "IDistance",
    "Lattice",
    "LatticeLocal",
    "MinGen",
    "MinGenCells",
    "Mondrian",
    "MuArgus",
    "Preferred",
    "Search",
    "TopDown",
    "Tree",
]
