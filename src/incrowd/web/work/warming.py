"""Loads and compiles what the first questions need, on a made-up table."""

import tempfile
from pathlib import Path

from incrowd.datasets import hospital
from incrowd.policy.draft import to_toml
from incrowd.verbs.draft import draft
from incrowd.web import jobs
from incrowd.web.work.state import WorkerState
from incrowd.web.work.what_if import answer_quickly

_RECORDS = 400


def warm() -> None:
    """Load and compile what the first questions need, by asking them of a made-up table."""
    with tempfile.TemporaryDirectory(prefix="incrowd-") as folder:
        path = Path(folder) / "patients.csv"
        rows = hospital(_RECORDS)
        rows.write_csv(path)
        text = to_toml(draft(rows))
        answer_quickly(
            WorkerState(), jobs.AskWhatIf(jobs.TableFile(str(path)), text), lambda *_: None
        )
