"""What can be asked of `draft`, and of `table_facts`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from incrowd.requests.request import Request
from incrowd.requests.shared import HowToReadInMemory, Source, Watching


@dataclass(frozen=True, kw_only=True)
class DraftRequest(Request):
    """A first policy for a table."""

    source: Source = field(kw_only=False)
    labels: Mapping[str, str] | None = None
    """What columns are in words, as the files of statistics programs say it."""
    value_labels: Mapping[str, Mapping[str, str]] | None = None
    """What values mean, by column."""
    reading: HowToReadInMemory = None
    watch: Watching = None
