import json
import string
import tomllib

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import PolicyError
from incrowd.hierarchy import Dates, Flat, Intervals, Prefix, Regions, Suggested, Tree
from incrowd.loss import Classification, Discernibility, Gcp, Granularity
from incrowd.models import AlphaK, KAnonymity, LDiversity, TCloseness
from incrowd.policy.codec import dumps, edit, loads, plain_values
from incrowd.policy.policy import Column, Policy
from incrowd.policy.toml import lines_of
from incrowd.search import Auto, Datafly, Mondrian, MuArgus

GOOD = """\
# our policy
version = 1
suppression = 0.05  # the board agreed
search = "datafly"

[[models]]
name = "k-anonymity"
k = 5  # five

[[models]]
name = "l-diversity"
column = "illness"
l = 3

[columns.age]
role = "quasi"
hierarchy = { name = "intervals", width = 5 }

[columns.illness]  # secret
role = "sensitive"
"""

texts = st.text(st.characters(codec="utf-8"), min_size=0, max_size=8)
hierarchies = st.sampled_from(
    [
        None,
        Flat(),
        Suggested(),
        Regions(),
        Dates(),
        Dates(steps=("month", "year")),
        Prefix(),
        Prefix(steps=(4, 3), separator="."),
        Intervals(width=2.5, top=90),
        Intervals(cuts=(1, 2.5, 4)),
        Intervals(cuts=((1, 2, 3), (2,))),
        Tree(rows=(("a", "b", "*"), ('c"\n', "b", "*"))),
    ]
)


@st.composite
def policies(draw):
    names = draw(st.lists(texts, min_size=2, max_size=5, unique=True))
    quasi, secret, *rest = names
    columns = {quasi: Column(role="quasi", hierarchy=draw(hierarchies), weight=draw(weights))}
    columns[secret] = Column(role="sensitive", hierarchy=Flat(), kind=draw(kinds))
    for name in rest:
        columns[name] = draw(st.sampled_from([Column(role="keep"), PSEUDONYM, Column(role="drop")]))
    models = (KAnonymity(draw(st.integers(2, 99))), *draw(st.sampled_from(_models(secret))))
    return Policy(
        columns=columns,
        models=models,
        missing=draw(st.sampled_from(["own-value", "matches-anything", "suppress"])),
        missing_values=tuple(draw(st.lists(texts, max_size=2))),
        order=draw(st.sampled_from(["shuffle", "keep"])),
        suppression=draw(st.floats(0, 1, exclude_max=True)),
        time_limit=draw(weights),
        search=draw(st.sampled_from([Auto(), Mondrian(relaxed=True), *_searches(quasi)])),
        loss=draw(st.sampled_from([Gcp(), Discernibility(), Classification(secret)])),
    )


PSEUDONYM = Column(role="identifier", action="pseudonym")
weights = st.floats(1e-3, 1e6)
kinds = st.sampled_from([None, "number", "date", "text"])


def _searches(quasi):
    weights = {"likelihood": {quasi: 0.9}, "preference": {quasi: 1}}
    return [
        Datafly(),
        Datafly(sets=((quasi,), (quasi, quasi)), **weights, joint=False),
        MuArgus(),
        MuArgus({quasi: "most"}, "actual", {quasi: 2}, (quasi, quasi), 0.05),
    ]


def _models(secret):
    return [
        (),
        (LDiversity(secret, 2.5), LDiversity(secret, 3, kind="recursive", c=2)),
        (TCloseness(secret, 0.2, "hierarchical"), AlphaK(secret, 0.5, 4)),
    ]


@pytest.mark.slow
@given(policies())
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_back(policy):
    assert loads(dumps(policy)) == policy


@given(policies())
@settings(max_examples=60, deadline=None)
def test_plain_values_are_those_of_the_text(policy):
    assert plain_values(policy) == tomllib.loads(dumps(policy))
    assert json.dumps(plain_values(policy)) == json.dumps(tomllib.loads(dumps(policy)))


@pytest.mark.slow
def test_a_tree_of_many_leaves_is_written_and_read_in_no_time():
    tree = Tree(rows=tuple((f"{i:05d}", f"{i // 100}", "*") for i in range(20_000)))
    columns = {"zip": Column(role="quasi", hierarchy=tree)}
    policy = Policy(columns=columns, models=(KAnonymity(5),))
    assert loads(dumps(policy)) == policy


def test_shorthands_are_read_and_written():
    policy = loads(GOOD)
    assert policy.search == Datafly()
    text = dumps(policy)
    assert 'search = "datafly"' in text
    assert 'loss = "gcp"' in text
    assert 'hierarchy = { name = "intervals", width = 5 }' in text
    longer = GOOD.replace('"datafly"', '{ name = "datafly" }')
    assert loads(longer) == policy


def message(text, source="policy.toml"):
    with pytest.raises(PolicyError) as caught:
        loads(text, source)
    return str(caught.value)


def test_an_unknown_key_says_its_line_and_what_was_meant():
    assert message(GOOD.replace("suppression", "supression")) == (
        "policy.toml: unknown key 'supression' (line 3); did you mean 'suppression'?"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("version = 1", "version = 2", "written by a newer incrowd (line 2)"),
        ("version = 1", "", "'version' is missing; add version = 1"),
        ("version = 1", 'version = "1"', "'version' must be 1 (line 2)"),
        ("0.05", "1.5", "'suppression' must be below 1 (line 3)"),
        ("0.05", "-1", "'suppression' must be at least 0 (line 3)"),
        ("0.05", '"a lot"', "'suppression' must be a number (line 3)"),
        ("0.05", "true", "'suppression' must be a number (line 3)"),
        ("0.05", "nan", "'suppression' must be a finite number (line 3)"),
        ('"datafly"', '"dataflie"', "search: unknown name (line 4); did you mean 'datafly'?"),
        ('"datafly"', "{}", "search: 'name' is missing (line 4); add a 'name', one of 'accuracy'"),
        ("k = 5", "k = 1", "model 1: 'k' must be at least 2 (line 8)"),
        ("k = 5", "k = 5.5", "model 1: 'k' must be a whole number (line 8)"),
        ("k = 5", "kk = 5\nk = 5", "model 1: unknown key 'kk' (line 8); did you mean 'k'?"),
        ("k = 5", "", "model 1: 'k' is missing (line 6)"),
        ('"quasi"', '"quasy"', "column 'age': 'role' is none of the known words"),
        ("width = 5", "widht = 5", "column 'age', hierarchy: unknown key 'widht' (line 17)"),
        ("width = 5", "width = 5, quantiles = 3", "column 'age', hierarchy: more than one of"),
        ("width = 5", 'cuts = ["a"]', "column 'age', hierarchy: "),
        ('column = "illness"', 'column = "ilness"', "does not have (line 12); did you mean"),
        ("[columns.age]", "[columns.age", "not valid TOML (line 15)"),
        ("[columns.illness]", "[columns.age]", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(old, new, expected):
    assert expected in message(GOOD.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"datafly"', '{ name = "auto", efort = 2 }', "'efort' (line 4); did you mean 'effort'?"),
        ('"datafly"', '{ name = "tree", rowz = 2 }', "'rowz' (line 4); leave it out"),
        ('"intervals", width = 5', '"auto", efort = 2', "'efort' (line 17); leave it out"),
        (
            '"intervals", width = 5',
            '"tree", rows = [["a", "*"]], rowz = 2',
            "'rowz' (line 17); did you mean 'rows'?",
        ),
    ],
)
def test_a_key_of_a_name_that_two_families_share_is_looked_up_in_its_own(old, new, expected):
    assert f"unknown key {expected}" in message(GOOD.replace(old, new))


def test_several_faults_are_listed_one_per_line_in_the_order_of_the_file():
    text = GOOD.replace("0.05", "7").replace("k = 5", "k = 1").replace('"quasi"', '"q"')
    first, *rest = message(text).splitlines()
    assert first == "policy.toml has 3 errors:"
    assert ["line 3" in rest[0], "line 8" in rest[1], "line 16" in rest[2]] == [True] * 3


@settings(deadline=None)
@given(st.sampled_from(["0.05", '"datafly"', "5  #", '"illness"', "3", '"quasi"', '"sensitive"']))
def test_messages_never_repeat_a_value(old):
    for new in ('"XCANARYX"', '["XCANARYX"]', '{ a = "XCANARYX" }', '{ name = "XCANARYX" }'):
        with pytest.raises(PolicyError) as caught:
            loads(GOOD.replace(old, new + ("  #" if "#" in old else ""), 1))
        assert "XCANARYX" not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("text", ["", "= 1", "version = 1", "version = 1\nmodels = 3\ncolumns = 4"])
def test_what_is_hardly_a_policy_is_refused(text):
    assert message(text).startswith("policy.toml")


def test_edits_keep_comments_and_everything_else():
    edited = edit(
        GOOD,
        {
            "suppression": 0.1,
            ("models", 0, "k"): 7,
            ("columns", "age", "hierarchy"): "flat",
            ("columns", "zip", "role"): "quasi",
            "search": None,
        },
    )
    assert "suppression = 0.1  # the board agreed" in edited
    assert "k = 7  # five" in edited
    assert "[columns.illness]  # secret" in edited
    policy = loads(edited)
    assert policy.quasi == ("age", "zip")
    assert policy.models[0] == KAnonymity(7)
    assert policy.search == Auto()
    assert set(GOOD.splitlines()) - set(edited.splitlines()) == {
        "suppression = 0.05  # the board agreed",
        'search = "datafly"',
        "k = 5  # five",
        'hierarchy = { name = "intervals", width = 5 }',
    }


def test_an_edit_that_breaks_the_policy_is_refused():
    with pytest.raises(PolicyError, match="'suppression' must be below 1"):
        edit(GOOD, {"suppression": 2.0})


def test_lines_are_those_of_the_file():
    text = 'a = 1\n["b c".d]\n"e f" = 2\n[[m]]\n[[m]]\nx.y = 3 # [no]\n'
    assert lines_of(text) == {
        ("a",): 1,
        ("b c", "d"): 2,
        ("b c", "d", "e f"): 3,
        ("m", 0): 4,
        ("m", 1): 5,
        ("m", 1, "x", "y"): 6,
    }


@settings(deadline=None)
@given(st.lists(st.text(string.ascii_letters + " .\"'#[]=\n", max_size=6), unique=True, max_size=4))
def test_lines_of_any_key_are_found(names):
    document = tomlkit.document()
    for name in names:
        document.add(name, json.loads("1"))
    lines = tomlkit.dumps(document).splitlines()
    assert lines_of("\n".join(lines)) == {(n,): i for i, n in enumerate(names, start=1)}


@pytest.mark.parametrize("key", sorted(Policy.model_fields))
def test_no_key_of_a_policy_is_lost_when_it_is_written(key):
    """Of a key that `dumps` forgets, the default would come back."""
    changes = {
        "version": 1,
        "columns": None,
        "models": None,
        "max_alone": 0.2,
        "missing": "suppress",
        "missing_values": ("gone",),
        "order": "keep",
        "show": "sets",
        "ends": "exact",
        "split_ends": True,
        "class_column": None,
        "consistent": True,
        "suppression": 0.25,
        "time_limit": 7.0,
        "search": Mondrian(),
        "loss": Granularity(),
    }
    assert key in changes, "say here what to change it to"
    plain = {
        "columns": {"a": Column(role="quasi"), "s": Column(role="sensitive")},
        "models": (KAnonymity(2), LDiversity("s", 2)),
    }
    change = {} if changes[key] is None else {key: changes[key]}
    if key == "class_column":
        plain["models"] = plain["models"][1:]
        change = {"show": "permutation", "class_column": "class"}
    policy = Policy(**plain | change)
    assert Policy.loads(policy.dumps()) == policy
