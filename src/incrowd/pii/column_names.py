"""What the name of a column says: its topic, the identifiers of Safe Harbor, dates and places.

A name says a word if the word is one of its own, two neighbours in one, or the whole name (see
`incrowd.table.names.words_and_compounds`). `zipper`, `named` and `aged` say nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from incrowd.pii.words import PERSONS, TOPICS, Topic, word_set
from incrowd.table.names import words_and_compounds, words_of

_CASES = frozenset(("household", "case"))
"""Words for one or a few people: good enough for a draft."""
_LONG = 6
"""Words of so many letters are found inside longer words."""


def topic_of(name: str) -> Topic | None:
    """What a column of this name is about; None if the name does not say.

    >>> topic_of("date_of_birth").name, topic_of("patientName").name, topic_of("x7")
    ('birth', 'name', None)
    """
    said, joined = words_and_compounds(name), "".join(words_of(name))
    for topic in TOPICS:
        if not said.isdisjoint(topic.words | topic.hints | topic.exact):
            return topic
    return next((topic for topic in TOPICS if _is_in_joined_name(topic, joined)), None)


def names_person_or_case(name: str) -> bool:
    """Whether a word of a column's name is a person, household or case, or such with `id`.

    >>> names_person_or_case("patient_id"), names_person_or_case("row_id")
    (True, False)
    """
    known = _CASES.union(PERSONS)
    return any(word in known or word.removesuffix("id") in known for word in words_of(name))


def _is_in_joined_name(topic: Topic, joined: str) -> bool:
    """Whether a long word of the topic stands inside a name whose words are joined."""
    return any(len(word) >= _LONG and word in joined for word in topic.words | topic.hints)


# The eighteen identifiers of Safe Harbor


@dataclass(frozen=True)
class Identifier:
    """One of the eighteen identifiers A to R, as the law lists them."""

    letter: str
    title: str
    numbered: bool = False
    """Whether it is a number or code: a column without digits does not hold it."""
    unseen: str = ""
    """Why no program can say that a table is free of it."""

    @property
    def phrase(self) -> str:
        """The title inside a sentence."""
        return self.title if self.title[1].isupper() else self.title[0].lower() + self.title[1:]

    @property
    def words(self) -> frozenset[str]:
        """The words in column names that say this identifier."""
        return _WORDS[self.letter]


IDENTIFIERS = (
    Identifier("A", "Names"),
    Identifier("B", "Geographic subdivisions smaller than a state"),
    Identifier("C", "Dates finer than a year, and ages over 89"),
    Identifier("D", "Telephone numbers", numbered=True),
    Identifier("E", "Fax numbers", numbered=True),
    Identifier("F", "E-mail addresses"),
    Identifier("G", "Social security numbers", numbered=True),
    Identifier("H", "Medical record numbers", numbered=True),
    Identifier("I", "Health plan beneficiary numbers", numbered=True),
    Identifier("J", "Account numbers", numbered=True),
    Identifier("K", "Certificate and license numbers", numbered=True),
    Identifier("L", "Vehicle identifiers, serial numbers and license plates", numbered=True),
    Identifier("M", "Device identifiers and serial numbers", numbered=True),
    Identifier("N", "Web addresses (URLs)"),
    Identifier("O", "IP addresses", numbered=True),
    Identifier(
        "P",
        "Biometric identifiers, including finger and voice prints",
        unseen="a biometric template looks like any other number or code",
    ),
    Identifier("Q", "Full-face photographs and comparable images"),
    Identifier(
        "R",
        "Any other unique identifying number, characteristic or code",
        unseen="only somebody who knows the people can say what else singles a person out",
    ),
)
"""All of them, in the order of the law (45 CFR 164.514(b)(2)(i); Lodha-Thomas Appendix C)."""


def _strict_words(topics: Iterable[Topic]) -> frozenset[str]:
    """All words of these topics but those that are mere hints."""
    return frozenset[str]().union(*(topic.words | topic.exact for topic in topics))


_WORDS = {
    one.letter: _strict_words(topic for topic in TOPICS if topic.letter == one.letter)
    for one in IDENTIFIERS
}
_TOPIC = {topic.name: topic for topic in TOPICS}


# Words that Safe Harbor needs besides

THINGS = word_set(
    "drug medication medicine product brand test lab procedure disease diagnosis condition "
    "treatment therapy country state nation hospital facility clinic department ward file table "
    "column field species variable event course plan program study trial item device vaccine gene "
    "protein compound ingredient food form generic trade scientific common system model domain "
    "host server display label unit month day payer insurance city town county street school "
    "occupation job language"
)
"""Beside `name`, words for things: the name of a thing is no name of a person."""
ABOUT = word_set(
    "type types kind class category status count counts amount balance model make manufacturer "
    "color colour flag reason brand version length size "
    "score rate level rank population income density quality width height weight index per change "
    "format provider carrier vendor"
)
"""Words that turn a name to a property: `phone_type`, `account_balance`, `city_size`."""
REMARKS = frozenset(("verified", "known", "present", "missing", "available", "expired", "valid"))
"""The same, if they come last: `phone_verified` is none, `verified_phone` is a number to call."""
NETWORKS = frozenset(("email", "mail", "ip", "mac", "web", "url", "internet"))
"""Before `address`, words that make it another one than where somebody lives."""
AGE = _strict_words([_TOPIC["age"]])
"""Columns that tell how old people are."""
BIRTH = _strict_words([_TOPIC["birth"]])
"""Columns that tell when people were born."""
POSTAL = _strict_words([_TOPIC["postcode"]])
"""Columns of postal codes."""
NOT_WHEN = frozenset(("place", "birthplace", "country", "state", "city", "order", "control", "sex"))
"""Beside a word for birth, words for something other than its date."""
DATE = word_set(
    "date dates datetime timestamp dob birthdate birthday dateofbirth datum fecha geburtsdatum "
    "geburtstag epoch unixtime createdat updatedat admittedat dischargedat"
)
"""Columns of dates."""
EVENT = BIRTH | word_set(
    "admission admit admitted discharge discharged death visit encounter appointment arrival "
    "surgery diagnosis hire enrollment service date"
)
"""Words for what happens to a person at some time."""
DATE_ELEMENTS = {
    "month": 12,
    "quarter": 4,
    "day": 31,
    "week": 53,
    "weekday": 7,
    "dayofweek": 7,
    "dayofyear": 366,
}
"""Elements of a date, and the largest number that each can be."""
WHEN = AGE | DATE | EVENT | DATE_ELEMENTS.keys()
"""Names of columns that tell when something happened, or how old people are."""
FILES = frozenset(("file", "archive", "folder", "path"))
"""Beside `zip`, words for files."""
VAGUE_PLACES = word_set(
    "region area location place birthplace province site residence hospital facility clinic "
    "catchment"
)
"""Columns that may tell a small place."""
PLACES = POSTAL | VAGUE_PLACES
"""Names of columns that may tell where people live."""
ADDRESSES = frozenset(("address", "addr", "adresse", "direccion", "indirizzo", "endereco"))
"""Words for an address, of a household or in a network."""
