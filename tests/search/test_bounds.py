from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.loss import AverageClass, Classification, Discernibility, Gcp, Il1, IlInf
from incrowd.models import KAnonymity, LDiversity
from incrowd.search.lattice.bounds import limits_of
from incrowd.search.lattice.judging import NodeJudge
from strategies import problem_of, tables

LOSSES = [AverageClass(), Classification("s0"), Discernibility(), Gcp(), Il1(), IlInf()]
MODELS = [(), (KAnonymity(2),), (KAnonymity(3), LDiversity("s0", 2, "distinct"))]


@st.composite
def chains(draw):
    """A problem and three nodes, each at or above the one before."""
    share = draw(st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    models, loss = draw(st.sampled_from(MODELS)), draw(st.sampled_from(LOSSES))
    problem = problem_of(draw(tables(units=True)), models, loss, share)
    heights = [column.hierarchy.height for column in problem.columns]
    nodes = [sorted(draw(st.tuples(*[st.integers(0, top)] * 3))) for top in heights]
    return problem, list(zip(*nodes, strict=True))


@settings(max_examples=300, deadline=None)
@given(chains())
def test_what_a_node_teaches_holds_below_and_above_it(chain):
    problem, nodes = chain
    judge = NodeJudge(problem)
    limits = limits_of(problem, judge)
    below, here, above = (judge.count(node) for node in nodes)
    kept = judge.judge_by_value(here).kept
    lost = judge.count_records(here, ~kept)
    doomed = judge.judge_by_value(above).doomed
    if not judge.may_leave_out(lost):
        return
    assert not judge.leaves_out_too_much(above, doomed)
    loss = limits.loss(here, kept)
    surcharge = limits.surcharge(above, doomed)
    assert surcharge >= 0
    assert limits.limit_above(below) + surcharge <= loss + 1e-9
    parts = limits.limits_below(above, doomed)
    if parts is not None:
        least = sum(part[level] for part, level in zip(parts, here.node, strict=True))
        assert least <= loss + 1e-9
