"""Hierarchies: how the values of a column become coarser, level by level.

A builder is a frozen value with a literal `name`; `build(domain, column)` makes the checked
`Hierarchy` of a column. To add one is to add a file here and a line in `union`.
"""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.hierarchy.dates import Dates as Dates
    from incrowd.hierarchy.decoding import Decoded as Decoded
    from incrowd.hierarchy.hierarchy import Hierarchy as Hierarchy
    from incrowd.hierarchy.hierarchy import check as check
    from incrowd.hierarchy.intervals import Intervals as Intervals
    from incrowd.hierarchy.ordered import Ordered as Ordered
    from incrowd.hierarchy.prefix import Prefix as Prefix
    from incrowd.hierarchy.published import CodeList as CodeList
    from incrowd.hierarchy.regions import Regions as Regions
    from incrowd.hierarchy.suggestion import Suggested as Suggested
    from incrowd.hierarchy.suggestion import Suggestion as Suggestion
    from incrowd.hierarchy.suggestion import suggest as suggest
    from incrowd.hierarchy.tree import File as File
    from incrowd.hierarchy.tree import Flat as Flat
    from incrowd.hierarchy.tree import Tree as Tree
    from incrowd.hierarchy.union import AnyHierarchy as AnyHierarchy
    from incrowd.hierarchy.zips import ZipCodes as ZipCodes

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
