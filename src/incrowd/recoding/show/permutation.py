"""Exact quasi-identifiers, and sensitive values that change places inside their class.

Xiao and Tao's Anatomy, and the permutation of Ghinita Section 7.4.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from incrowd.recoding.column_cells import Cell, Within
from incrowd.recoding.levels import Anatomized
from incrowd.recoding.outcome import Outcome
from incrowd.recoding.recoding import Recoding
from incrowd.recoding.show.transformation import Transformation
from incrowd.table.column import CodedColumn, Missing, Role
from incrowd.values import Fault


@dataclass(frozen=True)
class ShowPermutation(Transformation):
    """Quasi-identifiers leave as they are; the sensitive values of a class change places."""

    name: ClassVar[str] = "permutation"
    coarsens: ClassVar[bool] = False
    exact: ClassVar[bool] = True
    spans: ClassVar[bool] = False
    needs: ClassVar[frozenset[str]] = frozenset({"random"})
    note: ClassVar[str] = (
        "quasi-identifiers leave exact, so nothing is k-anonymous: whoever knows them finds a "
        "person's record and learns that the person is in the table"
    )

    def cells(
        self,
        outcome: Outcome,
        columns: Mapping[str, CodedColumn],
        sensitive: Sequence[str],
    ) -> dict[str, Cell]:
        """Sensitive cells change places, all of a record together."""
        del outcome, columns
        return dict.fromkeys(sensitive, Within())

    def recoding(self, found: Recoding) -> Recoding:
        """The classes alone: their cells are exact."""
        return Anatomized(found.pieces)

    def faults(self, policy: Any) -> Iterator[Fault]:
        """What cannot be kept where quasi-identifiers leave exact and classes have a number."""
        for number, model in enumerate(policy.models):
            if not model.columns:
                yield Fault(
                    ("models", number),
                    f"{model.name} hides people among equal quasi-identifiers, "
                    'and show = "permutation" leaves them exact',
                    "ask for models of sensitive columns, which are judged by class, or show spans",
                )
        for name, column in policy.columns.items():
            yield from _column_faults(name, column)
        if policy.missing is Missing.MATCHES_ANYTHING:
            yield Fault(
                ("missing",),
                "classes are told by their number, so a missing value matches nothing",
                'take missing = "own-value" or "suppress"',
            )
        if policy.class_column in policy.columns:
            yield Fault(
                ("class_column",), f"there is a column '{policy.class_column}' already", "rename it"
            )

    def assumptions(self, sensitive: Sequence[str], drawn: str, *, told: bool) -> Iterator[str]:
        """Whoever knows a person finds the record, and learns nothing more than its class."""
        yield (
            "Quasi-identifying values leave as they are: whoever knows them finds a person's "
            "record and learns that the person is in the table. No k-anonymity is claimed."
        )
        yield (
            f"The values of {', '.join(sensitive)} changed places, together, among the records "
            f"of a class, {drawn}; models are judged by class. What stands in "
            "a record need not be what its person held."
        )
        if not told:
            yield (
                "Classes cannot be told from the release: what models reach cannot be counted "
                "again."
            )


def _column_faults(name: str, column: Any) -> Iterator[Fault]:
    for key in ("lowest", "highest", "widest"):
        said = getattr(column, key) != type(column).model_fields[key].default
        if said and column.role is Role.QUASI:
            yield Fault(
                ("columns", name, key),
                f"column '{name}' limits what a cell shows, and cells are exact",
                f'leave out {key}, or leave out show = "permutation"',
            )
    if column.role is Role.KEEP:
        yield Fault(
            ("columns", name, "role"),
            f"column '{name}' would stand beside the exact quasi-identifiers of its person",
            f"give '{name}' role = \"sensitive\", so that it changes places, or drop it",
        )
    if column.role is Role.UNIT:
        yield Fault(
            ("columns", name, "role"),
            "the classes of the records of one person could be compared",
            'leave out the unit if every record is a person, or show = "permutation"',
        )
