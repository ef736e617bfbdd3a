"""Whether the parts of a policy fit together, and what in it deserves a second look."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from incrowd.models.model import Model, ask_the_same
from incrowd.recoding.show import SHOWS
from incrowd.search import SEARCHES
from incrowd.table.column import Missing, Role
from incrowd.values import Fault, did_you_mean

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy

_SMALL_K = 5
_KEPT = {Role.KEEP, Role.WEIGHT}
_ACCEPTABLE = (
    ("derived", {Role.SENSITIVE, *_KEPT}, "it does not leave as it is"),
    ("alone", _KEPT, "only kept columns and weights single out people"),
)
"""What a policy may accept of a column, of which roles, and why not of others."""
_MUCH = 0.2
_OF_QUASI_ALONE = {
    "weight": "weight",
    "lowest": "lowest level",
    "highest": "highest level",
    "widest": "widest span",
    "grid": "grid",
}
"""Settings that only quasi-identifying columns have, and what a fault calls them."""


def faults(policy: "Policy") -> Iterator[Fault]:
    """Yield a fault for everything in which a policy contradicts itself."""
    if not policy.quasi:
        yield Fault(
            ("columns",),
            "no column is quasi-identifying, so there is nothing to protect",
            'give at least one column role = "quasi"',
        )
    if not policy.models:
        yield Fault(("models",), "the policy asks for no model", "add one, k-anonymity say")
    yield from _single_role_faults(policy)
    for name in policy.columns:
        yield from _column_faults(policy, name)
    for number, model in enumerate(policy.models):
        yield from _model_faults(policy, number, model)
    yield from _repeated_model_faults(policy)
    yield from _loss_faults(policy)
    yield from _show_faults(policy)
    yield from _search_faults(policy)
    for number, model in enumerate(policy.models):
        if "population" in model.requires:
            yield from _population_faults(policy, ("models", number), model)


def _population_faults(
    policy: "Policy", place: tuple[str | int, ...], model: Model
) -> Iterator[Fault]:
    """Yield faults that make it impossible to bound how many people a class stands for."""
    if policy.shown.names_values:
        yield Fault(
            place,
            f'show = "{policy.show}" names values that the table holds, and how many people of the '
            "population have others cannot be bounded",
            f'leave out show = "{policy.show}"',
        )
    if not model.fixed_labels:
        return
    if policy.search.recoding != "levels":
        able = sorted(name for name, search in SEARCHES.items() if search.recoding == "levels")
        yield Fault(
            ("search",),
            f"the search '{policy.search.name}' draws classes around the people of the table, and "
            'the model says labels = "declared"',
            f'use one of {", ".join(able)}, or leave out labels = "declared"',
        )
    for name in policy.quasi:
        spec = policy.columns[name].hierarchy
        if spec is None or spec.name == "auto" or getattr(spec, "quantiles", None):
            yield Fault(
                ("columns", name, "hierarchy"),
                f"the hierarchy of '{name}' is made from the table, and the model says "
                'labels = "declared"',
                f"give '{name}' a hierarchy with fixed levels, or leave out labels = \"declared\"",
            )


def _show_faults(policy: "Policy") -> Iterator[Fault]:
    """Yield faults in what cells show and in the settings that belong to it."""
    shown = policy.shown
    yield from shown.faults(policy)
    exact = ", ".join(f'"{name}"' for name, show in SHOWS.items() if show.exact)
    if policy.class_column is not None and not shown.exact:
        yield Fault(
            ("class_column",),
            f"only show = {exact} adds a column of classes",
            "leave it out: what classes show tells them apart",
        )
    if policy.search.draws and not shown.exact:
        yield Fault(
            ("search",),
            f"the search '{policy.search.name}' is for exact quasi-identifiers",
            f"add show = {exact}, or choose another search",
        )
    if policy.split_ends and (not shown.spans or policy.missing is Missing.MATCHES_ANYTHING):
        yield Fault(
            ("split_ends",),
            "split_ends is for labels that span values, and for missing values that match nothing",
            'leave it out, or take show = "spans" and another reading of missing values',
        )


def _single_role_faults(policy: "Policy") -> Iterator[Fault]:
    """Yield a fault for a role that one column can have and several do."""
    for role in (Role.UNIT, Role.WEIGHT):
        names = policy.names(role)
        if len(names) > 1:
            yield Fault(
                ("columns", names[1], "role"),
                f"{len(names)} columns have the role '{role.value}'; there can be one",
            )


def _column_faults(policy: "Policy", name: str) -> Iterator[Fault]:
    """Yield a fault for each setting of a column that does not go with its role or the others."""
    column = policy.columns[name]
    place = ("columns", name)
    wrong = f"column '{name}' is '{column.role.value}'"
    if column.hierarchy is not None and column.role not in {Role.QUASI, Role.SENSITIVE}:
        remedy = "only quasi-identifying and sensitive columns have one"
        yield Fault((*place, "hierarchy"), f"{wrong} and has a hierarchy", remedy)
    for key, words in _OF_QUASI_ALONE.items():
        given = getattr(column, key)
        if given and (key, given) != ("weight", 1.0) and column.role is not Role.QUASI:
            remedy = "only quasi-identifying columns have one"
            yield Fault((*place, key), f"{wrong} and has a {words}", remedy)
    if column.highest is not None and column.highest < column.lowest:
        yield Fault(
            (*place, "highest"),
            f"column '{name}' may show levels from {column.lowest} up to {column.highest} only",
            "take a highest level that is not below the lowest",
        )
    if column.action != "drop" and column.role is not Role.IDENTIFIER:
        remedy = "only identifiers have one"
        yield Fault((*place, "action"), f"{wrong} and has a pseudonym", remedy)
    for key, roles, why in _ACCEPTABLE:
        if getattr(column, key) == "accept" and column.role not in roles:
            needless = f"{wrong} and need not be accepted: {why}"
            yield Fault((*place, key), needless, f"leave out {key}")


def _model_faults(policy: "Policy", number: int, model: Model) -> Iterator[Fault]:
    """Yield a fault for each column that a model names and cannot be asked of."""
    for name in model.columns:
        place = ("models", number, "column")
        if name not in policy.columns:
            remedy = did_you_mean(name, policy.sensitive, listed=True)
            yield Fault(place, f"{model.name} names a column that the policy does not have", remedy)
        elif policy.role(name) is not Role.SENSITIVE:
            yield Fault(
                place,
                f"{model.name} is asked of '{name}', which is '{policy.role(name).value}'",
                f"give '{name}' role = \"sensitive\"",
            )
        elif model.needs_hierarchy and policy.columns[name].hierarchy is None:
            yield Fault(
                place,
                f"{model.name} measures '{name}' by its hierarchy, and it has none",
                f"give '{name}' a hierarchy, or choose another distance",
            )


def _repeated_model_faults(policy: "Policy") -> Iterator[Fault]:
    """Yield a fault for each model that is asked for several times."""
    for first, model in enumerate(policy.models):
        alike = [n for n, other in enumerate(policy.models) if ask_the_same(model, other)]
        if len(alike) > 1 and first == alike[0]:
            of = f" of '{model.columns[0]}'" if model.columns else ""
            again = f"{model.name}{of} is asked {len(alike)} times"
            yield Fault(("models", alike[1]), again, "keep one")


def _loss_faults(policy: "Policy") -> Iterator[Fault]:
    """Yield a fault for each column that the loss names and cannot measure."""
    for name in policy.loss.columns:
        place = ("loss", policy.loss.column_key)
        if name not in policy.columns:
            remedy = did_you_mean(name, policy.columns)
            yield Fault(place, "the loss names a column that the policy does not have", remedy)
        elif policy.role(name) not in {Role.SENSITIVE, Role.KEEP, Role.QUASI}:
            why = f"the loss is about '{name}', which does not leave"
            yield Fault(place, why, "choose a column that does")
        elif policy.loss.only_sensitive and policy.role(name) is Role.QUASI:
            yield Fault(
                place,
                f"the loss {policy.loss.name} counts '{name}', which is quasi-identifying",
                "choose a sensitive column: by the others they group",
            )


def _search_faults(policy: "Policy") -> Iterator[Fault]:
    """Yield a fault for each column that the search names and that is not quasi-identifying."""
    for key, names in policy.search.named_columns.items():
        for name in dict.fromkeys(names):
            if name not in policy.quasi:
                yield Fault(
                    ("search", key),
                    f"search: '{key}' names a column that is not quasi-identifying",
                    did_you_mean(name, policy.quasi, listed=True),
                )


def notes(policy: "Policy") -> Iterator[str]:
    """Yield sentences on what is allowed and still deserves a second look."""
    protected = {name for model in policy.models if not model.trivial for name in model.columns}
    protected.update(policy.search.protected_columns(policy.sensitive))
    for name in policy.sensitive:
        if name not in protected:
            yield (
                f"no model protects the sensitive column '{name}': "
                "a class may show one value for all its people"
            )
    people = max(model.hides_among() for model in policy.models)
    if people < 2:
        yield "no model asks for a number of people per class"
    elif people < _SMALL_K:
        yield f"k = {people} is small: a person hides among few"
    yield from _show_notes(policy)
    if policy.order == "keep":
        yield "the order of the records is kept: it links releases of one table to each other"
    if policy.suppression > _MUCH:
        yield f"up to {policy.suppression:g} of the records may be left out, which can bias results"
    yield from _column_notes(policy)


def _column_notes(policy: "Policy") -> Iterator[str]:
    """Yield sentences on what single columns are allowed."""
    for name, column in policy.columns.items():
        if column.derived == "accept":
            yield (
                f"'{name}' leaves unchanged, whatever it tells of quasi-identifying columns: "
                "the policy accepts that"
            )
        if column.alone == "accept":
            yield f"'{name}' leaves unchanged, whomever it singles out: the policy accepts that"
        if column.role is Role.IDENTIFIER and column.action == "pseudonym":
            yield f"pseudonyms of '{name}' link all releases that are made with the same key"


def _show_notes(policy: "Policy") -> Iterator[str]:
    """Yield sentences on what cells show."""
    if policy.ends == "exact" and policy.shown.coarsens:
        yield (
            "spans and sets show exact values of people in the class, which tell whoever holds a "
            "list who is in the table; leave out ends = 'exact' if this is for publication"
        )
    if policy.shown.note:
        yield policy.shown.note
