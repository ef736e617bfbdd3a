"""What the name of a column tells: words that tables use for the same things."""

from dataclasses import dataclass

from incrowd.table.names import said_by, words_of
from incrowd.table.roles import Role


@dataclass(frozen=True)
class Topic:
    """A thing that many tables have a column for, and the role such a column should have."""

    name: str
    role: Role
    reason: str
    words: frozenset[str]
    """Words that say it, in several languages, without accents."""
    sure: bool = True
    """Whether the name alone settles the role."""


def _topic(name: str, role: Role, reason: str, words: str, *, sure: bool = True) -> Topic:
    return Topic(name, role, reason, frozenset(words.split()), sure)


TOPICS = (
    _topic(
        "e-mail",
        Role.IDENTIFIER,
        "an e-mail address names a person",
        "email mail correo courriel mailadresse emailaddress",
    ),
    _topic(
        "network",
        Role.IDENTIFIER,
        "an address or account on a network leads to a person",
        "ip ipaddress mac url website username login user handle imei cookie",
    ),
    _topic(
        "phone",
        Role.IDENTIFIER,
        "a telephone number leads to a person",
        "phone telephone telefon telefono telefone tel fax mobile handy celular gsm",
    ),
    _topic(
        "address",
        Role.IDENTIFIER,
        "an address leads to a household",
        "address addr street adresse anschrift strasse rue direccion calle indirizzo endereco "
        "adres ulica latitude longitude lat lon gps",
    ),
    _topic(
        "number",
        Role.IDENTIFIER,
        "such a number names a person in some register",
        "ssn socialsecurity mrn medicalrecord nhs nin nino passport reisepass pasaporte license "
        "licence fuehrerschein iban account konto creditcard cardnumber insurancenumber "
        "beneficiary plate licenseplate vin serial pesel dni nif cpf bsn personnummer curp "
        "aadhaar steuernummer matricule serialnumber certificate device",
    ),
    _topic(
        "birth",
        Role.QUASI,
        "birth dates stand in many public registers",
        "birth dob birthdate birthday dateofbirth born geburt geburtsdatum geburtstag naissance "
        "nacimiento nascita nascimento geboorte urodzenia yob birthyear",
    ),
    _topic(
        "age", Role.QUASI, "age is easily known", "age alter edad eta idade leeftijd wiek alder"
    ),
    _topic(
        "sex",
        Role.QUASI,
        "sex is easily known",
        "sex gender geschlecht sexe sexo sesso genero genre geslacht plec kon kjonn",
    ),
    _topic(
        "postcode",
        Role.QUASI,
        "where a person lives is easily known",
        "zip zipcode postcode postal postalcode plz postleitzahl codepostal codigopostal cap cep "
        "pincode",
    ),
    _topic(
        "place",
        Role.QUASI,
        "where a person lives is easily known",
        "city town municipality county state province region district village ort stadt gemeinde "
        "kreis bundesland ville commune departement ciudad municipio provincia cidade comune "
        "citta neighborhood neighbourhood precinct tract",
    ),
    _topic(
        "country",
        Role.QUASI,
        "a person's origin is easily known",
        "country nationality citizenship land nation staat staatsangehoerigkeit nationalitaet pays "
        "nationalite pais nacionalidad paese nazionalita birthplace native nativecountry",
    ),
    _topic(
        "origin",
        Role.QUASI,
        "origin and language are easily known",
        "race ethnicity ethnic ethnie rasse raza etnia language sprache langue idioma lingua "
        "hispanic ancestry",
    ),
    _topic(
        "work",
        Role.QUASI,
        "what a person does for a living is easily known",
        "occupation job profession work workclass employer employment industry beruf arbeitgeber "
        "metier emploi ocupacion profesion trabajo lavoro professione beroep zawod title company",
    ),
    _topic(
        "education",
        Role.QUASI,
        "a person's education is easily known",
        "education edu degree school schooling university college bildung abschluss schule "
        "ausbildung diplome etudes educacion estudios istruzione titolo opleiding major",
    ),
    _topic(
        "family",
        Role.QUASI,
        "a person's family is easily known",
        "marital married maritalstatus relationship household children kids family spouse "
        "dependents familienstand familie kinder haushalt matrimonial civil estadocivil enfants "
        "hijos figli "
        "parity",
    ),
    _topic(
        "body",
        Role.QUASI,
        "what is seen of a person is easily known",
        "height stature groesse koerpergroesse taille altura eyecolor eye hair haircolor "
        "handedness",
    ),
    _topic(
        "event",
        Role.QUASI,
        "when something happened to a person is often known to others",
        "admission admitted discharge discharged death deceased visit encounter appointment "
        "arrival hire hired enrollment enrolment accident aufnahme entlassung tod einweisung "
        "sortie deces "
        "ingreso alta muerte fecha datum",
        sure=False,
    ),
    _topic(
        "illness",
        Role.SENSITIVE,
        "what a person suffers from must not be learned",
        "diagnosis diagnoses diagnose diag icd icd9 icd10 disease illness condition symptom "
        "disorder comorbidity cancer tumor hiv aids krankheit erkrankung befund maladie diagnostic "
        "diagnostico enfermedad diagnosi malattia doenca ziekte choroba injury allergy cause",
    ),
    _topic(
        "treatment",
        Role.SENSITIVE,
        "how a person is treated must not be learned",
        "treatment therapy procedure drug medication medicine prescription surgery operation "
        "vaccine dose medikament behandlung medicament traitement medicamento tratamiento farmaco "
        "atc cpt drg ward department station stay los",
        sure=False,
    ),
    _topic(
        "measure",
        Role.SENSITIVE,
        "what was measured on a person must not be learned",
        "lab result test glucose cholesterol bmi pressure hba1c score genotype gene mutation dna "
        "smoker smoking alcohol",
        sure=False,
    ),
    _topic(
        "money",
        Role.SENSITIVE,
        "a person's money must not be learned",
        "salary income wage wages earnings pay salaryclass revenue debt credit loan balance cost "
        "costs charge charges price amount bill payment gehalt einkommen lohn kosten betrag "
        "salaire revenu cout montant salario ingreso ingresos sueldo costo coste stipendio reddito "
        "salaris inkomen wealth tax benefit",
    ),
    _topic(
        "belief",
        Role.SENSITIVE,
        "the law protects it specially",
        "religion religious faith party political vote voted union orientation sexual konfession "
        "partei religione politica criminal crime offence offense conviction verdict sentence "
        "disability behinderung handicap mental pregnancy pregnant",
    ),
    _topic(
        "name",
        Role.IDENTIFIER,
        "it names a person",
        "name names surname firstname lastname forename fullname givenname familyname middlename "
        "maidenname nickname nom prenom nombre apellido apellidos nachname vorname cognome nome "
        "sobrenome naam achternaam voornaam imie nazwisko navn fornavn etternavn namn fornamn "
        "efternamn initials physician doctor",
    ),
    _topic(
        "id",
        Role.IDENTIFIER,
        "it numbers persons or records",
        "id ids uid pid uuid guid identifier ident key no nr num number nummer numero index rowid "
        "patientid personid recordid subjectid caseid memberid customerid kennung",
    ),
    _topic(
        "sampling",
        Role.DROP,
        'it may be a sampling weight; give it role = "weight" if it is',
        "fnlwgt wgt pweight samplingweight sampleweight perwt pwgtp wgtp hhwt",
        sure=False,
    ),
)

_PERSONS = (
    "patient person member customer client subject participant student employee user household "
    "citizen respondent pupil individual insured donor case"
)
PERSONS = frozenset(_PERSONS.split())
"""Words for one person: a number of theirs that repeats says which records belong together."""


def topic_of(name: str) -> Topic | None:
    """What a column of this name is about, None if the name does not tell.

    >>> topic_of("date_of_birth").name, topic_of("patientName").name, topic_of("x7")
    ('birth', 'name', None)
    """
    said, joined = said_by(name), "".join(words_of(name))
    whole = [topic for topic in TOPICS if topic.words & said]
    if whole:
        return whole[0]
    return next((topic for topic in TOPICS if _within(topic, joined)), None)


def says_person(name: str) -> bool:
    """Whether a column's name speaks of one person.

    >>> says_person("patient_id"), says_person("row_id")
    (True, False)
    """
    return any(word in PERSONS or word.removesuffix("id") in PERSONS for word in words_of(name))


def _within(topic: Topic, joined: str) -> bool:
    """Whether a long word of the topic stands inside a name that is written in one."""
    return any(len(word) >= 6 and word in joined for word in topic.words)
