"""Full-domain generalization: what one level per column does to a table.

A *node* of the lattice is a vector of levels, one per column (Sweeney Section 3.1). Its classes are
the records that show the same nodes of the hierarchies; classes that fail a model are suppressed.
"""

from collections.abc import Sequence

import numpy as np

from incrowd.arrays import MISSING, SUPPRESSED, Codes, Counts, Flags
from incrowd.classes import Classes, classes_of, crowds
from incrowd.errors import InfeasibleError
from incrowd.models.model import Model
from incrowd.problem import Problem
from incrowd.recoding import Levels, Pieces
from incrowd.table.roles import Missing

_LARGEST_KEY = 2**62
_SLACK = 1e-9


def node_classes(problem: Problem, levels: Sequence[int]) -> tuple[Codes, int]:
    """The class of each row of the tally when column j is shown at `levels[j]`, and their number.

    Classes are numbered 0, 1, … in the order of what they show, so the order of rows is irrelevant.
    """
    key = np.zeros(problem.tally.rows, dtype=np.int64)
    size = 1
    for codes, column, level in zip(problem.tally.quasi, problem.columns, levels, strict=True):
        nodes = column.hierarchy.maps[level]
        domain = int(nodes.max()) + 1
        if size > _LARGEST_KEY // domain:
            key, size = _numbered(key)
        key = key * domain + nodes[codes]
        size *= domain
    class_of, number = _numbered(key)
    return class_of.astype(np.int32), number


def recode(problem: Problem, levels: Sequence[int]) -> Levels | None:
    """The recoding of this node with failing classes suppressed.

    None if that leaves out more records than `problem.suppressible`, or all of them: an empty
    table is not a release.
    """
    class_of, number = node_classes(problem, levels)
    classes = classes_of(problem.tally, class_of, number, problem.sensitive)
    kept = satisfied_classes(problem, levels, class_of, classes)
    if not kept.any() or int(classes.records[~kept].sum()) > problem.suppressible:
        return None
    return levels_recoding(problem, levels, class_of, kept)


def levels_recoding(
    problem: Problem, levels: Sequence[int], class_of: Codes, kept: Flags
) -> Levels:
    """The recoding that shows the classes flagged in `kept`, numbered anew, and no others."""
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    pieces = Pieces(rows, problem.tally.counts, renumbered(kept)[class_of])
    return Levels(tuple(int(level) for level in levels), pieces)


def shown_nodes(problem: Problem, levels: Sequence[int], class_of: Codes, number: int) -> Codes:
    """The node that each class shows in each column, 0 where it shows a missing value."""
    first = np.zeros(number, dtype=np.int32)
    first[class_of[::-1]] = np.arange(problem.tally.rows, dtype=np.int32)[::-1]
    shown = [
        column.hierarchy.maps[level][codes[first]]
        for codes, column, level in zip(problem.tally.quasi, problem.columns, levels, strict=True)
    ]
    return np.array(shown, dtype=np.int32).reshape(len(levels), number)


def satisfied_classes(
    problem: Problem, levels: Sequence[int], class_of: Codes, classes: Classes
) -> Flags:
    """Which classes of a node may leave."""
    if problem.missing is not Missing.MATCHES_ANYTHING:
        return problem.satisfied(classes)
    return satisfied_crowds(problem, levels, class_of, np.ones(len(classes), dtype=np.bool_))


def satisfied_crowds(
    problem: Problem, levels: Sequence[int], class_of: Codes, among: Flags
) -> Flags:
    """Which of the classes `among` those of a node may leave if missing values match anything.

    A class is judged by its crowd: all classes that stay and that it could be. Suppressing a class
    takes it from the crowds of others, so this is repeated until nothing changes.
    """
    nodes = shown_nodes(problem, levels, class_of, len(among))
    kept = among.copy()
    while kept.any():
        here = nodes[:, kept]
        rows = renumbered(kept)[class_of]
        rest = classes_of(problem.tally, rows, here.shape[1], problem.sensitive)
        crowd = crowds(here, here == MISSING, rest, problem.tally, rows)
        fine = problem.satisfied(crowd)
        if fine.all():
            break
        kept[kept] = fine
    return kept


def renumbered(kept: Flags) -> Codes:
    """The new number of each class if only those flagged stay; `SUPPRESSED` for the others."""
    number = np.full(len(kept), SUPPRESSED, dtype=np.int32)
    number[kept] = np.arange(int(kept.sum()), dtype=np.int32)
    return number


def infeasible(problem: Problem) -> None:
    """Raise `InfeasibleError` if it is certain that no release of the table satisfies the policy.

    It is certain where leaving out records cannot help and what all classes satisfy the table as
    a whole satisfies (Ghinita Section 4's eligibility, say). Elsewhere the search must find out
    that there is nothing, and raises `nothing_found`.
    """
    if not problem.tally.rows:
        raise InfeasibleError("there is no record to release", remedy="give a table with records")
    whole = _whole(problem)
    for model in problem.models:
        if _certain(problem, model, whole) and _binds(model, whole):
            raise _refusal(problem, model, whole)


def nothing_found(problem: Problem) -> InfeasibleError:
    """The error of a search that found nothing; it names the model that binds.

    The highest node shows the table as one class, so if nothing was found there is a model that
    the whole table fails.
    """
    whole = _whole(problem)
    for model in problem.models:
        if _binds(model, whole):
            return _refusal(problem, model, whole)
    return InfeasibleError(
        f"no levels satisfy all models while leaving out at most {problem.suppressible:,} records",
        remedy="let more records be left out, or ask for less in one of the models",
    )


def _numbered(key: Counts) -> tuple[Counts, int]:
    distinct, place = np.unique(key, return_inverse=True)
    return place.astype(np.int64), len(distinct)


def _whole(problem: Problem) -> Classes:
    class_of = np.zeros(problem.tally.rows, dtype=np.int32)
    return classes_of(problem.tally, class_of, 1, problem.sensitive)


def _certain(problem: Problem, model: Model, whole: Classes) -> bool:
    """Whether what the whole table fails, every release of it fails."""
    if not model.columns or _lacks_people(model, whole):
        return True
    units = len(problem.tally.shared_row) > 0
    anything = problem.missing is Missing.MATCHES_ANYTHING
    return model.monotone and not (problem.suppressible or units or anything)


def _binds(model: Model, whole: Classes) -> bool:
    return _lacks_people(model, whole) or not model.satisfied(whole).all()


def _lacks_people(model: Model, whole: Classes) -> bool:
    return int(getattr(model, "k", 0)) > int(whole.people.sum())


def _refusal(problem: Problem, model: Model, whole: Classes) -> InfeasibleError:
    where = f" of {model.columns[0]!r}" if model.columns else ""
    if _lacks_people(model, whole):
        k, people = int(getattr(model, "k", 0)), int(whole.people.sum())
        message = f"{model.name}{where} asks for classes of {k:,} people, the table has {people:,}"
        few = "give a table with more people" if people < 2 else f"ask for k of at most {people:,}"
        return InfeasibleError(message, remedy=few)
    limit, remedy = _nearest(model, whole)
    if problem.suppression < 1:
        remedy += ", or let more records be left out"
    return InfeasibleError(
        f"{model.name}{where} is out of reach: {model.asked:g} is asked, the table as a whole "
        f"allows {limit:g}",
        remedy=remedy,
    )


def _nearest(model: Model, whole: Classes) -> tuple[float, str]:
    """The best possible value, rounded to the side that can be reached, and what to ask for."""
    possible = model.possible(whole)
    if not model.higher_is_safer:
        limit = max(float(np.ceil(possible * 1000 - _SLACK) / 1000), 0.0)
        return limit, f"ask for at least {limit:g}" if limit < 1 else "leave it out"
    limit = float(np.floor(possible * 1000 + _SLACK) / 1000)
    return limit, f"ask for at most {limit:g}" if limit >= 1 else "leave it out"
