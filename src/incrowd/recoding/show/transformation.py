"""The contract of every transformation: how classes become cells."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from incrowd.recoding.column_cells import Cell
from incrowd.recoding.outcome import Outcome
from incrowd.recoding.recoding import Recoding
from incrowd.table.column import CodedColumn, Missing
from incrowd.values import Fault


@dataclass(frozen=True)
class Transformation(ABC):
    """Turns the classes of a release into cells; `show` in a policy names it.

    A transformation is a frozen value that carries what others need to know about it. The defaults
    are those of labels that stand for a set of values; a new one writes only what differs. What
    its cells must prove is in `verify.shown.CELL_JUDGES`, by its name.
    """

    name: ClassVar[str]
    """Its name in policy, report and certificate."""
    at: ClassVar[Literal["value", "class", "record"]] = "class"
    """What its cells depend on."""
    coarsens: ClassVar[bool] = True
    """Whether a cell stands for a set of values with the original among them."""
    tells_loss: ClassVar[bool] = True
    """Whether cells say just what the recoding left open, so that its loss can be recounted."""
    exact: ClassVar[bool] = False
    """Whether quasi-identifiers leave as they are: then sensitive values change places, and models
    are judged by class."""
    spans: ClassVar[bool] = True
    """Whether cells of numbers and dates have two ends."""
    sets: ClassVar[bool] = False
    """Whether cells of categories are sets of values in place of nodes."""
    names_values: ClassVar[bool] = False
    """Whether cells name values that the table holds, which tells of the people who hold them."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """What it needs beside the classes: `random`."""
    note: ClassVar[str] = ""
    """What a policy that names it is noted for; empty if for nothing."""
    cells_assumption: ClassVar[str] = ""
    """What a certificate says about its cells."""
    ends_assumption: ClassVar[str] = ""
    """What a certificate says about values that can be seen in its cells."""

    @abstractmethod
    def cells(
        self, outcome: Outcome, columns: Mapping[str, CodedColumn], sensitive: Sequence[str]
    ) -> dict[str, Cell]:
        """What the changed columns show; others leave as they are.

        `columns` are the table's quasi-identifying ones, `sensitive` the names of sensitive ones.
        """

    def recoding(self, found: Recoding) -> Recoding:
        """The recoding that is released for one that a search found."""
        return found

    def missing(self, reading: Missing) -> Missing:
        """How the search must read missing values if the policy reads them in this way."""
        return reading

    def faults(self, policy: Any) -> Iterator[Fault]:
        """Yield the contradictions between a policy and this transformation."""
        del policy
        yield from ()

    def assumptions(self, sensitive: Sequence[str], drawn: str, *, told: bool) -> Iterator[str]:
        """Yield what a certificate says first: who can be found, and what is learned of them.

        `drawn` says how places were drawn, `told` whether the release tells its classes.
        """
        del sensitive, drawn, told
        yield from ()
