"""Options about the search: all that a policy file can say of it, and what does not fit."""

import json
from dataclasses import fields

import polars as pl
import pytest

from incrowd.cli.search_settings import has_search_options, search_with_options
from incrowd.errors import PolicyError
from incrowd.requests.policy import PolicyOptions
from incrowd.search import SEARCHES, Auto, Diversify
from incrowd.search_names import SEARCHES as NAMES
from patients import QUICK, patients

POLICY = """
version = 1
[search]
name = "diversify"
mapping = "hilbert"
rounds = 1
[[models]]
name = "l-diversity"
l = 2
column = "diagnosis"
[columns]
age.role = "quasi"
zip.role = "quasi"
sex.role = "quasi"
diagnosis.role = "sensitive"
"""


@pytest.fixture
def table(here):
    (here / "patients.csv").write_text(patients())
    return "patients.csv"


def certified(here):
    """The policy that the certificate of the release holds."""
    return json.loads((here / "release.csv.certificate.json").read_text())["policy"]


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (["diversify", "--mapping", "hilbert"], {"mapping": "hilbert"}),
        (["crowd", "--effort", "0.5"], {"effort": 0.5}),
        (["mingen", "--prefer", "zip,age"], {"prefer": {"order": ["zip", "age"]}}),
        (["mingen", "--prefer", "zip=2"], {"prefer": {"weights": {"zip": 2}}}),
        (["datafly", "--setting", "preference={zip=0.5}"], {"preference": {"zip": 0.5}}),
        (["datafly", "--setting", 'sets=[["age","sex"]]'], {"sets": [["age", "sex"]]}),
        (
            ["mu-argus", "--setting", "combinations=actual", "--setting", "levels={age = 2}"],
            {"combinations": "actual", "levels": {"age": 2}},
        ),
    ],
)
def test_options_say_what_a_policy_file_can(incrowd, here, table, flags, wanted):
    said = incrowd("anonymize", table, *QUICK, "--method", *flags)
    assert said.code == 0, said.err
    assert certified(here)["search"] == {"name": flags[0], **wanted}


def test_settings_lie_over_those_of_the_policy_file(incrowd, here, table):
    (here / "policy.toml").write_text(POLICY)
    asked = ("anonymize", table, "-p", "policy.toml", "-o", "release.csv")
    said = incrowd(*asked, "--setting", "rounds=5")
    assert said.code == 0, said.err
    assert "options change search of the policy file" in said.err
    search = {"name": "diversify", "mapping": "hilbert", "rounds": 5}
    assert certified(here)["search"] == search
    assert incrowd(*asked, "--method", "diversify", "--setting", "rounds=5").code == 0
    assert certified(here)["search"] == {"name": "diversify", "rounds": 5}


def test_the_order_for_the_most_privacy_is_a_setting(incrowd, here, table):
    flags = ("--maximize", "privacy", "--max-loss", "0.6", "--mapping", "hilbert")
    said = incrowd("anonymize", table, *QUICK, *flags)
    assert said.code == 0, said.err
    assert certified(here)["search"]["mapping"] == "hilbert"
    asked = ("frontier", table, "-q", "age,zip,sex", "--json")
    said = incrowd(*asked, "--mapping", "idistance", "--setting", "method=ac", "--show", "sets")
    assert said.code == 0, said.err
    assert "--mapping" not in incrowd("plan", "--help").out


@pytest.mark.parametrize("show", ["sets", "representatives"])
def test_cells_show_what_is_asked_for(incrowd, here, table, show):
    said = incrowd("anonymize", table, *QUICK, "--show", show)
    assert said.code == 0, said.err
    assert certified(here)["show"] == show


def test_sensitive_values_change_places_in_numbered_classes(incrowd, here, table):
    quick = ("-q", "age,zip,sex", "-s", "diagnosis", "-l", "2", "-o", "release.csv")
    said = incrowd("anonymize", table, *quick, "--show", "permutation", "--class-column", "group")
    assert said.code == 0, said.err
    assert certified(here)["show"] == "permutation"
    assert (here / "release.csv").read_text().splitlines()[0].split(",")[-1] == "group"


def test_keys_of_columns_are_options(incrowd, here, table):
    flags = ("--lowest", "age=1", "--kind", "zip=text", "--weights", "zip=2,sex=0.5")
    said = incrowd("anonymize", table, *QUICK, *flags, "--consistent", "--method", "crowd")
    assert said.code == 0, said.err
    policy = certified(here)
    assert policy["consistent"] is True
    assert policy["columns"]["age"]["lowest"] == 1
    assert policy["columns"]["zip"] == {"role": "quasi", "kind": "text", "weight": 2.0}
    assert policy["columns"]["sex"]["weight"] == 0.5


@pytest.mark.parametrize("written", ["option", "policy"])
def test_codes_that_only_look_like_numbers_stay_names(incrowd, here, written):
    """Races 4 and 6 are no range: between them is a race that nobody of the class has."""
    race, zips = [str(1 + i % 6) for i in range(60)], [f"0213{i % 7}" for i in range(60)]
    (here / "people.csv").write_text(patients(60, race=race, zip=zips))
    groups = ["black", "black", "asian", "asian", "white", "white"]
    lines = [f"{code};{group};*" for code, group in enumerate(groups, start=1)]
    (here / "race.csv").write_text("\n".join(lines) + "\n")
    flags = ["-q", "age,race,zip", "-k", "4", "--hierarchy", "race=race.csv", "--kind", "race=text"]
    if written == "policy":
        keys = ('kind = "text"', 'hierarchy = { name = "file", path = "race.csv" }')
        columns = [f'{name}.role = "quasi"' for name in ("age", "zip")]
        columns += [*(f"race.{key}" for key in ('role = "quasi"', *keys)), 'sex.role = "drop"']
        columns += ['diagnosis.role = "drop"']
        models = '[[models]]\nname = "k-anonymity"\nk = 4\n[columns]\n'
        (here / "policy.toml").write_text("version = 1\n" + models + "\n".join(columns) + "\n")
        flags = ["-p", "policy.toml"]
    said = incrowd("anonymize", "people.csv", *flags, "-o", "release.csv", "--seed", "1")
    assert said.code == 0, said.err
    shown = {*pl.read_csv(here / "release.csv", infer_schema=False)["race"]}
    assert shown <= {*"123456", *groups, "*"}
    check = ("check", "release.csv", "--certificate", "release.csv.certificate.json")
    assert incrowd(*check).code == 0


def test_the_default_search_tries_longer_if_it_can(incrowd, table):
    can = "effort" in {one.name for one in fields(Auto)}
    assert incrowd("anonymize", table, *QUICK, "--effort", "0.5").code == (0 if can else 2)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--method", "lattice", "--effort", "2"], ["'lattice' has no setting 'effort'", "crowd"]),
        (["--method", "crowd", "--mapping", "hilbert"], ["--mapping", "--method diversify"]),
        (["--method", "datafly", "--prefer", "zip"], ["'datafly' has no setting", "mingen"]),
        (["--method", "datafly", "--setting", "likelyhood={}"], ["did you mean 'likelihood'?"]),
        (["--method", "datafly", "--setting", "depth=1"], ["sets, likelihood, preference, joint"]),
        (["--method", "tree", "--setting", "depth=1"], ["it has no settings"]),
        (["--method", "diversify", "--mapping", "spiral"], ["mapping", "kd-tree"]),
        (["--method", "crowd", "--effort", "-1"], ["effort"]),
        (["--method", "crowd", "--setting", "effort"], ["--setting takes NAME=VALUE"]),
        (["--method", "crowd", "--setting", "effort=[[1"], ["cannot read the value of 'effort'"]),
        (["--method", "crowd", "--setting", "name=tree"], ["no setting 'name'"]),
        (["--method", "mingen", "--prefer", "zip="], ["--prefer takes COLUMN=NUMBER"]),
        (["--method", "mingen", "--prefer", "zipp"], ["did you mean 'zip'?"]),
        (
            ["--method", "crowd", "--setting", "effort=1", "--setting", "effort=2"],
            ["two values"],
        ),
        (["--method", "crowd", "--effort", "1", "--setting", "effort=2"], ["two values"]),
        (["--kind", "zip=letters"], ["kind"]),
        (["--kind", "zip"], ["--kind takes COLUMN=KIND"]),
        (["--weights", "zip=0"], ["weight"]),
        (["--class-column", "group"], ["permutation"]),
        (["--show", "everything"], ["spans, sets, representatives, permutation"]),
        (["--maximize", "privacy", "--max-loss", "1", "--effort", "2"], ["'accuracy' has no"]),
    ],
)
def test_what_does_not_fit_is_refused_with_a_remedy(refused, table, flags, words):
    said = refused(2, "anonymize", table, *QUICK, *flags)
    assert "help: " in said.err
    for word in words:
        assert word in said.err


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_of_every_search_can_be_given(name):
    """A setting's default, written as a policy file does, gives the search itself."""
    known = [one.name for one in fields(SEARCHES[name]) if one.name != "name"]
    for setting in known:
        asked = PolicyOptions(method=name, setting=[f"{setting}=1"])
        assert search_with_options(asked) == {"name": name, setting: 1}
    with pytest.raises(PolicyError):
        search_with_options(PolicyOptions(method=name, setting=["no-such-setting=1"]))


def test_the_value_is_what_a_policy_file_would_hold():
    texts = [
        "a=1",
        "b=0.5",
        "c=word",
        'd="two words"',
        "e={x = [1, 2]}",
        "f=true",
        "g=kd-tree",
        'h="a=b"',
    ]
    assert search_with_options(PolicyOptions(method="unknown", setting=texts)) == {
        "name": "unknown",
        "a": 1,
        "b": 0.5,
        "c": "word",
        "d": "two words",
        "e": {"x": [1, 2]},
        "f": True,
        "g": "kd-tree",
        "h": "a=b",
    }
    assert not has_search_options(PolicyOptions())
    assert search_with_options(PolicyOptions(), Diversify(), "accuracy")["name"] == "accuracy"
