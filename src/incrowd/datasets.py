"""Made-up tables to try things on; nobody in them exists.

Every value is computed from the raw words of a counter-seeded generator by table look-up, so one
seed gives one table on every machine, and the first rows of a longer table are the shorter table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.errors import PolicyError

_FIRST_DAY = np.datetime64("2023-01-01", "D")
_DAYS = 730

_MALE = (
    "James John Robert Michael William David Joseph Carlos Daniel Thomas Ahmed Wei Luis Kevin "
    "Pavel Kofi Hiroshi Mateus Ravi Igor Nils Omar Tariq Anton Felix Oscar Hugo Leon Noah Elias"
)
_FEMALE = (
    "Mary Linda Patricia Maria Susan Karen Lisa Emily Ana Sarah Fatima Mei Rosa Olga Grace Amina "
    "Yuki Ingrid Priya Chloe Elena Nadia Sofia Hanna Clara Ida Zoe Leila Marta Agnes"
)
_FAMILY = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez "
    "Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez "
    "Clark Ramirez Lewis Robinson Walker Young Allen King Wright Nguyen Hill Flores Green Adams "
    "Nelson Baker Hall Rivera Campbell Silva Kowalski Novak Okafor Tanaka Haddad Eriksson Rossi "
    "Dubois Schmidt Petrov Mbeki Sato Chen Singh Osei"
)

# Occupation, and how common it is at 18-29, 30-49 and 50-66.
_JOBS = (
    ("retail worker", 22, 10, 8),
    ("office clerk", 9, 13, 13),
    ("cook", 12, 7, 4),
    ("driver", 6, 10, 11),
    ("teacher", 4, 9, 8),
    ("nurse", 5, 9, 7),
    ("construction worker", 8, 9, 6),
    ("software developer", 7, 8, 3),
    ("cleaner", 4, 6, 8),
    ("manager", 2, 9, 10),
    ("warehouse worker", 8, 6, 4),
    ("care worker", 5, 5, 5),
    ("accountant", 2, 4, 4),
    ("electrician", 2.5, 3, 3),
    ("mechanic", 2.5, 3, 3),
    ("farmer", 0.8, 1.5, 4),
    ("engineer", 2, 4, 3),
    ("police officer", 1, 1.6, 0.8),
    ("lawyer", 0.3, 1.2, 1.2),
    ("physician", 0.2, 1, 1),
    ("musician", 0.6, 0.4, 0.2),
    ("journalist", 0.3, 0.4, 0.2),
    ("pilot", 0.05, 0.15, 0.1),
    ("judge", 0, 0.03, 0.12),
)
_NO_JOB = ("none", "student", "retired")

_COUNTRIES = (
    ("United States", 780),
    ("Mexico", 62),
    ("India", 21),
    ("China", 18),
    ("Philippines", 13),
    ("El Salvador", 11),
    ("Viet Nam", 10),
    ("Cuba", 9),
    ("Dominican Republic", 9),
    ("Germany", 7),
    ("Brazil", 6),
    ("Colombia", 6),
    ("Poland", 5),
    ("Nigeria", 4),
    ("Italy", 4),
    ("Ethiopia", 3),
    ("Ukraine", 3),
    ("Iran", 3),
    ("Ghana", 2),
    ("Sweden", 1),
    ("Kenya", 1),
    ("Iceland", 0.2),
)

# Ward, codes from common to rare, how common at 0-17, 18-39, 40-64, 65 and above, how much more
# common in women (1 = the same), median cost, median days.
_ILLNESSES = (
    ("medicine", "I10 I50.9 I48.9 I25.1 I21.9 I63.9 I70.2 I42.0", (1, 3, 22, 34), 0.8, 9000, 4),
    ("medicine", "J18.9 J44.1 J45.9 J20.9 J06.9 J96.0 J84.1", (30, 8, 10, 16), 1.0, 5200, 3),
    ("medicine", "E11.9 E10.9 E03.9 E86.0 E78.5 E66.9 E84.0", (4, 6, 11, 9), 1.1, 4800, 3),
    ("surgery", "K35.8 K80.2 K40.9 K57.3 K21.9 K85.9 K50.9 K90.0", (12, 12, 12, 9), 0.9, 8200, 3),
    ("surgery", "S72.0 S52.5 S82.6 S06.0 S32.0 S22.3 S02.2", (16, 10, 7, 14), 0.9, 11500, 5),
    ("surgery", "M17.1 M16.1 M54.5 M51.2 M75.1 M06.9 M32.9", (2, 6, 14, 16), 1.2, 15500, 3),
    ("oncology", "C50.9 C34.9 C18.9 C61 C67.9 C43.9 C91.0 C71.9", (2, 2, 9, 12), 1.0, 17500, 6),
    ("psychiatry", "F32.9 F10.2 F41.1 F20.0 F31.9 F50.0 F84.0 F11.2", (8, 17, 9, 4), 1.1, 6100, 9),
    ("neurology", "G40.9 G43.9 G20 G35 G30.9 G47.3 G71.0 G10", (6, 5, 5, 8), 1.0, 7100, 4),
    ("urology", "N39.0 N20.0 N18.5 N40 N17.9 N04.9", (4, 6, 8, 11), 1.0, 5600, 3),
    ("infection", "A41.9 A09.9 B34.9 B20 B18.2 A15.0 A37.9 B50.9", (11, 5, 5, 7), 0.9, 8800, 5),
    ("obstetrics", "O80 O82 O70.1 O14.1 O24.4 O60.1", (0.6, 24, 1, 0), 1.0, 7600, 2),
    ("paediatrics", "P07.3 P59.9 Q21.0 Q90.9 Q35.9", (14, 0, 0, 0), 0.9, 12800, 7),
)
# What only one sex has.
_ONLY_WOMEN = ("O80", "O82", "O70.1", "O14.1", "O24.4", "O60.1")
_ONLY_MEN = ("C61", "N40")
_MOSTLY_WOMEN = ("C50.9",)


def hospital(rows: int = 1000, seed: int = 0) -> pl.DataFrame:
    """A made-up hospital table, one stay per patient.

    Columns: `patient_id` (unique text), `name`, `ssn` (area 000, which is never issued),
    `birth_date`, `sex`, `zip` (text, with leading zeros, a few populous and many small areas),
    `country` (of birth, long tail), `occupation` (follows age, long tail), `admission` (date),
    `ward`, `diagnosis` (ICD-10 style, follows age and sex, long tail), `stay` (days), `cost`
    (log-normal around a diagnosis's median) and `smoker`. What is known of patients themselves is
    missing more often, and together, where they come as emergencies.

    >>> hospital(3).shape
    (3, 14)
    """
    _refuse_negative(rows, seed)
    return _make_table(np.arange(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64), rows, seed)


def visits(people: int = 1000, seed: int = 0) -> pl.DataFrame:
    """The same hospital with one row per stay: most patients have one, some have up to twelve.

    `patient_id` says whose stay it is: the unit column of a policy.

    >>> table = visits(50)
    >>> table["patient_id"].n_unique(), table.height > 50
    (50, True)
    """
    _refuse_negative(people, seed)
    draw = _Draw(seed, people)
    often = _pick(draw("visits"), 0.62 ** np.arange(12, dtype=np.float64)).astype(np.int64) + 1
    person = np.repeat(np.arange(people, dtype=np.int64), often)
    stay = np.arange(len(person), dtype=np.int64) - np.repeat(np.cumsum(often) - often, often)
    return _make_table(person, stay, people, seed)


def correlated(
    rows: int = 1000, alpha: float = 0.5, seed: int = 0, coefficients: Sequence[int] = (1, 3, 7, 9)
) -> pl.DataFrame:
    """A made-up table whose sensitive column follows its quasi-identifiers for a share of the rows.

    The generator of Ghinita Section 7.2: `a1`, `a2`, … are drawn evenly from 0 to 9, and `s`, also
    0 to 9, is the sum of the coefficients times these, modulo 10, with probability `alpha`;
    otherwise it is drawn like them. So with 0 it has nothing to do with the others, and with 1 it
    follows from them. The paper does not say its coefficients; ours have no divisor in common with
    10, so that every value is equally frequent whatever `alpha`. There is one column for each.
    `PolicyError` if a number is negative, `alpha` is above 1, or there is no coefficient.

    >>> correlated(2, alpha=1.0).columns
    ['a1', 'a2', 'a3', 'a4', 's']
    """
    _refuse_negative(rows, seed)
    if not 0 <= alpha <= 1 or not coefficients:
        raise PolicyError("alpha must be from 0 to 1, and there must be a coefficient per column")
    draw = _Draw(seed, rows)
    quasi = [(10 * draw(f"a{j}")).astype(np.int64) for j in range(1, len(coefficients) + 1)]
    weighted = (int(beta) % 10 * cells for beta, cells in zip(coefficients, quasi, strict=True))
    follows = np.asarray(sum(weighted), dtype=np.int64) % 10
    free = (10 * draw("s")).astype(np.int64)
    columns = {f"a{j}": cells for j, cells in enumerate(quasi, start=1)}
    return pl.DataFrame({**columns, "s": np.where(draw("alpha") < alpha, follows, free)})


def _refuse_negative(rows: int, seed: int) -> None:
    """Refuse a number of rows or a seed below 0."""
    if rows < 0 or seed < 0:
        raise PolicyError("a made-up table needs a number of rows and a seed of 0 or more")


@dataclass(frozen=True)
class _Draw:
    """Draws numbers, one stream per purpose; numpy never changes the numbers of a stream."""

    seed: int
    size: int

    def __call__(self, purpose: str) -> Floats:
        """Draw `size` numbers in [0, 1), always the same ones for a purpose."""
        source = np.random.SeedSequence([self.seed, *purpose.encode()])
        words = np.random.PCG64(source).random_raw(self.size)
        return np.asarray(words >> np.uint64(11), dtype=np.float64) * 2.0**-53


@dataclass(frozen=True, eq=False)
class _Patients:
    """What stays the same from stay to stay."""

    age: Codes
    """Days, on the first day of the table."""
    woman: Flags
    emergency: Flags
    """Came without papers: what others tell is then often missing."""


def _make_table(person: Counts, stay: Counts, people: int, seed: int) -> pl.DataFrame:
    """Make the table: row i is stay `stay[i]`, from 0, of person `person[i]` of `people`."""
    who = _draw_patients(_Draw(seed, people))
    columns = {
        name: column.gather(person) for name, column in _columns_of_patients(who, seed).items()
    }
    columns |= _columns_of_stays(_Draw(seed, len(person)), who, person, stay)
    order = [
        *("patient_id", "name", "ssn", "birth_date", "sex", "zip", "country", "occupation"),
        *("admission", "ward", "diagnosis", "stay", "cost", "smoker"),
    ]
    return pl.DataFrame([columns[name].alias(name) for name in order])


def _draw_patients(draw: _Draw) -> _Patients:
    """Draw age and sex of each patient, and whether they come as an emergency."""
    bounds = np.array([0, 1, 18, 30, 50, 67, 80, 90, 104], dtype=np.float64)
    band = _pick(draw("band"), [5, 9, 14, 22, 23, 16, 9, 2])
    within = draw("age") ** np.where(band == 7, 3, 1)
    age = bounds[band] + within * (bounds[band + 1] - bounds[band])
    return _Patients(
        age=np.floor(age * 365.25).astype(np.int32),
        woman=draw("sex") < 0.53,
        emergency=draw("emergency") < 0.2,
    )


def _columns_of_patients(who: _Patients, seed: int) -> dict[str, pl.Series]:
    """Draw the columns that stay the same from stay to stay, a row per patient."""
    draw = _Draw(seed, len(who.age))
    sex = pl.Series(["male", "female"]).gather(who.woman.astype(np.int64))
    zips, crowds = _areas()
    countries = pl.Series([name for name, _ in _COUNTRIES])
    born = pl.Series(_FIRST_DAY - who.age.astype("timedelta64[D]"))
    columns = {
        "patient_id": _serial_numbers("P", 7_368_787, 9_999_991, len(who.age), 7),
        "name": _draw_names(draw, who.woman),
        "ssn": _made_up_ssns(len(who.age)),
        "birth_date": born,
        "sex": sex,
        "zip": zips.gather(_pick(draw("zip"), crowds)),
        "country": countries.gather(_pick(draw("country"), [n for _, n in _COUNTRIES])),
        "occupation": _draw_occupations(draw, who),
        "smoker": pl.Series(draw("smoker") < np.where(who.age < 16 * 365, 0.0, 0.19)),
    }
    chances = {"birth_date": (0.0, 0.01), "zip": (0.005, 0.08), "country": (0.02, 0.2)}
    chances |= {"occupation": (0.04, 0.3), "smoker": (0.1, 0.5)}
    for name, (calm, rush) in chances.items():
        there = draw(f"no {name}") >= np.where(who.emergency, rush, calm)
        columns[name] = _blank_unless(columns[name], there)
    return columns


def _columns_of_stays(
    draw: _Draw, who: _Patients, person: Counts, stay: Counts
) -> dict[str, pl.Series]:
    """Draw the columns of each stay; row i is stay `stay[i]`, counted from 0, of `person[i]`."""
    born = who.age[person]
    day = np.floor(draw("admission") * _DAYS).astype(np.int64)
    day = np.minimum((day + stay * 97) % _DAYS, _DAYS - 1)
    illness = _draw_illnesses(draw, np.maximum(born + day, 0) / 365.25, who.woman[person])
    codes, wards, cost, length = _catalogue()
    days = np.floor(length[illness] * _lognormal(draw("days"))).astype(np.int64)
    price = cost[illness] * (0.5 + 0.5 * (days + 1) / (length[illness] + 1))
    price = np.floor(price * _lognormal(draw("cost")) * 100) / 100
    known = draw("no diagnosis") >= 0.004
    return {
        "admission": pl.Series(_FIRST_DAY + day.astype("timedelta64[D]")),
        "ward": wards.gather(illness),
        "diagnosis": _blank_unless(codes.gather(illness), known),
        "stay": pl.Series(days),
        "cost": _blank_unless(pl.Series(price), known & (draw("no cost") >= 0.015)),
    }


def _draw_illnesses(draw: _Draw, age: Floats, woman: Flags) -> Codes:
    """Draw an illness per stay, an index into `_catalogue`, by age in years and by sex."""
    band = np.searchsorted([18.0, 40.0, 65.0], age, side="right")
    group = band * 2 + woman
    chances = np.array(
        [_illness_chances(band, woman) for band in range(4) for woman in (False, True)]
    )
    steps = np.cumsum(chances, axis=1)
    steps /= steps[:, -1:]
    flat = (steps + np.arange(len(steps))[:, None]).ravel()
    place = np.searchsorted(flat, draw("illness") + group, side="right")
    return np.asarray((np.minimum(place, len(flat) - 1) - group * steps.shape[1]).astype(np.int32))


def _illness_chances(band: int, woman: bool) -> list[float]:
    """The relative chance of each illness of `_catalogue` for a band of age (0 to 3) and a sex."""
    chances = []
    for _, codes, ages, women, *_ in _ILLNESSES:
        for rank, code in enumerate(codes.split()):
            chance = ages[band] / (rank + 1) ** 1.5 * (women if woman else 1.0)
            impossible = code in (_ONLY_MEN if woman else _ONLY_WOMEN)
            rare = code in _MOSTLY_WOMEN and not woman
            chances.append(0.0 if impossible else chance * (0.01 if rare else 1.0))
    return chances


def _catalogue() -> tuple[pl.Series, pl.Series, Floats, Floats]:
    """Return the codes, wards, median costs and median days of all illnesses, in one order."""
    rows = [
        (code, ward, cost * (1 + 0.3 * rank), days * (1 + 0.15 * rank))
        for ward, codes, _, _, cost, days in _ILLNESSES
        for rank, code in enumerate(codes.split())
    ]
    codes, wards, cost, days = zip(*rows, strict=True)
    return pl.Series(codes), pl.Series(wards), np.array(cost), np.array(days)


def _draw_occupations(draw: _Draw, who: _Patients) -> pl.Series:
    """Draw an occupation for each patient, by age: none, student, retired, or one of `_JOBS`."""
    chances = np.array([chances for _, *chances in _JOBS])
    years = who.age / 365.25
    working = np.searchsorted([30.0, 50.0], years, side="right")
    place = draw("job")
    job = np.choose(working, [_pick(place, chances[:, band]) for band in range(3)])
    job += len(_NO_JOB)
    job[years >= 67] = 2
    student = (years >= 6) & ((years < 18) | ((years < 25) & (draw("study") < 0.55)))
    job[student] = 1
    idle = (years < 6) | ((years >= 18) & (years < 67) & (draw("idle") < 0.07))
    job[idle] = 0
    return pl.Series([*_NO_JOB, *(name for name, *_ in _JOBS)]).gather(job)


def _areas() -> tuple[pl.Series, Floats]:
    """Make ZIP codes of New England and Washington, and the relative weight of each, falling."""
    starts = (2108, 2138, 1001, 1602, 20001, 20740, 22201, 3031, 4101, 5401, 2840, 6103)
    numbers = [start + 3 * i for i in range(30) for start in starts]
    crowds = 1.0 / (np.arange(len(numbers), dtype=np.float64) + 4.0)
    return pl.Series([f"{number:05d}" for number in numbers]), crowds


def _draw_names(draw: _Draw, woman: Flags) -> pl.Series:
    """Draw a first name, by sex, and a family name for each patient."""
    first = _pick(draw("first"), 1.0 / (np.arange(30, dtype=np.float64) + 6.0))
    families = _FAMILY.split()
    family = _pick(draw("family"), 1.0 / (np.arange(len(families), dtype=np.float64) + 8.0))
    men, women = _MALE.split(), _FEMALE.split()
    given = pl.Series([*men, *women]).gather(first + np.where(woman, len(men), 0))
    return given + " " + pl.Series(families).gather(family)


def _serial_numbers(letter: str, step: int, modulus: int, size: int, digits: int) -> pl.Series:
    """Make `size` different numbers behind a letter, scattered by `step`, of `digits` digits.

    `step` and `modulus` have no divisor in common. Those of row `modulus` and later are larger, and
    may be longer.
    """
    rows = np.arange(size, dtype=np.int64)
    number = (rows % modulus * step + 12_345) % modulus + rows // modulus * modulus
    return letter + pl.Series(number).cast(pl.String).str.zfill(digits)


def _made_up_ssns(size: int) -> pl.Series:
    """Make social security numbers of area 000, which is never issued."""
    digits = _serial_numbers("", 618_033, 999_983, size, 6)
    return "000-" + digits.str.slice(0, 2) + "-" + digits.str.slice(2)


def _pick(draws: Floats, chances: "Floats | list[float]") -> Codes:
    """Pick an index per draw, index i with a chance proportional to `chances[i]`."""
    steps = np.cumsum(np.asarray(chances, dtype=np.float64))
    place = np.searchsorted(steps / steps[-1], draws, side="right")
    return np.minimum(place, len(steps) - 1).astype(np.int32)


def _blank_unless(column: pl.Series, there: Flags) -> pl.Series:
    """Make cells null that are not flagged in `there`."""
    return column.zip_with(pl.Series(there), pl.Series([None], dtype=column.dtype))


def _lognormal(draws: Floats) -> Floats:
    """The quantile of a log-normal distribution of median 1 at each draw."""
    place = (draws * len(_LOGNORMAL)).astype(np.int64)
    return np.asarray(_LOGNORMAL[place], dtype=np.float64)


_NORMAL = np.array([NormalDist().inv_cdf((i + 0.5) / 4096) for i in range(4096)])
_LOGNORMAL = np.round(np.exp(0.6 * _NORMAL), 4)
"""A log-normal distribution with median 1 as a table, rounded so that all machines agree."""
