"""Options that several requests share, each with its sentence."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from incrowd.requests.kinds import (
    COARSER,
    COLUMN,
    COLUMNS,
    FILE,
    FILES,
    HOLD,
    IN_COLUMNS,
    NUMBER,
    OTHER_NAMES,
    SEARCHING,
    SWITCH,
    TABLE,
    WORLDS,
    WRITING,
    Flags,
    OptionKind,
    Parts,
)
from incrowd.requests.reading import ReadingOptions

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy
    from incrowd.io.reading import Reading
    from incrowd.watch import Watch

AnyPath: TypeAlias = str | os.PathLike[str]

Source = Annotated[
    Any,
    TABLE,
    "The table: CSV or TSV (also .gz, .zst), Parquet, Arrow, Excel, JSON lines, SPSS, Stata or "
    "SAS, or a folder of Parquet files; - is standard input; postgresql://…?table=NAME or "
    "duckdb:FILE::TABLE.",
]
HowToRead = Annotated["Reading | None", Parts(ReadingOptions), "How to read the file."]
HowToReadInMemory = Annotated[
    "Reading | None", Parts(ReadingOptions, without=("memory",)), "How to read the file."
]
Watching = Annotated["Watch | None", "Hears of progress and of notes about the table."]
MissingValues = Annotated[Sequence[str], "Texts that mean that a value is missing."]
HierarchiesOfLabels = Annotated[
    "Mapping[str, AnyHierarchy] | None", "What labels stand for; by default the policy's."
]
PolicyFolder = Annotated[AnyPath, "Where the paths of the policy's hierarchies start."]
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
Keep = Annotated[
    str | Sequence[str],
    COLUMNS,
    IN_COLUMNS,
    "Columns to release unchanged. Columns that no option names are left out.",
]
Unit = Annotated[
    str | None,
    COLUMN,
    IN_COLUMNS,
    "Column with the same value in all records of one person: incrowd counts people.",
]
Weight = Annotated[str | None, COLUMN, IN_COLUMNS, "Column with sampling weights."]
PolicyFile = Annotated[Any, FILE, HOLD, Flags("--policy", "-p"), "The policy (TOML) to follow."]
Seconds = Annotated[
    float | None, OptionKind("SECONDS", float), SEARCHING, "The longest that the search may take."
]
Target = Annotated[AnyPath | None, FILE, WRITING, Flags("--output", "-o")]
Seed = Annotated[
    int | None,
    NUMBER,
    WRITING,
    "Seed for samples and the order of records: the same seed gives the same result.",
]
KeepOrder = Annotated[
    bool, SWITCH, WRITING, "Keep the order of the records, which links releases to each other."
]
DryRun = Annotated[bool, SWITCH, WRITING, "Do everything but write."]
AcceptAlone = Annotated[
    str | Sequence[str],
    COLUMNS,
    IN_COLUMNS,
    "Release these columns unchanged although many people are alone for whoever knows them. "
    "Without it incrowd refuses.",
]
HierarchyOf = Annotated[
    Sequence[str] | None,
    OptionKind("COLUMN=WHAT", form="repeated"),
    COARSER,
    "Hierarchy of a column: a CSV file (leaf;parent;…;*) or a builder such as prefix. Repeat it "
    "for each column.",
]
HierarchyFolder = Annotated[
    str | None,
    OptionKind("FOLDER"),
    COARSER,
    Flags("--hierarchies"),
    "Folder with the hierarchies: files named *_<column>.csv.",
]
World = Annotated[
    Any,
    FILES,
    WORLDS,
    "A table with names that somebody may have: -k then counts its people. Repeat it for several "
    "tables, joined by --world-id.",
]
WorldId = Annotated[
    str | None,
    COLUMN,
    WORLDS,
    "The column of the world that tells people apart; without it each row is a person.",
]
Rename = Annotated[
    Mapping[str, str] | None,
    OTHER_NAMES,
    WORLDS,
    "The world's name for a column of the table. Repeat it for each column.",
]
