import pytest

from incrowd.pii.column_names import IDENTIFIERS, topic_of
from incrowd.pii.patterns import PATTERNS
from incrowd.pii.words import TOPICS
from incrowd.table.column import Role
from incrowd.table.names import words_of


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("name", "name"),
        ("Last Name", "name"),
        ("patientName", "name"),
        ("Nachname", "name"),
        ("prénom", "name"),
        ("SSN", "social security number"),
        ("mrn", "medical record number"),
        ("e-mail", "e-mail"),
        ("EMAIL_ADDRESS", "e-mail"),
        ("phone2", "phone"),
        ("home address", "address"),
        ("Straße", "address"),
        ("id", "id"),
        ("rowId", "id"),
        ("age", "age"),
        ("Alter", "age"),
        ("dob", "birth"),
        ("date_of_birth", "birth"),
        ("Geburtsdatum", "birth"),
        ("fechaNacimiento", "birth"),
        ("zip", "postcode"),
        ("ZIPCode", "postcode"),
        ("code_postal", "postcode"),
        ("sex", "sex"),
        ("Geschlecht", "sex"),
        ("native-country", "country"),
        ("country_name", "country"),
        ("race", "origin"),
        ("marital-status", "family"),
        ("workclass", "work"),
        ("occupation", "work"),
        ("education-num", "education"),
        ("diagnosis_id", "illness"),
        ("ICD10", "illness"),
        ("salary-class", "money"),
        ("total_cost", "money"),
        ("religion", "belief"),
        ("admission_date", "event"),
        ("fnlwgt", "sampling"),
        ("agency", None),
        ("capital-gain", None),
        ("x7", None),
        ("", None),
    ],
)
def test_names_tell_what_a_column_is_about(name, topic):
    found = topic_of(name)
    assert (found.name if found else None) == topic


def test_words_are_split_at_every_border():
    assert words_of("patientBirthDATE_01 (of)") == ("patient", "birth", "date", "of")
    assert words_of("HTTPCode") == ("http", "code")
    assert words_of("日本") == ()


def test_topics_have_names_of_their_own():
    names = [topic.name for topic in TOPICS]
    assert len(names) == len(set(names))


def test_what_the_law_calls_an_identifier_never_leaves_a_draft_as_it_is():
    found = {row.role for row in (*TOPICS, *PATTERNS) if row.letter}
    assert found <= {Role.IDENTIFIER, Role.QUASI}


def test_every_identifier_but_dates_has_words():
    assert [one.letter for one in IDENTIFIERS if not one.words] == ["C"]


def test_no_word_is_listed_twice_in_a_topic():
    for topic in TOPICS:
        assert not topic.words & topic.hints
        assert not topic.hints & topic.exact


@pytest.mark.parametrize(
    ("name", "role"),
    [("contact_number", Role.IDENTIFIER), ("selfie", Role.IDENTIFIER), ("parish", Role.QUASI)],
)
def test_a_draft_knows_the_words_of_safe_harbor(name, role):
    assert topic_of(name).role is role
