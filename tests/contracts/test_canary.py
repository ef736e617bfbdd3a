"""No cell value leaves but in the release: a canary sits in every cell, and nothing may sing.

Every command and function is made to fail in every way that could be thought of, engines' own
errors included; then standard output, standard error, logs, documents, certificates, HTML and the
whole chain of exceptions are searched for it.
"""

import gzip
import io
import json
import logging
import re
import sys
import tempfile
import traceback
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from incrowd.cli.main import main
from incrowd.search import Lattice
from incrowd.search_names import SEARCHES

pytestmark = pytest.mark.slow
"""Every verb is run many times."""

WORD, NUMBER, DAY = "CanaryQx9", "735190486", "2187"
CANARY = re.compile(rf"{WORD}|{NUMBER}|{DAY}-", re.IGNORECASE)
N = 24


def columns(n=N):
    """A table whose every cell is a canary."""
    return {
        "age": [int(f"{NUMBER}{i % 4:02}") for i in range(n)],
        "cost": [float(f"{NUMBER}.{i % 5}5") for i in range(n)],
        "born": [f"{DAY}-0{1 + i % 3}-1{i % 5}" for i in range(n)],
        "town": [f"{WORD} town {i % 6}" for i in range(n)],
        "name": [f"{WORD} name {i}" for i in range(n)],
        "illness": [f"{WORD} illness {i % 5}" for i in range(n)],
    }


def text(table=None):
    stream = io.StringIO()
    pl.DataFrame(table or columns()).write_csv(stream)
    return stream.getvalue()


POLICY = """version = 1
[[models]]
name = "k-anonymity"
k = 3
[columns.age]
role = "quasi"
[columns.cost]
role = "drop"
[columns.born]
role = "quasi"
[columns.town]
role = "quasi"
[columns.name]
role = "identifier"
[columns.illness]
role = "sensitive"
"""
RELEASE = ("-o", "release.csv")
QUICK = ("-q", "age,born,town", "-s", "illness", "-k", "3")


def replaced(old, new):
    assert old in POLICY
    return POLICY.replace(old, new, 1)


def of(column, line):
    """The policy with one more line about a column."""
    return replaced(f"[columns.{column}]\n", f"[columns.{column}]\n{line}\n")


LAST = text().splitlines()[-1]
BAD_FILES = {
    "ragged": text() + f"{LAST},{WORD}\n",
    "short": text() + f"{WORD}\n",
    "quote": text() + f'"{WORD},{WORD}\n{WORD}',
    "bad-utf8": text().encode() + LAST.encode()[:-3] + b"\xff\xfe\x80\n",
    "zero-bytes": text().encode().replace(b"town", b"\x00"),
    "utf-16": text().encode("utf-16"),
    "twice": text().replace("cost", "age", 1),
    "no-header": text().split("\n", 1)[1],
    "one-line": LAST,
    "empty": "",
    "mixed": text() + LAST.replace(f"{NUMBER}", f"{WORD}", 1) + "\n",
    "huge": text() + LAST.replace(f"{NUMBER}", f"{NUMBER}{'9' * 400}", 1) + "\n",
}
BAD_POLICIES = {
    "not-toml": f"{WORD} = [",
    "toml-value": POLICY + f'[columns.x]\nrole = "{WORD}"\n',
    "role": replaced('"quasi"', f'"{WORD}"'),
    "key": replaced("k = 3", f'k = 3\nkk = "{WORD}"'),
    "number": replaced("k = 3", f'k = "{WORD}"'),
    "small": replaced("k = 3", f"k = -{NUMBER}"),
    "large": replaced("k = 3", "k = 999"),
    "number-town": of("town", 'kind = "number"'),
    "date-town": of("town", 'kind = "date"'),
    "date-age": of("age", 'kind = "date"'),
    "number-born": of("born", 'kind = "number"'),
    "intervals": of("town", 'hierarchy = { name = "intervals", width = 5 }'),
    "narrow": of("age", 'hierarchy = { name = "intervals", width = 1e-300 }'),
    "dates": of("town", 'hierarchy = "dates"'),
    "regions": of("town", 'hierarchy = "regions"'),
    "ordered": of("town", f'hierarchy = {{ name = "ordered", values = ["{WORD} town 1"] }}'),
    "ordered-twice": of(
        "town", f'hierarchy = {{ name = "ordered", values = ["{WORD}", "{WORD}"] }}'
    ),
    "tree": of("town", f'hierarchy = {{ name = "tree", rows = [["{WORD}", "*"], ["{WORD}"]] }}'),
    "cuts": of("age", f'hierarchy = {{ name = "intervals", cuts = [{NUMBER}9, {NUMBER}0] }}'),
    "file": of("age", 'hierarchy = { name = "file", path = "nowhere.csv" }'),
    "weight": replaced('"identifier"', '"weight"'),
    "unit": replaced('"identifier"', '"unit"'),
    "no-key": replaced('"identifier"', '"identifier"\naction = "pseudonym"'),
    "l": POLICY + '[[models]]\nname = "l-diversity"\ncolumn = "illness"\nl = 9\n',
    "t": POLICY + '[[models]]\nname = "t-closeness"\ncolumn = "illness"\nt = 0.0\n',
    "t-tree": POLICY
    + '[[models]]\nname = "t-closeness"\ncolumn = "illness"\nt = 0.1\ndistance = "hierarchical"\n',
    "target": f'loss = {{ name = "classification", target = "{WORD}" }}\n' + POLICY,
    "time": "time_limit = 0.000001\n" + POLICY,
}
BAD_SEARCHES = {
    "sets": f'name = "datafly", sets = [["{WORD}"]]',
    "likelihood": f'name = "datafly", likelihood = {{ {WORD} = 0.5 }}',
    "likely": f'name = "datafly", likelihood = {{ age = "{WORD}" }}',
    "nothing-likely": 'name = "datafly", likelihood = { age = 0, born = 0, town = 0 }',
    "preference": f'name = "datafly", preference = {{ {WORD} = 0.5 }}',
    "identifying": f'name = "mu-argus", identifying = {{ age = "{WORD}" }}',
    "levels": f'name = "mu-argus", levels = {{ {WORD} = 1 }}',
    "rules": f'name = "mu-argus", rules = ["{WORD}"]',
    "order": f'name = "mingen", prefer = {{ order = ["{WORD}"] }}',
    "weights": f'name = "mingen", prefer = {{ weights = {{ {WORD} = 1 }} }}',
    "at-most": 'name = "mingen", prefer = { at_most = { age = 0, born = 0, town = 0 } }',
    "limit": f'name = "mingen-cells", limit = {NUMBER}99',
    "share": f'name = "lattice+local", share = {NUMBER}',
    "name": f'name = "{WORD}"',
}
PERMUTED = f"""version = 1
[[models]]
name = "l-diversity"
column = "illness"
l = 2
{POLICY[POLICY.index("[columns.age]") :]}"""
BAD_HIERARCHIES = {
    "lacking": f"{WORD} town 0;*\n",
    "ragged": f"{WORD} town 0;{WORD};*\n{WORD} town 1;*\n",
    "contradicting": f"{WORD} town 0;a{WORD};*\n{WORD} town 0;b{WORD};*\n",
    "two-tops": f"{WORD} town 0;{WORD}1\n{WORD} town 1;{WORD}2\n",
    "not-nested": "".join(f"{WORD} town {i};{WORD}a;{WORD}{i}\n" for i in range(6)),
    "empty": "",
    "bytes": b"\xff\xfe\x80",
    "binary": gzip.compress(WORD.encode()),
}


@pytest.fixture
def listen(tmp_path, monkeypatch, capfd, caplog):
    """Run a command in an empty folder; afterwards nothing that was said may hold the canary."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INCROWD_DEBUG", "1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    Path("patients.csv").write_text(text())
    Path("policy.toml").write_text(POLICY)
    caplog.set_level(logging.DEBUG)
    given = {"patients.csv", "policy.toml", "release.csv"}

    def run(*arguments, files=None):
        for name, content in (files or {}).items():
            given.add(name)
            Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert silent(out)
        assert silent(err)
        assert silent(caplog.text)
        assert stop.value.code != 70, err
        for path in tmp_path.rglob("*"):
            if path.is_file() and path.name not in given:
                assert silent(path.read_text(errors="replace")), path.name
        return stop.value.code

    return run


def silent(said):
    return not CANARY.search(said)


def test_the_canary_would_be_heard():
    assert not silent(text())
    assert not silent(repr(pl.DataFrame(columns())))


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_commands_that_succeed(listen, flags):
    assert listen("init", "patients.csv", "-o", "draft.toml", *flags) == 0
    assert listen("risk", "patients.csv", "-q", "age,born,town", "-s", "illness", *flags) == 0
    explain = ("--explain", "age,born,town,name", "--population", "usa")
    assert listen("discover", "patients.csv", *explain, *flags) == 0
    assert listen("mask", "patients.csv", "--ratio", "0.9", *RELEASE, *flags) == 0
    assert listen("anonymize", "patients.csv", *QUICK, *RELEASE, *flags) == 0
    assert listen("anonymize", "patients.csv", "--policy", "policy.toml", *RELEASE, *flags) == 0
    certificate = next(Path().glob("*certificate*"))
    assert silent(certificate.read_text())
    checked = ("check", "release.csv", "--policy", "policy.toml", "--certificate", certificate)
    assert listen(*checked, *flags) == 0


@pytest.mark.parametrize("search", SEARCHES)
def test_every_search(listen, search):
    """Whether it finds something, is out of time or asked for too much."""
    few = text(columns(9))
    show = ("spans", "sets", "representatives")[SEARCHES.index(search) % 3]
    policy = f'show = "{show}"\nsearch = "{search}"\n{POLICY}'
    if search == "anatomy":
        policy = f'show = "permutation"\nsearch = "anatomy"\n{PERMUTED}'
    late = f"time_limit = 0.000001\n{policy}"
    good = f"time_limit = 600.0\n{policy}"  # kernels may have to be compiled first
    files = {"few.csv": few, "good.toml": good, "late.toml": late}
    flags = ("anonymize", "few.csv", *RELEASE, "--explore", "seen.json")
    assert listen(*flags, "--policy", "good.toml", files=files) in {0, 1, 4}
    assert listen(*flags, "--policy", "late.toml", "--json") in {0, 5}
    much = policy.replace("k = 3", "k = 10").replace("l = 2", "l = 9")
    assert listen(*flags, "--policy", "much.toml", "--json", files={"much.toml": much}) == 4


@pytest.mark.parametrize(
    ("search", "kind"),
    [
        *(("lattice", kind) for kind in ("csv", "json", "svg", "png", "html")),
        *((search, kind) for search in ("mingen", "exhaustive") for kind in ("csv", "json")),
        *(
            pytest.param(search, kind, marks=pytest.mark.thorough)
            for search in ("mingen", "exhaustive")
            for kind in ("svg", "png", "html")
        ),
    ],
)
def test_what_was_explored(listen, search, kind):
    flags = (*QUICK, *RELEASE, "--method", search, "--explore", f"seen.{kind}")
    assert listen("anonymize", "patients.csv", *flags) == 0
    assert Path(f"seen.{kind}").stat().st_size


@pytest.mark.parametrize("method", ["lattice", "mondrian"])
def test_reports(listen, method):
    """No page and no picture in it shows a cell; a page that says values was asked to."""
    flags = (*QUICK, "--method", method, *RELEASE, "--report", "made.html")
    assert listen("anonymize", "patients.csv", *flags) == 0
    pages = {"made.html": ()}
    pages["read.html"] = ("release.csv",)
    pages["policy.html"] = ("release.csv", "--policy", "policy.toml", "--original", "patients.csv")
    pages["alone.html"] = ("release.csv", *QUICK)
    pages["failing.html"] = ("patients.csv", *QUICK, "--original", "patients.csv")
    for page, words in pages.items():
        certified = ("--certificate", "release.csv.certificate.json")
        if words:
            more = certified if page == "read.html" else ()
            assert listen("report", *words, *more, "-o", page, "--json") in {0, 1, 2}
        if Path(page).exists():
            assert silent(Path(page).read_text(encoding="utf-8"))
            assert "<svg" in Path(page).read_text(encoding="utf-8")
    assert {"made.html", "read.html", "failing.html"} <= {str(found) for found in Path().glob("*")}


@pytest.mark.parametrize("name", BAD_SEARCHES)
def test_bad_settings_of_searches(listen, name):
    files = {"bad.toml": f"search = {{ {BAD_SEARCHES[name]} }}\n{POLICY}"}
    code = listen("anonymize", "patients.csv", "--policy", "bad.toml", *RELEASE, files=files)
    assert code in {2, 4}


@pytest.mark.parametrize("measure", ["distinct", "separation"])
@pytest.mark.parametrize("name", ["good", *BAD_FILES])
def test_masking_a_table_that_passes(listen, monkeypatch, name, measure):
    """What is wrong comes late: more records than the sample holds, and than one batch, go by."""
    content = {"good": text(), **BAD_FILES}[name]
    content = content if isinstance(content, bytes) else content.encode()
    if name not in {"utf-16", "empty", "no-header", "one-line", "twice"}:
        head, body = text().split("\n", 1)
        content = f"{head}\n{body * 20}".encode() + content.split(b"\n", 1)[1]
    flags = ("--ratio", "0.9", "--method", "sampled", "--sample", "40", "--seed", "1")
    flags += ("--measure", measure)
    given = {"bad.csv": content, "masked.csv": ""}
    code = listen("mask", "bad.csv", *flags, "-o", "masked.csv", "--json", files=given)
    stream = io.TextIOWrapper(io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", stream)
    assert code == listen("mask", "-", *flags, "-o", "masked.csv", "--json")
    assert code == 0 or not Path("masked.csv").read_bytes()


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_attacks_plans_and_checklists(listen, flags):
    assert listen("anonymize", "patients.csv", *QUICK, *RELEASE) == 0
    who = ("--world", "patients.csv", "--world-id", "name", "--truth", "patients.csv")
    more = ("--original", "patients.csv", "--other", "patients.csv", "--policy", "policy.toml")
    for release in ("release.csv", "patients.csv"):
        assert listen("attack", release, *who, *more, "--max-size", "2", *flags) in {0, 1}
    assert listen("safe-harbor", "patients.csv", *flags) == 1
    plan = ("--population", "1e6", "-k", "5", "--beta", "0.1", "--columns", "age,town,born")
    assert listen("plan", "patients.csv", *plan, *flags) in {0, 4}
    quantiles = ("--columns", "age,cost", "-k", "5", "-o", "release.csv")
    assert listen("quantiles", "patients.csv", *quantiles, *flags) == 0
    risk = ("-q", "age,born,town", "--population", "1000", "--special-uniques", "--explain")
    assert listen("risk", "patients.csv", *risk, *flags) == 0
    dual = ("--maximize", "privacy", "--max-loss", "1")
    assert listen("anonymize", "patients.csv", *QUICK, *RELEASE, *dual, *flags) == 0


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_tables_of_attackers_and_planners(listen, name):
    files = {"bad.csv": BAD_FILES[name]}
    listen("attack", "bad.csv", "--knows", "age,town", files=files)
    listen("attack", "patients.csv", "--world", "bad.csv", "--world-id", "name", files=files)
    listen("attack", "patients.csv", "--original", "bad.csv", "--policy", "policy.toml")
    listen(
        "attack", "bad.csv", "--world", "patients.csv", "--world-id", "name", "--truth", "bad.csv"
    )
    listen("attack", "patients.csv", "--original", "patients.csv", "--other", "bad.csv")
    listen("anonymize", "patients.csv", *QUICK, *RELEASE, "--world", "bad.csv")
    listen("safe-harbor", "bad.csv")
    listen("plan", "bad.csv", "--population", "1e6", "-k", "5", "--beta", "0.1")
    listen("quantiles", "bad.csv", "--columns", "age,cost", "-k", "5", *RELEASE)
    listen("risk", "bad.csv", "-q", "age,born,town", "--population", "30", "--explain")


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_tables(listen, name):
    files = {"bad.csv": BAD_FILES[name]}
    listen("init", "bad.csv", files=files)
    listen("risk", "bad.csv", "-q", "age,town", "-s", "illness", "--json", files=files)
    listen("anonymize", "bad.csv", *QUICK, *RELEASE, "--encoding", "utf-8", files=files)
    listen("check", "bad.csv", *QUICK, files=files)
    listen("report", "bad.csv", *QUICK, "-o", "bad.html", files=files)
    listen("report", "patients.csv", *QUICK, "--original", "bad.csv", "-o", "bad.html")
    listen("discover", "bad.csv", "--explain", "town", files=files)
    listen("mask", "bad.csv", "--ratio", "0.9", *RELEASE, files=files)


@pytest.mark.parametrize("flags", [(), ("--json",), ("-o", "page.html")])
def test_comparisons(listen, flags):
    """Of a table in which no value is held by five records."""
    files = {"few.csv": text(columns(12))}
    ask = ("-s", "illness", "--for", "cost~town+born", "--target", "town", *flags)
    assert listen("compare", "few.csv", "few.csv", "-q", "age,born,town", *ask, files=files) == 0
    assert listen("anonymize", "few.csv", *QUICK, *RELEASE, "--for", "illness~age") in {0, 2}
    assert listen("compare", "few.csv", "patients.csv", *ask) == 0
    listen("compare", "few.csv", "few.csv", "--for", f"illness~{WORD[:3]}")


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_tables_to_compare(listen, name):
    files = {"bad.csv": BAD_FILES[name]}
    listen("compare", "bad.csv", "patients.csv", files=files)
    listen("compare", "patients.csv", "bad.csv", "--no-models", files=files)


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_streams(listen, monkeypatch, name):
    content = BAD_FILES[name]
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    listen("discover", "-", "--sample", "5", "--json")


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv.gz", "csv.zst"])
def test_corrupt_containers(listen, suffix):
    listen("risk", f"bad.{suffix}", "-q", "age", files={f"bad.{suffix}": text()})
    frame = pl.DataFrame(columns())
    stream = io.BytesIO()
    if suffix == "parquet":
        frame.write_parquet(stream, compression="uncompressed")
    elif suffix == "arrow":
        frame.write_ipc(stream)
    else:
        stream.write(gzip.compress(text().encode()))
    for cut in (stream.getvalue()[:-40], stream.getvalue()[40:], stream.getvalue()[:200]):
        listen("anonymize", f"bad.{suffix}", *QUICK, *RELEASE, files={f"bad.{suffix}": cut})


@pytest.mark.parametrize("name", BAD_POLICIES)
def test_bad_policies(listen, name):
    files = {"bad.toml": BAD_POLICIES[name]}
    listen("anonymize", "patients.csv", "--policy", "bad.toml", *RELEASE, files=files)
    listen("check", "patients.csv", "--policy", "bad.toml", "--json", files=files)


@pytest.mark.parametrize("name", BAD_HIERARCHIES)
def test_bad_hierarchies(listen, name):
    files = {"town.csv": BAD_HIERARCHIES[name]}
    flags = ("--hierarchy", "town=town.csv")
    code = listen("anonymize", "patients.csv", *QUICK, *flags, *RELEASE, files=files)
    assert code in {2, 3}


@pytest.mark.parametrize("builder", ["intervals", "dates", "prefix", "regions", "flat", "tree"])
@pytest.mark.parametrize("column", ["age", "born", "town"])
def test_builders_that_do_not_fit(listen, builder, column):
    flags = ("--hierarchy", f"{column}={builder}")
    listen("anonymize", "patients.csv", *QUICK, *flags, *RELEASE)


@pytest.mark.parametrize("key", [b"", b"short", WORD.encode(), bytes(range(256))])
def test_keys_stay_secret(listen, key):
    files = {"bad.toml": BAD_POLICIES["no-key"], "key": key}
    listen(
        "anonymize",
        "patients.csv",
        "--policy",
        "bad.toml",
        "--key-file",
        "key",
        *RELEASE,
        files=files,
    )


def test_changed_releases_and_certificates(listen):
    assert listen("anonymize", "patients.csv", "--policy", "policy.toml", *RELEASE) == 0
    certificate = next(Path().glob("*certificate*"))
    flags = ("check", "bad.csv", "--policy", "policy.toml", "--certificate")
    lines = Path("release.csv").read_text()
    files = {"bad.csv": lines + lines.splitlines()[-1] + "\n"}
    assert listen(*flags, certificate, files=files) == 1
    assert listen(*flags, certificate, files={"bad.csv": text()}) in {1, 2, 3}
    broken = json.loads(certificate.read_text())
    broken["models"][0]["reached"] = WORD
    files = {"bad.csv": lines, "bad.json": json.dumps(broken)}
    assert listen(*flags, "bad.json", files=files) in {1, 3}
    assert listen(*flags, "bad.json", files={"bad.json": f"{{{WORD}"}) in {1, 3}


def test_a_release_that_fails_its_verification(listen, monkeypatch):
    """A search that ignores the models is found out, and nothing is written."""
    honest = Lattice.run
    monkeypatch.setattr(
        Lattice,
        "run",
        lambda self, problem, watch: honest(self, replace(problem, models=()), watch),
    )
    flags = (*QUICK, "--method", "lattice", *RELEASE)
    assert listen("anonymize", "patients.csv", *flags, "--json") == 1
    assert not Path("release.csv").exists()
    assert not list(Path().glob("*certificate*"))


def chain(error):
    """An exception with all that it came from, whether shown or not."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def heard(error):
    """All that an exception could tell anybody."""
    lines = [repr((one, one.args, getattr(one, "__notes__", ""))) for one in chain(error)]
    return "\n".join([*traceback.format_exception(error), *lines])


def frames(table):
    """The table in every library, some of them with odd types."""
    yield pl.DataFrame(table, strict=False)
    yield pl.DataFrame(table, strict=False).lazy()
    yield pl.DataFrame(table, strict=False).with_columns(pl.col("town").cast(pl.Categorical))
    yield pl.DataFrame(table, strict=False).with_columns(pl.concat_list("town").alias("town"))
    yield pl.DataFrame(table, strict=False).with_columns(pl.struct("name").alias("town"))
    yield pl.DataFrame(table, strict=False).with_columns(pl.col("town").cast(pl.Binary))
    pandas = pytest.importorskip("pandas")
    yield pandas.DataFrame(table)
    yield pandas.DataFrame({**table, "town": [[cell] for cell in table["town"]]})
    yield pandas.DataFrame({**table, "town": [{WORD: cell} for cell in table["town"]]})
    yield pandas.DataFrame({**table, "age": [*table["age"][:-1], WORD]})
    yield pandas.DataFrame(table).set_index("name", drop=False)
    doubled = pandas.DataFrame(table)
    doubled.columns = ["age", "age", *doubled.columns[2:]]
    yield doubled
    arrow = pytest.importorskip("pyarrow")
    yield arrow.table(table)
    yield arrow.table({**table, "town": [[cell] for cell in table["town"]]})
    yield table
    yield list(table.values())


FRAMES = range(16)


def stored(table):
    """The table in a database, some of it in odd types; and what fails while it is read."""
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame(table, strict=False)
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    yield connection.sql("SELECT * FROM given")
    yield connection.sql("SELECT * REPLACE ([town] AS town) FROM given")
    yield connection.sql("SELECT * REPLACE (town::BLOB AS town) FROM given")
    yield connection.sql("SELECT * REPLACE (town::INTEGER AS age) FROM given")
    yield connection.sql("SELECT * REPLACE (illness::DATE AS born) FROM given")
    yield frame.lazy().with_columns(pl.col("town").cast(pl.Int64).alias("age"))
    yield frame.lazy().with_columns(pl.col("town").str.to_date().alias("born"))
    ibis = pytest.importorskip("ibis")
    yield ibis.polars.connect({"given": frame}).table("given")
    backend = ibis.duckdb.connect()
    backend.con.register("given", frame.to_arrow())
    held = backend.table("given")
    yield held
    yield held.mutate(age=held.town.cast("int64"))


STORED = range(10)
FETCHED = {0, 5, 9}
"""One of each library is brought into memory, too: one that can be read, and two that fail."""
API_POLICIES = {"good": POLICY} | {
    name: BAD_POLICIES[name]
    for name in (
        "number-town",
        "date-town",
        "date-age",
        "number-born",
        "intervals",
        "dates",
        "regions",
        "ordered",
        "weight",
        "unit",
        "no-key",
        "l",
        "t",
        "large",
    )
}


def shown(result):
    """All that a result shows in a notebook or hands out as figures."""
    from incrowd.showing import Shown

    if not isinstance(result, Shown):
        return ""
    figures = json.dumps([result.to_dict(), result.to_frame().to_dicts()], default=str)
    return result._repr_html_() + result.plot()._repr_html_() + figures


@pytest.fixture
def attempt(capfd, caplog):
    """Call a function; whatever it says or raises may not hold the canary."""
    import incrowd

    caplog.set_level(logging.DEBUG)

    def run(function, *arguments, **options):
        result, said = None, ""
        try:
            result = function(*arguments, **options)
        except incrowd.IncrowdError as error:
            said = heard(error)
        assert silent(said)
        assert silent(shown(result))
        out, err = capfd.readouterr()
        assert silent(out + err + caplog.text)
        return result

    return run


@pytest.mark.parametrize("number", FRAMES)
def test_frames_of_every_kind(attempt, number):
    import incrowd

    frame = list(frames(columns()))[number]
    policy = incrowd.Policy.loads(POLICY)
    release = attempt(incrowd.anonymize, frame, policy)
    attempt(incrowd.draft, frame)
    attempt(incrowd.discover, frame, explain=["town"])
    attempt(incrowd.discover, iter([frame]), sample=5)
    attempt(incrowd.mask, frame, ratio=0.9)
    attempt(incrowd.groups, frame, 3)
    attempt(incrowd.quantiles, frame, columns="age", k=3)
    attempt(incrowd.plan, frame, ["age", "town"], population=1e6, k=5, beta=0.1)
    attempt(incrowd.safe_harbor, frame)
    attempt(incrowd.attack, frame, original=frame, knows=["age", "town"])
    attempt(incrowd.frontier, frame, policy, bounds=(1.0,))
    attempt(incrowd.risk, frame, quasi=["age", "town"], sensitive=["illness"], unit="name")
    attempt(incrowd.check, frame, policy)
    if release is not None:
        assert silent(repr(release) + release._repr_html_() + repr(release.risk))
        assert silent(release.certificate.to_json() + repr(release.certificate))
        assert silent(repr(release.recoding.kind))
        assert silent(repr(attempt(incrowd.check, release.frame, policy, release.certificate)))


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis, of DuckDB
@pytest.mark.parametrize(
    ("number", "few"),
    [
        *((number, -1) for number in STORED),
        *(
            pytest.param(number, 100_000, marks=[] if number in FETCHED else pytest.mark.thorough)
            for number in STORED
        ),
    ],
)
def test_tables_elsewhere(attempt, monkeypatch, number, few):
    import incrowd
    from incrowd.engines import elsewhere, lazy
    from incrowd.verbs import tables

    monkeypatch.setattr(lazy, "FEW_RECORDS", few)
    monkeypatch.setattr(tables, "FEW_RECORDS", few)
    source = list(stored(columns()))[number]
    policy = incrowd.Policy.loads(POLICY)
    engine = attempt(elsewhere.engine_of, source)
    assert silent(repr(engine))
    attempt(incrowd.draft, source)
    attempt(incrowd.discover, source, explain=["town"], sample=5)
    attempt(incrowd.mask, source, ratio=0.9)
    attempt(incrowd.quantiles, source, columns="age", k=3)
    attempt(incrowd.plan, source, ["age", "town"], population=1e6, k=5, beta=0.1)
    attempt(incrowd.groups, source, 3)
    attempt(incrowd.safe_harbor, source)
    attempt(incrowd.risk, source, quasi=["age", "town"], sensitive=["illness"], unit="name")
    attempt(incrowd.risk, source, quasi=["age"], weight="town")
    attempt(incrowd.attack, source, original=source, knows=["age", "town"])
    attempt(incrowd.check, source, policy)
    release = attempt(incrowd.anonymize, source, policy, seed=1)
    if release is not None:
        assert silent(repr(release) + release._repr_html_() + repr(release.risk))
        assert silent(release.certificate.to_json())
        assert silent(repr(attempt(incrowd.check, release.frame, policy, release.certificate)))


@pytest.mark.parametrize("name", API_POLICIES)
def test_policies_through_python(attempt, name):
    import incrowd

    policy = attempt(incrowd.Policy.loads, API_POLICIES[name])
    if policy is None:
        return
    for frame in list(frames(columns()))[::6]:
        attempt(incrowd.anonymize, frame, policy, key=WORD.encode())
        attempt(incrowd.check, frame, policy)


def test_settings_do_not_repeat_what_they_were_given():
    import incrowd

    for make in (
        lambda: incrowd.KAnonymity(WORD),
        lambda: incrowd.KAnonymity(-int(NUMBER)),
        lambda: incrowd.Ordered((WORD, WORD)),
        lambda: incrowd.Intervals(width=WORD),
        lambda: incrowd.Policy(columns={"a": {"role": WORD}}, models=()),
    ):
        with pytest.raises(Exception) as failure:  # noqa: PT011  pydantic's or ours
            make()
        assert silent(str(failure.value))
