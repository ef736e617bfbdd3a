"""Every figure, proposition and theorem of Bettini, Wang and Jajodia."""

from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.world
from incrowd.hierarchy import Tree
from incrowd.linkage.conservative import cautions, conservative_k
from incrowd.linkage.identify import AtLeast, minimal_k_qis, prove_by_promises, smallest_crowd
from incrowd.linkage.links import link
from incrowd.linkage.world import World
from incrowd.table.column import Domain, Kind
from incrowd.table.encode import encode


def is_k_qi(world, columns, k):
    """Definition 5."""
    return 0 < smallest_crowd(world, columns) <= k


def is_proper_k_qi(world, columns, k):
    """Definition 6."""
    return smallest_crowd(world, columns) == k


def holds(promise, world):
    """Whether a world keeps a promise."""
    return not world.rows or smallest_crowd(world, promise.columns) >= promise.people


def table(**columns):
    return {
        name: encode(pl.Series(cells, dtype=pl.String), name) for name, cells in columns.items()
    }


def tree(*rows):
    leaves = np.array([row[0] for row in rows], dtype=object)
    return Tree(tuple(rows)).build(Domain(Kind.TEXT, leaves), "c")


def ids(people):
    return np.array(people, dtype=np.int32)


ID = ids([1, 2, 3, 4])
NAMES = ["John", "Jeanne", "Jane", "Jane"]
ZIPS = ["20033", "20034", "20033", "20034"]
WORLD_1 = World(table(FirstName=NAMES, ZIP=ZIPS), ID)
T_1B = table(ZIP=["20033", "20033", "20034"], Disease=["D1", "D2", "D3"])
T_1C = table(FirstName=["J*", "J*", "Jane"], Bonus=["10K", "100K", "20K"])


class TestFigure1:
    def test_table_b_is_2_anonymous(self):
        found = link(T_1B, WORLD_1)
        assert found.names == ("ZIP",)
        assert found.candidates.tolist() == [2, 2, 2]
        assert (found.k, found.inconsistent) == (2, 0)

    def test_the_names_of_table_c_stand_for_four_four_and_two(self):
        found = link(T_1C, WORLD_1)
        assert found.candidates.tolist() == [4, 4, 2]
        assert found.k == 2

    def test_the_same_with_a_hierarchy(self):
        names = tree(("John", "J*", "*"), ("Jeanne", "J*", "*"), ("Jane", "J*", "*"))
        assert link(T_1C, WORLD_1, {"FirstName": names}).candidates.tolist() == [4, 4, 2]

    def test_zip_is_a_2_qi_and_first_name_a_1_qi(self):
        assert not is_k_qi(WORLD_1, ["ZIP"], 1)
        assert is_proper_k_qi(WORLD_1, ["ZIP"], 2)
        assert is_k_qi(WORLD_1, ["FirstName"], 1)
        assert is_k_qi(WORLD_1, ["FirstName", "ZIP"], 1)
        assert minimal_k_qis(WORLD_1, 1).sets == (("FirstName",),)
        assert minimal_k_qis(WORLD_1, 2).sets == (("FirstName",), ("ZIP",))

    def test_1_qis_alone_would_leave_table_b_as_it_is(self):
        """Section 5.1: no 1-QI is in the table, and it is not 3-anonymous."""
        assert link(T_1B, WORLD_1).k < 3
        told = cautions(["ZIP"], [], 3, WORLD_1)
        assert [caution.kind for caution in told] == ["subset", "only 1-QIs"]
        assert "2 people" in told[1].text
        assert [caution.kind for caution in cautions(["ZIP"], [], 2, WORLD_1)] == ["subset"]

    def test_the_inverse_of_theorem_4_fails_with_a_strange_decoding(self):
        """Section 6: Dec(J*) is Jane alone, so that every world has three of them."""
        strange = tree(("Jane", "J*", "*"), ("Ann", "A*", "*"))
        release = {"FirstName": T_1C["FirstName"]}
        found = conservative_k(release, {"FirstName": strange}, complete=True)
        assert (found.k, found.k_sure) == (1, 3)

    def test_who_knows_the_world_needs_to_generalize_less(self):
        """The last remark of Section 6: three others called Jane, and the table is 3-anonymous."""
        more = World(table(FirstName=[*NAMES, "Jane", "Jane"]), ids(range(1, 7)))
        assert link(T_1C, more).k == 4
        assert conservative_k({"FirstName": T_1C["FirstName"]}).k == 1


WORLD_2 = World(table(ID=["Id1", "Id2", "Id3", "Id4"], ZIP=ZIPS), ID)
T_2C = table(ID=["[Id1-Id2]", "[Id1-Id2]", "[Id3-Id4]", "[Id3-Id4]"], ZIP=ZIPS)


class TestFigure2:
    def test_generalizing_the_smallest_1_qi_is_not_enough(self):
        assert is_k_qi(WORLD_2, ["ID"], 1)
        assert not is_k_qi(WORLD_2, ["ZIP"], 1)
        assert is_k_qi(WORLD_2, ["ID", "ZIP"], 1)
        assert minimal_k_qis(WORLD_2, 1).sets == (("ID",),)
        assert link(T_2C, WORLD_2, on=["ID"]).k == 2
        assert link(T_2C, WORLD_2, on=["ZIP"]).k == 2
        assert link(T_2C, WORLD_2).k == 1

    def test_this_is_warned_of(self):
        (told,) = cautions(["ID", "ZIP"], [["ID"]], 2)
        assert (told.kind, told.columns) == ("subset", ("ZIP",))
        kinds = [told.kind for told in cautions(["ID", "ZIP"], [["ID"], ["ZIP"]], 2)]
        assert kinds == ["one by one"]
        assert cautions(["ID", "ZIP"], [["ZIP", "ID"]], 2) == ()

    def test_linking_by_a_part_is_said_to_prove_nothing(self):
        assert any("proves nothing" in note for note in link(T_2C, WORLD_2, on=["ID"]).notes)


def test_a_generalized_zip_in_three_spellings():
    """Section 2: 2203*, an interval, and a concept that a hierarchy explains."""
    zips = ["22033", "22035", "22050", "23000"]
    world = World(table(ZIP=zips), ID)
    release = table(ZIP=["2203*", "[22000–22099]", "[22000, 22100)", "Fairfax, Virginia"])  # noqa: RUF001  as printed
    places = tree(*((z, "Fairfax, Virginia", "*") for z in zips[:3]), ("23000", "Kent", "*"))
    assert link(release, world, {"ZIP": places}).candidates.tolist() == [2, 3, 3, 3]
    assert link(release, world).candidates.tolist() == [2, 3, 3, 0]


def test_the_census_example():
    """Section 3: 500 people for every ZIP and gender make any such table 500-anonymous."""
    census = AtLeast(("ZIP", "Gender"), 500)
    assert prove_by_promises(["ZIP"], [census]).k == 500
    assert prove_by_promises(["Gender", "ZIP"], [census]).k == 500
    beyond = prove_by_promises(["ZIP", "Age"], [census])
    assert (beyond.k, beyond.by) == (1, None)
    assert "Age" in beyond.notes[0]
    assert prove_by_promises(["ZIP"], [census, AtLeast(("ZIP",), 900)]).k == 900


@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 2), (2, 3), (3, 2)])
class TestTheorem3:
    """The table and the world of the proof."""

    @staticmethod
    def made(k, n):
        tuples = list(product(range(1, k + 1), repeat=n))
        release = table(**{f"A{j}": [f"a{j},{row[j]}," for row in tuples] for j in range(n)})
        values = {f"A{j}": [f"a{j},{row[j]},{r}" for r, row in enumerate(tuples)] for j in range(n)}
        trees = {
            f"A{j}": tree(
                *(
                    (f"a{j},{i},{r}", f"a{j},{i},", "*")
                    for i in range(1, k + 1)
                    for r in range(k**n)
                )
            )
            for j in range(n)
        }
        return release, World(table(**values), ids(range(1, k**n + 1))), trees

    def test_every_proper_subset_is_k_anonymous_and_the_table_is_not(self, k, n):
        release, world, trees = self.made(k, n)
        assert link(release, world, trees).k == 1
        for size in range(1, n):
            for names in combinations(world.names, size):
                assert link(release, world, trees, on=names).k == k ** (n - size)
                assert is_k_qi(world, names, 1)

    def test_theorem_6_says_the_same_of_every_world(self, k, n):
        release, world, trees = self.made(k, n)
        for complete in (False, True):
            assert conservative_k(release, trees, complete=complete).k_sure == 1
            for size in range(1, n):
                for names in combinations(world.names, size):
                    found = conservative_k(release, trees, on=names, complete=complete)
                    assert (found.k, found.k_sure) == (k ** (n - size),) * 2


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("complete", [False, True])
def test_theorem_5(k, complete):
    """One general tuple, and k of each tuple that it decodes to: the condition fails for it."""
    zips, sexes = ("20033", "20034"), ("f", "m")
    trees = {
        "ZIP": tree(*((z, "2003*", "*") for z in zips), ("20040", "2004*", "*")),
        "Sex": tree(*((s, "person", "*") for s in sexes)),
    }
    rows = [("2003*", "person"), *(row for row in product(zips, sexes) for _ in range(k))]
    release = table(ZIP=[row[0] for row in rows], Sex=[row[1] for row in rows])
    found = conservative_k(release, trees, complete=complete)
    assert found.k == 1
    assert found.k_sure == k


# Small random worlds: the values of column j are a subset of j0, j1, j2, general labels are sets.

SIZE = 3


def values(j):
    return [f"{j}{i}" for i in range(SIZE)]


def label_of(found):
    return next(iter(found)) if len(found) == 1 else f"{{{', '.join(sorted(found))}}}"


@st.composite
def worlds(draw, width=2, most=8):
    """(individual, row) with one row per individual, or several."""
    rows = draw(
        st.lists(
            st.tuples(*(st.sampled_from(values(j)) for j in range(width))),
            min_size=1,
            max_size=most,
        )
    )
    who = draw(st.just(list(range(1, len(rows) + 1))) | st.lists(
        st.integers(1, 5), min_size=len(rows), max_size=len(rows)))  # fmt: skip
    return list(zip(who, rows, strict=True))


def general(j):
    return st.sets(st.sampled_from(values(j)), min_size=1).map(label_of) | st.just("*")


@st.composite
def tables(draw, width=2, most=5):
    return draw(st.lists(st.tuples(*(general(j) for j in range(width))), min_size=1, max_size=most))


def as_world(world):
    width = len(world[0][1])
    columns = table(**{f"A{j}": [row[j] for _, row in world] for j in range(width)})
    return World(columns, ids([who for who, _ in world]))


def as_release(tuples, names=None):
    width = range(len(tuples[0])) if names is None else names
    return table(**{f"A{j}": [row[j] for row in tuples] for j in width})


def decs(width, domain=values):
    return [lambda cell, j=j: naive.world.dec(cell, domain(j)) for j in range(width)]


def subsets(width):
    return [c for n in range(1, width + 1) for c in combinations(range(width), n)]


def named(columns):
    return [f"A{j}" for j in columns]


@settings(max_examples=40)
@given(worlds(width=3), st.integers(1, 6))
def test_definitions_5_and_6(world, k):
    for columns in subsets(3):
        found = as_world(world)
        assert smallest_crowd(found, named(columns)) == naive.world.smallest(world, columns)
        assert is_k_qi(found, named(columns), k) == naive.world.is_k_qi(world, columns, k)
        proper = naive.world.is_proper_k_qi(world, columns, k)
        assert is_proper_k_qi(found, named(columns), k) == proper


@settings(max_examples=40)
@given(worlds(width=3), st.integers(1, 4), st.integers(0, 3))
def test_propositions_1_and_2(world, k, more):
    found = as_world(world)
    for columns in subsets(3):
        if is_k_qi(found, named(columns), k):
            assert is_k_qi(found, named(columns), k + more)
            for larger in subsets(3):
                assert not set(columns) <= set(larger) or is_k_qi(found, named(larger), k)


@given(worlds(width=4, most=10), st.integers(1, 5))
def test_all_minimal_k_qis_are_found(world, k):
    found = minimal_k_qis(as_world(world), k)
    expected = [tuple(named(columns)) for _, columns in naive.world.minimal_k_qis(world, 4, k)]
    assert list(found.sets) == expected
    assert found.complete


@settings(max_examples=40)
@given(worlds(), tables())
def test_theorem_1(world, tuples):
    found, release = as_world(world), as_release(tuples)
    s = smallest_crowd(found, found.names)
    k = link(release, found).k
    assert k is None or k >= s
    promise = AtLeast(tuple(found.names), s)
    assert holds(promise, found)
    assert not holds(AtLeast(tuple(found.names), s + 1), found)
    assert k is None or k >= prove_by_promises(list(release), [promise]).k


@settings(max_examples=40)
@given(worlds(width=3), tables(width=3), st.integers(2, 4))
def test_theorem_2(world, tuples, k):
    """k-anonymous exactly if every k-QI among the public columns has k candidates everywhere."""
    found, release = as_world(world), as_release(tuples)
    whole = link(release, found)
    consistent = whole.candidates > 0
    if not consistent.all():
        return
    by_qis = all(
        link(release, found, on=named(columns)).candidates.min() >= k
        for columns in subsets(3)
        if is_k_qi(found, named(columns), k)
    )
    assert (whole.k >= k) == by_qis


@settings(max_examples=40)
@given(worlds(width=3), tables(width=3))
def test_fewer_columns_never_have_fewer_candidates(world, tuples):
    """The supertuple inclusion property (Definition 2)."""
    found, release = as_world(world), as_release(tuples)
    counts = {columns: link(release, found, on=named(columns)).candidates for columns in subsets(3)}
    for small, large in product(subsets(3), repeat=2):
        assert not set(small) <= set(large) or (counts[small] >= counts[large]).all()


def complete_trees(width):
    """Every set of values has a label that the tree decodes; all values there can be are leaves."""
    return {f"A{j}": tree(*((value, "*") for value in values(j))) for j in range(width)}


@settings(max_examples=30)
@given(tables(width=1, most=4) | tables(width=2, most=2))
def test_theorem_4_and_its_converse(tuples):
    """Of all worlds the smallest k is found exactly; equal rows alone give at most that."""
    width = len(tuples[0])
    domains = [[*values(j), None] for j in range(width)]
    exact = naive.world.conservative(tuples, domains, decs(width))
    release, trees = as_release(tuples), complete_trees(width)
    found = conservative_k(release, trees, complete=True)
    equal = min(tuples.count(row) for row in tuples)
    assert found.k == equal <= exact
    assert found.k_sure == exact
    for some in (trees, None):
        assert equal <= conservative_k(release, some).k_sure <= exact


@settings(max_examples=40)
@given(worlds(most=9), st.data())
def test_theorem_4_holds_in_every_world_that_the_table_may_come_from(world, data):
    """A table generalized from a world, one row per individual, is as anonymous as its own rows."""
    one_each = list({who: (who, row) for who, row in world}.values())
    tuples = [
        tuple(
            label_of({cell, *data.draw(st.sets(st.sampled_from(values(j))))})
            for j, cell in enumerate(row)
        )
        for _, row in one_each
    ]
    release = as_release(tuples)
    found = conservative_k(release, complete_trees(2), complete=True)
    against = link(release, as_world(world))
    assert (against.candidates >= found.sure).all()
    assert (found.sure >= found.equal).all()


@settings(max_examples=40)
@given(worlds(most=6))
def test_several_rows_of_an_individual_count_once(world):
    """Section 7: the cardinality is that of the projection on the id."""
    found = as_world(world)
    twice = as_world(world + world)
    everything = as_release([("*", "*")])
    people = len({who for who, _ in world})
    assert link(everything, found).candidates.tolist() == [people]
    assert link(everything, twice).candidates.tolist() == [people]
    assert smallest_crowd(found, found.names) == smallest_crowd(twice, found.names)
