"""What a name or a label says, word by word: meanings with points.

Names of survey files are often written in one: `hhincome` is read as `hh` and `income`. A word that
is not known itself is read so if known words cover nearly all of its letters.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from incrowd.pii.meanings import CODED, COUNTING, WordMeaning, is_vague, stems, vocabulary
from incrowd.pii.words import word_set
from incrowd.table.names import words_of

_SHORTEST = 3
_COVER = 0.75
_HEAD = 0.6
_VAGUE = 0.5
_PLAIN = word_set("dur size yrs yr max min net gross cat rec new old tot num cnt pct avg")
"""Parts of words that mean nothing by themselves."""
_JOINTS = word_set("of in for from to at on with by per de del da do du des von im am en por")


@dataclass(frozen=True)
class NameMeanings:
    """What a name or a label says."""

    words: tuple[str, ...]
    points: tuple[tuple[WordMeaning, float], ...]
    """Meanings with their points; those of a name or a label alone are sorted, highest first."""

    @property
    def says_count(self) -> bool:
        """Whether it says a number of something."""
        return not COUNTING.isdisjoint(self.words)

    @property
    def says_codes(self) -> bool:
        """Whether it says that values are codes."""
        return not CODED.isdisjoint(self.words)


def meanings_in_name(name: str) -> NameMeanings:
    """The meanings of a column's name; its last word counts a little more than the others.

    >>> [meaning.name for meaning, _ in meanings_in_name("household_weights").points][:2]
    ['sampling', 'family']
    """
    words = tuple(piece for word in words_of(name) for piece in pieces(word))
    return NameMeanings(words, _weigh_meanings(words, len(words) - 1))


def meanings_in_label(label: str) -> NameMeanings:
    """The meanings of a label; the word before `of`, or else the last one, counts a little more.

    >>> meanings_in_label("Age of respondent").points[0][0].name
    'age'
    """
    words = words_of(label)
    heads = [i for i, word in enumerate(words) if word in _JOINTS and i]
    return NameMeanings(words, _weigh_meanings(words, (heads[0] if heads else len(words)) - 1))


def pieces(word: str) -> tuple[str, ...]:
    """The known words that a word is made of; the word alone if it is known or made of none.

    >>> pieces("alcabuse"), pieces("unempdur"), pieces("zipper")
    (('alcabuse',), ('unempdur',), ('zipper',))
    >>> pieces("hhincome")
    ('hh', 'income')
    """
    if meanings_of(word) or len(word) < 2 * _SHORTEST - 1:
        return (word,)
    covered, parts = _cover_with_words(word)
    enough = covered >= _COVER * len(word) and (len(parts) > 1 or covered > _SHORTEST)
    return parts if enough else (word,)


@cache
def _cover_with_words(word: str) -> tuple[int, tuple[str, ...]]:
    """How many letters of a word known words side by side can cover at most, and these words."""
    best: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    for end in range(1, len(word) + 1):
        chosen = best[end - 1]
        for start in range(max(0, end - 16), end):
            part = word[start:end]
            if _is_part(part, at_start=start == 0):
                covered = best[start][0] + len(part)
                if covered > chosen[0]:
                    chosen = (covered, (*best[start][1], part))
        best.append(chosen)
    return best[-1]


def _is_part(part: str, *, at_start: bool) -> bool:
    """Whether a part of a word is a known word, long enough, or an abbreviation at its start."""
    if len(part) < _SHORTEST:
        return at_start and part in {"hh", "no", "nb", "dx"}
    return part in _PLAIN or (part in vocabulary() and len(part) >= _SHORTEST)


@cache
def meanings_of(word: str) -> tuple[WordMeaning, ...]:
    """The meanings of a word as it is, without its plural or by its longest known stem, if any."""
    known = vocabulary()
    if word in known:
        return known[word]
    single = re.sub(r"e?s$", "", word)
    if len(single) > _SHORTEST and single in known:
        return known[single]
    found = [(stem, meaning) for stem, meaning in stems() if word.startswith(stem)]
    longest = max((len(stem) for stem, _ in found), default=0)
    return tuple(meaning for stem, meaning in found if len(stem) == longest)


def _weigh_meanings(words: tuple[str, ...], head: int) -> tuple[tuple[WordMeaning, float], ...]:
    """Meanings of words, and of two side by side, by points; the word at `head` counts more."""
    points: dict[str, float] = {}
    meant: dict[str, WordMeaning] = {}
    joined = {i: a + b for i, (a, b) in enumerate(pairwise(words))}
    for place, word in [*enumerate(words), *joined.items()]:
        found = vocabulary().get(word, ()) if place in joined and word == joined[place] else None
        for meaning in meanings_of(word) if found is None else found:
            weight = meaning.strength * (_VAGUE if is_vague(word) else 1.0)
            if place == head and word == words[place]:
                weight += _HEAD
            meant[meaning.name] = meaning
            points[meaning.name] = max(points.get(meaning.name, 0.0), weight)
    order = sorted(points, key=lambda name: -points[name])
    return tuple((meant[name], points[name]) for name in order)
