"""Names and figures in a picture: harmless, short and never cut silently; sizes in its units."""

import math
import unicodedata

from incrowd.documents.words import number, printable_text

SIZE = 12.0
"""Height of a letter in a picture's units."""
_MOST_LETTERS = 60
_MOST_TOLD = 160
_SUFFIXES = ((1e12, 1e12, " tn"), (1e9, 1e9, " bn"), (1e7, 1e6, " M"))


def one_line(text: str) -> str:
    r"""The text in one line, with characters that steer a display spelled out.

    >>> one_line("two\n lines\x00")
    'two lines\\x00'
    """
    return printable_text(" ".join(text.split()))


def tooltip_text(text: str) -> str:
    """The text of a tooltip: the whole name in one line, cut only if it is very long."""
    whole = one_line(text)
    return whole if len(whole) <= _MOST_TOLD else f"{whole[: _MOST_TOLD - 1]}…"


def text_width(text: str, size: float = SIZE) -> float:
    """About how wide a text is; rather too wide than too narrow, as fonts differ."""
    return sum(_letter_width(letter) for letter in text) * size


def shorten(text: str, room: float, size: float = SIZE) -> str:
    """The text in one line if it has room and at most `_MOST_LETTERS` letters, else both its ends.

    >>> shorten("diagnosis", 100), shorten("diagnosis of the first visit", 90)
    ('diagnosis', 'diagnos…visit')
    """
    whole = one_line(text)
    if len(whole) <= _MOST_LETTERS and text_width(whole, size) <= room:
        return whole
    left = room - text_width("…", size)
    start = _count_fitting_letters(whole, left * 0.6, size)
    end = _count_fitting_letters(
        whole[: start - 1 : -1] if start else whole[::-1], left * 0.4, size
    )
    return f"{whole[:start].rstrip()}…{whole[len(whole) - end :].lstrip()}"


def _count_fitting_letters(letters: str, room: float, size: float) -> int:
    """How many letters from the first fit into the room, at most half of `_MOST_LETTERS`."""
    for count, letter in enumerate(letters[: _MOST_LETTERS // 2]):
        room -= _letter_width(letter) * size
        if room < 0:
            return count
    return min(len(letters), _MOST_LETTERS // 2)


def figure(value: float | None) -> str:
    """A figure as a picture shows it: short, or `withheld` if it is None or not finite.

    >>> figure(1234.0), figure(0.125), figure(2.5e9), figure(1e21), figure(3e-7), figure(None)
    ('1,234', '0.125', '2.5 bn', '1e21', '3e-7', 'withheld')
    """
    if value is None or not math.isfinite(value):
        return "withheld"
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-4:
        digits, _, power = f"{value:.3g}".partition("e")
        return f"{digits}e{int(power)}"
    unit, suffix = next((found[1:] for found in _SUFFIXES if size >= found[0]), (1.0, ""))
    return f"{number(round(value / unit, 6))}{suffix}"


def coordinate(value: float) -> str:
    """A place in an SVG as text, with one decimal; `ValueError` if it is not finite.

    >>> coordinate(12.0), coordinate(0.25), coordinate(-0.01)
    ('12', '0.2', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    if "n" in text:
        raise ValueError("a place in a picture must be a number")
    return "0" if text == "-0" else text


def _letter_width(letter: str) -> float:
    """About how wide a letter is, as a multiple of the font size."""
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in "ijlItf.,:;'|!()[] 1":
        return 0.38
    return 0.72 if letter.isupper() or letter in "mwMW%&@—" else 0.58
