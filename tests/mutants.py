"""Break the verifier, the models and the engines one line at a time: `make test` must notice.

    python tests/mutants.py                 every mutant
    python tests/mutants.py verify/ sql     those whose file has one of these in its name

Each mutant is a text of a source file and what it becomes. A copy of the sources is changed, and
the test files that should notice are run on the copy, without what only `make thorough` runs. Ends
with 1 if a mutant survives, or if its text is not there exactly once.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "incrowd"


class Mutant(NamedTuple):
    """A change of one source file that makes it wrong, and the tests that should notice."""

    file: str
    before: str
    after: str
    tests: tuple[str, ...]


def _mutants(file, tests, *changes):
    """Several mutants of one file."""
    return [Mutant(file, before, after, tuple(tests.split())) for before, after in changes]


MUTANTS = [
    *_mutants(
        "verify/judges.py",
        "tests/verify/test_judges.py tests/verify/test_limits.py",
        ("smallest >= model.k", "smallest >= model.k - 1"),
        ("int(evidence.people.min()) < model.k", "int(evidence.people.max()) < model.k"),
        ("fewest >= meant_fraction(model.l)", "fewest + 1 >= meant_fraction(model.l)"),
        ("np.log(model.l) - _ROUNDING", "np.log(model.l) - 0.1"),
        ("worst <= model.t + _ROUNDING", "worst <= model.t + 0.05"),
        ("np.where(rank >= l, count, 0)", "np.where(rank >= l - 1, count, 0)"),
        ("if drawn > n:", "if drawn > n + 1:"),
        ("met and share <= model.delta + _ROUNDING", "met"),
    ),
    *_mutants(
        "verify/crowds.py",
        "tests/verify/test_judges.py tests/verify/test_refused.py tests/release/test_verify.py",
        (
            "_count_distinct(self.class_of, codes, self.unit)",
            "_count_distinct(self.class_of, codes, codes)",
        ),
        ("key = key * domain + column", "key = key + column"),
        (
            "known = ~(patterns[:, p] | patterns[:, q])",
            "known = ~(patterns[:, p] & patterns[:, q])",
        ),
    ),
    *_mutants(
        "verify/verify.py",
        "tests/verify/test_refused.py tests/release/test_verify.py tests/engines/test_blocks.py "
        "tests/engines/test_duckdb.py",
        ("    if repeated:", "    if repeated > 1:"),
        ("    if differing:", "    if differing > 1:"),
        ("if records != leaving:", "if records > leaving:"),
        ("worst = min if model.higher_is_safer else max", "worst = max"),
    ),
    *_mutants(
        "verify/covering.py",
        "tests/verify/test_covering.py tests/release/test_original.py",
        ("good &= column.covers", "good |= column.covers"),
        ("np.maximum(released - there, 0)", "np.maximum(released - there - 1, 0)"),
    ),
    *_mutants(
        "verify/alone.py",
        "tests/verify/test_alone.py tests/release/test_kept.py",
        ("flags: Flags = people[place] == 1", "flags: Flags = people[place] == 2"),
    ),
    *_mutants(
        "verify/shown.py",
        "tests/verify/test_named.py",
        ("int(people[shown[i]].sum()) < k", "int(people[shown[i]].sum()) < k - 1"),
    ),
    *_mutants(
        "models/k_anonymity.py",
        "tests/conformance/test_models.py",
        ("classes.people >= self.k", "classes.records >= self.k"),
    ),
    *_mutants(
        "models/l_diversity.py",
        "tests/models/test_l_diversity.py tests/conformance/test_models.py",
        (
            "return self.achieved_per_class(classes) >= self.l",
            "return self.achieved_per_class(classes) > self.l",
        ),
        ("return math.ceil(fraction(self.l))", "return math.ceil(fraction(self.l)) + 1"),
    ),
    *_mutants(
        "models/t_closeness.py",
        "tests/models/test_t_closeness.py tests/conformance/test_models.py",
        ("return total / max(len(maps), 1)", "return total"),
    ),
    *_mutants(
        "models/alpha_k.py",
        "tests/models/test_alpha_k.py tests/conformance/test_models.py",
        ("return (classes.people >= self.k) & fair", "return fair"),
    ),
    *_mutants(
        "models/delta_presence.py",
        "tests/models/test_world_models.py tests/conformance/test_models.py",
        (
            "classes.people <= most_within_share(counts, fraction(self.delta))",
            "classes.people <= counts",
        ),
    ),
    *_mutants(
        "engines/sql_release.py",
        "tests/engines/test_seam.py tests/engines/test_duckdb.py tests/conformance/test_engines.py",
        ("HAVING count(*) > 1", "HAVING count(*) > 2"),
        ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
        ("HAVING sum(sign) <> 0", "HAVING sum(sign) > 0"),
        ('f"coalesce({negative(column.name)}, false)" if column.cells', '"false" if column.cells'),
    ),
    *_mutants(
        "engines/sql_staging.py",
        "tests/engines/test_seam.py tests/engines/test_duckdb.py tests/conformance/test_engines.py",
        ("WHERE class >= 0", ""),
        ("place < last_place", "place <= last_place"),
        ("mine.here = theirs.there", "mine.here = theirs.here"),
        (
            "gone = pl.Series((column.codes[first] == 0)",
            "gone = pl.Series((column.codes[first] < 0)",
        ),
    ),
    *_mutants(
        "engines/sql_counting.py",
        "tests/engines/test_seam.py tests/engines/test_duckdb.py tests/conformance/test_engines.py",
        ("for column in quasi if complete else ():", "for column in ():"),
        ('if cell.cells == "float"', 'if cell.cells == "none"'),
    ),
    *_mutants(
        "engines/fetch.py",
        "tests/conformance/test_engines.py",
        ("if records * columns > MOST_CELLS:", "if records > MOST_CELLS:"),
    ),
    *_mutants(
        "engines/postgresql_columns.py",
        "tests/engines/test_postgresql.py tests/conformance/test_engines.py",
        ("len(whole) + digits > _DIGITS", "len(whole) > _DIGITS"),
        ('and not facts["far"]', ""),
    ),
    *_mutants(
        "engines/spark.py",
        "tests/engines/test_spark.py tests/conformance/test_engines.py",
        (" AND CAST({cell} AS STRING) = '-0.0'", ""),
    ),
    *_mutants(
        "engines/sql.py",
        "tests/engines/test_seam.py tests/engines/test_duckdb.py tests/conformance/test_engines.py",
        ("{one} IS NOT DISTINCT FROM {other}", "{one} = {other}"),
    ),
]


def _main(wanted):
    """Try the mutants whose file has one of these in its name; how many survive."""
    chosen = [one for one in MUTANTS if not wanted or any(part in one.file for part in wanted)]
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "incrowd"
        shutil.copytree(SOURCES, copy)
        for number, mutant in enumerate(chosen, 1):
            state = _tried(mutant, copy)
            survived += state != "killed"
            _say(f"{number:2} of {len(chosen)} {state:9} {mutant.file}: {mutant.before!r}")
    _say(f"{len(chosen) - survived} of {len(chosen)} killed")
    return min(survived, 1)


def _tried(mutant, copy):
    """Whether tests fail on the changed copy, which is as before afterwards."""
    path = copy / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.before) != 1:
        return "NOT THERE"
    path.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    try:
        return "killed" if _failed(mutant.tests, copy.parent) else "SURVIVED"
    finally:
        path.write_text(text, encoding="utf-8")


def _failed(tests, folder):
    """Whether one of these test files fails with the package of this folder."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not thorough", *tests],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        check=False,
    )
    if done.returncode not in {0, 1}:
        raise SystemExit(done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:])
    return done.returncode == 1


def _say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
