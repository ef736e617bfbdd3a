"""Where the last whole record of a piece of delimited text ends."""

import numpy as np

from incrowd.kernels.compile import jit

_QUOTE = 34
_NEWLINE = 10
_RETURN = 13


@jit
def last_end(text: np.ndarray, separator: int) -> int:
    """The place after the last line end that ends a record, 0 if none does.

    The text starts with a record. A field that starts with a quote ends with one; inside,
    separators and line ends are text and two quotes are one (as `lines.survey` reads them).
    """
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
