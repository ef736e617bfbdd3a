"""Reports of four policies in a browser: every picture has marks, nothing fails, nothing overflows.

Screenshots are left in build/screenshots, at desktop and phone width, light and dark.
"""

import gzip
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import incrowd
from browser import DESKTOP, PHONE, SCHEMES, chromium, looked_at
from quasi_tables import ADULT, ADULT_COLUMNS

assert chromium  # a fixture, found by its name

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "build" / "screenshots"
OCCUPATION = ADULT.parents[1] / "census-occ" / "census10k"
CENSUS = ("age", "gender", "education", "marital", "race", "work-class", "country", "occupation")
ROWS = 600
SIZES = {"desktop": DESKTOP, "phone": PHONE}
MARKS = (
    "[...document.querySelectorAll('figure svg, .ic-lives svg')].map(one => "
    "one.querySelectorAll('path[d], rect, circle').length)"
)
DRAWN = "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
OPEN = "document.querySelectorAll('details').forEach(one => one.open = true)"
SHUT = "document.querySelectorAll('details').forEach(one => one.open = false)"


def drawn(rows=ROWS):
    """Rows that look like the census where the tables themselves are not here."""
    rng = np.random.default_rng(1)
    return {name: (rng.random(rows) ** 2 * 12).astype(int).tolist() for name in CENSUS}


def adult():
    """Adult, or a table like it."""
    if not ADULT.exists():
        return pl.DataFrame(drawn()).rename({"occupation": "income", "gender": "sex"})
    with gzip.open(ADULT, "rt") as file:
        lines = [line.strip().split(", ") for line in file if line.strip()]
    frame = pl.DataFrame(lines[:ROWS], schema=ADULT_COLUMNS, orient="row")
    return frame.select("age", "sex", "race", "marital-status", "education", "income")


def census():
    if not OCCUPATION.exists():
        return pl.DataFrame(drawn())
    lines = [line for line in OCCUPATION.read_text().splitlines() if line.strip()]
    rows = [line.split(",") for line in lines[:ROWS]]
    return pl.DataFrame([[int(cell) for cell in row[:8]] for row in rows], CENSUS, orient="row")


def of_k():
    """k-anonymity on Adult, with the lattice: alternatives and the plane."""
    table = adult()
    quasi = [name for name in table.columns if name != "income"]
    policy = incrowd.quick(
        table.columns, quasi=quasi, sensitive="income", k=10, search="lattice", suppression=0.02
    )
    return table, policy, {}


def of_l():
    """l-diversity of occupations."""
    table = census()
    policy = incrowd.quick(
        CENSUS, quasi=["age", "gender", "education"], sensitive="occupation", k=5, l=3
    )
    return table.select("age", "gender", "education", "occupation"), _only(policy), {}


def of_privacy():
    """The most privacy within a loss."""
    table = census().select("age", "gender", "education", "occupation")
    policy = incrowd.quick(
        table.columns,
        quasi=["age", "gender", "education"],
        sensitive="occupation",
        k=2,
        search=incrowd.search.Accuracy(max_loss=0.3),
    )
    return table, policy, {}


def of_world():
    """k-map: released people are a sample of the world."""
    world = census().select("age", "gender", "education").with_row_index("person")
    table = world.drop("person")[:200]
    policy = incrowd.quick(table.columns, quasi=table.columns, k=5)
    models = tuple(model.as_world_model() for model in policy.models)
    policy = policy.model_copy(update={"models": models})
    return table, policy, {"world": world, "world_id": "person"}


def _only(policy):
    names = {"age", "gender", "education", "occupation"}
    kept = {name: column for name, column in policy.columns.items() if name in names}
    return policy.model_copy(update={"columns": kept})


POLICIES = {"k": of_k, "l": of_l, "privacy": of_privacy, "world": of_world}
LOOKS = [
    (name, size, SCHEMES[(row + column) % len(SCHEMES)])
    for row, name in enumerate(POLICIES)
    for column, size in enumerate(SIZES)
]
"""Each report in each size, each size in each scheme."""


@cache
def page_of(name, folder):
    table, policy, world = POLICIES[name]()
    release = incrowd.anonymize(table, policy, seed=1, **world)
    path = Path(folder) / f"{name}.html"
    report = incrowd.report(release, path, original=table, name=f"{name}.csv", **world)
    assert report.facts.verdict.ok
    assert report.facts.attacks.attacks
    assert report.facts.utility is not None
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(tmp_path_factory.mktemp("reports"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size", "scheme"), LOOKS)
def test_a_report_in_a_browser(chromium, folder, name, size, scheme):
    path = page_of(name, folder)
    assert path.stat().st_size <= 2_000_000
    with looked_at(chromium, path, size=SIZES[size], scheme=scheme) as look:
        look.page.evaluate(DRAWN)
        assert look.overflow == 0
        look.page.evaluate(OPEN)
        assert look.overflow == 0
        marks = look.page.evaluate(MARKS)
        assert len(marks) >= 6
        assert min(marks) > 0
        look.page.evaluate(SHUT)
        SHOTS.mkdir(parents=True, exist_ok=True)
        look.page.screenshot(path=SHOTS / f"report-{name}-{size}-{scheme}.png", full_page=True)
        assert look.errors == []
        assert look.requests == []


@pytest.mark.slow
def test_a_report_without_scripts(chromium, folder):
    with looked_at(chromium, page_of("k", folder), scripts=False) as look:
        titles = look.page.locator("h2").all_inner_texts()
        assert titles[0] == "Verdict"
        assert look.page.locator(".ic-still svg").first.is_visible()
        assert look.errors == []
