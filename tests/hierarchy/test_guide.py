import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter

from incrowd.hierarchy import AnyHierarchy
from incrowd.hierarchy.hierarchy import texts
from incrowd.table.column import Domain, Kind

GUIDE = Path(__file__).parents[2] / "docs/guide/hierarchies.md"
TEXT = GUIDE.read_text(encoding="utf-8")

BIRTH = np.array(["1965-03-01", "1965-03-09", "1965-02-01", "1967-07-01", "1960-01-01"])
DOMAINS = {
    "age": Domain(Kind.NUMBER, np.arange(17, 105)),
    "income": Domain(Kind.NUMBER, np.arange(100) ** 3),
    "birth_date": Domain(Kind.DATE, np.unique(BIRTH.astype("datetime64[D]"))),
    "zip": Domain(Kind.TEXT, texts(["02138", "02139", "02141", "02201", "03000", "10001"])),
    "diagnosis": Domain(
        Kind.TEXT, texts(["E11.8", "E11.9", "E12.1", "E20.0", "I10.0", "I21.4", "I21.9"])
    ),
    "country": Domain(Kind.TEXT, texts(["Benin", "Egypt", "Kenya", "USA"])),
}


def specs():
    """Every hierarchy of the guide that can be built without a file."""
    for block in re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL):
        for column, entry in tomllib.loads(block)["columns"].items():
            given = entry["hierarchy"]
            given = {"name": given} if isinstance(given, str) else given
            spec = TypeAdapter(AnyHierarchy).validate_python(given)
            if spec.name != "file":
                yield pytest.param(column, spec, id=f"{column}-{spec.name}")


@pytest.mark.parametrize(("column", "spec"), list(specs()))
def test_every_example_builds(column, spec):
    domain = DOMAINS.get(column, Domain(Kind.TEXT, texts(["a", "b"])))
    assert spec.build(domain, column).height >= 1


def chains():
    """`value → label → …` as the guide shows them, with the hierarchy above each."""
    for block, after in re.findall(r"```toml\n(.*?)```\n(.*?)\n\n", TEXT, re.DOTALL):
        found = re.match(r"([\w.-]+)((?: →\s`[^`]*`| →\s…)+)", after)
        if found:
            shown = re.findall(r"`([^`]*)`|(…)", found[2])
            labels = [label or dots for label, dots in shown]
            ((column, entry),) = tomllib.loads(block)["columns"].items()
            yield pytest.param(
                column, entry["hierarchy"], found[1], labels, id=f"{column}-{found[1]}"
            )


@pytest.mark.parametrize(("column", "given", "value", "labels"), list(chains()))
def test_every_example_shows_what_the_guide_says(column, given, value, labels):
    given = {"name": given} if isinstance(given, str) else given
    spec = TypeAdapter(AnyHierarchy).validate_python(given)
    domain = DOMAINS.get(column, Domain(Kind.TEXT, texts([])))
    hierarchy = spec.build(domain, column)
    code = hierarchy.labels[0].tolist().index(value) + 1
    path = [hierarchy.labels[h][hierarchy.maps[h, code] - 1] for h in range(1, hierarchy.levels)]
    if "…" in labels:
        start = labels.index("…")
        assert path[:start] == labels[:start]
        assert path[-1] == labels[-1]
    else:
        assert path == labels


def test_the_guide_has_examples():
    assert len(list(chains())) >= 7
    assert len(list(specs())) >= 14
