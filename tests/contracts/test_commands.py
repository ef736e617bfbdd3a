"""Every command is documented and keeps its promises to other programs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from incrowd.cli.main import app, main
from patients import QUICK, patients

ROOT = Path(__file__).parents[2]
COMMANDS = typer.main.get_command(app).commands
GUIDE = ROOT / "docs" / "guide" / "command-line.md"

LIGHT = """
import sys
from incrowd.cli.main import main
try:
    main([*sys.argv[1:], "--help"])
except SystemExit:
    pass
heavy = {"numba", "numpy", "polars", "pandas", "pyarrow", "scipy", "sklearn", "tomlkit"}
sys.exit(", ".join(heavy & set(sys.modules)) or 0)
"""


def options():
    for name, command in COMMANDS.items():
        for parameter in command.params:
            if parameter.param_type_name == "option" and not parameter.hidden:
                for flag in [*parameter.opts, *parameter.secondary_opts]:
                    yield pytest.param(name, flag, id=f"{name} {flag}")


def section(command):
    """What the guide says of a command: from its heading to the next of that depth."""
    text = GUIDE.read_text(encoding="utf-8")
    found = re.search(rf"^## `incrowd {command}`$(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"the guide has no section on {command}"
    return found.group(1)


def test_these_are_the_commands():
    assert set(COMMANDS) == {
        "anonymize",
        "attack",
        "check",
        "compare",
        "discover",
        "frontier",
        "init",
        "keys",
        "mask",
        "plan",
        "quantiles",
        "report",
        "risk",
        "safe-harbor",
        "ui",
        "warm",
    }


@pytest.mark.parametrize(("command", "flag"), list(options()))
def test_every_option_is_in_the_guide(command, flag):
    common = GUIDE.read_text(encoding="utf-8").partition("## `incrowd")[0]
    assert f"`{flag}" in section(command) + common


def test_the_guide_knows_no_other_options():
    text = GUIDE.read_text(encoding="utf-8")
    known = {flag.values[1] for flag in options()} | {
        "--frontier",  # former names
        "--id",
        "--help",
        "--version",
        "--install-completion",
        "--show-completion",
    }
    assert set(re.findall(r"`(--[a-z-]+)", text)) <= known


@pytest.mark.parametrize("command", list(COMMANDS))
def test_the_readme_names_every_command(command):
    assert f"incrowd {command}" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_option_has_help(command):
    for parameter in COMMANDS[command].params:
        assert parameter.help, parameter.name


def test_summaries_fit_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["--help"])
    summaries = capsys.readouterr().out.partition("Commands:")[2]
    assert "..." not in summaries
    for name in COMMANDS:
        (line,) = re.findall(rf"^  {name} +(.+)$", summaries, re.MULTILINE)
        assert line.endswith(".")


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if name not in {"keys", "ui", "warm"}]
)
def test_options_are_in_groups(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    help_text = capsys.readouterr().out
    titles = re.findall(r"^(\w.*):$", help_text, re.MULTILINE)
    assert titles[0] == "Arguments"
    assert titles[-2:] == ["Writing", "Reading"]
    assert "Options" not in titles
    assert "Example: incrowd " + command in help_text


@pytest.mark.parametrize("command", list(COMMANDS))
def test_examples_in_help_are_commands_that_there_are(command):
    for line in re.findall(r"Example: (incrowd .+)", COMMANDS[command].help or ""):
        flags = {flag.values[1] for flag in options() if flag.values[0] == command}
        assert {word for word in line.split() if word.startswith("-")} <= flags


def test_hidden_parameters_stay_out_of_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["anonymize", "--help"])
    help_text = capsys.readouterr().out
    assert "curve" not in help_text
    assert "--frontier" not in help_text
    assert help_text.startswith("Usage: incrowd anonymize [OPTIONS] FILE\n")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_loads_nothing_heavy(command):
    arguments = [command] if command else []
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def said(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text(patients())

    def run(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(list(arguments))
        return stop.value.code, json.loads(capfd.readouterr().out)

    return run


def test_risk_says_what_was_promised(said):
    code, document = said("risk", "patients.csv", "-q", "age,zip", "-s", "diagnosis", "--json")
    assert code == 0
    assert document["schema"] == "incrowd.risk/1"
    assert document.keys() >= {
        "records",
        "people",
        "classes",
        "k",
        "unique_records",
        "average_class",
        "prosecutor",
        "sensitive",
        "missing",
    }
    assert document["prosecutor"].keys() >= {"max", "average", "above_threshold"}
    assert document["sensitive"]["diagnosis"]["l"].keys() >= {"frequency", "distinct", "entropy"}
    assert document["sensitive"]["diagnosis"]["t"]
    assert set(document["missing"]) == {"own-value", "matches-anything", "suppress"}
    assert document["records"] == document["people"] == 40


def test_anonymize_says_what_was_promised(said):
    code, document = said("anonymize", "patients.csv", *QUICK, "--method", "lattice", "--json")
    assert code == 0
    assert document["schema"] == "incrowd.anonymize/1"
    assert document.keys() >= {
        "search",
        "k",
        "classes",
        "suppressed",
        "loss",
        "levels",
        "seconds",
        "release",
        "certificate",
    }
    assert document["search"] == "lattice"
    assert document["k"] >= 5
    assert document["loss"].keys() >= {
        "gcp",
        "granularity",
        "precision",
        "discernibility",
        "average_class",
        "il1",
        "ilinf",
    }
    assert set(document["levels"]) == {"age", "zip", "sex"}
    assert set(document["seconds"]) >= {"read", "search", "release", "verify", "write"}
    assert Path(document["release"]).exists()
    assert Path(document["certificate"]).exists()


def test_local_recoding_has_no_levels(said):
    _, document = said("anonymize", "patients.csv", *QUICK, "--method", "mondrian", "--json")
    assert document["search"] == "mondrian"
    assert document.get("levels") is None


def test_check_says_what_was_promised(said):
    said("anonymize", "patients.csv", *QUICK, "--json")
    flags = ("-q", "age,zip,sex", "-s", "diagnosis", "-k")
    code, document = said("check", "release.csv", *flags, "5", "--json")
    assert code == 0
    assert document["schema"] == "incrowd.check/1"
    assert document["ok"] is True
    assert document["models"][0].keys() >= {"name", "asked", "reached", "ok"}
    assert len(document["digest"]) == 64
    code, document = said("check", "release.csv", *flags, "30", "--json")
    assert code == 1
    assert document["ok"] is False


def test_init_says_what_was_promised(said):
    code, document = said("init", "patients.csv", "--json")
    assert code == 0
    assert document["schema"] == "incrowd.init/1"
    assert set(document["columns"]) == {"age", "zip", "sex", "diagnosis"}
    for column in document["columns"].values():
        assert column["role"]
        assert column["reasons"]


def test_discover_says_what_was_promised(said):
    code, document = said("discover", "patients.csv", "--ratio", "0.4", "--json")
    assert code == 0
    assert document["schema"] == "incrowd.discover/1"
    assert document.keys() >= {"records", "measure", "ratio", "sets", "minimum", "seconds"}
    assert document["guarantee"].keys() >= {"exact", "epsilon", "delta", "searched", "not_searched"}
    assert document["sets"]
    for found in (*document["sets"], document["minimum"]):
        assert found.keys() >= {"columns", "distinct", "separation", "unique"}


def test_mask_says_what_was_promised(said):
    flags = ("--measure", "separation", "--ratio", "0.8", "-o", "published.csv", "--json")
    code, document = said("mask", "patients.csv", *flags)
    assert code == 0
    assert document["schema"] == "incrowd.mask/1"
    assert document.keys() >= {"published", "withheld", "ratio"}
    assert document["ratio"] <= 0.8
    assert {*document["published"], *document["withheld"]} == {"age", "zip", "sex", "diagnosis"}


def test_errors_are_documents_too(said):
    code, document = said("risk", "patients.csv", "--quasi", "agee", "--json")
    assert code == 2
    assert document["schema"] == "incrowd.error/1"
    assert document["exit_code"] == 2
    assert document.keys() == {"schema", "error", "remedy", "exit_code"}
