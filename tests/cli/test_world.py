"""`--world` of `incrowd anonymize` and `incrowd check`."""

from pathlib import Path

import pytest

from patients import MARK, patients

QUICK = ("-q", "age,zip,sex", "-s", "diagnosis", "-k", "5", "--seed", "1")
WORLD = ("--world", "voters.csv", "--world-id", "ssn", "--rename", "zip=zipcode")
MAKE = ("anonymize", "patients.csv", *QUICK, "-o", "release.csv")


@pytest.fixture
def voters(table):
    """A table of patients, and a world that has each of them three times."""
    ids = [f"{MARK}-{i}" for i in range(40)]
    ages = [str(20 + i) for i in range(40)]
    table(ssn=ids, age=ages)
    lines = patients(ssn=ids, age=ages).replace("zip", "zipcode", 1).splitlines()
    others = [line.replace(MARK, f"{MARK}{copy}") for copy in range(3) for line in lines[1:]]
    Path("voters.csv").write_text("\n".join([lines[0], *others]) + "\n")


@pytest.mark.slow
@pytest.mark.usefixtures("voters")
def test_less_is_lost_with_the_world_and_the_certificate_names_it(incrowd):
    without = incrowd(*MAKE, "--json")
    assert without.code == 0, without.err
    said = incrowd(*MAKE, *WORLD, "--json")
    assert said.code == 0, said.err
    assert "counts people of the world (k-map)" in said.err
    assert said.document["search"] == "world"
    assert said.document["models"][0]["name"] == "k-map"
    assert said.document["models"][0]["reached"] >= 5
    assert said.document["loss"]["gcp"] < without.document["loss"]["gcp"]
    paper = Path("release.csv.certificate.json").read_text()
    assert '"people": 120' in paper
    assert MARK not in said.out + said.err + paper


@pytest.mark.slow
@pytest.mark.usefixtures("voters")
def test_a_check_needs_the_world(incrowd):
    assert incrowd(*MAKE, *WORLD, "--quiet").code == 0
    paper = ("check", "release.csv", "--certificate", "release.csv.certificate.json")
    said = incrowd(*paper, *WORLD)
    assert said.code == 0, said.out
    said = incrowd(*paper)
    assert said.code == 1
    assert "give the world" in " ".join(said.out.split())
    flags = ("-q", "age,zip,sex", "-s", "diagnosis", "-k", "5")
    assert incrowd("check", "release.csv", *flags, *WORLD).code == 0
    assert incrowd("check", "patients.csv", *flags, *WORLD).code == 1
    half = Path("voters.csv").read_text().splitlines()[:61]
    Path("voters.csv").write_text("\n".join(half) + "\n")
    said = incrowd(*paper, *WORLD)
    assert "another world" in " ".join(said.out.split())
    assert MARK not in said.out + said.err


@pytest.mark.slow
@pytest.mark.usefixtures("voters")
def test_a_policy_file_says_itself_what_it_asks_for(incrowd):
    assert incrowd("init", "patients.csv", "-o", "policy.toml", "--quiet").code == 0
    text = Path("policy.toml").read_text()
    make = ("anonymize", "patients.csv", "--policy", "policy.toml", "-o", "release.csv", "--json")
    said = incrowd(*make, *WORLD)
    assert said.code == 0, said.err
    assert "no model of the policy uses the world" in said.err
    assert "k-anonymity" in text
    Path("policy.toml").write_text(text.replace('"k-anonymity"', '"k-map"'))
    said = incrowd(*make, *WORLD)
    assert said.code == 0, said.err
    assert said.document["search"] == "world"
    said = incrowd(*make)
    assert said.code == 2
    assert "--world" in said.err


@pytest.mark.slow
@pytest.mark.usefixtures("voters")
def test_a_world_without_ids_is_said_to_have_none(incrowd):
    said = incrowd(*MAKE, "--world", "voters.csv", "--rename", "zip=zipcode", "--json")
    assert said.code == 0
    assert "each of its 120 rows is an individual" in said.err
    said = incrowd(*MAKE, "--world", "voters.csv", "--world-id", "ssn", "--json")
    assert said.code == 0
    assert "the world lacks zip" in said.err


@pytest.mark.usefixtures("voters")
@pytest.mark.parametrize(
    ("code", "flags"),
    [
        (2, ("--world", "voters.csv", "--world-id", "nobody")),
        (2, ("--world-id", "ssn")),
        (2, ("--rename", "zip=zipcode")),
        (2, (*WORLD, "--rename", "zip")),
        (2, (*WORLD, "--rename", "zap=zipcode")),
        (2, (*WORLD, "--maximize", "privacy", "--max-loss", "0.3")),
        (2, ("--world", "-")),
        (3, ("--world", "nowhere.csv")),
        (3, ("--world", "strange.csv")),
        (4, (*WORLD, "-k", "121")),
    ],
)
def test_bad_input(refused, code, flags):
    Path("strange.csv").write_text(f"name\n{MARK}\n")
    refused(code, *MAKE, *flags)


@pytest.mark.usefixtures("voters")
def test_the_world_is_not_overwritten(refused):
    refused(2, "anonymize", "patients.csv", *QUICK, *WORLD, "-o", "voters.csv")


@pytest.mark.slow
@pytest.mark.usefixtures("voters")
def test_several_tables_are_one_world(incrowd, refused):
    """What one list tells of a person and what another tells are put together by the id."""
    lines = [line.split(",") for line in Path("voters.csv").read_text().splitlines()]
    names = lines[0]
    for path, some in (("a.csv", ("age", "ssn")), ("b.csv", ("ssn", "zipcode", "sex"))):
        places = [names.index(name) for name in some]
        Path(path).write_text("\n".join(",".join(row[j] for j in places) for row in lines) + "\n")
    both = ("--world", "a.csv", "--world", "b.csv", "--world-id", "ssn", "--rename", "zip=zipcode")
    assert incrowd(*MAKE, *WORLD, "--quiet").code == 0
    one = Path("release.csv").read_text()
    said = incrowd(*MAKE, *both, "--json")
    assert said.code == 0, said.err
    assert Path("release.csv").read_text() == one
    paper = ("check", "release.csv", "--certificate", "release.csv.certificate.json")
    assert incrowd(*paper, *both).code == 0
    assert "another world" in " ".join(incrowd(*paper, *WORLD).out.split())
    play = ("attack", "release.csv", "--knows", "age,zip,sex", "--json")
    found, whole = (incrowd(*play, *world).document for world in (both, WORLD))
    assert found["attacks"][0] == whole["attacks"][0]
    assert found["k_world"] == whole["k_world"] >= 5
    less = incrowd("attack", "release.csv", *both[:2], *both[4:6], "--json").document
    assert less["attacks"][0]["knows"] == ["age"]
    refused(2, *MAKE, *both[:4], *both[6:])
    refused(2, *MAKE, *both[:4], "--world-id", "age")


@pytest.mark.usefixtures("voters")
def test_who_is_in_one_table_only_is_said(incrowd):
    Path("a.csv").write_text("ssn,age\n1,30\n2,40\n")
    Path("b.csv").write_text("ssn,sex\n2,F\n3,M\n")
    said = incrowd(
        "attack", "patients.csv", "--world", "a.csv", "--world", "b.csv", "--world-id", "ssn"
    )
    assert "2 of 3 individuals are not in all tables of the world" in said.err


@pytest.mark.slow
@pytest.mark.usefixtures("voters")
@pytest.mark.parametrize("spelled", [("--id", "ssn"), ("--id=ssn",)])
def test_the_former_name_of_the_world_id_says_the_new_one(incrowd, spelled):
    flags = ("--world", "voters.csv", "--rename", "zip=zipcode", "--json")
    now = incrowd(*MAKE, *flags, "--world-id", "ssn")
    said = incrowd(*MAKE, *flags, *spelled)
    assert said.code == 0, said.err
    assert "note: --id is now --world-id" in said.err
    assert said.document["classes"] == now.document["classes"]
    assert "--id is now" not in incrowd(*MAKE, *flags, *spelled, "--quiet").err
