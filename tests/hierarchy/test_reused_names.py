"""A name of a hierarchy stands for one thing: a tree that shows x as y and y as x is refused."""

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd
from evidence import shown_column
from incrowd.errors import InputError, NotMetError, PolicyError
from incrowd.hierarchy import CodeList, Hierarchy, Ordered, Prefix, Regions, Tree
from incrowd.hierarchy.hierarchy import Level, stack, texts
from incrowd.hierarchy.tree import rows_with_reused_names
from incrowd.io.hierarchies import read_tree
from incrowd.models import KAnonymity
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import Domain, Kind
from incrowd.verify.crowds import number_cells
from incrowd.verify.shown import demand_covering

NONE = Domain(Kind.TEXT, texts([]))

REFUSED = {
    "three go round": (("x", "y", "*"), ("y", "z", "*"), ("z", "x", "*")),
    "two change places": (("x", "y", "*"), ("y", "x", "*")),
    "a leaf is the parent of another leaf": (("x", "y", "*"), ("y", "g", "*"), ("z", "g", "*")),
    "a node is called as a leaf of another branch": (
        ("a", "b", "*"),
        ("c", "b", "*"),
        ("b", "g", "*"),
    ),
    "a value is its own grandparent": (("x", "g", "x", "*"), ("y", "g", "x", "*")),
    "a leaf comes back two levels up in another branch": (
        ("x", "g", "y", "*"),
        ("y", "h", "z", "*"),
    ),
    "a node comes back over others": (("a", "g", "h", "*"), ("b", "h", "g", "*")),
    "no top": (("x", "y"), ("y", "x")),
    "short rows": (("x", "y", "y2", "*"), ("y", "z")),
}

ALLOWED = {
    "a parent repeats upward": (("a", "g", "g", "*"), ("b", "g", "g", "*"), ("c", "h", "i", "*")),
    "a leaf repeats": (("a", "a", "*"), ("b", "g", "*"), ("c", "g", "*")),
    "a parent has the name of a child": (("g", "g", "*"), ("b", "g", "*")),
    "a name grows": (("g", "g", "g", "*"), ("b", "g", "g", "*"), ("c", "h", "g", "*")),
    "a short row ends in the top": (("a", "x", "*"), ("b", "*")),
    "the top has the name of a leaf": (("all", "x", "all"), ("b", "y", "all")),
    "values only": (("x",), ("y",)),
}


def by_hand(rows):
    """The hierarchy of rows that are put together without a tree; the leaves are in their order."""
    leaves = Domain(Kind.TEXT, texts([row[0] for row in rows]))
    levels = []
    for j in range(1, len(rows[0]) - 1):
        names = list(dict.fromkeys(row[j] for row in rows))
        numbers = [names.index(row[j]) + 1 for row in rows]
        levels.append(Level(pl.Series(numbers, dtype=pl.Int32).to_numpy(), texts(names)))
    return stack(leaves, levels, column="town", ordered=False, prune=False)


@pytest.mark.parametrize("rows", REFUSED.values(), ids=REFUSED)
def test_a_name_for_two_things_is_refused_however_the_tree_comes(rows, tmp_path):
    with pytest.raises(PolicyError, match="the name of another node") as caught:
        Tree(rows)
    with pytest.raises(PolicyError, match="the name of another node"):
        Column(role="quasi", hierarchy={"name": "tree", "rows": rows})
    listed = ", ".join(str(list(row)) for row in rows).replace("'", '"')
    column = f'role = "quasi", hierarchy = {{ name = "tree", rows = [{listed}] }}'
    models = '[[models]]\nname = "k-anonymity"\nk = 2'
    with pytest.raises(PolicyError, match="the name of another node"):
        Policy.loads(f"version = 1\n{models}\n[columns]\ntown = {{ {column} }}\n")
    assert not any(f"'{name}'" in str(caught.value) for row in rows for name in row)
    height = max(map(len, rows))
    path = tmp_path / "town.csv"
    path.write_text(
        "".join(";".join((*row, *[row[-1]] * (height - len(row)))) + "\n" for row in rows)
    )
    with pytest.raises(InputError, match=r"line.* with an entry that is the name .* at line \d"):
        read_tree(path)


@pytest.mark.parametrize("rows", ALLOWED.values(), ids=ALLOWED)
def test_a_name_that_repeats_upward_is_one_thing(rows):
    assert rows_with_reused_names([row for row in rows if len(row) == len(rows[0])]) == []
    tree = Tree(rows).build(NONE, "town")
    for row in rows:
        assert tree.decode(row[0]).tolist()


def test_hierarchies_of_every_make_are_held_to_it():
    for name in ("three go round", "two change places", "a node comes back over others"):
        with pytest.raises(
            InputError, match=r"'town' has \d (value|node)s? with the name of a node"
        ):
            by_hand(REFUSED[name])
    groups = (("b", "a"),)
    with pytest.raises(InputError, match="the name of a node"):
        Ordered(("a", "b"), groups=groups).build(NONE, "town")
    with pytest.raises(InputError, match="the name of a node"):
        Tree((("a", "g", "*"), ("b", "h", "*")), other="a").build(
            Domain(Kind.TEXT, texts(["a", "b", "c"])), "town"
        )


def test_values_that_are_groups_of_a_code_list_lie_in_their_group():
    """A column may hold codes and names of groups: they are not two things of one name."""
    states = CodeList("us-states").build(Domain(Kind.TEXT, texts(["TX", "South", "OH", "?"])), "s")
    south = states.decode("South")
    assert {states.labels[0][code - 1] for code in south} == {"TX", "South"}
    lands = Regions().build(Domain(Kind.TEXT, texts(["fr", "Europe", "Kenya", "?"])), "land")
    assert {lands.labels[0][code - 1] for code in lands.decode("Europe")} == {"fr", "Europe"}
    codes = Prefix().build(Domain(Kind.TEXT, texts(["02138", "021**", "0****", "1****"])), "zip")
    assert isinstance(codes, Hierarchy)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.sampled_from("abcd")] * 3), min_size=1, max_size=6, unique_by=lambda r: r[0]
    )
)
def test_rows_are_refused_just_if_a_name_has_leaves_that_are_not_below_it(rows):
    """Level by level and leaf by leaf: what a name covers must grow from one level to the next."""
    covers_of = [
        {name: {row[0] for row in rows if row[level] == name} for name in {r[level] for r in rows}}
        for level in range(3)
    ]
    if len(covers_of[-1]) == 1:
        covers_of.pop()
    wrong = False
    for name in "abcd":
        found = [covered.get(name) for covered in covers_of]
        there = [level for level, covered in enumerate(found) if covered is not None]
        if there:
            steps = found[there[0] : there[-1] + 1]
            wrong |= None in steps or any(not a <= b for a, b in pairwise(steps))
    assert bool(rows_with_reused_names(rows)) == wrong


def test_verification_accepts_no_value_of_somebody_else():
    """The judge looks for itself: also where a hierarchy was made without the check."""
    rows = REFUSED["three go round"]
    maps = pl.DataFrame({str(i): [0, 1, 2, 3] for i in range(2)} | {"2": [1, 1, 1, 1]})
    leaves = Domain(Kind.TEXT, texts([row[0] for row in rows]))
    labels = (leaves.labels, texts([row[1] for row in rows]), texts(["*"]))
    tree = Hierarchy(leaves, maps.to_numpy().T.astype("int32"), labels)
    shown = number_cells(pl.Series([row[1] for row in rows]))
    with pytest.raises(NotMetError, match="3 cells of 'town' do not cover"):
        demand_covering(tree, shown_column("town", shown, [1, 2, 3]))
    demand_covering(
        tree, shown_column("town", number_cells(pl.Series([row[0] for row in rows])), [1, 2, 3])
    )
    named = Tree(ALLOWED["a parent has the name of a child"]).build(NONE, "town")
    demand_covering(named, shown_column("town", number_cells(pl.Series(["g", "g"])), [1, 2]))


def test_a_release_by_a_tree_that_goes_round_is_refused():
    frame = pl.DataFrame({"town": ["x", "y", "z"] * 10})
    with pytest.raises(PolicyError, match="the name of another node"):
        incrowd.anonymize(
            frame,
            Policy(
                columns={
                    "town": {
                        "role": "quasi",
                        "lowest": 1,
                        "hierarchy": {"name": "tree", "rows": REFUSED["three go round"]},
                    }
                },
                models=(KAnonymity(2),),
            ),
        )
