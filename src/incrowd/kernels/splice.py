"""Records of a delimited text with other cells, and in another order, byte by byte."""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

_QUOTE = 34
_NEWLINE = 10
_RETURN = 13
_STOPS = np.isin(np.arange(256), [_QUOTE, _NEWLINE, _RETURN])
_BLOCK = 64
KEPT = -1
"""A column that stays as it is."""
LEFT_OUT = -2


@jit
def _quoted_end(text: np.ndarray, start: int) -> int:
    """The place behind the quote that closes the cell that starts here; two quotes are one."""
    i = start + 1
    while i < len(text):
        if text[i] == _QUOTE:
            if i + 1 == len(text) or text[i + 1] != _QUOTE:
                return i + 1
            i += 1
        i += 1
    return len(text) - 1


@jit
def _cell_end(text: np.ndarray, start: int, separator: int) -> int:
    """Where the cell that starts here ends; -1 if it is not written as it should be.

    A cell that starts with a quote ends with one. In any other there are no quotes, and no returns
    but before the end of a line. The text ends with a line feed.
    """
    i = start
    quoted = text[i] == _QUOTE
    if quoted:
        i = _quoted_end(text, start)
    else:
        while text[i] != separator and not _STOPS[text[i]]:
            i += 1
    ends = text[i] == separator or text[i] == _NEWLINE
    ends = ends or (text[i] == _RETURN and text[i + 1] == _NEWLINE)
    return i if ends and (not quoted or text[i - 1] == _QUOTE) else -1


@jit
def _copied(source: np.ndarray, start: int, stop: int, made: np.ndarray, place: int) -> int:
    """Copy bytes to this place; the place behind them."""
    for i in range(start, stop):
        made[place] = source[i]
        place += 1
    return place


@jit
def splice(
    text: np.ndarray,
    separator: int,
    use: Codes,
    codes: np.ndarray,
    faces: np.ndarray,
    bounds: np.ndarray,
    made: np.ndarray,
    ends: Counts,
) -> bool:
    """Write the records of a text without some cells, and with others in place of some.

    `use` says of each column: `LEFT_OUT`, `KEPT`, or j: it shows its face `codes[j, record]`, which
    is the bytes of `faces` from `bounds[j, code]` up to `bounds[j, code + 1]`. `made` takes the
    records and must be large enough, `ends` the place where each ends. The text must end with a
    line feed. False if it is not as many records of as many cells as it should be, all written as
    they should be; blank lines are none.
    """
    i, w, last, run = 0, 0, len(use) - 1, -1
    for record in range(len(ends)):
        begun = False
        for column in range(len(use)):
            if i >= len(text):
                return False
            start, what = i, use[column]
            i = _cell_end(text, start, separator)
            if i < 0 or (text[i] == separator) != (column < last) or (last == 0 and i == start):
                return False
            if what == KEPT and run < 0:
                run = start
            if what == KEPT and column < last and use[column + 1] == KEPT:
                i += 1
                continue  # cells that stay side by side are copied at once
            if what != LEFT_OUT and begun:
                made[w] = separator
                w += 1
            begun = begun or what != LEFT_OUT
            if what == KEPT:
                w = _copied(text, run, i, made, w)
                run = -1
            elif what >= 0:
                code = codes[what, record]
                w = _copied(faces, bounds[what, code], bounds[what, code + 1], made, w)
            i += 1
        i += text[i - 1] == _RETURN
        made[w] = _NEWLINE
        w += 1
        ends[record] = w
    return i == len(text)


@jit
def gather(text: np.ndarray, ends: Counts, order: Counts, made: np.ndarray) -> int:
    """Write the records of a text, each of which ends where `ends` says, in this order.

    Records lie far apart, so the first bytes of some are fetched together before they are copied:
    the sum of those bytes is returned so that nobody leaves that out.
    """
    w, touched = 0, 0
    starts, stops = np.empty(_BLOCK, dtype=np.int64), np.empty(_BLOCK, dtype=np.int64)
    for low in range(0, len(order), _BLOCK):
        size = min(_BLOCK, len(order) - low)
        for j in range(size):
            record = order[low + j]
            starts[j] = ends[record - 1] if record else 0
            stops[j] = ends[record]
        for j in range(size):
            touched += text[starts[j]]
        for j in range(size):
            w = _copied(text, starts[j], stops[j], made, w)
    return touched
