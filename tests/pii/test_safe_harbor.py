"""Each of the eighteen identifiers, and things that look like one and are not."""

import datetime as dt

import polars as pl
import pytest

import incrowd
from incrowd.errors import PolicyError
from incrowd.pii import IDENTIFIERS, Status

N = 40
DAYS = [dt.date(1980, 1, 1) + dt.timedelta(days=37 * i) for i in range(N)]
FIRST = "James Mary Wei Olga Kofi Rosa Anton Leila".split()  # noqa: SIM905  it reads better
LAST = "Smith Garcia Novak Okafor Sato".split()  # noqa: SIM905  the same
VINS = ["1M8GDM9AXKP042788", "11111111111111111", "5GZCZ43D13S812715"]


def look(**columns):
    """The checklist of a table; a column of one value is as long as the others."""
    rows = max((len(c) for c in columns.values() if isinstance(c, list)), default=N)
    made = {n: c if isinstance(c, list) else [c] * rows for n, c in columns.items()}
    return incrowd.safe_harbor(pl.DataFrame(made, strict=False), today=2026)


def cycled(values):
    return [values[i % len(values)] for i in range(N)]


def fails(name, values):
    """The letters that a column fails, and those for which it must be looked at."""
    found = look(**{name: values, "sex": cycled(["f", "m"])})
    unseen = [
        check.letter
        for check in found.checks
        if check.status is Status.UNSEEN and any(one.column == name for one in check.columns)
    ]
    return found.failing.get(name, ""), "".join(unseen)


HOLDS = {
    "A": [
        ("name", cycled(["Ann", "Bob"])),
        ("patientName", cycled(["Ann", "Bob"])),
        ("Nachname", cycled(["Braun", "Weiß"])),
        ("employer", cycled(["Acme", "Bolts Inc"])),
        ("x", [f"{FIRST[i % 8]} {LAST[i // 8]}" for i in range(N)]),
        ("x", [f"{LAST[i // 8]}, {FIRST[i % 8]}" for i in range(N)]),
        ("seen_by", cycled(["Dr. Adams", "Mrs Brown", "Mr. Clark"])),
    ],
    "B": [
        ("zip", cycled(["02138", "10001"])),
        ("zip", cycled([2138, 10001])),
        ("ZIP_code", cycled(["02138-1234", "10001-9999"])),
        ("zip3", cycled(["021", "036"])),
        ("zip", cycled(["021**", "036**"])),
        ("postal_code", cycled(["SW1A 1AA", "M1 1AE"])),
        ("city", cycled(["New York", "Washington"])),
        ("county", cycled(["Kings", "Queens"])),
        ("home_address", cycled(["somewhere", "elsewhere"])),
        ("fips", cycled(["25017", "36061"])),
        ("lat", cycled([40.71, 42.36])),
        ("where", cycled(["12 Main Street", "7 Long Hill Avenue"])),
        ("where", cycled(["12 Main St", "7 Long Hill Rd, Apt 3"])),
        ("spot", cycled(["40.7128, -74.0060", "42.3601, -71.0589"])),
    ],
    "C": [
        ("admission", DAYS),
        ("x", [f"{d:%m/%d/%Y}" for d in DAYS]),
        ("x", [f"{d:%d.%m.%Y}" for d in DAYS]),
        ("x", [f"{d:%Y-%m}" for d in DAYS]),
        ("x", [f"{d:%Y%m%d}" for d in DAYS]),
        ("x", [int(f"{d:%Y%m%d}") for d in DAYS]),
        ("x", [f"{d:%b %Y}" for d in DAYS]),
        ("x", [f"{d.day} {d:%B %Y}" for d in DAYS]),
        ("x", ["none"] * 39 + ["seen on 2024-01-31"]),
        ("x", cycled(["2020-Q1", "2021-Q3"])),
        ("x", cycled(["[2020-01-01, 2020-03-31]", "[2020-04-01, 2020-06-30]"])),
        ("visit_date", [44000 + i for i in range(N)]),
        ("timestamp", [1.7e9 + i / 2 for i in range(N)]),
        ("birth_month", cycled(list(range(1, 13)))),
        ("month", cycled(["January", "March", "May"])),
        ("discharge_weekday", cycled(["Mon", "Tue"])),
        ("age", cycled([20, 89, 90])),
        ("age_at_death", cycled([20, 101])),
        ("age", cycled(["80-84", "85-89", "90-94"])),
        ("age", cycled(["[85, 90)", "[90, 95)"])),
        ("age", cycled(["85-94", "95+"])),
        ("age_months", cycled([12, 1080])),
        ("birth_year", cycled([1936, 1990])),
        ("yob", cycled(["[1930, 1940)", "[1990, 2000)"])),
        ("birth_date", cycled(["1936", "1950"])),
    ],
    "D": [
        ("phone", cycled(["2125550143", "6175550199"])),
        ("contact", cycled(["(212) 555-0143", "(617) 555-0199"])),
        ("contact", cycled(["212-555-0143", "617-555-0199"])),
        ("contact", cycled(["+49 30 901820", "+33 1 42 68 53 00"])),
        ("remark", ["ok"] * 39 + ["call 212-555-0143"]),
    ],
    "E": [("fax_number", cycled(["2125550143", "6175550199"]))],
    "F": [
        ("email", cycled(["a(at)b", "c(at)d"])),
        ("contact", cycled(["ann@example.org", "bob@example.com"])),
        ("remark", ["ok"] * 39 + ["write to ann@example.org"]),
    ],
    "G": [
        ("ssn", cycled([219099999, 457555462])),
        ("ssn_last4", cycled(["9999", "5462"])),
        ("x", cycled(["219-09-9999", "457-55-5462"])),
        ("remark", ["ok"] * 39 + ["has 219-09-9999"]),
    ],
    "H": [
        ("mrn", list(range(1000, 1000 + N))),
        ("medical_record_number", cycled(["A1", "A2"])),
        ("patient_id", cycled(["P1", "P2"])),
    ],
    "I": [
        ("member_id", cycled(["M1", "M2"])),
        ("healthPlanNumber", cycled(["77", "78"])),
        ("x", cycled(["1EG4-TE5-MK73", "1EG4-TE5-MK72"])),
    ],
    "J": [
        ("account_number", cycled(["77", "78"])),
        ("x", cycled(["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"])),
        ("x", cycled(["4111 1111 1111 1111", "5500-0000-0000-0004", "4012888888881881"])),
    ],
    "K": [
        ("license_number", cycled(["D77", "D78"])),
        ("certificate", cycled(["C-77", "C-78"])),
    ],
    "L": [
        ("vin", cycled(["WVWZZZ1JZXW000001", "WVWZZZ1JZXW000002"])),
        ("license_plate", cycled(["ABC 123", "XYZ 987"])),
        ("x", cycled(VINS)),
    ],
    "M": [
        ("device_serial", cycled(["S77", "S78"])),
        ("x", cycled(["00:1B:44:11:3A:B7", "00:1B:44:11:3A:B8"])),
        ("x", cycled(["490154203237518", "356938035643809", "352099001761481"])),
        ("x", cycled(["(01)00844588003288(17)141120", "(01)00844588003289"])),
    ],
    "N": [
        ("homepage", cycled(["mine", "yours"])),
        ("x", cycled(["https://example.org/ann", "www.example.com/bob"])),
        ("remark", ["ok"] * 39 + ["see http://example.org/ann"]),
    ],
    "O": [
        ("ip_address", cycled(["1.2.3.4", "1.2.3.5"])),
        ("host", cycled(["192.0.2.17", "198.51.100.7"])),
        ("host", cycled(["2001:db8::1", "2001:db8::2"])),
    ],
    "P": [("fingerprint", cycled(["xx", "yy"])), ("voice_print", cycled(["xx", "yy"]))],
    "Q": [
        ("photo", cycled(["a", "b"])),
        ("x", cycled(["ann.jpg", "scans/bob.PNG"])),
        ("x", cycled(["data:image/png;base64,AAAA"])),
    ],
    "R": [
        ("id", [f"{i}" for i in range(N)]),
        ("passport", cycled(["C01X00T47", "C01X00T48"])),
        ("student_no", cycled(["7", "8"])),
        ("x", [f"6f1c1b2e-0000-4000-8000-{i:012d}" for i in range(N)]),
        ("x", [f"{i:032x}" for i in range(N)]),
        ("x", [f"AX-{i:05}" for i in range(N)]),
    ],
}

IS_NOT = {
    "A": [
        ("named", cycled(["yes", "later"])),
        ("drug_name", cycled(["Aspirin", "Ibuprofen"])),
        ("country_name", cycled(["Kenya", "France"])),
        ("name_known", cycled(["yes", "no"])),
        ("name", cycled([1, 2, 3])),
        ("diagnosis", cycled(["Heart Failure", "Fracture, Hip", "Chronic Kidney Disease"])),
        ("filename_length", cycled([7, 8])),
    ],
    "B": [
        ("zip", cycled(["021", "000"])),
        ("zip", cycled(["021**", "000**", "0****", "*"])),
        ("zip3", cycled([21, 100, 0])),
        ("zipper", cycled(["02138", "10001"])),
        ("zip_file", cycled(["a", "b"])),
        ("state", cycled(["New York", "MA"])),
        ("country", cycled(["Kenya", "France"])),
        ("capacity", cycled([1, 2])),
        ("fips", cycled(["25", "36"])),
        ("email_address_known", cycled(["yes", "no"])),
        ("city_size", cycled(["small", "large"])),
        (
            "note",
            cycled(["2 mm ST elevation", "10 mg every 4 h", "2 vessel disease, no ST change"]),
        ),
        ("location", cycled(["Kenya", "TX"])),
    ],
    "C": [
        ("admission_year", cycled([2020, 2021, 2022])),
        ("year", cycled(["2020", "2021"])),
        ("birth_year", cycled([1937, 1990])),
        ("birth_date", cycled(["(-inf, 1937)", "1937", "[1940, 1950)", "*"])),
        ("age", cycled([20, 89])),
        ("age", cycled(["[80, 90)", "[90, inf)"])),
        ("age", cycled(["85-89", "90+", "90 or older", ">89", "elderly"])),
        ("aged", cycled([95, 99])),
        ("wage", cycled([95, 99])),
        ("stage", cycled([95, 99])),
        ("ratio", cycled(["1.5", "12.10", "3.11"])),
        ("version", cycled(["10.12.14", "1.2.3"])),
        ("pressure", cycled(["120/80", "130/85"])),
        ("score", cycled(["1/2", "3/4"])),
        ("code", cycled(["2024-77", "1234-56-78"])),
        ("length_of_stay_months", cycled([1, 2, 3])),
        ("study_day", cycled([1, 90, 200])),
        ("birth_weight", cycled([1900, 1950])),
        ("amount", cycled([20240131.5, 19991231.25])),
        ("product", cycled([20249999, 19990000])),
        ("update", cycled(["auto", "manual"])),
        ("started", [dt.date(2000 + i % 5, 1, 1) for i in range(N)]),
    ],
    "D": [
        ("phone_type", cycled(["home", "work"])),
        ("has_phone", cycled([True, False])),
        ("phoneme", cycled(["a1", "b2"])),
        ("npi", [1234567890 + i for i in range(N)]),
        ("fold_change", cycled(["+0.25183746", "+1.75183746", "-0.5"])),
        ("part", cycled(["112-555-0143-7", "99-112-555-0143"])),
    ],
    "E": [("faxed", cycled(["yes", "no"])), ("fax_status", cycled(["sent 1", "failed 2"]))],
    "F": [
        ("email_verified", cycled(["yes", "no"])),
        ("handle", cycled(["@home", "ann@work"])),
        ("price", cycled(["3@2.50", "1@9.99"])),
    ],
    "G": [
        ("product", cycled([219099999, 457555462])),
        ("x", cycled(["666-09-9999", "900-55-5462", "219-00-9999", "219-09-0000"])),
        ("x", cycled(["1219-09-9999", "219-09-99991"])),
    ],
    "H": [("medical_record_type", cycled(["a1", "b2"])), ("chart", cycled(["bar1", "pie2"]))],
    "I": [
        ("insurance", cycled(["public", "private"])),
        ("beneficiary", cycled(["child", "spouse"])),
        ("x", cycled(["1EG4-TE5-M073", "0EG4-TE5-MK72"])),
    ],
    "J": [
        ("account_type", cycled(["savings 1", "checking 2"])),
        ("account_balance", cycled([100, 200])),
        ("x", cycled(["GB83 WEST 1234 5698 7654 32", "DE90370400440532013000"])),
        ("x", cycled(["4111 1111 1111 1112", "5500-0000-0000-0005", "4012888888881882"])),
    ],
    "K": [
        ("license", cycled(["yes", "no"])),
        ("certificate", cycled(["birth", "death"])),
        ("license_type", cycled(["A1", "B2"])),
    ],
    "L": [
        ("vehicle", cycled(["car", "truck"])),
        ("vine", cycled(["a1", "b2"])),
        ("x", cycled(["1M8GDM9A1KP042788", "11111111211111111", "5GZCZ43D23S812715"])),
        ("x", cycled(["1M8GDM9AXKP04278O"])),
    ],
    "M": [
        ("device", cycled(["pump", "pacemaker"])),
        ("x", cycled(["490154203237519", "356938035643808", "352099001761482"])),
        ("time", cycled(["00:10:20", "11:12:13"])),
    ],
    "N": [("x", cycled(["www", "http", "and/or"])), ("link_type", cycled(["a", "b"]))],
    "O": [
        ("version", cycled(["1.2.3.4", "192.0.2.17"])),
        ("build", cycled(["10.0.19041.1", "10.0.22000.1"])),
        ("x", cycled(["1.2.3", "256.1.1.1", "1.2.3.4.5"])),
        ("time", cycled(["12:30:45", "23:59:59"])),
        ("tip", cycled(["1", "2"])),
    ],
    "P": [("footprint", cycled(["a", "b"])), ("iris", cycled(["setosa", "virginica"]))],
    "Q": [
        ("image_count", cycled([1, 2])),
        ("x", cycled(["report.pdf", "table.csv"])),
        ("imagery", cycled(["a", "b"])),
    ],
    "R": [
        ("hospital_id", cycled([1, 2, 3])),
        ("idea", cycled(["a1", "b2"])),
        ("icd", cycled(["E11.9", "I10", "J45.9"])),
        ("cost", [100 + 7 * i for i in range(N)]),
        ("score", [f"{i / 7:.3f}" for i in range(N)]),
    ],
}


def cases(table):
    for letter, columns in table.items():
        for place, (name, values) in enumerate(columns):
            yield pytest.param(letter, name, values, id=f"{letter}-{name}-{place}")


@pytest.mark.parametrize(("letter", "name", "values"), list(cases(HOLDS)))
def test_it_is_seen(letter, name, values):
    assert letter in fails(name, values)[0]


@pytest.mark.parametrize(("letter", "name", "values"), list(cases(IS_NOT)))
def test_what_only_looks_like_it_passes(letter, name, values):
    assert letter not in fails(name, values)[0]


def test_every_identifier_has_cases_of_both_sorts():
    letters = [identifier.letter for identifier in IDENTIFIERS]
    assert letters == list("ABCDEFGHIJKLMNOPQR")
    assert list(HOLDS) == list(IS_NOT) == letters


UNSEEN = [
    ("A", "seen", cycled(["Ann Ray", "Bo Li"]), "A"),
    ("A", "seen", cycled(["New York", "North Dakota"]), ""),
    ("A", "seen", cycled(["heart failure", "broken hip"]), ""),
    ("O", "release_of", cycled(["1.2.3.4", "5.6.7.8"]), ""),
    ("O", "host", cycled(["1.2.3.4", "5.6.7.8"]), "O"),
    ("B", "region", cycled(["north", "south"]), "B"),
    ("B", "facility", cycled(["one", "two"]), "B"),
    ("B", "area_code", [f"{n:05}" for n in range(2100, 2100 + N)], "B"),
    ("R", "cost", [100 + 7 * i for i in range(N)], "R"),
]


@pytest.mark.parametrize(("letter", "name", "values", "expected"), UNSEEN)
def test_what_may_be_something_else_is_to_be_looked_at(letter, name, values, expected):
    failing, unseen = fails(name, values)
    assert letter not in failing
    assert ("".join(set(unseen) & {letter})) == expected


def test_sentences_can_tell_anything():
    text = "the patient was seen again and felt much better than the week before"
    found = look(notes=[f"{text} ({i})" for i in range(N)])
    unseen = {check.letter for check in found.checks if check.status is Status.UNSEEN}
    assert unseen == set("ABCDEGHIJKLMOPR")
    assert found.met


def test_biometrics_and_other_characteristics_are_never_certain():
    found = look(sex=cycled(["f", "m"]))
    unseen = [check for check in found.checks if check.status is Status.UNSEEN]
    assert [check.letter for check in unseen] == ["P", "R"]
    assert all(check.note and not check.columns for check in unseen)
    assert found.met


def test_suppressed_and_empty_columns_hold_nothing():
    found = look(name="*", phone=[None] * N, email="", ssn="XXX", zip="*****")
    assert found.met


def test_today_says_who_is_over_89():
    births = pl.DataFrame({"birth_year": [1936, 1950]})
    assert incrowd.safe_harbor(births, today=2025).met
    assert not incrowd.safe_harbor(births, today=2026).met
    assert incrowd.safe_harbor(births).today >= 2025


def test_counts_of_ones_own_decide():
    areas = pl.DataFrame({"zip": ["021", "036"]})
    assert incrowd.safe_harbor(areas, zip_populations={"036": 20_001}).met
    assert not incrowd.safe_harbor(areas, zip_populations={"036": 20_000}).met


@pytest.mark.parametrize("wrong", [{"today": 26}, {"zip_populations": {"36": 1}}])
def test_bad_requests_are_refused(wrong):
    with pytest.raises(PolicyError):
        incrowd.safe_harbor(pl.DataFrame({"a": [1]}), **wrong)


def test_the_document_is_as_promised():
    document = look(name=cycled(["Ann", "Bob"])).as_dict()
    assert document["schema"] == "incrowd.safe-harbor/1"
    assert document["met"] is False
    assert [check["letter"] for check in document["checks"]] == list("ABCDEFGHIJKLMNOPQR")
    assert document["checks"][0] == {
        "letter": "A",
        "identifier": "Names",
        "status": "fail",
        "columns": [{"name": "name", "why": "its name suggests names"}],
    }


def test_no_value_is_told():
    columns = {name: values for cases in HOLDS.values() for name, values in cases}
    columns |= {f"{name}_{i}": v for i, c in enumerate(HOLDS.values()) for name, v in c}
    columns = {name: values[:N] for name, values in columns.items()}
    told = str(look(**columns).as_dict())
    cells = {str(cell) for values in columns.values() for cell in values if len(str(cell)) > 5}
    assert not [cell for cell in cells - {"January"} if cell in told]


def test_an_empty_table_holds_nothing():
    assert look(name=[], zip=[]).met
