"""Drafts judged by the roles that experts give, Safe Harbor under silent names, and speed.

Run with `python -m benchmarks.drafts [--rows 1000000]`. Prints precision and recall of each role on
tables that the words were tuned on and on four that were held out; the share of columns to review;
precision and recall of the checklist of Safe Harbor on 35 identifiers and 60 harmless columns
without telling names; and the seconds of a draft of a million rows and fifty columns against
reading the file once, which should take at most twice as long.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import incrowd
from benchmarks._timed import once
from incrowd.io.reading import open_table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from judged_drafts import ROLES, Score, judged_tables, score
from silent_tables import silent_figures, silent_table

COLUMNS = 50


def judged(*, held_out: bool) -> Score:
    """The score of all tables of one sort, with a line for each."""
    total = None
    for one in judged_tables():
        if one.held_out is not held_out:
            continue
        found = score(one, incrowd.draft(one.frame, labels=one.labels))
        recall, review = found.recall("quasi", "sensitive"), found.reviewed
        print(
            f"  {one.name:14} {len(one.roles):3} columns  recall {recall:.2f}  review {review:.2f}"
        )
        total = found if total is None else total + found
    assert total is not None
    return total


def roles(*, held_out: bool) -> None:
    """Precision and recall of each role."""
    print("held out" if held_out else "tuned on", flush=True)
    total = judged(held_out=held_out)
    for role in ROLES:
        print(f"  {role:12} precision {total.precision(role):.2f}  recall {total.recall(role):.2f}")
    recall = total.recall("quasi", "sensitive")
    print(f"  quasi and sensitive together: recall {recall:.3f} (at least 0.9)")
    print(f"  columns to review: {total.reviewed:.3f} (at most 0.15)", flush=True)


def silent() -> None:
    """Safe Harbor where names say nothing."""
    frame, what = silent_table()
    precision, recall, missed, wrong = silent_figures(incrowd.safe_harbor(frame, today=2026), what)
    print(f"safe harbor, silent names: precision {precision:.3f}, recall {recall:.3f}")
    print(
        f"  missed: {', '.join(missed) or 'none'}; wrong: {', '.join(wrong) or 'none'}", flush=True
    )


def large(rows: int, seed: int = 1) -> pl.DataFrame:
    """Fifty columns of the sorts that tables have: codes, numbers, sums, dates, texts, an ID."""
    rng = np.random.default_rng(seed)
    made: dict[str, object] = {"id": np.arange(rows)}
    words = np.array([f"category {i}" for i in range(40)])
    for j in range(COLUMNS - 1):
        match j % 5:
            case 0:
                made[f"code{j}"] = rng.integers(1, 12, rows)
            case 1:
                made[f"age{j}"] = rng.integers(0, 95, rows)
            case 2:
                made[f"income{j}"] = rng.lognormal(7, 1, rows).round(0)
            case 3:
                days = rng.integers(0, 9_000, rows)
                made[f"day{j}"] = np.datetime64("2000-01-01") + days.astype("timedelta64[D]")
            case _:
                made[f"text{j}"] = words[rng.integers(0, len(words), rows)]
    return pl.DataFrame(made)


def speed(rows: int) -> None:
    """A draft against reading the file once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        large(rows).write_csv(path)
        incrowd.draft(pl.DataFrame({"age": list(range(30)) * 4, "sex": ["f", "m"] * 60}))
        reading, _ = once(lambda: _read(path))
        drafting, _ = once(lambda: incrowd.draft(path))
    ratio = drafting / reading
    print(
        f"init of {rows:,} x {COLUMNS}: {drafting:.1f} s, reading once {reading:.1f} s, "
        f"ratio {ratio:.2f} (at most 2)",
        flush=True,
    )


def _read(path: Path) -> int:
    """Open a file as every command does, and code all its columns once."""
    with open_table(path) as there:
        return len(there.engine.codes(there.engine.names))


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_known_args()[0].rows
    roles(held_out=False)
    roles(held_out=True)
    silent()
    speed(rows)


if __name__ == "__main__":
    main()
