"""Figures in words and numbers, the same in every report."""

import math

_SENTENCES = {
    "k-anonymity": "each person hides among at least {reached}",
    "l-diversity": "{column} is at least {reached}-diverse in every class",
    "t-closeness": "{column} is spread in each class as in the whole table, within {reached}",
    "k-map": "each record may be about at least {reached} people of the world",
    "delta-presence": "at most {reached} of the people whom a class may be about are in it",
    "probabilistic": "at least {reached} people of the population share what a class shows",
    "alpha-k": "no value of {column} covers more than {reached} of a class",
}


_MANY = 10**30
"""Whole numbers from here on are said by their size."""


def number(value: float | None) -> str:
    """A figure for people: whole numbers with commas, fractions to four significant places.

    >>> number(12345.0), number(0.123456), number(0.999999), number(None), number(float("inf"))
    ('12,345', '0.1235', '1', 'none', 'none')
    """
    if isinstance(value, int) and abs(value) >= _MANY:
        return f"about 10^{len(str(abs(value))) - 1}"
    if value is None or not math.isfinite(value):
        return "none"
    if float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.1f}"
    places = 4 if abs(value) >= 0.001 else 4 - math.floor(math.log10(abs(value)))
    return f"{value:.{places}f}".rstrip("0").rstrip(".")


def counted(value: float, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> counted(1, "class", "classes"), counted(2, "record")
    ('1 class', '2 records')
    """
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def promise(model: str, column: str | None, reached: float) -> str:
    """What a model that reaches this value means to a person in the table.

    >>> promise("k-anonymity", None, 5.0)
    'each person hides among at least 5'
    """
    sentence = _SENTENCES.get(model, "{reached} reached")
    return sentence.format(column=column, reached=number(reached))


def printable(text: str) -> str:
    r"""The text without characters that steer a terminal: column names may hold any.

    >>> printable("age\x1b[2J")
    'age\\x1b[2J'
    """
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )
