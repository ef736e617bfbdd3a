"""How risks, releases, checks, attacks and frontiers look in a notebook."""

from typing import TYPE_CHECKING

from incrowd.documents import json
from incrowd.documents.page import Columns, FigureTable, Paragraphs
from incrowd.documents.pictures import Bars, Curve, CurveLine, EstimateBars, Series
from incrowd.documents.risk import risk_headline
from incrowd.documents.verdict import alone_sentences, check_sentence
from incrowd.documents.view import MOST_DRAWN, ResultView, good_or_bad_news, models_table
from incrowd.documents.words import loss_name, number, quantity
from incrowd.errors import sentence

if TYPE_CHECKING:
    from incrowd.attacks import Attacked
    from incrowd.exposure import Risk
    from incrowd.release import Release
    from incrowd.search.literature.accuracy.frontier import Frontier
    from incrowd.verify.verdict import Check


def risk_view(risk: "Risk") -> ResultView:
    """Show how many people share a class with how many others."""
    above = f"share of records above a risk of {number(risk.threshold)}"
    rows = (
        ("smallest class (k)", risk.k),
        ("records of unique people", risk.unique_records),
        ("average class", risk.average_class),
        ("highest risk of being found", risk.prosecutor.max),
        ("average risk", risk.prosecutor.average),
        (above, risk.prosecutor.above_threshold),
    )
    return ResultView(
        good_or_bad_news(risk_headline(risk, ["these columns"]), when=risk.k >= 2),
        class_size_bars(risk),
        FigureTable(("figure", "value"), rows, "Risk of somebody who is known to be in the table"),
        lambda: json.risk_document(risk),
    )


def class_size_bars(risk: "Risk") -> Bars:
    """Make bars of how many people are in classes of each size."""
    bands = risk.people_by_class_size
    return Bars(
        "People by the size of their class",
        "A class is all people who look alike in the quasi-identifying columns; whoever is in a "
        "class of one can be found.",
        tuple(label for label, _ in bands),
        (Series("people", tuple(people for _, people in bands)),),
        x="people in a class",
        y="people",
    )


def release_view(release: "Release") -> ResultView:
    """Show what was promised and kept, and how large the classes are."""
    classes = quantity(release.classes, "class", "classes")
    head = (
        f"{quantity(release.records, 'record')} in {classes}, {release.suppressed:,} left out; "
        f"every model is met. The smallest class holds {quantity(release.k, 'person', 'people')}."
    )
    losses = ", ".join(f"{loss_name(n)} {number(value)}" for n, value in release.loss.items())
    return ResultView(
        good_or_bad_news(head),
        class_size_bars(release.risk),
        models_table(release.models),
        lambda: json.release_document(release, {}),
        (
            *alone_sentences(release.alone),
            f"Found by {release.search}.",
            f"Information loss: {losses}.",
            *release.notes,
        ),
    )


def check_view(check: "Check") -> ResultView:
    """Show whether a release keeps its policy."""
    met = bool(check.models) and all(model.ok for model in check.models)
    says = check_sentence(kept=check.ok, models_met=met)
    names = tuple(model.title for model in check.models)
    bars = Bars(
        "What was asked for, and what the rows reach",
        "Each model in its own measure, of its weakest class. For some less is safer, such as t.",
        names,
        (
            Series("asked", tuple(model.asked for model in check.models)),
            Series("reached", tuple(model.reached for model in check.models)),
        ),
    )
    return ResultView(
        good_or_bad_news(says, when=check.ok),
        bars,
        models_table(check.models),
        lambda: json.check_document(check),
        (*alone_sentences(check.alone), *check.notes),
    )


def frontier_view(curve: "Frontier") -> ResultView:
    """Show how much privacy there is for every largest loss of a class."""
    of = f" of {curve.column}" if curve.privacy == "l" else ""
    reached = [
        (point.max_loss, point.k if curve.privacy == "k" else point.l) for point in curve.points
    ]
    points = tuple((x, y) for x, y in reached if y is not None)
    picture = Curve(
        "Privacy for every largest loss of a class",
        f"The most {curve.privacy}{of} that was found if no class may lose more than this.",
        (CurveLine(f"{curve.privacy}{of}", points, step=True),),
        x="the most that a class may lose",
        y=f"{curve.privacy}{of}",
    )
    columns = {"max loss": "max_loss", "k": "k", "l": "l", "loss": "loss", "classes": "classes"}
    many = quantity(len(curve.points), "release")
    unseen = "" if curve.complete else ", ".join(map(number, curve.unseen))
    return ResultView(
        Paragraphs((f"{many} could be made, up to the most {curve.privacy}{of} that was found.",)),
        picture,
        FigureTable.of(curve.points, columns, "Releases that could be"),
        lambda: json.frontier_document(curve),
        (f"There was no time for {unseen}.",) if unseen else (),
    )


def attacked_view(found: "Attacked") -> ResultView:
    """Show how often attackers are right, against guessing."""
    worst = sorted(found.attacks, key=lambda one: -one.gain)
    shown = [attack for attack in worst if attack.trials][:MOST_DRAWN]
    picture = EstimateBars(
        "How often attackers are right",
        "Rates with their 95 % intervals, beside guessing without the release.",
        tuple(f"{one.goal}, knows {', '.join(one.knows) or 'nothing'}" for one in shown),
        tuple(attack.interval[0] for attack in shown),
        tuple(attack.success for attack in shown),
        tuple(attack.interval[1] for attack in shown),
        tuple(attack.baseline for attack in shown),
        "share that is right",
        "with the release",
        "by guessing",
    )
    head = "No limit is broken."
    if not found.ok:
        head = f"{quantity(len(found.broken), 'limit is', 'limits are')} broken."
    return ResultView(
        good_or_bad_news(head, when=found.ok),
        picture,
        FigureTable.of(worst, _ATTACK, "Attacks, those that gain most first"),
        found.as_dict,
        (*map(sentence, (*found.broken, *found.advice)), *found.notes),
    )


_ATTACK: Columns = {
    "attack": "goal",
    "knows": lambda attack: ", ".join(attack.knows),
    "right": lambda attack: attack.success if attack.trials else None,
    "low": lambda attack: attack.interval[0] if attack.trials else None,
    "high": lambda attack: attack.interval[1] if attack.trials else None,
    "guessing": "baseline",
    "gain": "gain",
    "bound": lambda attack: "at most" if attack.bound else "counted",
}
