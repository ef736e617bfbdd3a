"""Every hierarchy that a policy can name."""

from typing import Annotated, TypeAlias

from pydantic import Field

from incrowd.hierarchy.dates import Dates
from incrowd.hierarchy.intervals import Intervals
from incrowd.hierarchy.ordered import Ordered
from incrowd.hierarchy.prefix import Prefix
from incrowd.hierarchy.published import CodeList
from incrowd.hierarchy.regions import Regions
from incrowd.hierarchy.suggestion import Suggested
from incrowd.hierarchy.tree import File, Flat, Tree
from incrowd.hierarchy.zips import ZipCodes

AnyHierarchy: TypeAlias = Annotated[
    CodeList
    | Dates
    | File
    | Flat
    | Intervals
    | Ordered
    | Prefix
    | Regions
    | Suggested
    | Tree
    | ZipCodes,
    Field(discriminator="name"),
]
"""Any builder; its name says which."""
