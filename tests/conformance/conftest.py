"""Which tests of the engines `make test` and `make check` run on which kind of table.

DuckDB runs all of them, `make check` its families alone. Lazy frames and Ibis tables are stored for
DuckDB and released by it, so that they have what is their own to show: how a table gets there and a
release comes back. PostgreSQL and Spark have an engine of their own: they run its contract, and
PostgreSQL one test of each family of verbs. What is left is the same code above an engine that was
tested: `make thorough` runs it.
"""

import pytest

CONTRACT = {
    "test_a_release_comes_back_as_it_came_and_checks": (),
    "test_a_table_has_the_digest_of_the_frame_that_it_is": (),
    "test_every_verb_gives_the_figures_of_memory": ("risk",),
    "test_hostile_names_and_every_kind_of_cell": ("risk",),
    "test_no_record_and_one_record": ("risk",),
    "test_sizes_and_batches_are_those_of_memory": (),
}
"""By test: the operations that show what is an engine's own; none means the test as it is."""

FAMILIES = CONTRACT | {
    "test_a_release_of_hostile_names": (),
    "test_every_verb_gives_the_figures_of_memory": (
        "risk of everything",
        "discover",
        "draft",
        "plan",
        "groups of people",
        "mask",
        "attack a table",
        "check",
    ),
    "test_full_domain_recoding_is_the_same": ("levels",),
    "test_more_cells_than_fit_are_refused_with_a_remedy": (),
    "test_of_columns_with_too_many_values_a_sample_is_looked_at": (),
    "test_records_are_listed_in_the_order_of_the_table": (),
    "test_sets_of_a_sample_are_counted_on_all_records": ("unique",),
}
"""The same, with one operation of each family of verbs."""

ON_SPARK = {name: named for name, named in CONTRACT.items() if "comes_back" not in name} | {
    "test_every_verb_gives_the_figures_of_memory": ("risk of everything",),
}
"""Spark takes seconds for each; `engines/test_spark.py` has releases, names, types and samples."""

TESTED = {
    "polars lazy": CONTRACT,
    "ibis": CONTRACT,
    "ibis, another backend": CONTRACT,
    "postgresql": FAMILIES,
    "spark": ON_SPARK,
}
"""By kind of table: what `make test` runs on it; on others everything."""

SERVERS = {"postgresql", "spark"}
"""What a server or a session must be started for, which `make check` does not."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what is left to slower runs."""
    for item in items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        engine = given.get("source_of")
        if engine in TESTED and not _is_named(item, given, TESTED[engine]):
            item.add_marker(pytest.mark.thorough)
        if engine in SERVERS or (engine == "duckdb" and not _is_named(item, given, FAMILIES)):
            item.add_marker(pytest.mark.slow)


def _is_named(item, given, tests):
    """Whether a list of tests has this one, with what it is run on."""
    if item.originalname not in tests:
        return False
    named = tests[item.originalname]
    asked = next((given[key] for key in ("operation", "name", "measure") if key in given), None)
    return not named or asked in named
