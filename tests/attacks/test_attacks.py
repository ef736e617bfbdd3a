"""Every attack against its naive twin, and at the extremes."""

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.attacks as naive
from attacks.scenes import apart, copy_of, data_of, suppressed, tables
from incrowd.attacks.background import background
from incrowd.attacks.disclosure import (
    AttributeDisclosure,
    DisclosureFigures,
    PriorBelief,
    SensitiveTarget,
)
from incrowd.attacks.homogeneity import homogeneity
from incrowd.attacks.inference import inference
from incrowd.attacks.linkability import linkability
from incrowd.attacks.linkage import RowCandidates, linkage
from incrowd.attacks.rates import Moments, PersonRisk
from incrowd.attacks.releases import releases
from incrowd.attacks.row_order import row_order
from incrowd.attacks.singling_out import singling_out
from incrowd.errors import LimitError
from incrowd.kernels.linkage import fits as kernels
from incrowd.linkage import decoding
from incrowd.linkage.decoding import check_room, join_members
from incrowd.linkage.fit import ColumnSets, Fit, deal_halves, sweep
from incrowd.watch import Watch

PEOPLE = [*product(range(4), range(4), range(1))]
"""Sixteen people whom two columns together tell apart."""


whole = Fit.of_all


def held_of(fit, place=0):
    return AttributeDisclosure.of(fit, SensitiveTarget.all_of(fit.data)[place])


@pytest.mark.slow
@settings(max_examples=40)
@given(tables() | apart(), st.integers(1, 3), st.booleans())
def test_the_sweep_fits_every_set_as_the_twin_does(table, limit, alike):
    shown, people = table
    data = data_of(shown, people, (0, 1, 2), alike=alike)
    seen = set()
    for fit in sweep(data, ColumnSets(3, limit)):
        seen.add(fit.columns)
        columns = fit.columns
        rows = fit.rows_of_each[data.people.row_of]
        assert rows.tolist() == [len(naive.rows_of(shown, p, columns)) for p in people]
        who = fit.people_of_each[data.shown.row_of]
        assert who.tolist() == [len(naive.people_of(people, r, columns)) for r in shown]
        assert singling_out(fit).success == pytest.approx(
            naive.singling_out(shown, people, columns)
        )
    sets = [s for size in range(1, limit + 1) for s in combinations(range(3), size)]
    assert seen == set(sets) - {(0, 1, 2)}


@settings(max_examples=40)
@given(tables(columns=4), st.integers(0, 3), st.integers(1, 40), st.integers(0, 1))
def test_pairs_are_the_same_in_parts(table, columns, words, alike):
    """However little room there is, people and rows that fit are found, each once."""
    shown, people = table
    data = data_of(shown, people, range(4), alike=bool(alike), joint=False)
    roomy = [line.tolist() for line in join_members(Fit.of(data, tuple(range(columns))).rows_of)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "_PAIRS", 1)
        patch.setattr(decoding, "_WORDS", words)
        fit = Fit.of(data, tuple(range(columns)))
        assert [line.tolist() for line in join_members(fit.rows_of)] == roomy
        number = [len(naive.people_of(people, row, range(columns))) for row in shown]
        assert fit.people_of_each[data.shown.row_of].tolist() == number


@settings(max_examples=40)
@given(tables() | apart(), st.sampled_from([(0,), (1,), (0, 1), (1, 2)]))
def test_linkability(table, left):
    shown, people = table
    data = data_of(shown, people, (0, 1, 2))
    right = tuple(j for j in range(3) if j not in left)
    found = linkability(Fit.of(data, left), Fit.of(data, right), whole(data))
    assert found.success == pytest.approx(naive.linkability(shown, people, left, right))
    chances = [*naive.linked(shown, people, left, right)]
    assert found.persons.largest == pytest.approx(float(max(chances)))
    assert found.baseline == pytest.approx(1 / len(people))


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])), min_size=1),
    st.sampled_from([0.0, 0.3, 0.6]),
)
def test_classes_tallied_in_one_pass(classes, before):
    """The same as sums and the worst of arrays."""
    people = np.array([n for n, _ in classes])
    hits = np.array([n * share for n, share in classes])
    found = kernels.hit_figures(hits, people, before, 0.5)
    moments = Moments.of(hits, people)
    assert found[:3] == pytest.approx([moments.classes, moments.people, moments.hits])
    assert found[3:6] == pytest.approx(moments.squares)
    chance = np.array([share for _, share in classes])
    worst = PersonRisk.of(chance, before, people, 0.5)
    assert found[6:] == pytest.approx([worst.above, worst.largest, worst.raised, worst.worst])


@settings(max_examples=40)
@given(tables() | apart(), st.integers(0, 3))
def test_inference_homogeneity_and_background(table, ruled_out):
    shown, people = table
    for columns in ((0,), (0, 1)):
        held = held_of(whole(data_of(shown, people, columns, (2,))))
        guess = inference(held)
        assert guess.success == pytest.approx(naive.inference(shown, people, columns, 2))
        assert guess.baseline == pytest.approx(naive.baseline(people, 2))
        sure = homogeneity(held)
        assert sure.success == pytest.approx(naive.certain(shown, people, columns, 2, 0))
        assert sure.baseline == naive.certain_before(people, 2, 0)
        more = background(held, ruled_out)
        assert more.success == pytest.approx(naive.certain(shown, people, columns, 2, ruled_out))
        assert more.baseline == naive.certain_before(people, 2, ruled_out)


@settings(max_examples=60)
@given(tables() | apart(), st.sampled_from([0.3, 0.5, 0.9]), st.booleans())
def test_the_chance_of_everybody_s_own_value(table, limit, copied):
    shown, people = table
    shown = suppressed(people, (0,)) if copied else shown
    for columns in ((0,), (0, 1)):
        data = data_of(shown, people, columns, (2,), limit=limit)
        found = inference(held_of(whole(data))).persons
        chances = [*naive.own_value(shown, people, columns, 2)]
        above = [
            a
            for a, b in chances
            if a is not None and a > limit >= b and naive.added(a, b) >= Fraction(1, 2)
        ]
        assert found.above == len(above)
        assert found.largest == pytest.approx(float(max((a or 0) for a, _ in chances)))
        assert found.raised == pytest.approx(float(max(naive.added(a, b) for a, b in chances)))
        classes = Counter(tuple(p[j] for j in columns) for p in people)
        assert found.worst <= max(len(people), *classes.values())


@settings(max_examples=40)
@given(tables(), st.sampled_from([(), (0,), (1,), (0, 1)]), st.integers(0, 2))
def test_a_release_that_shows_the_sensitive_values_of_its_people(table, hidden, ruled_out):
    """What a class is told about is then counted from its people alone."""
    people = table[1]
    shown = suppressed(people, hidden)
    for columns in ((0,), (0, 1)):
        data = data_of(shown, people, columns, (2,))
        assert data.joint
        assert SensitiveTarget.all_of(data)[0].shows_truth
        held = held_of(whole(data))
        guess, sure = inference(held), background(held, ruled_out)
        assert guess.success == pytest.approx(naive.inference(shown, people, columns, 2))
        assert sure.success == pytest.approx(naive.certain(shown, people, columns, 2, ruled_out))
        fewest = [len(naive.values_of(naive.rows_of(shown, p, columns), 2)) for p in people]
        assert held.fewest == min(fewest)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_classes_are_told_the_same_together_and_one_by_one(seed):
    """Members that are visited often show few values as lines, others as they are."""
    rng = np.random.default_rng(seed)
    shown, truth = ((start, code, rng.integers(1, 4, len(code)) / 2) for start, code in lists(rng))
    members, people = lists(rng, classes=12, most=5)
    earlier = PriorBelief(np.array([0.5, 0.5, 0.0]), np.array([0.3, 0.1, 0.6]), 0.5)
    alone = [(np.array([0, b - a]), members[1][a:b]) for a, b in pairwise(members[0])]
    one, other = (
        DisclosureFigures.of(some, shown, people, truth, earlier) for some in (members, alone)
    )
    assert one.values.tolist() == other.values.tolist()
    assert one.possible == pytest.approx(other.possible)
    assert one.hits == pytest.approx(other.hits)
    assert one.worst == pytest.approx(other.worst)


def lists(rng, classes=5, most=3):
    """Two times compressed rows: different numbers below the most, for some classes."""
    for _ in range(2):
        some = [np.flatnonzero(rng.random(most) < 0.8) for _ in range(classes)]
        start = np.cumsum([0, *map(len, some)])
        yield start, np.concatenate(some).astype(np.int32)


@settings(max_examples=40)
@given(tables(exact=(1, 2)), st.data())
def test_two_releases(table, data):
    first, people = table
    second, _ = data.draw(tables(exact=(1, 2)))
    fits = [whole(data_of(shown, people, (0,), (1, 2), joint=False)) for shown in (first, second)]
    finding, learning = releases(*fits, SensitiveTarget.all_of(fits[0].data)[-1:])
    k, chances = naive.releases(first, second, people, (0,), (1, 2))
    assert finding.figures["k"] == k
    assert finding.success == pytest.approx(naive.mean(chances))
    assert finding.persons.largest == pytest.approx(float(max(chances)))
    if len(people) > 1:
        assert finding.persons.above == sum(chance > 0.9 for chance in chances)
    chance, values = naive.learned((first, second), people, (0,), (1, 2), 2)
    assert learning.success == pytest.approx(chance)
    assert learning.figures["fewest_values"] == values
    assert learning.column == "s2"


@settings(max_examples=40)
@given(tables(exact=()), st.data())
def test_two_releases_that_share_nothing_exact_leave_the_smaller_crowd(table, data):
    first, people = table
    second, _ = data.draw(tables())
    fits = [whole(data_of(shown, people, (0, 1, 2), joint=False)) for shown in (first, second)]
    (finding,) = releases(*fits)
    assert finding.figures["k"] == naive.releases(first, second, people, (0, 1, 2), ())[0]


@settings(max_examples=40)
@given(tables(same_length=True))
def test_row_order_of_all_rows(table):
    shown, people = table
    found = row_order(whole(data_of(shown, people, (0, 1, 2), joint=False)))
    here, chance = naive.in_place(shown, people, (0, 1, 2))
    assert found.figures["fitting"] == pytest.approx(here)
    assert found.figures["chance"] == pytest.approx(chance)


@settings(max_examples=40)
@given(tables() | apart())
def test_row_order_with_rows_left_out(table):
    shown, people = table
    if len(shown) == len(people):
        return
    found = row_order(whole(data_of(shown, people, (0, 1, 2), joint=False)))
    places = naive.first_fits(shown, people, (0, 1, 2))
    assert found.figures["fitting"] == pytest.approx(np.mean([p >= 0 for p in places]))
    truth = np.array(places)
    told = row_order(whole(data_of(shown, people, (0, 1, 2), joint=False)), truth)
    assert told.success == pytest.approx(np.mean(truth >= 0))


@settings(max_examples=40)
@given(tables(), st.data())
def test_linkage(table, data):
    """Individuals with several rows are counted once; the truth may be outside the world."""
    shown, people = table
    individual = data.draw(st.lists(st.integers(0, 4), min_size=len(people), max_size=len(people)))
    truth = data.draw(st.lists(st.integers(0, 5), min_size=len(shown), max_size=len(shown)))
    number, success = naive.linkage(shown, people, individual, (0, 1), truth)
    who = [{individual[i] for i in naive.people_of(people, row, (0, 1))} for row in shown]
    right = np.array([t in them for t, them in zip(truth, who, strict=True)])
    found = RowCandidates(("q0", "q1"), np.array(number), len(set(individual)), right)
    assert linkage(found).success == pytest.approx(success)
    chances = [1 / n if r and n else 0 for n, r in zip(number, right, strict=True)]
    played = linkage(found, 0.4)
    assert played.persons.largest == pytest.approx(max(chances))
    before = played.baseline
    found = [c for c in chances if c > 0.4 >= before and naive.added(c, before) >= 0.5 - 1e-9]
    assert played.persons.above == len(found)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 6)), min_size=1, max_size=6),
    st.integers(0, 12),
    st.sampled_from([None, 0.0, 0.25, 0.5, 1.0]),
    st.booleans(),
)
def test_the_most_that_linkage_reaches_without_the_truth(classes, others, listed, one_each):
    """Classes of so many rows that fit so many people each; as many of them listed as can be."""
    of = [c for c, (rows, _) in enumerate(classes) for _ in range(rows)]
    number = [classes[c][1] for c in of]
    individuals = max(number) + others
    if listed is not None and listed * len(of) % 1:
        return
    found = RowCandidates(
        ("q",),
        np.array(number),
        individuals,
        class_of=np.array(of, dtype=np.int32),
        listed=listed,
        one_each=one_each,
    )
    played = linkage(found)
    best = naive.best_linkage(of, number, individuals, listed, one_each)
    assert played.success == pytest.approx(best)
    assert played.success <= played.figures["listed"] + 1e-12
    assert found.k == min((c for c in number if c), default=None)
    assert found.inconsistent == number.count(0)
    known = listed is not None
    assert played.gated == (known or not found.unlisted)


@settings(max_examples=40)
@given(tables(columns=4) | apart(columns=4), st.integers(1, 4))
def test_the_columns_in_two(table, limit):
    """Sets that reuse what they begin with are those that are built from nothing."""
    data = data_of(*table, range(4))
    sets = ColumnSets(4, limit)
    seen = []
    for halved in chain.from_iterable(deal_halves(data, sets)):
        columns = [half.columns for half in halved]
        assert sorted(sum(columns, ())) == [0, 1, 2, 3]
        for half in halved:
            fresh = Fit.of(data, half.columns)
            assert half.people_of_each.tolist() == fresh.people_of_each.tolist()
            assert half.rows_of_each.tolist() == fresh.rows_of_each.tolist()
            if 0 < len(half.columns) <= limit or len(half.columns) == 4:
                seen.append(half.columns)
    wanted = [s for size in range(1, limit + 1) for s in combinations(range(4), size)]
    assert sorted(seen) == sorted({*wanted, (0, 1, 2, 3)})
    assert (sets.every, sets.left_out) == (len(seen), 0)


def every_attack(shown, people, sensitive=1):
    """All attacks on a release by columns 0 and 1, the second also as the sensitive one."""
    data = data_of(shown, people, (0, 1), (sensitive,))
    fit = whole(data)
    held = held_of(fit)
    number = fit.people_of_each[data.shown.row_of]
    yield linkage(RowCandidates(fit.names, number, len(people)))
    yield singling_out(fit)
    yield from (inference(held), homogeneity(held), background(held, 1))
    fit = whole(data_of(shown, people, (0, 1), (sensitive,), joint=False))
    yield row_order(fit)
    yield from releases(fit, fit, SensitiveTarget.all_of(fit.data))


def test_a_copy_of_the_original_gives_everything_away():
    attacks = list(every_attack(copy_of(PEOPLE), PEOPLE))
    assert [attack.success for attack in attacks] == [1.0] * 8
    assert all(attack.interval[1] == 1 and attack.interval[0] > 0.7 for attack in attacks)
    assert all(attack.gain == 1 for attack in attacks)


def test_linkability_of_a_copy_with_a_key_on_both_sides():
    people = [(v, v, 0) for v in range(4)]
    data = data_of(copy_of(people), people, (0, 1))
    assert linkability(Fit.of(data, (0,)), Fit.of(data, (1,)), whole(data)).success == 1


def test_a_release_that_shows_nothing_leaves_guessing():
    shown = suppressed(PEOPLE, (0, 1, 2))
    for attack in every_attack(shown, PEOPLE):
        assert attack.success <= attack.baseline + 1e-12, attack.kind
        assert attack.gain == pytest.approx(0)
    data = data_of(shown, PEOPLE, (0, 1))
    assert linkability(
        Fit.of(data, (0,)), Fit.of(data, (1,)), whole(data)
    ).success == pytest.approx(1 / 16)


def test_suppressed_quasi_identifiers_leave_the_guess_of_the_commonest_value():
    people = [(i % 4, int(i < 5), 0) for i in range(8)]
    held = held_of(whole(data_of(suppressed(people, (0,)), people, (0,), (1,))))
    assert inference(held).success == inference(held).baseline == 5 / 8


def test_a_planted_unique_is_found():
    people = [(0, 0, 1)] * 6 + [(3, 3, 2)]
    fit = whole(data_of(copy_of(people), people, (0, 1), (2,)))
    assert singling_out(fit).figures["singled_out"] == 1
    assert singling_out(fit).success == pytest.approx(1 / 7)
    assert singling_out(fit).persons.above == 1
    hidden = suppressed(people, (0, 1))
    assert singling_out(whole(data_of(hidden, people, (0, 1)))).success == 0


def test_the_complementary_release_of_two_safe_ones():
    """Each release hides everybody among two; held together they hide nobody."""
    people = [(0, 0, 0), (1, 0, 1), (2, 0, 0), (3, 0, 1)]
    low, high = frozenset({0, 1}), frozenset({2, 3})
    odd, even = frozenset({0, 3}), frozenset({1, 2})
    first = [(low if p[0] < 2 else high, *map(frozenset, ([p[1]], [p[2]]))) for p in people]
    second = [(odd if p[0] in odd else even, *map(frozenset, ([p[1]], [p[2]]))) for p in people]
    fits = [whole(data_of(shown, people, (0,), (2,), joint=False)) for shown in (first, second)]
    finding, learning = releases(*fits, SensitiveTarget.all_of(fits[0].data)[-1:])
    assert (finding.figures["k_first"], finding.figures["k_second"]) == (2, 2)
    assert finding.figures["k"] == naive.releases(first, second, people, (0,), (2,))[0]
    assert learning.figures["fewest_values"] >= 1


def test_a_shuffled_release_tells_no_places():
    rng = np.random.default_rng(5)
    people = [tuple(row) for row in rng.integers(0, 4, (400, 3)).tolist()]
    order = rng.permutation(400)
    kept = row_order(whole(data_of(copy_of(people), people, (0, 1, 2), joint=False)))
    mixed = row_order(
        whole(data_of([copy_of(people)[i] for i in order], people, (0, 1, 2), joint=False))
    )
    assert kept.success == 1
    assert kept.figures["correlation"] > mixed.figures["correlation"]
    assert mixed.success < 0.05
    assert abs(mixed.figures["correlation"]) < 0.2


def test_a_kept_order_is_found_although_rows_were_left_out():
    rng = np.random.default_rng(6)
    people = [tuple(row) for row in rng.integers(0, 4, (300, 3)).tolist()]
    stay = np.flatnonzero(rng.random(300) < 0.9)
    rows = [copy_of(people)[i] for i in stay]
    kept = row_order(whole(data_of(rows, people, (0, 1, 2), joint=False)))
    mixed = row_order(
        whole(data_of([rows[i] for i in rng.permutation(len(rows))], people, range(3), joint=False))
    )
    assert kept.figures["fitting"] == 1
    assert kept.success > 0.9
    assert mixed.success < 0.2


def test_the_sweep_ends_with_its_time():
    data = data_of(copy_of(PEOPLE), PEOPLE, (0, 1))
    sets = ColumnSets(2, 1, Watch(limit=0))
    assert list(sweep(data, sets)) == []
    assert sets.left_out == 2
    late = chain.from_iterable(deal_halves(data, ColumnSets(2, 1, Watch(limit=0))))
    assert [one.columns for one, _ in late] == [(0, 1)]


def test_too_many_pairs_are_refused():
    with pytest.raises(LimitError, match="overlap"):
        check_room(2**40)
