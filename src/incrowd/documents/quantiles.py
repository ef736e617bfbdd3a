"""Columns that show quantiles, as a document and as people read it. No cell is shown."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.text import GOOD
from incrowd.documents.words import counted, number, printable

if TYPE_CHECKING:
    from incrowd.population.quantiles import Bucketed, BucketedColumn, RankPromise


def quantiles_document(found: "Bucketed", path: str | None) -> dict[str, Any]:
    """`incrowd.quantiles/1`: what became of each column, counted anew."""
    return {
        "schema": "incrowd.quantiles/1",
        "records": found.records,
        "k": found.k,
        "smallest": found.smallest,
        "show": found.show,
        "columns": {column.name: _column(column) for column in found.columns},
        "kept": found.kept,
        "withheld": found.withheld,
        "promise": asdict(found.promise),
        "notes": found.notes,
        "seconds": found.seconds,
        "written": path,
    }


def _column(column: "BucketedColumn") -> dict[str, Any]:
    figures = asdict(column)
    del figures["name"]
    return figures | {"kind": column.kind.value}


def quantiles_picture(found: "Bucketed", path: str | None) -> RenderableType:
    """What became of each column."""
    done = "written and counted anew" if path else "counted, not written"
    head = (
        f"{counted(found.records, 'record')} {done}: whatever a column shows, at least "
        f"{number(found.smallest)} show it."
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("column", "buckets", "smallest", "merged", "empty", "squared error"):
        table.add_column(name, justify="left" if name == "column" else "right")
    for column in found.columns:
        empty = column.missing + column.emptied
        figures = (column.buckets, column.smallest, column.merged, empty, column.error)
        table.add_row(Text(printable(column.name)), *map(number, figures))
    lines = [_promise(found.promise)]
    lines += [f"kept as they are: {', '.join(found.kept)}"] if found.kept else []
    lines += [f"withheld: {', '.join(found.withheld)}"] if found.withheld else []
    lines += [f"written: {path}"] if path else []
    texts = [Text(printable(line)) for line in lines]
    return Group(Text(head, style=GOOD), Text(), table, Text(), *texts)


def _promise(promise: "RankPromise") -> str:
    if promise.exact:
        return f"Exact: divided by all {counted(promise.sample, 'record')}."
    return (
        f"By a sample of {counted(promise.sample, 'record')}: with probability "
        f"{number(1 - (promise.delta or 0.0))} the rank of a cut is off by at most "
        f"{number(promise.epsilon)} of the records, and that of every cut of every column by at "
        f"most {number(promise.simultaneous)}."
    )
