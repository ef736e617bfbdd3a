"""Search: how to look for the recoding with the least loss, one file each."""

from typing import Annotated, TypeAlias

from pydantic import Field

from incrowd.search.auto import Auto
from incrowd.search.datafly import Datafly
from incrowd.search.exhaustive import Exhaustive
from incrowd.search.lattice import Lattice
from incrowd.search.mondrian import Mondrian
from incrowd.search.search import Found, Search

AnySearch: TypeAlias = Annotated[
    Auto | Datafly | Exhaustive | Lattice | Mondrian, Field(discriminator="name")
]
"""Any search, as a policy file writes it."""

__all__ = ["AnySearch", "Auto", "Datafly", "Exhaustive", "Found", "Lattice", "Mondrian", "Search"]
