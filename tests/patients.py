"""A small table of patients, and what a folder holds: for tests of the command line."""

from pathlib import Path

MARK = "Zq7marker"
"""Stands in cells; no message may repeat it."""

QUICK = ("--quasi", "age,zip,sex", "--sensitive", "diagnosis", "-k", "5", "-o", "release.csv")
"""The quick flags for the table of patients."""


def snapshot(folder):
    """All files below a folder with what they hold."""
    return {path: path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


def patients(n=40, **columns):
    """Lines of a small table of patients; `columns` replaces or adds columns (lists of n)."""
    table = {
        "age": [str(20 + i % 10) for i in range(n)],
        "zip": [f"0213{i % 4}" for i in range(n)],
        "sex": ["FM"[i % 2] for i in range(n)],
        "diagnosis": [f"{MARK}{i % 5}" for i in range(n)],
    }
    table.update(columns)
    rows = zip(*table.values(), strict=True)
    return "\n".join([",".join(table), *(",".join(row) for row in rows)]) + "\n"
