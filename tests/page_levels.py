"""Figures for levels that a test chooses: the page's arithmetic without a search."""

import numpy as np

from incrowd.policy.policy import Policy
from incrowd.search.lattice.full_domain import judge_node, levels_recoding, node_classes
from incrowd.watch import Watch
from incrowd.web.jobs import NO_WORLD
from incrowd.web.work import what_if
from incrowd.web.work.state import WorkerState


def at_levels(table, text, levels, world=NO_WORLD, state=None):
    """What the policy means for full-domain generalization to these levels, by column."""
    state = state or WorkerState()
    question = state.load_question(table, Policy.loads(text), world)
    problem = question.loaded.compiled.problem
    chosen = [levels[column.name] for column in problem.columns]
    recoded = what_if.AskedRecoding(
        recoding_to(problem, chosen), "levels chosen by a test", quick=False
    )
    return what_if.figures_of(question, recoded, Watch())


def recoding_to(problem, levels):
    """The recoding to these levels without the classes that fail."""
    if problem.world is None:
        node = judge_node(problem, levels)
        return levels_recoding(problem, node.levels, node.class_of, node.kept)
    class_of, number = node_classes(problem, levels)
    whole = levels_recoding(problem, levels, class_of, np.ones(number, dtype=np.bool_))
    kept = problem.satisfied_by(problem.outcome(whole).classes)
    return levels_recoding(problem, levels, class_of, kept)
