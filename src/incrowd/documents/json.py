"""Results as JSON documents for other programs: one stable, versioned schema a command."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from incrowd.documents import risk as risks

if TYPE_CHECKING:
    from incrowd.exposure.risk import Risk
    from incrowd.identify.distinct_values import DistinctValueTest
    from incrowd.identify.outcome import Discovery, Explanation, Groups, JudgedSets, Masked
    from incrowd.identify.records import Ratios
    from incrowd.kernels.warm import Warmed
    from incrowd.policy.draft import Draft
    from incrowd.population.plan import Action, Measured, Plan
    from incrowd.population.quantiles import Bucketed, BucketedColumn
    from incrowd.release.certificate import KeyFiles
    from incrowd.release.refused import RefusedResult
    from incrowd.release.release import Release
    from incrowd.search.bound import LossBound
    from incrowd.search.literature.accuracy.frontier import Frontier
    from incrowd.verify.alone import Alone
    from incrowd.verify.verdict import Check, Verdict


_SET = "columns distinct separation unique"
_GUARANTEE = "exact epsilon delta sample searched not_searched"


def dumps(document: Mapping[str, Any]) -> str:
    """The document as JSON text; a number that is not finite becomes null.

    >>> dumps({"k": 5.0, "l": float("inf")})
    '{"k": 5, "l": null}'
    """
    return json.dumps(json_value(document), ensure_ascii=False, allow_nan=False)


def risk_document(risk: "Risk") -> dict[str, Any]:
    """`incrowd.risk/1`: how exposed the people in a table are; `findings` say what that means."""
    return {**risk.as_dict(), "findings": list(risks.finding_documents(risk))}


def release_document(
    release: "Release", paths: Mapping[str, str], reading: float = 0.0
) -> dict[str, Any]:
    """`incrowd.anonymize/1`: what was released; `reading`, seconds to open the table, are added.

    `paths` are the files written, by `release`, `certificate`, `explored`, `report`, if they are.
    """
    seconds = dict(release.seconds)
    seconds["read"] += reading
    return {
        "schema": "incrowd.anonymize/1",
        **_alone_shares(release.alone),
        **pick(release, "search optimal why k privacy max_class_ncp bound_met classes records"),
        **pick(release, "people suppressed"),
        "left_out": release.policy.dropped,
        "models": list(map(_verdict_document, release.models)),
        "loss": release.loss,
        **({} if release.bound is None else {"gap": _gap_document(release.bound)}),
        "labels": release.labels,
        **({} if release.levels is None else {"levels": release.levels}),
        "seconds": seconds,
        "notes": release.notes,
        "release": paths.get("release"),
        "certificate": paths.get("certificate"),
        **{name: paths[name] for name in ("explored", "report") if name in paths},
    }


def _alone_shares(alone: "Alone | None") -> dict[str, Any]:
    """Shares of people who are alone by columns that leave unchanged; empty if not counted."""
    if alone is None:
        return {}
    return {"alone": pick(alone, "columns together unaccepted limit accepted")}


def _gap_document(bound: "LossBound") -> dict[str, Any]:
    """The loss that was found, the lower bound for any release, and the gap between them."""
    return {
        "found": bound.found,
        "bound": bound.loss,
        **pick(bound, "gap proved sampled margin"),
        "least_records": bound.size,
    }


def lattice_document(release: "Release", nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """`incrowd.lattice/1`: the search, and the `nodes` that it counted and has on record.

    `not_listed` says how many it counted besides, if there were too many for the record.
    """
    explored = release.explored
    others = 0 if explored is None else explored.left_out
    return {
        "schema": "incrowd.lattice/1",
        **pick(release, "search optimal"),
        "loss": release.policy.loss.name,
        "nodes": None if explored is None else explored.lattice,
        "counted": len(nodes) + others,
        **({"not_listed": others} if others else {}),
        "optimum": None
        if explored is None
        else dict(zip(explored.columns, explored.optimum, strict=True)),
        "explored": nodes,
    }


def frontier_document(curve: "Frontier", written_to: str | None = None) -> dict[str, Any]:
    """`incrowd.frontier/1`: how much privacy there is for every largest loss of a class."""
    return {
        "schema": "incrowd.frontier/1",
        "privacy": curve.privacy,
        "column": curve.column if curve.privacy == "l" else None,
        "loss": curve.loss,
        "points": [pick(point, "max_loss k l loss classes") for point in curve.points],
        **pick(curve, "out_of_reach unseen complete"),
        "written": written_to,
    }


def error_document(
    error: str,
    remedy: str,
    exit_code: int,
    verdicts: "Sequence[Verdict]" = (),
    proved: bool | None = None,
) -> dict[str, Any]:
    """`incrowd.error/1`: why there is no result; the verdicts of the models, if they were counted.

    `proved`, where a release was searched for: True if there is none, False if the search found
    none.
    """
    found = {"error": error, "remedy": remedy, "exit_code": exit_code}
    searched = {} if proved is None else {"proved": proved}
    models = {"models": list(map(_verdict_document, verdicts))} if verdicts else {}
    return {"schema": "incrowd.error/1", **found, **searched, **models}


def refused_part(result: "RefusedResult | None") -> dict[str, Any]:
    """The part `refused` of `incrowd.error/1`: figures of a failing result; empty without one."""
    if result is None:
        return {}
    counts = "search why records classes suppressed failing_records failing_classes"
    figures = {
        **pick(result, counts),
        "models": [
            {
                **_verdict_document(model.verdict),
                "failing_records": model.records,
                "failing_classes": model.classes,
            }
            for model in result.models
        ],
        "loss": result.loss,
    }
    return {"refused": figures}


def check_document(check: "Check") -> dict[str, Any]:
    """`incrowd.check/1`: whether a release keeps its policy."""
    return {
        "schema": "incrowd.check/1",
        **_alone_shares(check.alone),
        "ok": check.ok,
        "models": list(map(_verdict_document, check.models)),
        **pick(check, "digest digest_ok notes"),
        "signature": None if check.signature is None else asdict(check.signature),
        **pick(check, "counted recounted claimed"),
        "losses": {
            name: {"certificate": said, "recounted": counted}
            for name, (said, counted) in check.losses.items()
        },
        **({} if check.world is None else {"world": asdict(check.world)}),
    }


def keys_document(made: "KeyFiles") -> dict[str, Any]:
    """`incrowd.keys/1`: where a new pair of keys is."""
    return {"schema": "incrowd.keys/1", **pick(made, "private public fingerprint")}


def warm_document(made: "Warmed") -> dict[str, Any]:
    """`incrowd.warm/1`: how many kernels there are, and where they are kept."""
    return {
        "schema": "incrowd.warm/1",
        **pick(made, "kernels compiled"),
        "folder": None if made.folder is None else str(made.folder),
    }


def draft_document(draft: "Draft", toml: str, written_to: str | None) -> dict[str, Any]:
    """`incrowd.init/1`: what each column seems to be, why, and the policy that says so."""
    shares, costs = dict(draft.risky), draft.costs
    return {
        "schema": "incrowd.init/1",
        "columns": {
            name: {
                "role": column.role.value,
                "hierarchy": column.hierarchy.name if column.hierarchy else None,
                "reasons": [draft.reasons[name], *filter(None, [draft.hierarchies.get(name)])],
                "review": name in draft.review,
                "distinct": shares.get(name),
                **_draft_remarks(draft, name),
            }
            for name, column in draft.policy.columns.items()
        },
        **({"costs": [pick(cost, "column others without") for cost in costs]} if costs else {}),
        "policy": toml,
        "written": written_to,
    }


def _draft_remarks(draft: "Draft", name: str) -> dict[str, Any]:
    """What a person must look at besides the role of a column; empty if nothing."""
    found = draft.missing.get(name, ())
    marks = {"values": len(found), "why": draft.missing_reasons[name]} if found else {}
    return {
        **({"missing": marks} if marks else {}),
        **({"offer": draft.offers[name]} if name in draft.offers else {}),
        **({"no_model": draft.unasked[name]} if name in draft.unasked else {}),
    }


def discovery_document(found: "Discovery") -> dict[str, Any]:
    """`incrowd.discover/1`: which sets of columns tell records apart, and what is promised."""
    minimum = found.minimum
    sets = [pick(each, _SET) for each in found.sets]
    for entry, test in zip(sets, found.tests, strict=False):
        entry["test"] = _test_document(test)
    return {
        "schema": "incrowd.discover/1",
        "records": found.records,
        "records_at_most": found.bounded,
        "measure": found.measure.value,
        "ratio": found.ratio,
        "sets": sets,
        "found": found.found,
        "minimum": None
        if minimum is None
        else {
            **pick(minimum, _SET),
            **({} if minimum.cost is None else {"cost": minimum.cost}),
            "guarantee": pick(minimum.guarantee, _GUARANTEE),
        },
        "best": pick(found.best, _SET),
        "guarantee": pick(found.guarantee, _GUARANTEE),
        "promise": found.promise,
        "basis": found.basis.value,
        "reaches": found.ratio if found.basis.value == "counted" else found.reaches,
        "figures": "sample" if found.sampled else "table",
        "partial": found.partial,
        "explanations": list(map(_explanation_document, found.explanations)),
        **pick(found, "notes seconds"),
    }


def _test_document(test: "DistinctValueTest") -> dict[str, Any]:
    """How many values a set can have, what a population of a size needs, and the verdict."""
    rest = "key possible population share alpha threshold verdict"
    return {"distinct": test.distinct, "source": test.source.value, **pick(test, rest)}


def judged_document(found: "JudgedSets") -> dict[str, Any]:
    """`incrowd.sets/1`: whether named sets of columns can tell people of a population apart."""
    return {
        "schema": "incrowd.sets/1",
        **pick(found, "population alpha records"),
        "sets": [
            {
                "columns": named.columns,
                **_ratios_of_table(named.ratios),
                "test": {**_test_document(named.test), "people_per_value": named.test.crowd},
            }
            for named in found.sets
        ],
        "notes": found.notes,
    }


def _ratios_of_table(ratios: "Ratios | None") -> dict[str, Any]:
    """The values and unique records of a set of columns in the table; empty without a table."""
    if ratios is None:
        return {}
    return {
        "values_seen": ratios.classes,
        "unique_records": ratios.unique,
        "unique": ratios.unique_ratio,
    }


def mask_document(found: "Masked", written_to: str | None) -> dict[str, Any]:
    """`incrowd.mask/1`: which columns were published, and their ratio, counted anew."""
    return {
        "schema": "incrowd.mask/1",
        **pick(found, "published withheld ratio"),
        "measure": found.measure.value,
        "limit": found.limit,
        "records": found.ratios.records,
        **pick(found.found, "distinct separation unique"),
        "utility": found.utility,
        "guarantee": pick(found.guarantee, _GUARANTEE),
        "anonymous": False,
        **pick(found, "notes seconds"),
        "written": written_to,
    }


def groups_document(found: "Groups") -> dict[str, Any]:
    """`incrowd.groups/1`: which sets of columns single out groups of few people."""
    return {"schema": "incrowd.groups/1", **asdict(found)}


def plan_document(plan: "Plan") -> dict[str, Any]:
    """`incrowd.plan/1`: how many values each column may keep, and what to do."""
    asked, facts = plan.question, plan.measured
    return {
        "schema": "incrowd.plan/1",
        "bound": asked.bound,
        "beta_covers": "all classes" if asked.simultaneous else "each class",
        **pick(asked, "population k beta"),
        **pick(plan, "found classes_allowed"),
        "budget": {action.column: action.allowed for action in plan.actions},
        "actions": {action.column: _action_document(action) for action in plan.actions},
        **pick(plan, "classes k_expected"),
        "k_supported": None if facts is None else facts.supports.k,
        "confidence": None if facts is None else asked.confidence,
        "table": None if facts is None else _counts_of_table(facts),
        "notes": plan.notes,
    }


def _action_document(action: "Action") -> dict[str, Any]:
    """What to do with a column: the level of its hierarchy, and the values before and after."""
    hierarchy = action.rung.hierarchy
    return {
        "distinct": action.distinct,
        "values": action.rung.values,
        "hierarchy": None if hierarchy is None else hierarchy.name,
        "level": None if action.left_out else action.rung.level,
        "says": action.rung.says,
        **pick(action, "note left_out"),
    }


def _counts_of_table(facts: "Measured") -> dict[str, Any]:
    """The classes of the table, and the population, k and beta that they support."""
    counts = {"records": facts.people, **pick(facts, "classes smallest share")}
    return counts | pick(facts.supports, "population k beta")


def applied_document(
    plan: "Plan", release: "Release", raised: tuple[str, ...], paths: Mapping[str, str]
) -> dict[str, Any]:
    """`incrowd.plan/1` with what was released; `raised` are columns that show less than planned."""
    done = release_document(release, paths)
    del done["schema"]
    return {**plan_document(plan), "raised": raised, "released": done}


def quantiles_document(found: "Bucketed", written_to: str | None) -> dict[str, Any]:
    """`incrowd.quantiles/1`: what became of each column, counted anew."""
    return {
        "schema": "incrowd.quantiles/1",
        **pick(found, "records k smallest show"),
        "columns": {column.name: _bucket_figures(column) for column in found.columns},
        **pick(found, "kept withheld"),
        "promise": asdict(found.promise),
        **pick(found, "notes seconds"),
        "written": written_to,
    }


def _bucket_figures(column: "BucketedColumn") -> dict[str, Any]:
    """The figures of a column of quantiles, without its name."""
    figures = asdict(column)
    del figures["name"]
    return figures | {"kind": column.kind.value}


def _explanation_document(column: "Explanation") -> dict[str, Any]:
    """What a column adds to uniqueness: ratios alone, without it and together, and made coarser."""

    def figures(ratios: "Ratios") -> dict[str, float]:
        names = ("distinct", "separation", "unique")
        return {name: getattr(ratios, f"{name}_ratio") for name in names}

    return {
        "column": column.column,
        **{name: figures(getattr(column, name)) for name in ("alone", "without", "together")},
        **pick(column, "partners complete among"),
        "coarser": [
            {**pick(level, "level values"), **figures(level.ratios)} for level in column.coarser
        ],
    }


def _verdict_document(model: "Verdict") -> dict[str, Any]:
    """What a model asks and reaches; its column and its confidence only if it has them."""
    column = {} if model.column is None else {"column": model.column}
    sure = {} if model.confidence is None else {"confidence": model.confidence}
    return {"name": model.name, **column, **pick(model, "asked reached ok"), **sure}


def pick(result: object, names: str) -> dict[str, Any]:
    """Take fields of a result by their names, with spaces between, in the order of the names."""
    return {name: getattr(result, name) for name in names.split()}


def json_value(value: Any) -> Any:
    """The value as JSON has it: whole floats as integers, None for a number that is not finite.

    Arrays and tuples become lists; what JSON does not know becomes its text.
    """
    match value:
        case Mapping():
            return {str(key): json_value(item) for key, item in value.items()}
        case list() | tuple():
            return [json_value(item) for item in value]
        case _ if hasattr(value, "tolist"):
            return json_value(value.tolist())
        case float():
            return _finite_number(value)
        case bool() | int() | None:
            return value
    return str(value)


def _finite_number(value: float) -> float | None:
    """A whole number below 2**53 as an integer, others as they are; None if not finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
