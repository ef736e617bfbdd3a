"""Words of the library on the page: none of them speaks of a command's flags."""

import re
from pathlib import Path

import pytest

import incrowd
from incrowd.requests.reading import ReadingOptions
from incrowd.requests.request import options_of
from incrowd.web import wording

SOURCE = Path(incrowd.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z]")
LITERAL = re.compile(r'"([^"\\\n]*--[a-z][^"\\\n]*)"')


def said():
    """Every text of the library that names a flag, but for those of the command line itself."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parts[len(SOURCE.parts)] not in {"cli", "demo.py"}:
            yield from LITERAL.findall(path.read_text(encoding="utf-8"))


def test_no_sentence_of_the_library_keeps_a_flag():
    texts = list(said())
    assert len(texts) > 30
    assert [text for text in texts if FLAG.search(wording.page_words(text))] == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("use --encoding if wrong", "use “Encoding” if wrong"),
        ("give the world too (--world FILE)", "give the world too"),
        ("say what it calls them, such as --rename zip=zipcode", "say what it calls them"),
        ("free some, or set another limit with --memory", "free some"),
        ("name some of them with --knows, or rename them", "rename them"),
        ("raise --time-limit", ""),
        ("b -- c, 3-4, -8 and --", "b -- c, 3-4, -8 and --"),
    ],
)
def test_a_flag_becomes_a_field_or_goes(words, shown):
    assert wording.page_words(words) == shown


def test_sentences_without_flags_stay_as_they_are():
    words = 'a class of 3 records; the policy asks for k = 5 (see Roles), or give role = "drop"'
    assert wording.page_words(words) == words


def test_markup_keeps_its_tags_and_escapes():
    text = "<p class='--x'>a &lt; b (--world FILE)</p><td>--truth, or &amp; more</td>"
    found = wording.page_markup(text)
    assert found == "<p class='--x'>a &lt; b</p><td>&amp; more</td>"


def test_every_way_to_read_a_file_has_a_field():
    for option in options_of(ReadingOptions):
        if option.name != "memory":  # it is the machine's, and no file's
            assert {*option.flags[0].split("/")} <= {*wording.FIELDS}
