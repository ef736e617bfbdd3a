"""Values that are shown or suppressed, with nothing between."""

from typing import Literal

from incrowd.arrays import Counts
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.levels import stack
from incrowd.table.column import Domain, Kind
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Flat:
    """Only suppression above the values.

    Numbers and dates keep their order, so that a search that shows spans can still use it.
    """

    name: Literal["flat"] = "flat"

    def build(
        self,
        domain: Domain,
        column: str,
        counts: Counts | None = None,  # noqa: ARG002  every builder gets them
    ) -> Hierarchy:
        """The values, and `*`."""
        return stack(domain, [], column=column, ordered=domain.kind is not Kind.TEXT)
