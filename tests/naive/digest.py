"""The digest of the rows of a release, cell by cell."""

import hashlib
import re
import struct

import polars as pl

from incrowd.table.cells import text_of

_SHORTER = (
    (r"(\d{4}-\d\d-\d\d)T(\d\d:.*)", r"\1 \2"),
    (r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.0+", r"\1"),
    (r"(\d{4}-\d\d-\d\d) 00:00:00", r"\1"),
    (r"(\d\d:\d\d:\d\d)\.0+", r"\1"),
    ("True", "true"),
    ("False", "false"),
)


def rows_digest(rows, missing):
    code = hashlib.sha256()
    for column in rows.iter_columns():
        told = [_told(cell) for cell in _texts(column, missing)]
        name = column.name.encode()
        code.update(struct.pack("<q", len(name)) + name + struct.pack("<q", len(told)))
        code.update(b"".join(struct.pack("<d", number) for number, _, _ in told))
        code.update(b"".join(struct.pack("<q", size) for _, size, _ in told))
        code.update(b"".join(rest for _, _, rest in told))
    return code.hexdigest()


def _texts(column, missing):
    """The text of each cell, None for a missing one; only texts can be listed as missing."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
    texts = text_of(column).to_list()
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return texts
    return [None if text is None or text in missing or not text.strip() else text for text in texts]


def _told(text):
    """The number that a cell stands for, the length of what else it says, and that itself."""
    if text is None:
        return 0.0, -1, b""
    for pattern, shorter in _SHORTER:
        if re.fullmatch(pattern, text):
            text = re.sub(f"^{pattern}$", shorter, text)
    number = r"-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d{1,2})?"
    if re.fullmatch(number, text) and sum(sign.isdigit() for sign in text) <= 15:
        return float(text) + 0.0, -2, b""
    return 0.0, len(text.encode()), text.encode()
