"""Attacks from frames: what labels stand for, what is taken for granted, and limits."""

import polars as pl
import pytest

import incrowd
from incrowd import InputError, KAnonymity, PolicyError
from incrowd.linkage.identify import AtLeast
from incrowd.models import DeltaPresence, KMap, LDiversity
from incrowd.policy.policy import Column, Policy
from incrowd.watch import Watch

CANARY = "Qz7canary"


def original(n=24):
    return pl.DataFrame(
        {
            "ssn": [f"{CANARY}{i:03}" for i in range(n)],
            "age": [20 + i for i in range(n)],
            "zip": [f"0213{i % 4}" for i in range(n)],
            "born": [f"19{60 + i % 8}-0{1 + i % 3}-1{i % 5}" for i in range(n)],
            "town": [f"{CANARY}{'abcdef'[i % 6]}" for i in range(n)],
            "illness": [f"{CANARY}{'xyz'[i % 3]}" for i in range(n)],
        }
    )


def of(found, kind, column=None):
    return next(a for a in found.attacks if a.kind == kind and a.column == column)


def world_of(table, *columns):
    return table.select("ssn", *columns)


@pytest.mark.parametrize(
    ("column", "label", "fits"),
    [
        ("age", "[20, 30)", 10),
        ("age", "[20, 30]", 11),
        ("age", "20-29", 10),
        ("zip", "0213*", 24),
        ("zip", "02131", 6),
        ("born", "1965", 3),
        ("born", "1965-03", 1),
        ("town", f"{{{CANARY}a, {CANARY}b}}", 8),
        ("town", "*", 24),
    ],
)
def test_labels_decode_by_rule(column, label, fits):
    table = original()
    release = pl.DataFrame({column: [label]})
    found = incrowd.attack(release, world=world_of(table, column), world_id="ssn", knows=[column])
    assert (found.k_world, found.inconsistent) == (fits, 0)
    assert of(found, "linkage").success == pytest.approx(1 / fits)
    alone = incrowd.attack(release, original=table, knows=[column])
    assert of(alone, "singling-out").success == (1 / 24 if fits == 1 else 0)


def test_labels_decode_by_the_hierarchies_that_are_given():
    table = original()
    rows = tuple((f"{CANARY}{t}", "north" if t in "abc" else "south", "*") for t in "abcdef")
    tree = incrowd.Tree(rows)
    release = pl.DataFrame({"town": ["north", "south"]})
    found = incrowd.attack(
        release, world=world_of(table, "town"), world_id="ssn", hierarchies={"town": tree}
    )
    assert (found.k_world, found.inconsistent) == (12, 0)
    blind = incrowd.attack(release, world=world_of(table, "town"), world_id="ssn")
    assert (blind.k_world, blind.inconsistent) == (None, 2)
    assert any("labels of 'town'" in note for note in blind.notes)


def test_a_copy_gives_everything_away_and_breaks_every_limit():
    table = original()
    copy = table.drop("ssn")
    policy = Policy(
        columns={
            "ssn": Column(role="identifier"),
            "illness": Column(role="sensitive"),
            **{name: Column(role="quasi") for name in ("age", "zip", "born", "town")},
        },
        models=(KAnonymity(3), LDiversity("illness", 2)),
    )
    found = incrowd.attack(
        copy,
        original=table,
        world=table.drop("illness"),
        world_id="ssn",
        truth=table.select("ssn"),
        other=copy,
        policy=policy,
        max_success=0.5,
    )
    assert found.k_world == 1
    kinds = {attack.kind for attack in found.attacks}
    assert kinds == {
        "linkage",
        "matching",
        "ends",
        "singling-out",
        "linkability",
        "inference",
        "homogeneity",
        "background",
        "row-order",
        "releases",
    }
    whole = [a for a in found.attacks if a.kind != "linkability"]
    assert [a.success for a in whole] == [1.0] * len(whole)
    assert of(found, "linkage").figures["right_alone"] == 1
    said = " ".join(found.broken)
    assert "fewer than k = 3" in said
    assert "fewer than l = 2" in said
    assert "gains 100 % over guessing on average, above 50 %" in said
    assert "is right about 24 people with a chance above 95 %" in said
    assert CANARY not in repr(found) + str(found.as_dict())


def test_everything_suppressed_leaves_guessing():
    table = original()
    release = table.select(
        *(pl.lit("*").alias(name) for name in ("age", "zip", "born", "town")), "illness"
    )
    found = incrowd.attack(
        release,
        original=table,
        world=table.drop("illness"),
        world_id="ssn",
        truth=table.select("ssn"),
        other=release,
        sensitive=["illness"],
        max_success=0.01,
        max_size=2,
    )
    order = [attack for attack in found.attacks if attack.kind == "row-order"]
    rest = [attack for attack in found.attacks if attack.kind != "row-order"]
    assert found.k_world == 24
    assert all(attack.gain == pytest.approx(0) for attack in rest)
    assert not any("row order" not in line for line in found.broken)
    assert order[0].gain > 0.01  # the illnesses stand in the order of the original


def test_a_planted_unique():
    table = original()
    release = pl.DataFrame({"age": ["[20, 42)"] * 22 + ["[42, 43)", "43"]})
    found = incrowd.attack(release, original=table, world=world_of(table, "age"), world_id="ssn")
    assert found.k_world == 1
    assert of(found, "singling-out").figures["singled_out"] == 2
    assert of(found, "linkage").success == pytest.approx((22 / 22 + 2) / 24)


def test_renamed_columns_and_several_rows_per_individual():
    table = original()
    moved = table.select("ssn", pl.col("zip").alias("zipcode"))
    world = pl.concat([moved, moved.with_columns(pl.lit("02139").alias("zipcode"))])
    release = pl.DataFrame({"zip": ["02131", "0213*", "02139"]})
    found = incrowd.attack(
        release, world=world, world_id="ssn", rename={"zip": "zipcode"}, max_size=1
    )
    assert found.k_world == 6
    assert of(found, "linkage").success == pytest.approx((1 / 6 + 1 / 24 + 1 / 24) / 3)
    without = incrowd.attack(release, world=world, rename={"zip": "zipcode"})
    assert of(without, "linkage").success == pytest.approx((1 / 6 + 1 / 48 + 1 / 24) / 3)
    assert any("no ids" in note for note in without.notes)


def test_the_truth_by_order_and_by_key():
    table = original(4)
    release = pl.DataFrame({"pseudonym": ["p", "q", "r", "s"], "age": ["20", "21", "22", "9"]})
    truth = pl.DataFrame({"ssn": table["ssn"], "pseudonym": ["p", "q", "s", "r"]})
    given = {"world": world_of(table, "age"), "world_id": "ssn", "knows": ["age"]}
    by_order = incrowd.attack(release, truth=truth, **given)
    assert of(by_order, "linkage").success == pytest.approx(3 / 4)
    assert by_order.inconsistent == 1
    by_key = incrowd.attack(release, truth=truth, truth_key="pseudonym", **given)
    assert of(by_key, "linkage").success == pytest.approx(2 / 4)
    assert of(by_key, "linkage").figures["right"] == pytest.approx(2 / 4)


def test_row_order_is_counted_where_the_truth_is_known():
    table = original()
    turned = table.reverse()
    found = incrowd.attack(
        turned.select("zip"),
        original=table,
        world=world_of(table, "zip"),
        world_id="ssn",
        truth=turned.select("ssn"),
    )
    assert of(found, "row-order").success == 0
    kept = incrowd.attack(
        table.select("zip"),
        original=table,
        world=world_of(table, "zip"),
        world_id="ssn",
        truth=table.select("ssn"),
    )
    assert of(kept, "row-order").success == 1


def test_all_sets_of_few_columns():
    table = original()
    found = incrowd.attack(
        table.drop("ssn"), original=table, sensitive=["illness"], max_size=2, rule_out=2
    )
    knows = [attack.knows for attack in found.attacks if attack.kind == "inference"]
    assert len(knows) == 4 + 6 + 1
    assert max(len(names) for names in knows) == 4
    background = [attack for attack in found.attacks if attack.kind == "background"]
    assert {attack.figures["ruled_out"] for attack in background} == {1, 2}
    assert any("no single column lowers this" in line for line in found.advice)


def test_missing_values_match_anything_if_the_policy_says_so():
    table = pl.DataFrame({"zip": ["a", "b", "b", None], "ssn": ["1", "2", "3", "4"]})
    release = pl.DataFrame({"zip": [None, "a"]}, schema={"zip": pl.String})
    columns = {"zip": Column(role="quasi"), "ssn": Column(role="identifier")}
    policy = Policy(columns=columns, models=(KAnonymity(2),), missing="matches-anything")
    own = incrowd.attack(release, world=table, world_id="ssn")
    assert own.k_world == 1
    anything = incrowd.attack(release, world=table, world_id="ssn", policy=policy)
    assert anything.k_world == 2
    assert anything.ok
    alone = incrowd.attack(release, original=table, policy=policy)
    assert of(alone, "singling-out").success == 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"knows": ["agee"]}, PolicyError, "the release has no column 'agee'"),
        ({"world": original(), "world_id": "sss"}, PolicyError, "the world has no column 'sss'"),
        ({"world": pl.DataFrame({"x": [1]}), "knows": ["zip"]}, InputError, "share no column"),
        ({"truth": original().select("ssn")}, PolicyError, "the truth needs a world"),
        ({"other": original()}, PolicyError, "needs their original"),
        (
            {"world": original(), "world_id": "ssn", "truth": original(3).select("ssn")},
            InputError,
            "the truth has 3 rows, the release 24",
        ),
        (
            {
                "world": original(),
                "world_id": "ssn",
                "truth": original(),
                "truth_key": "illness",
            },
            InputError,
            "21 rows of the truth have no key",
        ),
        ({"max_success": 1.5}, PolicyError, "from 0 to 1"),
        ({"max_size": 0}, PolicyError, "max_size must be 1 or more"),
        ({"rule_out": -1}, PolicyError, "rule_out must be 0 or more"),
        ({"rename": {"zip": "nowhere"}}, PolicyError, "no other table has the column 'nowhere'"),
        (
            {"world": original().select("ssn", "age"), "rename": {"zip": "age"}},
            PolicyError,
            "'zip' and 'age' would both be 'age'",
        ),
        ({"original": original().select("ssn"), "knows": ["zip"]}, InputError, "share no column"),
        ({"world": pl.DataFrame({"x": [1]})}, InputError, "the tables share none"),
        ({"knows": ["illness"], "sensitive": ["illness"]}, InputError, "are sensitive"),
        (
            {"original": original(), "knows": ["illness"], "sensitive": ["illness"]},
            InputError,
            "are sensitive",
        ),
    ],
)
def test_bad_requests(options, error, words):
    with pytest.raises(error, match=words) as raised:
        incrowd.attack(original().drop("ssn"), **options)
    assert CANARY not in str(raised.value)


def test_labels_that_do_not_decode_are_counted():
    release = pl.DataFrame({"age": ["young", "[20, 30)"], "illness": ["?", "?"]})
    found = incrowd.attack(release, original=original(), sensitive=["illness"])
    assert any("1 released rows have a label of 'age'" in note for note in found.notes)
    assert of(found, "homogeneity", "illness").success == 0


def test_the_other_release_leaves_fewer():
    """Every class of four shows four illnesses; two releases together leave two of them."""
    table = original().with_columns((pl.col("age") % 8).alias("illness"))
    first = table.select(
        (pl.col("age") // 4 * 4).map_elements(lambda a: f"[{a}, {a + 4})", return_dtype=pl.String),
        "illness",
    )
    second = table.select(
        ((pl.col("age") + 2) // 4 * 4 - 2).map_elements(
            lambda a: f"[{a}, {a + 4})", return_dtype=pl.String
        ),
        "illness",
    )
    found = incrowd.attack(
        first.sample(fraction=1, shuffle=True, seed=3),
        other=second,
        original=table,
        sensitive=["illness"],
    )
    finding = of(found, "releases")
    assert (finding.figures["k_first"], finding.figures["k_second"]) == (4, 2)
    assert finding.figures["k"] < 4
    learning = of(found, "releases", "illness")
    assert learning.figures["fewest_values"] == 2
    assert of(found, "inference", "illness").success == pytest.approx(1 / 4)
    assert learning.success == pytest.approx(1 / 2)


def test_whoever_holds_a_world_knows_all_that_it_shares_with_the_release():
    """Not only what the policy takes for quasi-identifying (Bettini Section 5)."""
    columns = {"age": Column(role="quasi"), "zip": Column(role="keep")}
    policy = Policy(columns=columns, models=(KAnonymity(2),))
    release = pl.DataFrame({"age": ["[1, 2]", "[1, 2]"], "zip": ["a", "b"]})
    world = pl.DataFrame({"who": [1, 2], "age": [1, 2], "zip": ["a", "b"]})
    found = incrowd.attack(release, world=world, world_id="who", policy=policy)
    assert found.k_world == 1
    assert not found.ok
    assert any("the world also knows zip" in note for note in found.notes)
    less = incrowd.attack(release, world=world, world_id="who", policy=policy, knows=["age"])
    assert less.k_world == 2


def test_a_world_that_fits_no_row_says_nothing_about_k():
    release = pl.DataFrame({"zip": ["99999", "99998"]})
    found = incrowd.attack(release, world=original().select("ssn", "zip"), world_id="ssn")
    assert (found.k_world, found.inconsistent) == (None, 2)
    assert any("k is unknown there" in note for note in found.notes)
    link = of(found, "linkage")
    assert link.success == 0
    assert "k" not in link.figures
    assert "No row fits anybody." in link.says
    assert not any("linkage" in line or "k =" in line for line in found.broken)
    policy = Policy(columns={"zip": Column(role="quasi")}, models=(KAnonymity(2),))
    kept = incrowd.attack(
        release, world=original().select("ssn", "zip"), world_id="ssn", policy=policy
    )
    assert "k = 2 could not be tested: no released row fits anybody of the world" in kept.broken


def test_sets_for_which_there_is_no_time_are_told():
    table = original()
    given = {
        "original": table,
        "world": table.drop("illness"),
        "world_id": "ssn",
        "other": table.drop("ssn"),
        "sensitive": ["illness"],
        "max_size": 2,
    }
    found = incrowd.attack(table.drop("ssn"), **given, watch=Watch(limit=0))
    assert {len(attack.knows) for attack in found.attacks if attack.kind != "row-order"} == {4}
    late = [note for note in found.notes if "time was up: 10 sets of known columns" in note]
    assert len(late) == 3
    told = []
    whole = incrowd.attack(
        table.drop("ssn"), **given, watch=Watch(tell=lambda what, share: told.append((what, share)))
    )
    assert not any("time was up" in note for note in whole.notes)
    sets = [share for what, share in told if what == "sets of known columns"]
    assert sets.count(1.0) == 3
    assert all(0 < share <= 1 for share in sets)
    assert all(share == 0 for what, share in told if what != "sets of known columns")


def test_nothing_sensitive_is_told():
    assert any("no sensitive column is named" in n for n in incrowd.attack(original()).notes)


def test_no_gain_by_rounding_alone():
    """Linkability of a release that shows nothing is the blind guess, up to the last digits."""
    table = pl.DataFrame({"a": range(30), "b": [i % 7 for i in range(30)]})
    shown = pl.DataFrame({"a": ["*"] * 30, "b": ["*"] * 30})
    found = incrowd.attack(shown, original=table, max_success=0)
    assert found.ok
    assert [attack.gain for attack in found.attacks] == [0.0] * len(found.attacks)


def test_k_whatever_table_somebody_holds():
    """Rows that decode within another count for it (Bettini Section 6): 30 lies in [30, 39]."""
    release = pl.DataFrame({"age": ["[30, 39]", "30", "30"], "illness": ["a", "b", "c"]})
    found = incrowd.attack(release, sensitive=["illness"])
    assert (found.k_every_world, found.proved) == (2, None)
    columns = {"age": Column(role="quasi"), "who": Column(role="unit")}
    policy = Policy(columns=columns, models=(KAnonymity(2),))
    assert incrowd.attack(release, policy=policy).k_every_world is None


def test_promises_prove_k_without_a_table():
    release = pl.DataFrame({"zip": ["02138", "02139"], "sex": ["F", "M"]})
    broad, narrow = AtLeast(("zip", "sex", "age"), 500), AtLeast(("zip",), 9000)
    found = incrowd.attack(release, promises=[broad, narrow])
    assert (found.k_every_world, found.proved.k) == (1, 500)
    assert found.as_dict()["k_proved"] == 500
    assert any("proves nothing here: sex is public too" in note for note in found.notes)
    assert incrowd.attack(release, knows=["zip"], promises=[broad, narrow]).proved.k == 9000
    assert incrowd.attack(release, promises=[narrow]).proved.by is None


def test_ids_that_do_not_meet_and_ids_that_are_released_are_told():
    world = pl.DataFrame({"id": [1, 2], "sex": ["f", "m"]})
    release = pl.DataFrame({"sex": ["f", "m"], "id": [1, 9]})
    truth = pl.DataFrame({"id": ["001", "2"]})
    found = incrowd.attack(release, world=world, world_id="id", truth=truth)
    assert any("for 1 of 2 released rows: linkage cannot" in note for note in found.notes)
    assert any(
        "1 released rows show an id of the world in the column 'id'" in note for note in found.notes
    )
    by_sex = incrowd.attack(release, world=world, world_id="id", truth=truth, knows=["sex"])
    assert of(by_sex, "linkage").success == 0.5
    assert of(found, "linkage").knows == ("sex", "id")
    assert of(found, "linkage").success == 0


def test_an_id_that_is_released_and_generalized_is_public():
    """Bettini Figure 2: two rows for each generalized id, and yet everybody is found by the ZIP."""
    world = pl.DataFrame(
        {
            "ID": ["Id1", "Id2", "Id3", "Id4"],
            "Name": ["John", "Jeanne", "Jane", "Jane"],
            "ZIP": ["20033", "20034", "20033", "20034"],
        }
    )
    release = pl.DataFrame(
        {
            "ID": ["[Id1-Id2]", "[Id1-Id2]", "[Id3-Id4]", "[Id3-Id4]"],
            "ZIP": ["20033", "20034", "20033", "20034"],
            "Disease": ["D1", "D2", "D3", "D4"],
        }
    )
    given = {"sensitive": ["Disease"], "world_id": "ID"}
    found = incrowd.attack(release, world=world, **given)
    assert (found.k_world, found.inconsistent) == (1, 0)
    assert of(found, "linkage").success == 1
    alone = incrowd.attack(release, original=world.join(release, on="ZIP").drop("Name"), **given)
    assert "ID" in of(alone, "singling-out").knows
    hidden = release.with_columns(pl.Series("ID", ["a7", "b7", "c7", "d7"]))
    assert incrowd.attack(hidden, world=world, **given).k_world == 2


@pytest.mark.parametrize("options", [{"world_id": "ssn"}, {"truth_key": "sex"}])
def test_what_would_say_nothing_is_refused(options):
    with pytest.raises(PolicyError, match=r"no truth|no other table"):
        incrowd.attack(pl.DataFrame({"sex": ["f"]}), **options)


def test_nobody_rules_out_more_values_than_there_are():
    release = pl.DataFrame({"sex": ["f"] * 3, "ill": ["a", "b", "c"]})
    found = incrowd.attack(release, sensitive=["ill"], rule_out=1000)
    played = [one.success for one in found.attacks if one.kind == "background"]
    assert played[:2] == [0.0, 1.0]
    assert len(played) <= 3


def test_models_of_a_world_that_is_not_given_are_told():
    policy = Policy(columns={"sex": Column(role="quasi")}, models=(KMap(2), DeltaPresence(0.5)))
    release = pl.DataFrame({"sex": ["f", "*"]})
    alone = incrowd.attack(release, policy=policy).notes
    assert sum("was not tested: give a world" in note for note in alone) == 2
    held = incrowd.attack(release, policy=policy, world=release).notes
    assert any("attacks do not test delta-presence of the policy" in note for note in held)


def test_labels_of_other_tools_fit_the_world():
    world = pl.DataFrame({"age": [20, 25, 30], "zip": ["02138", "02139", "10001"]})
    release = pl.DataFrame({"age": ["[20,30)", "(20,30]"], "zip": ["*****", "02***"]})
    found = incrowd.attack(release, world=world)
    assert (found.k_world, found.inconsistent) == (1, 0)


def test_the_column_that_gives_most_away_is_named():
    """Everybody's age is their own: without it half of the people still are alone."""
    table = pl.DataFrame({"age": range(8), "sex": ["F", "M"] * 4, "zip": list("11221134")})
    (advice,) = incrowd.attack(table, original=table).advice
    assert "singling out by age, sex and zip is right for everybody" in advice
    assert "without age it would be right for 50 % of the people" in advice
    assert "make age coarser" in advice
