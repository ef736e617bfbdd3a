"""Exact quasi-identifiers, sensitive values permuted in classes (Anatomy; Ghinita Section 7.4)."""

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
    """Quasi-identifiers are released unchanged; the sensitive values of a class are permuted."""

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
        self, outcome: Outcome, columns: Mapping[str, CodedColumn], sensitive: Sequence[str]
    ) -> dict[str, Cell]:
        """Sensitive cells permuted within their class, all of a record together."""
        del outcome, columns
        return dict.fromkeys(sensitive, Within())

    def recoding(self, found: Recoding) -> Recoding:
        """The classes of a recoding with exact cells."""
        return Anatomized(found.pieces)

    def faults(self, policy: Any) -> Iterator[Fault]:
        """Yield policy settings that contradict exact quasi-identifiers and numbered classes."""
        for number, model in enumerate(policy.models):
            if not model.columns:
                yield Fault(
                    ("models", number),
                    f'{model.name} needs equal quasi-identifiers, but show = "permutation" '
                    "leaves them exact",
                    "use models of sensitive columns, which are judged by class, or remove "
                    'show = "permutation"',
                )
        for name, column in policy.columns.items():
            yield from _column_faults(name, column)
        if policy.missing is Missing.MATCHES_ANYTHING:
            yield Fault(
                ("missing",),
                "classes have numbers, so a missing value cannot match anything",
                'set missing = "own-value" or "suppress"',
            )
        if policy.class_column in policy.columns:
            yield Fault(
                ("class_column",),
                f"the table has a column '{policy.class_column}' already",
                "rename it",
            )

    def assumptions(self, sensitive: Sequence[str], drawn: str, *, told: bool) -> Iterator[str]:
        """Yield that whoever knows a person finds the record, but learns only about its class."""
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
    """Yield what a column may not have beside exact cells: limits of cells, roles keep and unit."""
    for key in ("lowest", "highest", "widest"):
        said = getattr(column, key) != type(column).model_fields[key].default
        if said and column.role is Role.QUASI:
            yield Fault(
                ("columns", name, key),
                f"column '{name}' limits what a cell may show, but cells are exact",
                f'remove {key}, or remove show = "permutation"',
            )
    if column.role is Role.KEEP:
        yield Fault(
            ("columns", name, "role"),
            f"column '{name}' would be released next to the exact quasi-identifiers of its person",
            f"give '{name}' role = \"sensitive\", so that it is permuted too, or drop it",
        )
    if column.role is Role.UNIT:
        yield Fault(
            ("columns", name, "role"),
            "the release would show the classes of all records of one person",
            'remove the unit if every record is a person, or remove show = "permutation"',
        )
