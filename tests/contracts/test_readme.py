"""What the README promises: it sells in one screen, and every command has its place in it.

That its output is real is tested with all pages, in `test_docs.py`.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_begins_with_a_picture_what_runs_in_a_checkout_and_three_commands():
    before = README.partition("\n## ")[0]
    assert len(re.findall(r"^!\[", before, re.MULTILINE)) == 1
    commands = [
        "\nmake demo ",
        "\nmake test ",
        "\npip install . ",
        "`make wheel` ",
        "\n$ incrowd risk ",
    ]
    places = [before.index(command) for command in commands]
    assert places == sorted(places)
    assert re.findall(r"^\$ incrowd (\w+)", before, re.MULTILINE) == ["risk", "anonymize", "check"]


def test_every_figure_of_ours_names_the_command_that_prints_it():
    table = README.partition("## Next to others")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= 5
    for row in rows:
        command = re.search(r"`python -m benchmarks\.(\w+)` \|$", row)
        assert command, row
        assert (ROOT / "benchmarks" / f"{command[1]}.py").exists()


def test_nothing_is_installed_from_an_index_that_has_no_incrowd():
    """It fails where incrowd is not there yet; an extra of what is there works."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    bare = re.compile(r"pip install (?:'|\")?incrowd(?![\[\w-])")
    assert [page.name for page in pages if bare.search(page.read_text(encoding="utf-8"))] == []


def test_every_extra_is_named_with_what_needs_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    table = README.partition("| for | extra |")[2].partition("\n\n")[0]
    named = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row[-60:])}
    assert named >= project["optional-dependencies"].keys() - {"all", "bench"}


def test_every_peer_has_its_due():
    for peer in ("ARX", "sdcMicro", "pyCANON", "OpenMed"):
        assert f"- **{peer}**" in README
