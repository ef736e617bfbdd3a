"""Records and fields of a delimited text, found without splitting it.

`text` is the bytes of the text: shape (bytes,), uint8; `separator` is a byte. A field that starts
with a quote ends with one; inside, separators and line ends are text, and two quotes stand for one.
"""

import numpy as np

from incrowd.arrays import Counts
from incrowd.kernels.compile import jit

_QUOTE = 34
_NEWLINE = 10
_RETURN = 13


@jit
def survey_records(
    text: np.ndarray, separator: int, wanted: int, blank: Counts, found: Counts
) -> None:
    """Fill `found` with counts of records, blank lines and ragged records, and `blank`.

    A record is ragged if it has not `wanted` fields. `found`, shape (5,), zeros at first, becomes:
    records (ragged ones, too), blank lines, ragged records, the line of the first ragged one (from
    1 on, 0 if none), the line where a quote opens that never closes (0 if none). `blank`, shape
    (m,), gets the places, from 0 on, of the first m blank lines among records and blank lines.
    """
    line, start_line, quote_line = 1, 1, 0
    fields, length = 1, 0
    quoted, at_start = False, True
    for i in range(len(text) + 1):
        end = i == len(text)
        byte = _NEWLINE if end else text[i]
        if quoted and not end:
            if byte == _QUOTE:
                quoted = False
            line += byte == _NEWLINE
        elif byte == _QUOTE and (at_start or (text[i - 1] == _QUOTE and quote_line > 0)):
            quoted, at_start, quote_line = True, False, line
            length += 1
        elif byte == separator:
            fields += 1
            length += 1
            at_start, quote_line = True, 0
        elif byte == _NEWLINE:
            if end and length == 0:
                break
            if length == 0:
                if found[1] < len(blank):
                    blank[found[1]] = found[0] + found[1]
                found[1] += 1
            else:
                found[0] += 1
                if fields != wanted:
                    found[2] += 1
                    if found[3] == 0:
                        found[3] = start_line
            line += 1
            start_line = line
            fields, length, at_start = 1, 0, True
            if end and quoted:
                found[4] = quote_line
            quote_line = 0
        elif byte != _RETURN:
            length += 1
            at_start = False


@jit
def last_record_end(text: np.ndarray, separator: int) -> int:
    """Return the offset after the last whole record, 0 if none; the text starts with a record."""
    end = 0
    quoted, was_quoted, at_start = False, False, True
    for i in range(len(text)):
        byte = text[i]
        if quoted:
            quoted = byte != _QUOTE
        elif byte == _QUOTE and (at_start or (was_quoted and text[i - 1] == _QUOTE)):
            quoted, was_quoted, at_start = True, True, False
        elif byte == separator:
            was_quoted, at_start = False, True
        elif byte == _NEWLINE:
            end = i + 1
            was_quoted, at_start = False, True
        elif byte != _RETURN:
            at_start = False
    return end
