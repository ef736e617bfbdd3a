"""What can be asked of `compare`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from incrowd.requests.kinds import COLUMNS, NUMBER, SWITCH, Flags, Group, OptionKind
from incrowd.requests.request import Request
from incrowd.requests.shared import (
    HierarchiesOfLabels,
    HowToReadInMemory,
    MissingValues,
    PolicyFile,
    PolicyFolder,
    Quasi,
    Sensitive,
    Watching,
)

ABOUT = Group("What the data is for")


@dataclass(frozen=True, kw_only=True)
class CompareRequest(Request):
    """What releases keep of their original."""

    original: Annotated[Any, OptionKind("ORIGINAL", form="table")] = field(kw_only=False)
    """The table before anonymization."""
    releases: Annotated[Any, OptionKind("RELEASE…", form="repeated")] = field(kw_only=False)
    """One to eight releases of it, made by incrowd or by any other tool."""
    formula: Annotated[str | None, OptionKind("Y~A+B"), ABOUT, Flags("--for")] = None
    """The analysis that the data is for, such as income~age+education: its coefficients are
    compared."""
    target: Annotated[str | Sequence[str], COLUMNS, ABOUT] = ()
    """Columns that models learn to predict. Default: the sensitive ones."""
    models: Annotated[bool, SWITCH, ABOUT, Flags("--models/--no-models")] = True
    """Whether models are trained and tested (needs scikit-learn)."""
    quasi: Quasi = ()
    sensitive: Sensitive = ()
    policy: PolicyFile = None
    hierarchies: HierarchiesOfLabels = None
    missing_values: MissingValues = ()
    names: Sequence[str] = ()
    """What the answer calls the releases."""
    seed: Annotated[int, NUMBER, ABOUT] = 0
    """Seed for the records that models are tested on, and for queries."""
    folder: PolicyFolder = "."
    reading: HowToReadInMemory = None
    watch: Watching = None
