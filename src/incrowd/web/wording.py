"""Words of the library as the page says them: fields of the page in place of flags of a command.

A sentence may say what to do with a flag. If the page has a field for it, the field is named; if
not, the clause is left out, for nobody can follow it here.
"""

import re
from collections.abc import Sequence
from html import escape, unescape

FIELDS = {
    "--delimiter": "Delimiter",
    "--encoding": "Encoding",
    "--header": "First line: names of the columns",
    "--no-header": "First line: data",
    "--sheet": "Sheet",
    "--skip": "Lines above the header",
    "--decimal": "Decimal mark",
    "--thousands": "Thousands mark",
    "--date-format": "Formats of dates",
    "--world": "Tables of the world",
    "--world-id": "Column that tells its people apart",
    "--id": "Column that tells its people apart",
    "--rename": "The world's name of a column",
    "--trusted-key": "Public key that you trust",
    "--certificate": "Certificate",
    "--original": "Original table",
    "--policy": "Policy file",
    "--sign": "Private key to sign with",
    "--seed": "Seed",
    "--report": "With a report to read",
}
"""The field of the page that each flag stands for."""

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?: [A-Z]{2,}\b)?")
_ASIDE = re.compile(r"\s*\((?:[^()]*\s)?--?[a-z][^()]*\)")
_EXAMPLE = re.compile(r", such as --[a-z][a-z-]*(?: [^\s;,]+)?")
_CLAUSE = re.compile(r"(; |, or |, and |: |\. )")
_SYMBOL = re.compile(r"[a-z] = ")
_NAMES_LISTED = 8
_TEXT = re.compile(r">([^<>]*--[a-z][^<>]*)<")


def page_words(words: str) -> str:
    """A sentence of the library with the fields of the page in place of flags of a command.

    Clauses with flags that stand for no field are left out.

    >>> page_words("the encoding cannot be found; name it with --encoding")
    'the encoding cannot be found; name it with “Encoding”'
    >>> page_words("give the original too (--original FILE)")
    'give the original too'
    >>> page_words('give it role = "drop", or --accept-derived bmi')
    'give it role = "drop"'
    """
    plain = _ASIDE.sub("", _EXAMPLE.sub("", words))
    named = _FLAG.sub(_field_or_flag, plain)
    return named if _FLAG.search(named) is None else _without_flags(named)


def _field_or_flag(found: "re.Match[str]") -> str:
    """The field, in quotes, that a flag stands for; the flag as it was found if none does."""
    flag = found[0].split(" ")[0]
    return f"“{FIELDS[flag]}”" if flag in FIELDS else found[0]


def _without_flags(words: str) -> str:
    """The words without the clauses that name a flag."""
    first, *rest = _CLAUSE.split(words)
    clauses = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    kept = [(mark, clause) for mark, clause in clauses if _FLAG.search(clause) is None]
    said = [clause if number == 0 else mark + clause for number, (mark, clause) in enumerate(kept)]
    return "".join(said)


def page_sentence(words: str) -> str:
    """Words of the library as a sentence of the page, with a capital and a full stop.

    A symbol at the start stays small.

    >>> page_sentence("the file is empty"), page_sentence("k = 2 is small")
    ('The file is empty.', 'k = 2 is small.')
    """
    plain = page_words(words).strip()
    first = plain[:1] if _SYMBOL.match(plain) else plain[:1].upper()
    end = "" if plain.endswith(("?", "!", ".")) else "."
    return f"{first}{plain[1:]}{end}" if plain else ""


def list_names_shortly(names: Sequence[str]) -> str:
    """Names as a sentence lists them: of many the first, and how many more.

    >>> list_names_shortly(["age", "sex"]), list_names_shortly([str(n) for n in range(12)])
    ('age, sex', '0, 1, 2, 3, 4, 5, 6, 7 and 4 more')
    """
    more = len(names) - _NAMES_LISTED
    shown = ", ".join(names[:_NAMES_LISTED])
    return f"{shown} and {more:,} more" if more > 0 else shown


def page_markup(markup: str) -> str:
    """Our own markup, with every text in it that names a flag as `page_words` gives it."""
    return _TEXT.sub(lambda text: f">{escape(page_words(unescape(text[1])))}<", markup)
