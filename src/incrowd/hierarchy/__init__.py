"""Hierarchies: how the values of a column become coarser, level by level.

A builder is a frozen value with a literal `name`; `build(domain, column)` makes the checked
`Hierarchy` of a column. To add one is to add a file here and a line below.
"""

from typing import Annotated, TypeAlias

from pydantic import Field

from incrowd.hierarchy.dates import Dates
from incrowd.hierarchy.decoding import Decoded
from incrowd.hierarchy.hierarchy import Hierarchy, check
from incrowd.hierarchy.intervals import Intervals
from incrowd.hierarchy.ordered import Ordered
from incrowd.hierarchy.prefix import Prefix
from incrowd.hierarchy.published import CodeList
from incrowd.hierarchy.regions import Regions
from incrowd.hierarchy.suggest import Suggested, Suggestion, suggest
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

__all__ = [
    "AnyHierarchy",
    "CodeList",
    "Dates",
    "Decoded",
    "File",
    "Flat",
    "Hierarchy",
    "Intervals",
    "Ordered",
    "Prefix",
    "Regions",
    "Suggested",
    "Suggestion",
    "Tree",
    "ZipCodes",
    "check",
    "suggest",
]
