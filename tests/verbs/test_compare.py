"""Releases of incrowd and of other tools beside their original; odd tables; privacy."""

import re

import numpy as np
import polars as pl
import pytest

import incrowd
from incrowd import Column, InputError, PolicyError, compare, quick
from incrowd.documents.compare import compare_document, compare_text
from incrowd.documents.compare_page import compare_html
from incrowd.documents.json import dumps
from incrowd.table.column import Missing
from incrowd.utility import models
from incrowd.utility.pairs import MOST_PAIRS

QUASI = ["age", "zip", "sex", "born"]


def people(n=400, seed=0):
    rng = np.random.default_rng(seed)
    day = np.datetime64("1950-01-01") + rng.integers(0, 15_000, n)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "zip": [f"021{i:02d}" for i in rng.integers(0, 40, n)],
            "sex": rng.choice(["f", "m"], n),
            "born": pl.Series(day),
            "illness": rng.choice(["flu", "cold", "none"], n),
        }
    )


def policy(**more):
    names = [*QUASI, "illness"]
    return quick(names, quasi=QUASI, sensitive="illness", k=5, search="mondrian", **more)


BY_LEVELS = [{}, {"suppression": 0.1}, {"split_ends": True}]
ASKED = [("lattice", more) for more in BY_LEVELS]
ASKED += [("mondrian", more) for more in (*BY_LEVELS, {"show": "sets"})]


@pytest.mark.parametrize(("search", "more"), ASKED)
def test_losses_and_risk_are_those_of_the_certificate(search, more):
    table = people()
    asked = policy(**more).model_copy(
        update={"search": quick(["a"], quasi="a", k=2, search=search).search}
    )
    made = incrowd.anonymize(table, asked, seed=1)
    found = compare(table, made.frame, policy=asked, models=False).releases[0]
    assert found.risk.k == made.k
    assert found.left_out == made.suppressed
    for name in ("gcp", "granularity", "discernibility", "average_class", "il1", "ilinf"):
        assert found.losses[name] == pytest.approx(made.loss[name], rel=1e-9), name
    assert not [note for note in found.notes if "cannot be read" in note]


@pytest.mark.slow
def test_a_copy_of_the_original_loses_nothing():
    table = people()
    found = compare(
        table, table.sample(fraction=1, shuffle=True, seed=1), quasi=QUASI, sensitive="illness"
    )
    (release,) = found.releases
    assert release.total_variation == pytest.approx(0, abs=1e-9)
    assert release.two_way == pytest.approx(0, abs=1e-9)
    assert release.queries.kl < 0.01
    assert release.queries.median_error == pytest.approx(0, abs=1e-9)
    assert release.losses["gcp"] == 0
    assert all(pair.difference == pytest.approx(0, abs=1e-9) for pair in release.pairs)
    assert release.risk == found.risk


OTHER_TOOLS = {
    "age": ["21-30", "[21, 30]", "[21,31)", ">= 50", "*", "50+", "<=30", "45"],
    "zip": ["0210*", "021**", "*****", "{02101, 02102}", "02101", "0210*", "*", "02103"],
    "sex": ["{f, m}", "f", "m", "*", "f", "m", "{f,m}", "f"],
}


def test_labels_of_other_tools_are_read():
    release = pl.DataFrame(OTHER_TOOLS)
    found = compare(people(), release, quasi=["age", "zip", "sex"], models=False).releases[0]
    assert [column.unreadable for column in found.columns] == [0, 0, 0]
    assert [column.suppressed for column in found.columns] == [1, 3, 3]
    assert found.absent == ("born", "illness")


def test_what_cannot_be_read_is_counted_and_said():
    release = pl.DataFrame({"age": ["old", "30", "young"], "sex": ["x", "f", "m"]})
    found = compare(people(), release, models=False).releases[0]
    assert [column.unreadable for column in found.columns] == [2, 1]
    said = " ".join(found.notes)
    assert "2 cells of 'age' cannot be read" in said
    assert "young" not in said


def test_hierarchies_name_groups():
    table = pl.DataFrame({"job": ["nurse", "doctor", "baker", "cook"] * 10})
    release = pl.DataFrame({"job": ["health", "food"] * 20})
    tree = incrowd.Tree(
        [
            ["nurse", "health", "*"],
            ["doctor", "health", "*"],
            ["baker", "food", "*"],
            ["cook", "food", "*"],
        ]
    )
    found = compare(table, release, hierarchies={"job": tree}, models=False).releases[0]
    assert found.columns[0].unreadable == 0
    assert found.columns[0].total_variation == pytest.approx(0)
    assert found.columns[0].ncp == pytest.approx(0.5)


def test_numbers_may_be_texts_on_one_side():
    table = people().select("age", "sex")
    as_text = table.with_columns(pl.col("age").cast(pl.String) + ".0")
    found = compare(table, as_text, models=False).releases[0]
    assert found.total_variation == pytest.approx(0)
    found = compare(as_text.with_columns(pl.col("age").str.strip_suffix(".0")), table, models=False)
    assert found.releases[0].total_variation == pytest.approx(0)


def test_noisy_numbers_are_compared():
    table = people().select("age")
    noisy = table.with_columns(pl.col("age") + 0.3)
    (column,) = compare(table, noisy, models=False).releases[0].columns
    assert column.unreadable == 0
    assert column.total_variation == pytest.approx(0)


def test_an_empty_release_says_so():
    table = people()
    found = compare(table, table.clear(), quasi=QUASI, sensitive="illness", formula="age~sex")
    (release,) = found.releases
    assert release.records == 0
    assert release.total_variation is None
    assert release.two_way is None
    assert release.queries is None
    assert "The release holds no records." in release.notes
    assert found.frontier == ()
    for show in (
        lambda: compare_html(found),
        lambda: compare_text(found),
        lambda: dumps(compare_document(found)),
    ):
        assert show()


@pytest.mark.slow
def test_one_column_has_no_pairs():
    found = compare(people().select("age"), people(seed=2).select("age"), quasi="age")
    (release,) = found.releases
    assert release.pairs == ()
    assert release.two_way is None
    assert release.distance == release.total_variation
    assert compare_html(found)


def test_constant_and_missing_columns():
    table = pl.DataFrame(
        {"a": ["x"] * 9, "b": [None] * 9, "c": [1.0] * 8 + [None]},
        schema_overrides={"b": pl.String},
    )
    found = compare(table, table, quasi=["a", "b", "c"], formula="c~a", target="a").releases[0]
    assert found.total_variation == pytest.approx(0)
    assert all(pair.before is None for pair in found.pairs)
    assert found.regression is None


def test_many_columns_are_compared_by_their_strongest_pairs():
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"c{j}": rng.integers(0, 3, 60) for j in range(60)}).with_columns(
        pl.col("c7").alias("c59")
    )
    found = compare(table, table, models=False)
    assert len(found.releases[0].pairs) == MOST_PAIRS
    assert ("c7", "c59") in [pair.columns for pair in found.releases[0].pairs]
    assert any("1,770 pairs" in note for note in found.notes)


def test_hostile_and_long_names():
    names = ["</script><b>", "\x1b[2J", "a" * 5_000, "^.*$", "شعر"]
    table = pl.DataFrame({name: [1, 2, 3, 4] * 5 for name in names})
    found = compare(table, table, formula=f"`{names[0]}` ~ `{names[1]}`")
    page = compare_html(found)
    assert "</script><b>" not in page
    assert "\x1b" not in page
    assert compare_text(found)


@pytest.mark.parametrize("number", [0, 9])
def test_too_few_and_too_many_releases(number):
    table = people(20)
    with pytest.raises(PolicyError, match="release"):
        compare(table, *[table] * number)


def test_tables_without_a_common_column():
    with pytest.raises(InputError, match="no column in common"):
        compare(people(20), pl.DataFrame({"other": [1]}))


@pytest.mark.parametrize("more", [{"quasi": "agee"}, {"target": "agee"}, {"formula": "sex~agee"}])
def test_unknown_columns_are_refused_with_the_nearest(more):
    with pytest.raises(PolicyError) as error:
        compare(people(20), people(20), **more)
    assert "'age'" in error.value.remedy


@pytest.mark.parametrize(
    "text", ["age", "~age", "age~", "age~sex+", "age~sex~zip", "`age~sex", "age~sex+sex", ""]
)
def test_wrong_formulas_are_refused(text):
    with pytest.raises(PolicyError):
        compare(people(20), people(20), formula=text)


def test_permuted_releases_are_compared_by_their_values():
    table = people()
    asked = quick(
        [*QUASI, "illness"],
        quasi=QUASI,
        sensitive="illness",
        l=2,
        search="anatomy",
        show="permutation",
    )
    made = incrowd.anonymize(table, asked, seed=1)
    found = compare(table, made.frame, policy=asked, models=False)
    assert found.releases[0].total_variation == pytest.approx(0, abs=0.02)
    assert any("moves sensitive values" in note for note in found.notes)


def test_the_frontier_holds_what_nobody_beats():
    table = people()
    by_k = [
        incrowd.anonymize(
            table, policy().model_copy(update={"models": (incrowd.KAnonymity(k),)}), seed=1
        ).frame
        for k in (3, 20)
    ]
    worse = by_k[1].with_columns(pl.lit("*").alias("sex"))
    found = compare(table, *by_k, worse, quasi=QUASI, names=["k3", "k20", "worse"], models=False)
    assert found.frontier
    place = {r.name: (r.risk.highest, r.distance) for r in found.releases}
    for name, (risk, distance) in place.items():
        beaten = any(
            o[0] <= risk and o[1] <= distance and o != (risk, distance) for o in place.values()
        )
        assert (name in found.frontier) is not beaten


@pytest.mark.parametrize("quasi", [(), QUASI])
def test_a_notebook_shows_it(quasi):
    found = compare(people(50), people(40, seed=1), people(30, seed=2), quasi=quasi, models=False)
    assert found.to_dict()["schema"] == "incrowd.compare/1"
    assert found.to_frame()["records"].to_list() == [40, 30]
    assert "<svg" in found._repr_html_()
    assert "<svg" in found.plot()._repr_svg_()


def test_the_same_seed_gives_the_same_answer():
    table, release = people(), people(seed=1)
    both = [compare(table, release, quasi=QUASI, sensitive="illness", seed=4) for _ in range(2)]
    assert both[0] == both[1]


def test_without_scikit_learn_the_rest_works(monkeypatch):
    monkeypatch.setattr(models, "has_scikit_learn", lambda: False)
    found = compare(people(), people(seed=1), sensitive="illness")
    assert found.releases[0].models == ()
    assert any("incrowd[utility]" in note for note in found.notes)


WORD, NUMBER = "CanaryQx9", "735190"
CANARY = re.compile(rf"{WORD}|{NUMBER}\d\d\d|{NUMBER}\.\d\d5")
"""Every value of the table; a round end of a bin is none of them."""


@pytest.mark.slow
def test_no_value_of_a_few_records_is_shown():
    n = 60
    table = pl.DataFrame(
        {
            "age": [int(f"{NUMBER}{i // 4:03}") for i in range(n)],
            "cost": [float(f"{NUMBER}.{i:02}5") for i in range(n)],
            "town": [f"{WORD} town {i // 4}" for i in range(n)],
            "sick": [f"{WORD} {i % 20}" for i in range(n)],
            "group": [f"{WORD} {i}" if i < 2 else "many" for i in range(n)],
        }
    )
    release = table.with_columns(
        pl.when(pl.int_range(n) % 2 == 0).then(pl.lit("*")).otherwise("town").alias("town")
    )
    found = compare(table, release, sensitive="sick", formula="cost ~ group + town", target="group")
    assert "many" not in dumps(compare_document(found))
    for shown in (repr(found), dumps(compare_document(found)), compare_html(found)):
        assert not CANARY.search(shown), CANARY.search(shown)


@pytest.mark.parametrize("kept", [0, 1, 4, 5, 50])
def test_bars_of_a_few_records_are_withheld(kept):
    table = pl.DataFrame({"a": ["rare"] * kept + ["usual"] * 50})
    (column,) = compare(table, table, models=False).releases[0].columns
    shown = dict(zip(column.histogram.labels, column.histogram.before, strict=True))
    assert ("rare" in shown) is (kept >= 5)
    if 0 < kept < 5:
        assert shown["other values"] is None


def test_an_analysis_makes_its_columns_finer():
    table = people()
    plain = policy()
    asked = plain.for_analysis("illness ~ age")
    assert asked.columns["age"].weight == 10
    assert asked.columns["zip"] == Column(role="quasi")
    assert asked.models == plain.models
    fine, coarse = (
        compare(table, incrowd.anonymize(table, p, seed=1).frame, policy=plain, models=False)
        for p in (asked, plain)
    )
    ncp = [{c.name: c.ncp for c in f.releases[0].columns} for f in (fine, coarse)]
    assert ncp[0]["age"] < ncp[1]["age"]
    assert fine.releases[0].risk.k >= 5
    assert incrowd.Policy.loads(asked.dumps()) == asked


def test_an_analysis_of_columns_that_do_not_leave_is_refused():
    dropped = quick([*QUASI, "illness"], quasi=QUASI, k=5)
    with pytest.raises(PolicyError, match="does not leave"):
        dropped.for_analysis("illness ~ age")
    with pytest.raises(PolicyError, match="no column"):
        policy().for_analysis("illness ~ aged")


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["k", "k", "K"], ["k (1)", "k (2)", "K"]),
        (["k", "k", "k (1)"], ["k (1) (1)", "k (2)", "k (1)"]),
        (["k (2)", "k", "k"], ["k (2)", "k (2) (2)", "k (3)"]),
    ],
)
def test_no_two_releases_have_one_name(names, shown):
    table = pl.DataFrame({"age": [20, 30] * 10})
    found = compare(table, table, table, table, names=names, models=False)
    assert [one.name for one in found.releases] == shown


@pytest.mark.parametrize("there", [["age", "many"], ["many"], ["age"], []])
def test_records_left_out_are_counted_by_the_columns_that_the_original_has(there):
    """The policy also names a column that the original lacks, and one of lists."""
    table = pl.DataFrame(
        {"age": [20, None] * 10, "many": [[1], None, [2], [3]] * 5, "ill": ["flu"] * 20}
    )
    table = table.select(*there, "ill")
    columns = {name: Column(role="quasi") for name in ("age", "many", "gone")}
    asked = policy().model_copy(update={"columns": columns, "missing": Missing.SUPPRESS})
    found = compare(table, table, policy=asked, models=False)
    assert found.quasi == (("age",) if "age" in there else ())
    (said,) = [note for note in found.notes if "leaves out" in note] or [None]
    assert ("the 10 records" in said) if "age" in there else said is None
