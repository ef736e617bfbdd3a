"""Options that several requests share, each with its sentence."""

import os
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from incrowd.requests.kinds import (
    COLUMN,
    COLUMNS,
    FILE,
    HOLD,
    IN_COLUMNS,
    TABLE,
    Flags,
)

AnyPath: TypeAlias = str | os.PathLike[str]

Source = Annotated[
    Any,
    TABLE,
    "The table: CSV or TSV (also .gz, .zst), Parquet, Arrow, Excel, JSON lines, SPSS, Stata or "
    "SAS, or a folder of Parquet files; - is standard input; postgresql://…?table=NAME or "
    "duckdb:FILE::TABLE.",
]
Quasi = Annotated[
    str | Sequence[str],
    COLUMNS,
    IN_COLUMNS,
    Flags("--quasi", "-q"),
    "Quasi-identifiers: columns that somebody who looks for a person may know.",
]
Sensitive = Annotated[
    str | Sequence[str],
    COLUMNS,
    IN_COLUMNS,
    Flags("--sensitive", "-s"),
    "Sensitive columns: nobody should learn a person's value.",
]
Unit = Annotated[
    str | None,
    COLUMN,
    IN_COLUMNS,
    "Column with the same value in all records of one person: incrowd counts people.",
]
Weight = Annotated[str | None, COLUMN, IN_COLUMNS, "Column with sampling weights."]
PolicyFile = Annotated[Any, FILE, HOLD, Flags("--policy", "-p"), "The policy (TOML) to follow."]
