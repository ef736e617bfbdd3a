"""The eighteen identifiers A to R (Lodha-Thomas Appendix C), and names of columns that say them.

Words are those of `incrowd.table.names.said_by`: whole words of a name, two neighbours in one, or
the whole name. `zipper`, `named` and `aged` say nothing.
"""

from dataclasses import dataclass

_PERSONS = (
    "patient person member customer client subject participant student employee user citizen "
    "respondent pupil individual insured donor subscriber guardian spouse mother father holder "
    "owner contact caregiver"
)
PERSONS = tuple(_PERSONS.split())
"""Words for one person."""


@dataclass(frozen=True)
class Identifier:
    """One of the eighteen, as the law lists them."""

    letter: str
    title: str
    words: frozenset[str] = frozenset()
    """Names of columns that say it."""
    numbered: bool = False
    """Whether it is a number or code: a column without digits does not hold it."""
    unseen: str = ""
    """Why no program can say that a table is free of it."""

    @property
    def phrase(self) -> str:
        """The title inside a sentence."""
        return self.title if self.title[1].isupper() else self.title[0].lower() + self.title[1:]


def _of_persons(*ends: str) -> str:
    return " ".join(person + end for person in PERSONS for end in ends)


def _identifier(
    letter: str, title: str, words: str = "", *, numbered: bool = False, unseen: str = ""
) -> Identifier:
    return Identifier(letter, title, frozenset(words.split()), numbered, unseen)


IDENTIFIERS = (
    _identifier(
        "A",
        "Names",
        "name names surname firstname lastname forename fullname givenname familyname middlename "
        "maidenname nickname initials nextofkin nok ptnm ptname "
        "patname fname lname nom prenom nombre apellido apellidos nachname "
        "vorname cognome nome sobrenome naam achternaam voornaam imie nazwisko employer "
        + _of_persons("name"),
    ),
    _identifier(
        "B",
        "Geographic subdivisions smaller than a state",
        "address addr street city town village municipality county precinct parish borough suburb "
        "neighborhood neighbourhood district tract censustract blockgroup fips msa cbsa puma zcta "
        "cnty counties cities towns hometown homecity geocode geohash coord coords coordinates "
        "xcoord ycoord latitude longitude lat lon lng gps apartment "
        "adresse anschrift strasse stadt gemeinde ville commune direccion calle ciudad municipio "
        "indirizzo citta comune endereco cidade ulica",
    ),
    _identifier("C", "Dates finer than a year, and ages over 89"),
    _identifier(
        "D",
        "Telephone numbers",
        "phone phones telephone telephonenumber phonenumber tel mobile mobilenumber cellphone "
        "telefon telefono telefone handy celular gsm phoneno phno contactno contactnumber cellno "
        "cellnumber callback",
        numbered=True,
    ),
    _identifier(
        "E", "Fax numbers", "fax faxnumber telefax facsimile faxnummer numerofax", numbered=True
    ),
    _identifier(
        "F",
        "E-mail addresses",
        "email emails emailaddress mailaddress mailadresse correo courriel",
    ),
    _identifier(
        "G",
        "Social security numbers",
        "ssn ssns socialsecurity socialsecuritynumber socialsecnum socialsecno socsec socsecno "
        "ssnum ssno ssnumber itin",
        numbered=True,
    ),
    _identifier(
        "H",
        "Medical record numbers",
        "mrn medicalrecord medicalrecordnumber medrec medrecno medrecnum recordnumber recordno "
        "chartnumber chartno hospitalnumber patientid patientno patientnumber patientnum patid",
        numbered=True,
    ),
    _identifier(
        "I",
        "Health plan beneficiary numbers",
        "beneficiary beneficiaryid memberid memberno membernumber subscriberid subscriberno "
        "subscribernumber insurancenumber insuranceno insuranceid healthplan healthplannumber "
        "policynumber policyno policyid medicarenumber medicareid medicaidnumber medicaidid mbi "
        "hicn insuredid",
        numbered=True,
    ),
    _identifier(
        "J",
        "Account numbers",
        "account accountnumber accountno accountid acct acctno iban konto kontonummer creditcard "
        "creditcardnumber cardnumber cardno bankaccount",
        numbered=True,
    ),
    _identifier(
        "K",
        "Certificate and license numbers",
        "certificate certificatenumber certificateno certno license licence licensenumber "
        "licencenumber licenseno licenceno driverslicense driverlicense driverlicence "
        "fuehrerschein npi dea deano deanumber dlno dlnumber",
        numbered=True,
    ),
    _identifier(
        "L",
        "Vehicle identifiers, serial numbers and license plates",
        "vin vehicleid vehicleidentification vehicleno vehiclenumber vehicleserial plate "
        "licenseplate licenceplate numberplate platenumber kennzeichen",
        numbered=True,
    ),
    _identifier(
        "M",
        "Device identifiers and serial numbers",
        "device deviceid deviceserial deviceno devicenumber serial serialnumber serialno udi imei "
        "imsi mac macaddress",
        numbered=True,
    ),
    _identifier(
        "N",
        "Web addresses (URLs)",
        "url urls uri website homepage webpage weblink webaddress link links href",
    ),
    _identifier("O", "IP addresses", "ip ipaddress ipaddr ipv", numbered=True),
    _identifier(
        "P",
        "Biometric identifiers, including finger and voice prints",
        "fingerprint fingerprints voiceprint voiceprints faceprint palmprint biometric biometrics "
        "irisscan retina retinascan voicesample",
        unseen="a biometric template looks like any other number or code",
    ),
    _identifier(
        "Q",
        "Full-face photographs and comparable images",
        "photo photos photograph photographs image images picture pictures selfie portrait "
        "headshot mugshot foto avatar",
    ),
    _identifier(
        "R",
        "Any other unique identifying number, characteristic or code",
        "id ids uid uuid guid identifier ident pid passport passportnumber pasaporte reisepass "
        "username login handle cookie nin nino nhs nhsnumber pesel dni nif cpf bsn personnummer "
        "curp aadhaar steuernummer taxid nationalid matricule claimid claimno claimnumber caseid "
        "caseno casenumber encounterid encounterno visitid recordid rowid specimenid sampleid "
        "accession barcode bates " + _of_persons("id", "no", "number", "code", "key"),
        unseen="whether something else singles a person out is for somebody who knows the people",
    ),
)
"""All of them, in the order of the law."""

_THINGS = (
    "drug medication medicine product brand test lab procedure disease diagnosis condition "
    "treatment therapy country state nation hospital facility clinic department ward file table "
    "column field species variable event course plan program study trial item device vaccine gene "
    "protein compound ingredient food form generic trade scientific common system model domain "
    "host server display label unit month day payer insurance city town county street school "
    "occupation job language"
)
THINGS = frozenset(_THINGS.split())
"""Beside `name`, a word for a thing: its name is no name of a person."""

_ABOUT = (
    "type types kind class category status count counts amount balance model make manufacturer "
    "color colour flag reason brand version length size "
    "score rate level rank population income density quality width height weight index per change "
    "format provider carrier vendor"
)
ABOUT = frozenset(_ABOUT.split())
"""Words that turn a name to a property: `phone_type`, `account_balance`, `city_size`."""

REMARKS = frozenset(("verified", "known", "present", "missing", "available", "expired", "valid"))
"""The same, if they come last: `phone_verified` is none, `verified_phone` is a number to call."""

NETWORKS = frozenset(("email", "mail", "ip", "mac", "web", "url", "internet"))
"""Before `address`, words that make it another one than where somebody lives."""
