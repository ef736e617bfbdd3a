"""Whether a first line names the columns: plain headers need no question, people are no header."""

import random

import pytest

from incrowd.errors import InputError
from incrowd.io import tables
from incrowd.io.batches import open_batches
from incrowd.io.header import Header, judge
from incrowd.io.layout import Layout

FIRST = [
    "Zoe",
    "Anna",
    "Bert",
    "Carl",
    "Dora",
    "Emil",
    "Fritz",
    "Gina",
    "Hugo",
    "Ida",
    "Jan",
    "Klara",
    "Leo",
    "Mia",
    "Nils",
    "Olga",
    "Paul",
]
LAST = [
    "Zander",
    "Abel",
    "Berg",
    "Christ",
    "Dorn",
    "Egger",
    "Frei",
    "Graf",
    "Huber",
    "Iten",
    "Jost",
    "Keller",
    "Lang",
    "Meier",
    "Noser",
]
CITIES = [
    "Zug",
    "Bern",
    "Basel",
    "Chur",
    "Thun",
    "Genf",
    "Olten",
    "Davos",
    "Baden",
    "Luzern",
    "Sion",
    "Arbon",
]
ILLS = ["zoster", "asthma", "flu", "gout", "measles", "angina", "eczema", "anemia"]


def people(n, seed=0):
    """Records of texts: name, city, illness."""
    rng = random.Random(seed)
    names = rng.sample([f"{a} {b}" for a in FIRST for b in LAST], n)
    return [[name, rng.choice(CITIES), rng.choice(ILLS)] for name in names]


def as_text(records, delimiter=","):
    return "".join(delimiter.join(record) + "\n" for record in records)


def strangers(n):
    """Records of texts of which none recurs."""
    return [[f"{FIRST[i]} {LAST[i]}", f"{CITIES[i]}", f"{LAST[-i - 1].lower()}"] for i in range(n)]


HEADERS = [
    ["name", "city", "diagnosis"],
    ["Name", "City", "Diagnosis"],
    ["NAME", "CITY", "DIAGNOSIS"],
    ["Patient Name", "Home Town", "Illness"],
    ["full_name", "birth_place", "main_diagnosis"],
    ["fullName", "birthPlace", "mainDiagnosis"],
    ["Nachname", "Ort", "Diagnose"],
    ["nom", "ville", "maladie"],
    ["nombre", "ciudad", "enfermedad"],
    ["person_name", "place", "cause"],
    ["a", "b", "c"],
    ["V1", "V2", "V3"],
    ["column_1", "column_2", "column_3"],
    ["respondent.name", "respondent.city", "respondent.illness"],
]


@pytest.mark.parametrize("names", HEADERS)
@pytest.mark.parametrize("records", [people(60), people(5), strangers(8), people(1)])
def test_a_plain_header_above_texts_needs_no_question(names, records):
    assert judge([names, *records]) is Header.NAMES


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (["age", "sex"], [["30", "m"], ["40", "f"]]),
        (["q", "r"], [["1", "x"], ["2", "y"]]),
        (["Q", "Zzz"], [["1", "x"], ["2", "y"]]),
        (["when", "what"], [["2020-01-02", "x"], ["2021-03-04", "y"]]),
        (["code", "kind"], [["A01.1", "x"], ["B20.0", "y"], ["C50.9", "x"]]),
        (["Quux", "Garply"], [["02139", "x"], ["02138", "y"], ["02137", "x"]] * 4),
        (["Quux"], [[f"{name}@b.org"] for name in FIRST]),
        (["Melder"], [["F"], ["M"], ["F"], ["F"], ["M"], ["M"]] * 6),
        (["other", "age", "sex"], [["other", "3", "f"], ["none", "4", "m"], ["other", "5", "f"]]),
        (["", "age"], [["1", "30"], ["2", "40"]]),
    ],
)
def test_other_headers(names, rows):
    assert judge([names, *rows]) is Header.NAMES


@pytest.mark.parametrize(
    "rows",
    [
        [["30", "m"], ["40", "f"], ["50", "m"]],
        [["m", "red"], ["f", "blue"], ["m", "red"]],
        [["A01.1", "Zug"], ["B20.0", "Bern"], ["C50.9", "Basel"]],
        [["a@b.org"], ["c@d.org"], ["e@f.org"], ["g@h.org"]],
        [["02139", "x"], ["02138", "y"], ["02137", "x"]],
        [["F", "nurse"], ["M", "cook"], ["F", "cook"], ["F", "nurse"]],
    ],
)
def test_a_first_line_like_the_others_is_data(rows):
    assert judge(rows) is Header.DATA


def test_people_are_never_a_header():
    """Of headerless tables of texts, however drawn, none becomes names of columns."""
    wrong = sum(judge(people(n, seed)) is Header.NAMES for n in (3, 10, 60) for seed in range(200))
    assert wrong <= 6  # one in a hundred: a first record whose city and illness never recur


@pytest.mark.parametrize("n", [2, 5, 12])
def test_strangers_cannot_be_told_from_names(n):
    assert judge(strangers(n)) is Header.UNCLEAR


def test_the_example_that_went_wrong(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Zoe Zander,Zug,zoster\nAdam Abel,Bern,asthma\nEva Egger,Chur,gout\n")
    for read in (tables.read, _batched):
        with pytest.raises(InputError) as caught:
            read(path)
        said = str(caught.value)
        assert "--header" in said
        assert "--no-header" in said
        assert not any(word in said for word in ("Zoe", "Zug", "zoster", "Adam"))
    assert tables.read(path, Layout(header=True)).frame.columns == ["Zoe Zander", "Zug", "zoster"]
    assert tables.read(path, Layout(header=False)).frame.height == 3


def _batched(path):
    with open_batches(path, Layout()) as found:
        list(found)


def test_names_that_somebody_expects_tell_the_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Melder,Wohnsitz\nZoe Zander,Zug\nAdam Abel,Bern\n")
    with pytest.raises(InputError):
        tables.read(path)
    assert tables.read(path, Layout(expected=["Wohnsitz"])).frame.columns == ["Melder", "Wohnsitz"]
    with open_batches(path, Layout(expected=("Melder",))) as found:
        assert found.names == ("Melder", "Wohnsitz")


@pytest.mark.parametrize(
    "command",
    [
        ("init", "{}"),
        ("discover", "{}"),
        ("discover", "{}", "--columns", "q"),
        ("risk", "{}", "-q", "q"),
        ("mask", "{}", "--ratio", "0.5", "--dry-run"),
        ("quantiles", "{}", "--columns", "q", "-k", "2", "--dry-run"),
        ("plan", "{}", "--population", "1e6", "-k", "5"),
        ("anonymize", "{}", "-q", "q", "-k", "2", "--dry-run"),
        ("check", "{}", "-q", "q", "-k", "2"),
        ("attack", "{}"),
        ("safe-harbor", "{}"),
    ],
)
def test_no_command_shows_the_first_record_of_a_table_without_a_header(
    command, tmp_path, capfd, monkeypatch
):
    from incrowd.cli.main import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(as_text(strangers(10)))
    with pytest.raises(SystemExit) as stop:
        main(["t.csv" if part == "{}" else part for part in command])
    said = "".join(capfd.readouterr())
    assert stop.value.code == 3
    assert "--no-header" in said
    words = {word for record in strangers(10) for cell in record for word in cell.split()}
    assert not [word for word in words if word in said]


@pytest.mark.parametrize("ending", ["tsv", "csv", "tsv.gz"])
@pytest.mark.parametrize("name", ["age", "age, in years", "age group"])
def test_a_release_of_one_column_is_checked(ending, name, tmp_path, capfd, monkeypatch):
    """Labels such as [20, 30) hold a comma, which is no delimiter there."""
    from incrowd.cli.main import main

    monkeypatch.chdir(tmp_path)
    lines = [f'"{name}"', *(str(20 + i % 30) for i in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    flags = ["-q", f'"{name}"', "-k", "5"]
    for command in (["anonymize", "t.csv", "-o", f"r.{ending}"], ["check", f"r.{ending}"]):
        with pytest.raises(SystemExit) as stop:
            main([*command, *flags])
        assert stop.value.code == 0, capfd.readouterr().err


def test_a_column_of_labels_needs_no_request_to_be_read(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("age\n[20, 30)\n[30, 40)\n[20, 30)\n")
    assert tables.read(path).frame.columns == ["age"]
    path.write_text("age,sex\n20,f\n30,m\n")
    assert tables.read(path).frame.columns == ["age", "sex"]
