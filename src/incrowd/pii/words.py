"""The words of column names: one table for `incrowd init` and for HIPAA's Safe Harbor."""

from dataclasses import dataclass
from functools import partial

from incrowd.table.column import Role

_PERSONS = (
    "patient person member customer client subject participant student employee user citizen "
    "respondent pupil individual insured donor subscriber guardian spouse mother father holder "
    "owner contact caregiver"
)
PERSONS = tuple(_PERSONS.split())
"""Words for one person."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which spaces or line ends separate."""
    return frozenset(text.split())


def phrase_set(text: str) -> frozenset[str]:
    """The phrases of a text, which bars or line ends separate."""
    return frozenset(text.strip().replace("\n", "|").split("|"))


@dataclass(frozen=True)
class Topic:
    """Something that many tables have a column for."""

    name: str
    role: Role
    """The role of such a column in a draft."""
    reason: str
    """Why, in a draft."""
    words: frozenset[str]
    """Words that say it, in several languages, without accents."""
    hints: frozenset[str] = frozenset()
    """Words that are too vague for Safe Harbor; a person reviews a draft."""
    exact: frozenset[str] = frozenset()
    """Further words that count only as they are, never inside a longer word."""
    letter: str = ""
    """The identifier of Safe Harbor that it is, A to R."""
    sure: bool = True
    """Whether the name alone settles the role."""
    numbers: bool = False
    """Whether such a column can number people, so that it tells whose record each is."""


def _topic(  # noqa: PLR0913  one per field
    role: Role,
    name: str,
    reason: str,
    words: str,
    *,
    hints: str = "",
    exact: str = "",
    letter: str = "",
    sure: bool = True,
    numbers: bool = False,
) -> Topic:
    """Make a topic; `words`, `hints` and `exact` are words separated by spaces."""
    said, vague, more = map(word_set, (words, hints, exact))
    return Topic(name, role, reason, said, vague, more, letter, sure, numbers)


def _person_words(*ends: str) -> str:
    """Join each word for a person with each of these endings, separated by spaces."""
    return " ".join(person + end for person in PERSONS for end in ends)


_identifier = partial(_topic, Role.IDENTIFIER)
_quasi = partial(_topic, Role.QUASI)
_sensitive = partial(_topic, Role.SENSITIVE)

TOPICS = (
    _identifier(
        "e-mail",
        "an e-mail address identifies a person",
        "email correo courriel mailadresse emailaddress",
        hints="mail",
        exact="emails mailaddress",
        letter="F",
    ),
    _identifier(
        "web address",
        "a web address can lead to a person",
        "url website",
        exact="urls uri homepage webpage weblink webaddress link links href",
        letter="N",
        numbers=True,
    ),
    _identifier(
        "IP address",
        "an IP address leads to a person",
        "ip ipaddress",
        exact="ipaddr ipv",
        letter="O",
        numbers=True,
    ),
    _identifier(
        "device",
        "a device leads to its owner",
        "imei mac device serial serialnumber",
        exact="deviceid deviceserial deviceno devicenumber serialno udi imsi macaddress",
        letter="M",
        numbers=True,
    ),
    _identifier(
        "account name",
        "an account name identifies a person",
        "username login handle cookie",
        hints="user",
        letter="R",
        numbers=True,
    ),
    _identifier(
        "phone",
        "a phone number leads to a person",
        "phone telephone telefon telefono telefone tel mobile handy celular gsm",
        exact="phones telephonenumber phonenumber mobilenumber cellphone phoneno phno contactno "
        "contactnumber cellno cellnumber callback",
        letter="D",
    ),
    _identifier(
        "fax",
        "a fax number leads to a person",
        "fax",
        exact="faxnumber telefax facsimile faxnummer numerofax",
        letter="E",
    ),
    _identifier(
        "address",
        "an address leads to a household",
        "address addr street adresse anschrift strasse direccion calle indirizzo endereco ulica "
        "latitude longitude lat lon gps",
        hints="rue adres",
        exact="lng geocode geohash coord coords coordinates xcoord ycoord apartment",
        letter="B",
    ),
    _identifier(
        "social security number",
        "a social security number identifies a person",
        "ssn socialsecurity",
        exact="ssns socialsecuritynumber socialsecnum socialsecno socsec socsecno ssnum ssno "
        "ssnumber itin",
        letter="G",
        numbers=True,
    ),
    _identifier(
        "medical record number",
        "a medical record number identifies a patient",
        "mrn medicalrecord",
        exact="medicalrecordnumber medrec medrecno medrecnum recordnumber recordno chartnumber "
        "chartno hospitalnumber patientid patientno patientnumber patientnum patid",
        letter="H",
        numbers=True,
    ),
    _identifier(
        "health plan number",
        "a health plan number identifies a member",
        "beneficiary insurancenumber",
        exact="beneficiaryid memberid memberno membernumber subscriberid subscriberno "
        "subscribernumber insuranceno insuranceid healthplan healthplannumber policynumber "
        "policyno policyid medicarenumber medicareid medicaidnumber medicaidid mbi hicn insuredid",
        letter="I",
        numbers=True,
    ),
    _identifier(
        "account number",
        "an account number identifies a person",
        "account iban konto creditcard cardnumber",
        exact="accountnumber accountno accountid acct acctno kontonummer creditcardnumber cardno "
        "bankaccount",
        letter="J",
        numbers=True,
    ),
    _identifier(
        "license",
        "a license or certificate number identifies a person",
        "license licence fuehrerschein certificate",
        exact="certificatenumber certificateno certno licensenumber licencenumber licenseno "
        "licenceno driverslicense driverlicense driverlicence npi dea deano deanumber dlno "
        "dlnumber",
        letter="K",
        numbers=True,
    ),
    _identifier(
        "vehicle",
        "a vehicle number leads to its owner",
        "plate licenseplate vin",
        exact="vehicleid vehicleidentification vehicleno vehiclenumber vehicleserial licenceplate "
        "numberplate platenumber kennzeichen",
        letter="L",
        numbers=True,
    ),
    _identifier(
        "official number",
        "an official number identifies a person",
        "nhs nin nino passport reisepass pasaporte pesel dni nif cpf bsn personnummer curp aadhaar "
        "steuernummer matricule",
        exact="nhsnumber passportnumber taxid nationalid",
        letter="R",
        numbers=True,
    ),
    _quasi(
        "birth",
        "birth dates appear in many public records",
        "birth dob birthdate birthday dateofbirth born geburt geburtsdatum geburtstag naissance "
        "nacimiento nascita nascimento geboorte urodzenia yob birthyear",
        exact="yearofbirth geburtsjahr byear byr",
    ),
    _quasi(
        "age",
        "age is easy to find out",
        "age alter edad idade leeftijd wiek",
        hints="eta alder",
        exact="ages ageyears ageyrs agegroup agegroups agegrp ageband agerange agecat agecategory "
        "ageatadmit ageatadmission ageatdeath ageatdiagnosis ageatvisit ptage",
    ),
    _quasi(
        "sex",
        "sex is easy to find out",
        "sex gender geschlecht sexe sexo sesso genero genre geslacht plec kon kjonn",
    ),
    _quasi(
        "postcode",
        "where people live is easy to find out",
        "zip zipcode postcode postal postalcode plz postleitzahl codepostal codigopostal pincode",
        hints="cap cep",
        exact="zips zipcodes zcta pcode postcodes",
    ),
    _quasi(
        "place",
        "where people live is easy to find out",
        "city town municipality county district village stadt gemeinde ville commune ciudad "
        "municipio cidade comune citta neighborhood neighbourhood precinct tract",
        hints="state province region ort kreis bundesland departement provincia",
        exact="parish borough suburb censustract blockgroup fips msa cbsa puma zcta cnty counties "
        "cities towns hometown homecity",
        letter="B",
    ),
    _quasi(
        "country",
        "where people come from is easy to find out",
        "country nationality citizenship land nation staat staatsangehoerigkeit nationalitaet pays "
        "nationalite pais nacionalidad paese nazionalita birthplace native nativecountry",
    ),
    _quasi(
        "origin",
        "origin and language are easy to find out",
        "race ethnicity ethnic ethnie rasse raza etnia language sprache langue idioma lingua "
        "hispanic ancestry",
    ),
    _quasi("employer", "what people do for a living is easy to find out", "employer", letter="A"),
    _quasi(
        "work",
        "what people do for a living is easy to find out",
        "occupation job profession work workclass employment industry beruf arbeitgeber metier "
        "emploi ocupacion profesion trabajo lavoro professione beroep zawod title company",
    ),
    _quasi(
        "education",
        "education is easy to find out",
        "education edu degree school schooling university college bildung abschluss schule "
        "ausbildung diplome etudes educacion estudios istruzione titolo opleiding major",
    ),
    _quasi(
        "family",
        "family is easy to find out",
        "marital married maritalstatus relationship household children kids family spouse "
        "dependents familienstand familie kinder haushalt matrimonial civil estadocivil enfants "
        "hijos figli parity",
    ),
    _quasi(
        "body",
        "looks are easy to find out",
        "height stature groesse koerpergroesse taille altura eyecolor eye hair haircolor "
        "handedness",
    ),
    _quasi(
        "event",
        "others often know when something happened to a person",
        "admission admitted discharge discharged death deceased visit encounter appointment "
        "arrival hire hired enrollment enrolment accident aufnahme entlassung tod einweisung "
        "sortie deces ingreso alta muerte fecha datum",
        sure=False,
    ),
    _sensitive(
        "illness",
        "health information",
        "diagnosis diagnoses diagnose diag icd icd9 icd10 disease illness condition symptom "
        "disorder comorbidity cancer tumor hiv aids krankheit erkrankung befund maladie diagnostic "
        "diagnostico enfermedad diagnosi malattia doenca ziekte choroba injury allergy cause",
    ),
    _sensitive(
        "treatment",
        "health information",
        "treatment therapy procedure drug medication medicine prescription surgery operation "
        "vaccine dose medikament behandlung medicament traitement medicamento tratamiento farmaco "
        "atc cpt drg ward department station stay los",
        sure=False,
    ),
    _sensitive(
        "measure",
        "a measurement of a person",
        "lab result test glucose cholesterol bmi pressure hba1c score genotype gene mutation dna "
        "smoker smoking alcohol",
        sure=False,
    ),
    _sensitive(
        "money",
        "financial information",
        "salary income wage wages earnings pay salaryclass revenue debt credit loan balance cost "
        "costs charge charges price amount bill payment gehalt einkommen lohn kosten betrag "
        "salaire revenu cout montant salario ingreso ingresos sueldo costo coste stipendio reddito "
        "salaris inkomen wealth tax benefit",
    ),
    _sensitive(
        "belief",
        "specially protected by law",
        "religion religious faith party political vote voted union orientation sexual konfession "
        "partei religione politica criminal crime offence offense conviction verdict sentence "
        "disability behinderung handicap mental pregnancy pregnant",
    ),
    _identifier(
        "biometric",
        "biometric data identifies a person",
        "",
        exact="fingerprint fingerprints voiceprint voiceprints faceprint palmprint biometric "
        "biometrics irisscan retina retinascan voicesample",
        letter="P",
    ),
    _identifier(
        "photo",
        "a photo identifies a person",
        "",
        exact="photo photos photograph photographs image images picture pictures selfie portrait "
        "headshot mugshot foto avatar",
        letter="Q",
    ),
    _identifier(
        "name",
        "a name identifies a person",
        "name names surname firstname lastname forename fullname givenname familyname middlename "
        "maidenname nickname nom prenom nombre apellido apellidos nachname vorname cognome nome "
        "sobrenome naam achternaam voornaam imie nazwisko initials",
        hints="navn fornavn etternavn namn fornamn efternamn physician doctor",
        exact="nextofkin nok ptnm ptname patname fname lname " + _person_words("name"),
        letter="A",
    ),
    _identifier(
        "id",
        "looks like an ID of people or records",
        "id ids uid pid uuid guid identifier ident rowid patientid personid recordid subjectid "
        "caseid memberid customerid",
        hints="key no nr num number nummer numero index kennung",
        exact="claimid claimno claimnumber caseno casenumber encounterid encounterno visitid "
        "specimenid sampleid accession barcode bates "
        + _person_words("id", "no", "number", "code", "key"),
        letter="R",
        numbers=True,
    ),
    _topic(
        Role.DROP,
        "sampling",
        'may be a sampling weight; if so, set role = "weight"',
        "fnlwgt wgt pweight samplingweight sampleweight perwt pwgtp wgtp hhwt",
        sure=False,
    ),
)
"""All topics; the first one that a name says is its topic."""
