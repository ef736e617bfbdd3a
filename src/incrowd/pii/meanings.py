"""What the words of column names and labels mean to somebody who drafts a policy.

English words, the abbreviations of survey and health files, and some German, French, Spanish and
Portuguese, without accents. Whoever reads a name in pieces (`incrowd.pii.pieces`) finds them here.
The words of `incrowd.pii.words` are among them, so that both lists grow together.
"""

from dataclasses import dataclass
from functools import cache

from incrowd.hierarchy.suggestion import Nature
from incrowd.pii.words import TOPICS, Topic, word_set
from incrowd.table.column import Role


@dataclass(frozen=True)
class WordMeaning:
    """What a column is about, and what that makes of it in a release."""

    name: str
    role: Role
    reason: str
    words: frozenset[str]
    stems: tuple[str, ...] = ()
    """Beginnings of words that say it."""
    nature: Nature = ""
    strength: float = 3.0
    """How much one of its words counts; the last word of a name counts a little more."""
    harm: float = 0.0
    """How much it would hurt to have it known, 0 to 3: models protect the most harmful first."""


def _meaning(  # noqa: PLR0913  one per field
    name: str,
    role: Role,
    reason: str,
    words: str,
    *,
    nature: Nature = "",
    strength: float = 3.0,
    harm: float = 0.0,
) -> WordMeaning:
    """Make a meaning; `words` are separated by spaces, and one with `*` begins other words."""
    said = words.split()
    whole = frozenset(word for word in said if not word.endswith("*"))
    stems = tuple(word[:-1] for word in said if word.endswith("*"))
    return WordMeaning(name, role, reason, whole, stems, nature, strength, harm)


_QUASI, _SENSITIVE = Role.QUASI, Role.SENSITIVE
_KNOWN = {
    topic.name: topic.reason for topic in TOPICS
}  # the reasons of the topics that have their words here, too

SURVEY = (
    _meaning(
        "birth", _QUASI, _KNOWN["birth"],
        "dob yob mob bday brthdate birthyr birthmonth geb gebjahr gebdat naiss nac nasc fnac born "
        "brn nacim* nascim* naissan* geburt* birthd*", nature="date",
    ),
    _meaning(
        "age", _QUASI, _KNOWN["age"],
        "age ages aged agep agea ager agegr agegrp agecat ageband agey ageyr ageyrs mager fager "
        "edad idade alter anos lebensalter", nature="age",
    ),
    _meaning("sex", _QUASI, _KNOWN["sex"], "sex gender gndr sexo sexe genero geschlecht gend male "
             "female", nature="code"),
    _meaning(
        "place", _QUASI, "where people live is easy to find out",
        "region reg prov province provincia dept departement uf ccaa mun muni munic municipio cnty "
        "county state estado bundesland kreis district distr metro urban rural urbrur urbanicity "
        "place placesize habitat domicilio residence residencia wohnort localidad locality puma "
        "nuts tract zone zona bairro quartier density area geo geocode lugar habitat township ward "
        "location ponderacao comunidad autonoma urban* rural* municip* neighb* neigh postc* zipc* "
        "zip resid*", nature="code", strength=2.5,
    ),
    _meaning(
        "country", _QUASI, _KNOWN["country"],
        "country cntry ctry nation nationality citizen citizenship pais pays land bpl birthplace "
        "citiz* nacional* national* staatsang* emigr* immigr* migrant migra* foreign* abroad ab",
        nature="code",
    ),
    _meaning(
        "origin", _QUASI, _KNOWN["origin"],
        "race rac hisp hispanic ethn ethnic etni etnia raca raza cor origin lang language idioma "
        "ancestry tribe caste mothertongue englang rac1p ethni* hispan* ancest* langu*",
        nature="code",
    ),
    _meaning(
        "work", _QUASI, _KNOWN["work"],
        "occ occup occupation job work worker works worked wk workclass isco soc naics nace cnae "
        "industry ind indp emp empl employed employment employer empstat ecostat lfs profession "
        "prof socprof sector labor labour laboral laborforce trabajo beruf metier activity "
        "atividade ocupacao oficio hours hrs horas shift selfemp retired retire occupa* ocupa* "
        "profess* employ* indust* trabal* worki*",
        nature="code",
    ),
    _meaning(
        "unemployment", _QUASI, "whether somebody has work is easy to find out",
        "unemp unempl unemployed unemployment unempdur arbeitslos paro desempleo chomage unemploy* "
        "desempl* arbeitsl*", strength=3.5,
    ),
    _meaning(
        "education", _QUASI, _KNOWN["education"],
        "edu educ education degree isced school schooling grade diploma estudios instruccion "
        "instrucao nivelinstr alfabet literacy literate read bildung eduspec dmeduc educa* schul* "
        "escola* litera* alfabet* college universi*",
    ),
    _meaning(
        "family", _QUASI, _KNOWN["family"],
        "marital marstat mar marr married msp civil estadocivil spouse partner widowed "
        "divorced divorce sepdiv separat* hhsize hsize hhsiz hhmmb famsize nfam npf noc family fam "
        "hh hhld hog hogar familia household households relat relate relation relationship parity "
        "child children kids kid chd nchild nkids birthorder tbo plural plurality twin sibs "
        "siblings filhos hijos enfants kinder dependents marri* famil* child* sibling* filho* "
        "hijo* conjug*", strength=2.4,
    ),
    _meaning("body", _QUASI, _KNOWN["body"], "height hgt ht stature altura taille groesse eyecolor "
             "haircolor hair eyes tattoo handed* ", nature="amount"),
    _meaning(
        "housing", _QUASI, "how people live can be seen from outside",
        "roof wall walls floor floors water electricity elect electcon toilet sanitation room "
        "rooms bedrooms dwelling tenure housing house home homeowner rent rents own owner car cars "
        "vehicle vehicles heating garden balcony kitchen electri* dwell*", nature="code",
        strength=2.5,
    ),
    _meaning(
        "service", _QUASI, "service in the armed forces is told and registered",
        "veteran veterans military army armed forces served duty milit* dvet", nature="code",
    ),
    _meaning(
        "event", _QUASI, _KNOWN["event"],
        "date dates dt time datetime timestamp admit admission admitted adm disch discharge "
        "discharged death died visit enrolled enrollment arrival departure arrest month mm week wk "
        "weekday day yr year years fecha datum monat jahr mes ano annee jour admitt* dischti* "
        "deathti* appointment wedding", nature="date", strength=1.5,
    ),
    _meaning(
        "illness", _SENSITIVE, "health information",
        "dx dxs diag diagnosis diagnoses icd icd9 icd10 disease illness ill sick sickness "
        "condition "
        "symptom symptoms pain disorder comorb cancer tumor hiv aids diabetes asthma copd stroke "
        "heart depression depress depressed anx anxiety mental disab disabled disability "
        "dis impair "
        "handicap hearing vision sleep difficulty difficulties dificuldade dificultad "
        "limitation health "
        "hlth salud saude sante gesundheit gesund apgar gest gestation estgest preg pregnant "
        "pregnancy prenatal previs delivery deliv dmeth birthweight dbwt wtgain gain "
        "expire expired mortality readmit severity stage chronic fracture injury injur "
        "infection infected virus drem dphy deye dear dout ddrs autism dementia suicide hospital "
        "hosp inpatient emergency icu specialty clinical patho allerg* depres* diagno* diabet* "
        "illnes* diseas* sympto* disabi* pregna* gestat* cancer* enferm* doenc* krank* malad* "
        "deprim* mental* psych* hospit* surviv* medical*", harm=3.0,
    ),
    _meaning(
        "treatment", _SENSITIVE, "health information",
        "treat treatment therapy drug drugs rx med meds medication medications medicine proc "
        "procedure procedures surgery surg operation vaccine vacc dose drg atc cpt hcpcs ndc los "
        "stay insulin metformin antibiotic chemo prescr visits lab labs nurse physician therap* "
        "medica* surgic* vaccin* prescri* procedur* antib* dialys* transpl*", harm=2.5,
    ),
    _meaning(
        "measure", _SENSITIVE, "a measurement of a person",
        "bmi bp bps sbp dbp systolic diastolic pulse chol cholesterol hdl ldl trig "
        "triglycerides glucose gluc glu serum a1c hba1c hemoglobin creatinine blood urine "
        "lab result results test iq genotype gene dna score scores scale percentile rating decile "
        "rank systol* diasto* cholest* gluco* hemogl* creatin* biomark* genet* genom*", harm=2.0,
        nature="amount", strength=2.5,
    ),
    _meaning(
        "habit", _SENSITIVE, "habits are private",
        "smoke smoker smokes smoked smoking cig cigs ciga cigarettes tobacco nociga alc alcohol "
        "alcabuse alcsol drink drinks drinker drinking abuse cannabis marijuana cocaine heroin "
        "hashish weed gambling diet sport sports exercise fumar fuma tabac tabaco rauch rauchen "
        "alkohol boit bebida leisure religattend internetuse smok* cigar* alcoh* tobac* drink* "
        "gambl* marij* cannab* exerci* addict* substance", harm=2.0,
    ),
    _meaning(
        "money", _SENSITIVE, "financial information",
        "inc income incomes hinc hhinc hinctnt pinc pincp finc exp expend expenditure expenditures "
        "expense expenses spend spending sav savings saving wage wages sal salary earn "
        "earnings pay "
        "pays debt debts loan loans mortgage benefit benefits pension pensions tax taxes dividend "
        "dividends stock stocks capital asset assets wealth networth poverty pov povpip rendimento "
        "renda renta ingreso ingresos ingres einkommen lohn gehalt revenu salaire bolsa amt amnt "
        "amount gift gifts donation donations charge charges cost costs price premium insurance "
        "payer credit balance default bill bills euros eur usd dollars deficit welfare allowance "
        "money finance financial income* expend* saving* earnin* salar* wage* rendim* ingres* "
        "einkom* donat* ramnt* insur* gains gain losses loss", nature="amount", harm=2.0,
    ),
    _meaning(
        "opinion", _SENSITIVE, "what people think and feel is private",
        "trust trst ppltrst opinion opin attitude att satisf satisfaction satisfied happy "
        "happiness "
        "ls lifesat agree disagree polintr polit political politics party vote voted voting votes "
        "voto leftright lrscale left right ideol ideology church belief believe confidence "
        "confianza intention intend intends interest interested feel feels feeling worry worried "
        "fear lonely loneliness friend friends important importance support prefer preference "
        "opinion confian* vertrauen meinung zufrieden* satisf* ideolog* politi* attitud* trust* "
        "religi* voter* wahl wkabint", harm=1.5,
    ),
    _meaning(
        "belief", _SENSITIVE, "specially protected by law",
        "religion religious relig rlg rlgblg rlgdnm denomination faith religiao religiosidad union "
        "unionmember unionized syndicat sindicato konfession catholic muslim relig* denomin* "
        "gewerksch*", harm=2.5, nature="code",
    ),
    _meaning(
        "sexuality", _SENSITIVE, "specially protected by law",
        "sexual sexuality orientation lgbt gay condom condoms intercourse contraception "
        "contraceptive abortion std sti sexual* homosex* contrace* aborti* ", harm=3.0,
        strength=4.0,
    ),
    _meaning(
        "crime", _SENSITIVE, "crime and punishment",
        "crime crimes criminal offense offence offenses felony fel misd misdemeanor arrested jail "
        "prison convict convicted conviction recid recidivism recidivist prior priors sentence "
        "victim violent violence police charged verdict guilty probation parole crimin* felon* "
        "misdem* recidi* convic* delinq* offen*", harm=3.0, strength=3.5,
    ),
    _meaning(
        "sampling", Role.WEIGHT, "a sampling weight",
        "wgt wght wgts weight weights wt wts fnlwgt pweight pwgtp wgtp perwt hhwt dweight pspwght "
        "pspwght anweight peso pesos ponderacion ponderacao ponderation gewicht poids fexp "
        "expansion weighting", nature="weight",
    ),
    _meaning(
        "group", Role.UNIT, "says which records belong together",
        "hid hhid hhno hhnr hhnum famid fid househ pid pnr persnr personid subjectid patid patnr "
        "cluster controle serialno qhid nbr", nature="number", strength=3.5,
    ),
    _meaning(
        "interview", Role.KEEP, "tells how the data were collected, not what people are like",
        "interview interviewer interviewed entrevista encuesta cuestionario questionnaire "
        "mode wave "
        "round cycle edition version release proxy psu strata stratum strat variance imputed "
        "imput impflag inwdur intdur intdate intvdate surveydate estudio survey intno "
        "interv* questionn* imputa*",
        strength=3.0,
    ),
)  # fmt: skip
"""What surveys and health files hold, beyond the topics of `words`."""

QUALIFIERS = word_set(
    "sample sampling samp design instance person pers final full replicate rep post "
    "poststratification stratification muestra amostral amostra analysis population pop survey "
    "interview household hh year psp dsgn inverse expansion"
)
"""Words beside `weight` that make it a sampling weight."""

COUNTING = word_set(
    "n no num number nr nbr count counts total tot nb numero anzahl nombre avg mean times"
)
"""Words that make a number of what they stand beside."""

CODED = word_set(
    "code codes cod cd kod codigo recode recoded cat category categories categoria group grp"
)
"""Words that say that values are codes."""


def _meaning_of_topic(topic: Topic) -> WordMeaning:
    """Make the meaning of a topic; topics that many other things share count less."""
    weak = topic.name in {"id", "name", "account name"}
    return WordMeaning(
        topic.name,
        topic.role,
        topic.reason,
        topic.words | topic.hints | topic.exact,
        strength=2.0 if weak else 3.0,
        nature="number" if topic.numbers else _NATURES.get(topic.name, ""),
        harm=_HARMS.get(topic.name, 0.0),
    )


_NATURES: dict[str, Nature] = {
    "sex": "code", "place": "code", "postcode": "code", "country": "code", "origin": "code",
    "employer": "code", "work": "code", "belief": "code", "age": "age", "birth": "date",
    "money": "amount", "measure": "amount",
}  # fmt: skip
_HARMS = {"illness": 3.0, "treatment": 2.5, "measure": 2.0, "money": 2.0, "belief": 2.5}
_TWICE = frozenset(("title", "test", "land", "work", "native", "pay", "key", "cause", "number",
                    "no", "nr", "num", "numero", "nummer", "index", "user", "line"))  # fmt: skip
"""Words of topics that say too little in the middle of a name."""


@cache
def meanings() -> tuple[WordMeaning, ...]:
    """Return all meanings: those of surveys, then those of topics that these do not replace."""
    return (*SURVEY, *(_meaning_of_topic(topic) for topic in TOPICS if topic.name != "sampling"))


@cache
def vocabulary() -> dict[str, tuple[WordMeaning, ...]]:
    """Return the meanings of each whole word, by word."""
    found: dict[str, list[WordMeaning]] = {}
    for meaning in meanings():
        for word in meaning.words:
            same = [one.name for one in found.get(word, ())]
            if meaning.name not in same:
                found.setdefault(word, []).append(meaning)
    return {word: tuple(said) for word, said in found.items()}


@cache
def stems() -> tuple[tuple[str, WordMeaning], ...]:
    """Return all beginnings of words with their meanings, the longest first."""
    every = [(stem, meaning) for meaning in meanings() for stem in meaning.stems]
    return tuple(sorted(every, key=lambda pair: -len(pair[0])))


def is_vague(word: str) -> bool:
    """Whether a word says so little that it counts less than others."""
    return word in _TWICE
