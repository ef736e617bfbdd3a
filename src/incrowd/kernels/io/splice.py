"""Records of a delimited text with other cells, and in another order, byte by byte.

Places are unsigned where bytes are copied: a place that may be negative is looked at before each
byte, which takes several times as long as the copy.

Shapes: text and made (bytes,), uint8, long enough; stops (cells,), ends (records,), ascending.
`separator` is a byte.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

_QUOTE = 34
_NEWLINE = 10
_RETURN = 13
_BLOCK = 64
SPARE = _BLOCK
"""How many places `find_stops` needs beyond one per cell."""
KEPT = -1
"""A column that stays as it is."""


@jit
def _plain_stops(text: np.ndarray, separator: int, stops: np.ndarray) -> int:
    """Do what `find_stops` does, for a text without quotes and returns."""
    found, room = np.uint64(0), np.uint64(len(stops) - _BLOCK)
    for low in range(0, len(text), _BLOCK):
        if found > room:
            return -1
        for i in range(low, min(low + _BLOCK, len(text))):
            byte = text[np.uint64(i)]
            stops[found] = i  # overwritten unless a cell ends here: no branch to guess wrong
            found += np.uint64((byte == separator) | (byte == _NEWLINE))
    return int(np.int64(found)) if found <= room else -1


@jit
def _quote_fits(text: np.ndarray, i: int, separator: int, inside: bool) -> bool:
    """Whether a quote may stand at i (`inside` if one is open): at a cell's edge or by a quote."""
    if not inside and i == 0:
        return True
    beside = text[i + 1] if inside else text[i - 1]
    fits = (beside == separator) | (beside == _NEWLINE) | (beside == _QUOTE)
    return fits or (inside and beside == _RETURN)


@jit
def _careful_stops(text: np.ndarray, separator: int, stops: np.ndarray) -> int:
    """Do what `find_stops` does, for a text with quotes or returns."""
    found, inside = 0, False
    for i in range(len(text)):
        byte = text[i]
        if byte == _QUOTE:
            if not _quote_fits(text, i, separator, inside):
                return -1
            inside = not inside
        elif byte == _RETURN and not inside and text[i + 1] != _NEWLINE:
            return -1
        if found == len(stops):
            return -1
        stops[found] = i
        found += ((byte == separator) | (byte == _NEWLINE)) & (not inside)
    return -1 if inside else found


@jit
def find_stops(text: np.ndarray, separator: int, plain: bool, stops: np.ndarray) -> int:
    """Fill `stops` with where each cell of a text ends; return how many there are, or -1.

    A cell ends at its separator or line feed. A cell that starts with a quote ends with one; inside
    it two quotes stand for one. Any other has no quotes, and no returns but before a line feed. The
    text ends with a line feed; it is `plain` if it has neither quotes nor returns. -1 if it is not
    written so, or if `stops` is too short: `SPARE` places more than there are cells are enough.
    """
    if plain:
        return _plain_stops(text, separator, stops)
    return _careful_stops(text, separator, stops)


@jit
def are_records(text: np.ndarray, stops: np.ndarray, width: int) -> bool:
    """Whether each line has `width` cells, and none is blank."""
    if len(stops) % width:
        return False
    wrong = 0
    for record in range(0, len(stops), width):
        for column in range(width - 1):
            wrong += text[stops[record + column]] == _NEWLINE
        wrong += text[stops[record + width - 1]] != _NEWLINE
        if width == 1:
            start = stops[record - 1] + 1 if record else 0
            wrong += stops[record] == start or text[start] == _RETURN
    return wrong == 0


@jit
def _copy_bytes(
    source: np.ndarray, start: np.uint64, stop: np.uint64, made: np.ndarray, place: np.uint64
) -> np.uint64:
    """Copy the bytes from `start` to before `stop` to this place; return the place behind them."""
    size = stop - start
    for i in range(size):
        made[place + np.uint64(i)] = source[start + np.uint64(i)]
    return place + size


@jit
def splice_records(
    text: np.ndarray,
    stops: np.ndarray,
    runs: Codes,
    codes: np.ndarray,
    faces: np.ndarray,
    bounds: np.ndarray,
    made: np.ndarray,
    ends: Counts,
) -> None:
    """Write the records of a text to `made`, without some columns and with other cells in some.

    The cells of the text end at the `stops`. Each line of `runs` is (first column, last column,
    what): with `KEPT` the columns stay as they are; with a number j there is one column, and it
    shows the text of the code `codes[j, record]`, the bytes of `faces` from `bounds[j, code]` up to
    `bounds[j, code + 1]`. Columns in no run are left out. `made` must be large enough; `ends`, with
    an entry per record, gets the place after each.
    """
    width = len(stops) // max(1, len(ends))
    place, start, separator = np.uint64(0), 0, text[stops[0]] if len(stops) else 0
    for record in range(len(ends)):
        base = record * width
        stop = stops[base + width - 1]
        last = stop - (stop > start and text[stop - 1] == _RETURN)
        for r in range(len(runs)):
            if r:
                made[place] = separator
                place += np.uint64(1)
            first, end, what = runs[r, 0], runs[r, 1], runs[r, 2]
            if what == KEPT:
                low = stops[base + first - 1] + 1 if first else start
                high = stops[base + end] if end < width - 1 else last
                place = _copy_bytes(text, np.uint64(low), np.uint64(high), made, place)
            else:
                code = codes[what, record]
                low, high = bounds[what, code], bounds[what, code + 1]
                place = _copy_bytes(faces, np.uint64(low), np.uint64(high), made, place)
        made[place] = _NEWLINE
        place += np.uint64(1)
        ends[record] = np.int64(place)
        start = stop + 1


@jit
def gather_records(text: np.ndarray, ends: Counts, order: Counts, made: np.ndarray) -> int:
    """Write the records of a text to `made` in this order; return a number that means nothing.

    Record r ends before `ends[r]`. Records lie far apart, so the first bytes of some are fetched
    together before they are copied; their sum is returned so that no compiler leaves that out.
    """
    place, touched = np.uint64(0), 0
    starts, stops = np.empty(_BLOCK, dtype=np.uint64), np.empty(_BLOCK, dtype=np.uint64)
    for low in range(0, len(order), _BLOCK):
        size = min(_BLOCK, len(order) - low)
        for j in range(size):
            record = order[low + j]
            starts[j] = np.uint64(ends[record - 1] if record else 0)
            stops[j] = np.uint64(ends[record])
        for j in range(size):
            touched += text[starts[j]]
        for j in range(size):
            place = _copy_bytes(text, starts[j], stops[j], made, place)
    return touched
