"""Every verb on every kind of table: the figures are those of the same rows in memory.

A new kind of table is a line in `ENGINES`: from a Polars frame to a source of that kind.
`make thorough` runs every test on every kind, on one server and one session for all of it. What
`make test` and `make check` run on which kind is in `conftest.py`.
"""

import datetime as dt
from contextlib import closing
from decimal import Decimal
from itertools import count

import polars as pl
import pytest

import incrowd
import servers
from incrowd.api import apply_plan, query_precision
from incrowd.datasets import hospital
from incrowd.documents import json
from incrowd.engines import elsewhere, fetch, lazy
from incrowd.engines.elsewhere import engine_of
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.postgresql_columns import sendable_frame
from incrowd.engines.sql import quote
from incrowd.errors import InfeasibleError, InputError, LimitError, PolicyError
from incrowd.loss.queries_workload import parse
from incrowd.policy import profiles
from incrowd.policy.draft import to_toml
from incrowd.policy.policy import Column, Policy
from incrowd.search import Crowd
from incrowd.verbs import discover as discover_module
from incrowd.verbs import tables

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
"""Ibis asks DuckDB in its old words."""


def duckdb_relation(frame):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    connection.execute("CREATE TABLE held AS SELECT * FROM given")
    return connection.table("held")


def ibis_table(frame):
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    backend = ibis.duckdb.connect()
    backend.con.register("given", frame.to_arrow())
    backend.con.execute("CREATE TABLE held AS SELECT * FROM given")
    return backend.table("held")


def ibis_polars(frame):
    """A backend that is no database."""
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    return ibis.polars.connect({"held": frame}).table("held")


def lazy_frame(frame):
    pytest.importorskip("duckdb")
    return frame.lazy()


TABLES = count()
"""Numbers of the tables that are made in servers."""


@pytest.fixture(scope="module")
def postgresql_table():
    """Makes a table of a server of our own, and tells its address."""
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with (
        servers.postgresql_server() as server,
        closing(dbapi.connect(server.address(), autocommit=True)) as connection,
    ):

        def made(frame):
            number = next(TABLES)
            sent, numbers = sendable_frame(frame.with_row_index("the place"))
            cells = (
                f"CAST({quote(name)} AS {numbers[name]}) AS {quote(name)}"
                if name in numbers
                else quote(name)
                for name in frame.columns
            )
            with connection.cursor() as cursor:
                table = sent.to_arrow(compat_level=pl.CompatLevel.oldest())
                cursor.adbc_ingest(f"sent{number}", table)
                # Rows that come one after the other fill gaps of earlier pages; these do not.
                cursor.execute(
                    f"CREATE TABLE held{number} AS SELECT {', '.join(cells)} FROM sent{number} "
                    'ORDER BY "the place"'
                )
            return f"{server.address()}?table=held{number}"

        yield made


@pytest.fixture(scope="module")
def spark_frame(tmp_path_factory):
    """Makes a data frame of a Parquet file."""
    pytest.importorskip("pyspark")
    session, folder = servers.spark(), tmp_path_factory.mktemp("tables")

    def made(frame):
        path = folder / f"{next(TABLES)}.parquet"
        frame.write_parquet(path)
        return session.read.parquet(f"file://{path}")

    return made


ENGINES = {
    "duckdb": duckdb_relation,
    "polars lazy": lazy_frame,
    "ibis": ibis_table,
    "ibis, another backend": ibis_polars,
    "postgresql": "postgresql_table",
    "spark": "spark_frame",
}
"""Sources that are compared with memory: a name, and what makes one of a Polars frame.

A text is the name of a fixture that yields it.
"""


@pytest.fixture(scope="module")
def stored():
    """Sources that were made, by kind and frame: a verb leaves them as they are."""
    return {}


@pytest.fixture(params=ENGINES)
def source_of(request, monkeypatch, stored):
    """Makes a source of one kind; also small lazy frames go to the database."""
    monkeypatch.setattr(lazy, "FEW_RECORDS", -1)
    given = ENGINES[request.param]
    make = request.getfixturevalue(given) if isinstance(given, str) else given

    def source(frame):
        key = request.param, id(frame)
        if key not in stored:
            stored[key] = frame, make(frame)  # the frame, so that no other one gets its number
        return stored[key][1]

    return source


QUASI = ("birth_date", "zip", "sex")
LOCAL = Crowd(effort=0)
"""Local recoding, as fast as can be: engines do not see how well it searched."""
MODELS = (incrowd.KAnonymity(4), incrowd.LDiversity("diagnosis", 2))
WITHOUT_BIRTHS = {"birth_date": Column(role="drop")}
"""Long searches on fewer values; other verbs count dates."""
WORKLOAD = parse("COUNT WHERE sex = 'female' GROUP BY zip\nCOUNT GROUP BY diagnosis, sex")


@pytest.fixture(scope="module")
def people():
    place = pl.int_range(pl.len())
    return hospital(600, seed=4).with_columns(
        pl.when(place % 41 != 0).then(pl.col("sex")).alias("sex"),
        pl.when(place % 17 != 0).then((place % 230).cast(pl.String)).alias("who"),
        (1 + place % 3).alias("weighing"),
        pl.when(place % 2 == 0).then(0.0).otherwise(-0.0).alias("zero"),
        (20 + place * 7 % 61).alias("age"),
    )


HOSTILE = ('quo"te', "it's; DROP TABLE held; --", "^.*$", "two words", "row", "n", "c0", "class")


@pytest.fixture(scope="module")
def odd():
    """Hostile names, and cells of every kind with gaps."""
    days = [dt.date(1950 + i % 9, 1 + i % 12, 1) for i in range(90)]
    gap = [None if i % 13 == 0 else i for i in range(90)]
    return pl.DataFrame(
        {
            'quo"te': [None if g is None else f"t'{i % 4}\"" for i, g in enumerate(gap)],
            "it's; DROP TABLE held; --": days,
            "^.*$": [i % 3 for i in range(90)],
            "two words": [[0.0, -0.0, float("nan"), 1.5, None][i % 5] for i in range(90)],
            "row": [None if g is None else Decimal(f"{i % 6}.25") for i, g in enumerate(gap)],
            "n": [None if g is None else i % 2 == 0 for i, g in enumerate(gap)],
            "c0": [f"ill {i % 5}" for i in range(90)],
            "class": [i % 7 for i in range(90)],
            "nothing": pl.Series([None] * 90, dtype=pl.String),
        }
    )


def policy_of(frame, *, models=MODELS, **more):
    roles = dict.fromkeys(frame.columns, Column(role="drop"))
    roles |= {name: Column(role="quasi") for name in QUASI}
    roles |= {"diagnosis": Column(role="sensitive")}
    roles |= {"zero": Column(role="keep", derived="accept", alone="accept")}
    return Policy(columns=roles | more.pop("columns", {}), models=models, **more)


def told(document):
    """A document without what differs from run to run, or by the kind of table: digests."""
    differing = {"seconds", "created", "digest"}
    return {name: value for name, value in document.items() if name not in differing}


def of_rows(frame):
    """The rows of a result, whatever holds them, in no order."""
    if not isinstance(frame, pl.DataFrame):
        frame = fetch.fetch_into_memory(engine_of(frame)).rows
    return sorted(map(repr, frame.rows()))


def risk(**options):
    return lambda source, _: told(json.risk_document(incrowd.risk(source, **options)))


def discovered(**options):
    return lambda source, _: told(json.discovery_document(incrowd.discover(source, **options)))


def drafted(source, _):
    found = incrowd.draft(source)
    return told(json.draft_document(found, to_toml(found), None))


def planned(**options):
    return lambda source, _: told(json.plan_document(incrowd.plan(source, **options)))


def grouped(**options):
    return lambda source, _: told(json.groups_document(incrowd.groups(source, **options)))


def harboured(source, _):
    found = incrowd.safe_harbor(source, today=2026)
    return found.checks, found.notes


def harboured_by_policy(source, frame):
    columns = {"zip": Column(role="quasi", lowest=2)}
    found = incrowd.safe_harbor(source, policy=policy_of(frame, columns=columns), today=2026)
    return found.checks


def masked(source, _):
    found = incrowd.mask(source, ratio=0.6, seed=5)
    return told(json.mask_document(found, None)), of_rows(found.frame)


def quantiled(source, _):
    found = incrowd.quantiles(source, columns=["age", "birth_date"], k=20, keep="sex", seed=2)
    return told(json.quantiles_document(found, None)), of_rows(found.frame)


def bounded(source, frame):
    policy = policy_of(frame, models=(incrowd.KAnonymity(2),), columns=WITHOUT_BIRTHS)
    found = incrowd.frontier(source, policy, bounds=(0.5, 1.0))
    return told(json.frontier_document(found))


def precise(source, frame):
    policy = policy_of(frame, search="lattice", suppression=0.1)
    return query_precision(source, policy, WORKLOAD)


def attacked(source, frame):
    release = incrowd.anonymize(frame, policy_of(frame, search="mondrian"), seed=1).frame
    found = incrowd.attack(
        release, original=source, world=source, world_id="who", knows=list(QUASI), max_size=2
    )
    return [(one.kind, one.trials, one.figures) for one in found.attacks], found.k_world


def attacked_itself(source, frame):
    found = incrowd.attack(source, original=frame, knows=list(QUASI), sensitive=["diagnosis"])
    return [(one.kind, one.trials, one.figures) for one in found.attacks]


def checked(source, frame):
    policy = policy_of(frame, models=(incrowd.KAnonymity(2), incrowd.LDiversity("diagnosis", 2)))
    return told(json.check_document(incrowd.check(source, policy)))


def mapped(source, frame):
    """A model of a world: the table and the world both in the database."""
    policy = policy_of(frame, models=(incrowd.KMap(3),), columns=WITHOUT_BIRTHS, suppression=0.1)
    found = incrowd.anonymize(source, policy, world=source, seed=1)
    return found.models, found.levels, found.certificate.world.model_copy(update={"digests": ()})


@pytest.fixture(scope="module")
def in_memory():
    """What an operation says of a frame; it is asked once for all kinds of tables."""
    answers = {}

    def answer(run, frame):
        key = run, id(frame)
        if key not in answers:
            answers[key] = run(frame, frame)
        return answers[key]

    return answer


OPERATIONS = {
    "risk": risk(quasi=QUASI),
    "risk of everything": risk(
        quasi=QUASI,
        sensitive=["diagnosis"],
        unit="who",
        population=10_000,
        special_uniques=2,
        explain=True,
    ),
    "risk by weights": risk(quasi=["sex", "age"], weight="weighing", special_uniques=2),
    "risk of records": risk(quasi=["sex", "age"], special_uniques=2, fraction=0.1),
    "discover": discovered(explain=["zip"]),
    "discover keys": discovered(measure="unique", ratio=0.99, max_size=3),
    "discover in a sample": discovered(epsilon=0.05, seed=1, sample=200),
    "discover for a population": discovered(population="usa", drop_duplicates=True),
    "draft": drafted,
    "plan": planned(columns=[*QUASI, "age"], population=1e6, k=10, beta=0.1),
    "plan what is quasi-identifying": planned(population=1e6, k=10),
    "groups": grouped(k=3, columns=[*QUASI, "age"]),
    "groups of people": grouped(k=3, columns=[*QUASI, "age"], world_id="who"),
    "safe harbor": harboured,
    "safe harbor by policy": harboured_by_policy,
    "mask": masked,
    "quantiles": quantiled,
    "frontier": bounded,
    "query precision": precise,
    "attack": attacked,
    "attack a table": attacked_itself,
    "check": checked,
    "k-map": mapped,
}


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(name, marks=pytest.mark.slow) if name == "frontier" else name
        for name in OPERATIONS
    ],
)
def test_every_verb_gives_the_figures_of_memory(source_of, people, operation, in_memory):
    assert elsewhere.is_elsewhere(source_of(people))
    run = OPERATIONS[operation]
    assert run(source_of(people), people) == in_memory(run, people)


EXACT = {
    "levels": {"search": "lattice", "suppression": 0.1},
    "cuts": {"search": "cuts", "suppression": 0.2},
    "missing suppressed": {"search": "lattice", "missing": "suppress", "suppression": 0.1},
}


@pytest.mark.parametrize("name", EXACT)
def test_full_domain_recoding_is_the_same(source_of, people, name):
    policy = policy_of(people, **EXACT[name])
    mine = incrowd.anonymize(source_of(people), policy, seed=1)
    theirs = incrowd.anonymize(people, policy, seed=1)
    assert mine.levels == theirs.levels
    assert mine.models == theirs.models
    assert mine.risk == theirs.risk
    assert mine.loss == pytest.approx(theirs.loss, rel=1e-12)
    assert of_rows(mine.frame) == of_rows(theirs.frame)


def test_local_recoding_keeps_the_same_promises(source_of, people):
    policy = policy_of(people, search=LOCAL)
    mine = incrowd.anonymize(source_of(people), policy, seed=1)
    theirs = incrowd.anonymize(people, policy, seed=1)
    assert all(one.ok for one in mine.models)
    assert [(one.name, one.asked) for one in mine.models] == [
        (one.name, one.asked) for one in theirs.models
    ]
    for name, loss in theirs.loss.items():
        assert mine.loss[name] == pytest.approx(loss, rel=0.01)


def test_a_release_comes_back_as_it_came_and_checks(source_of, people):
    policy = policy_of(people, search="lattice", suppression=0.1)
    source = source_of(people)
    release = incrowd.anonymize(source, policy, seed=1)
    assert type(release.frame) is (pl.DataFrame if isinstance(source, str) else type(source))
    found = incrowd.check(release.frame, policy, release.certificate, original=source)
    assert found.digest_ok
    assert found.ok, found.notes


def test_a_table_has_the_digest_of_the_frame_that_it_is(source_of, odd):
    """Not those whose rows have no order: their digest is free of one."""
    source = source_of(odd)
    mine, theirs = (
        fetch.stored_release(one).digest() for one in (engine_of(source), MemoryEngine(odd))
    )
    if engine_of(source).name in {"postgresql", "spark"}:
        other = source_of(odd.sample(fraction=1.0, shuffle=True, seed=1))
        assert mine == fetch.stored_release(engine_of(other)).digest()
        assert mine[0] == "table"
    else:
        assert mine == theirs
    changed = odd.with_columns(pl.col("c0").replace("ill 4", "ill 3"))
    assert mine != fetch.stored_release(engine_of(source_of(changed))).digest()


ODD = {
    "risk": risk(quasi=HOSTILE[:6], sensitive=["c0", "class"]),
    "risk of nothing": risk(quasi=["nothing", "^.*$"], special_uniques=2),
    "discover": discovered(),
    "draft": drafted,
    "plan": planned(columns=HOSTILE[:6], population=1e6, k=10, beta=0.1),
    "groups": grouped(k=3, columns=HOSTILE[:6]),
    "safe harbor": harboured,
    "check": lambda source, frame: told(
        json.check_document(
            incrowd.check(
                source,
                incrowd.quick(frame.columns, quasi=HOSTILE[:5], keep=HOSTILE[5:], k=2),
            )
        )
    ),
    "mask": lambda source, _: of_rows(incrowd.mask(source, ratio=0.3, seed=1).frame),
    "quantiles": lambda source, _: of_rows(
        incrowd.quantiles(source, columns=["class", "^.*$"], k=5, keep="row", seed=1).frame
    ),
    "attack": lambda source, frame: [
        (one.kind, one.trials, one.figures)
        for one in incrowd.attack(source, original=frame, knows=HOSTILE[:3]).attacks
    ],
}


@pytest.mark.parametrize("operation", ODD)
def test_hostile_names_and_every_kind_of_cell(source_of, odd, operation, in_memory):
    run = ODD[operation]
    assert run(source_of(odd), odd) == in_memory(run, odd)


def test_a_release_of_hostile_names(source_of, odd):
    policy = incrowd.quick(
        odd.columns,
        quasi=HOSTILE[:5],
        sensitive=["c0"],
        keep=["n", "class"],
        k=3,
        method="lattice",
        suppress=0.3,
        max_alone=1.0,
    )
    mine = incrowd.anonymize(source_of(odd), policy, seed=1)
    theirs = incrowd.anonymize(odd, policy, seed=1)
    assert mine.levels == theirs.levels
    assert mine.models == theirs.models
    assert of_rows(mine.frame) == of_rows(theirs.frame)


def said(function):
    """What a call says: its result, or the message of its refusal."""
    try:
        return function()
    except (InputError, PolicyError, InfeasibleError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("records", [0, 1])
@pytest.mark.parametrize(
    "operation",
    ["risk", "discover", "draft", "plan", "groups", "safe harbor", "mask", "quantiles", "check"],
)
def test_no_record_and_one_record(source_of, people, records, operation):
    some, run = people[:records], OPERATIONS[operation]
    assert said(lambda: run(source_of(some), some)) == said(lambda: run(some, some))


# Tables that are too large to be brought into memory


@pytest.fixture
def large(source_of, people, monkeypatch):
    monkeypatch.setattr(tables, "FEW_RECORDS", 100)
    monkeypatch.setattr(discover_module, "SAMPLE", 300)
    return source_of(people)


@pytest.mark.parametrize("measure", ["distinct", "separation", "unique"])
def test_sets_of_a_sample_are_counted_on_all_records(large, people, measure):
    found = incrowd.discover(large, measure=measure, ratio=0.9)
    assert found.records == len(people)
    assert not found.sampled
    assert any("a sample of 300 of the 600 records" in note for note in found.notes)
    assert found.sets
    for one in found.sets:
        sizes = people.group_by(one.columns).len()["len"]
        assert one.ratios.classes == len(sizes)
        assert one.ratios.unique == (sizes == 1).sum()
        assert one.ratios.ratio(found.measure) >= 0.9
        for name in one.columns:
            rest = [other for other in one.columns if other != name]
            less = incrowd.discover(people, rest).best.ratios if rest else None
            assert less is None or less.ratio(found.measure) < 0.9
    assert found.best.ratios == incrowd.discover(people).best.ratios


def test_what_no_set_reaches(large, people):
    found = incrowd.discover(large, ["sex", "diagnosis"], ratio=0.9)
    assert not found.sets
    assert found.minimum is None
    assert found.best.ratios == incrowd.discover(people, ["sex", "diagnosis"]).best.ratios


def test_an_exact_answer_is_asked_for(large, people):
    mine, theirs = incrowd.discover(large, exact=True), incrowd.discover(people, exact=True)
    assert mine.sets == theirs.sets


def test_more_cells_than_fit_are_refused_with_a_remedy(large, monkeypatch):
    monkeypatch.setattr(fetch, "MOST_CELLS", 1000)
    for function in (
        lambda: incrowd.discover(large, exact=True),
        lambda: incrowd.mask(large, ratio=0.5),
        lambda: incrowd.quantiles(large, columns="age", keep=QUASI, k=10),
    ):
        with pytest.raises(LimitError, match="Parquet"):
            function()
    assert incrowd.risk(large, quasi=QUASI).records == 600


def test_records_are_listed_in_the_order_of_the_table(source_of, people, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    incrowd.risk(source_of(people), quasi=["sex", "age"], list_records=one)
    incrowd.risk(people, quasi=["sex", "age"], list_records=other)
    assert one.read_text() == other.read_text()


def test_a_plan_is_carried_out(source_of, people, tmp_path):
    plan = incrowd.plan(people, ["age", "sex"], population=1e6, k=10, beta=0.1)
    mine, theirs = (
        apply_plan(source, plan, tmp_path / f"{name}.parquet", sensitive=["diagnosis"], seed=1)
        for name, source in (("mine", source_of(people)), ("theirs", people))
    )
    assert mine.plan == theirs.plan
    assert mine.release.levels == theirs.release.levels


def test_sizes_and_batches_are_those_of_memory(source_of, odd):
    mine, theirs = engine_of(source_of(odd)), MemoryEngine(odd)
    for columns in (["two words"], [*HOSTILE], ["nothing"]):
        for one, other in zip(mine.class_sizes(columns), theirs.class_sizes(columns), strict=True):
            assert one.tolist() == other.tolist()
    rows = fetch.fetch_into_memory(mine, HOSTILE[::-1]).rows
    assert rows.columns == [*HOSTILE[::-1]]
    assert repr(rows.rows()) == repr([row[7::-1] for row in odd.rows()])


def test_of_columns_with_too_many_values_a_sample_is_looked_at(source_of, people, monkeypatch):
    monkeypatch.setattr(profiles, "MOST_VALUES", 100)
    monkeypatch.setattr(profiles, "SAMPLE", 500)
    mine, theirs = incrowd.draft(source_of(people)), incrowd.draft(people)
    assert mine.policy == theirs.policy
    assert dict(mine.risky).keys() == dict(theirs.risky).keys()
    assert dict(mine.risky) == pytest.approx(dict(theirs.risky), abs=0.05)
    found = incrowd.safe_harbor(source_of(people), today=2026)
    assert found.failing == incrowd.safe_harbor(people, today=2026).failing
    assert any("sample" in note or "some" in note for note in found.notes)
