"""What categories say of themselves: lists of words that only one kind of column holds."""

from collections.abc import Sequence

from incrowd.pii.meanings import WordMeaning, meanings
from incrowd.table.names import words_of

_LISTS = {
    "sex": "m f male female man woman men women masculino feminino hombre mujer homme femme "
    "maennlich weiblich mann frau u x other nonbinary diverse divers",
    "family": "married single divorced widowed separated cohabiting partner husband wife spouse "
    "never verheiratet ledig geschieden verwitwet casado soltero viudo divorciado marie "
    "celibataire divorce veuf civ",
    "origin": "white black asian hispanic latino caucasian african indian islander native mixed "
    "amer pac eskimo latina mestizo",
    "belief": "catholic protestant muslim jewish hindu buddhist orthodox christian atheist islam "
    "evangelical agnostic sikh",
    "work": "employed unemployed retired student housewife homemaker private government "
    "freelance freelancer worker clerk manager professional farmer",
    "education": "primary secondary tertiary bachelor bachelors master masters doctorate phd "
    "college university vocational preschool school diploma degree",
    "illness": "asthma diabetes hypertension pneumonia cancer influenza flu bronchitis hepatitis "
    "arthritis depression anemia migraine gastritis ulcer stroke",
}
_WORDS = {name: frozenset(words.split()) for name, words in _LISTS.items()}
_SAME = 0.6
_ALL = 1.0


def topic_of_values(labels: Sequence[str]) -> WordMeaning | None:
    """The meaning of most of these categories by their words; None if they say nothing.

    >>> topic_of_values(["Married", "Never married", "Divorced"]).name
    'family'
    """
    if len(labels) < 2:
        return None
    said = [frozenset(words_of(label)) for label in labels]
    for name, words in _WORDS.items():
        share = sum(not one.isdisjoint(words) for one in said) / len(said)
        if share >= (_ALL if name == "sex" else _SAME) and (len(labels) > 2 or name == "sex"):
            return next(meaning for meaning in meanings() if meaning.name == name)
    return None
