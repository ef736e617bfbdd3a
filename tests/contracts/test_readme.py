"""What the README promises: it sells in one screen, and every command has its place in it.

That its output is real is tested with all pages, in `test_docs.py`.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_begins_with_a_picture_how_to_install_and_three_commands():
    before = README.partition("\n## ")[0]
    assert len(re.findall(r"^!\[", before, re.MULTILINE)) == 1
    assert "pip install incrowd\n" in before
    assert re.findall(r"^\$ incrowd (\w+)", before, re.MULTILINE) == ["risk", "anonymize", "check"]


def test_every_figure_of_ours_names_the_command_that_prints_it():
    table = README.partition("## Next to others")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= 5
    for row in rows:
        command = re.search(r"`python -m benchmarks\.(\w+)` \|$", row)
        assert command, row
        assert (ROOT / "benchmarks" / f"{command[1]}.py").exists()


def test_every_peer_has_its_due():
    for peer in ("ARX", "sdcMicro", "pyCANON", "OpenMed"):
        assert f"- **{peer}**" in README
