"""What the name of a column says, word by word."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise


def listed(names: Iterable[str]) -> tuple[str, ...]:
    """Columns that are named, each once: a name alone is one of them, not a list of its letters.

    >>> listed("age"), listed(name for name in ["age", "zip", "age"])
    (('age',), ('age', 'zip'))
    """
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in small letters without accents.

    >>> words_of("BirthDate_2"), words_of("código-postal")
    (('birth', 'date'), ('codigo', 'postal'))
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", plain)
    parted = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", parted)
    return tuple(re.findall(r"[a-z]+(?:\d+(?=[a-z]))?[a-z]*", parted.lower()))


def said_by(name: str) -> frozenset[str]:
    """The words of a name, each two neighbours in one, and all of them in one.

    >>> sorted(said_by("date of birth"))
    ['birth', 'date', 'dateof', 'dateofbirth', 'of', 'ofbirth']
    """
    words = words_of(name)
    return frozenset((*words, *(a + b for a, b in pairwise(words)), "".join(words)))
