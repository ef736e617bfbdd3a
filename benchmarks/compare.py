"""What a comparison costs next to the release, and what `--for` keeps of an analysis.

The first part compares a release of a million made-up records with seven columns with its original;
the ratio is against making the release in the same run. The second part releases the tables of
../shared/data that are there, 10,000 records of each, without and with `--for`, and says how far
the coefficients of the analysis are off, in standard errors of the original's, how far the 95 %
intervals overlap, and what it costs (gcp with equal weights).

    python -m benchmarks.compare [records]
"""

import gzip
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from benchmarks._timed import once
from incrowd import Policy, anonymize, compare, quick
from incrowd.datasets import hospital
from incrowd.search import AnySearch, Crowd, Mondrian
from incrowd.utility.comparison import ReleaseUtility

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import census_tables
import quasi_tables

ACS = Path(__file__).resolve().parents[2] / "shared" / "data" / "nist-acs" / "national2019.csv.gz"
SEVEN = ["birth_date", "sex", "zip", "country", "occupation", "ward", "diagnosis"]
Analysed = tuple[pl.DataFrame, list[str], str, str]
"""A table, its quasi-identifiers, its sensitive column and an analysis."""
SEARCHES: dict[str, AnySearch] = {"mondrian": Mondrian(), "crowd": Crowd(effort=0.3)}
DRAWN = 10_000


def speed(records: int) -> None:
    """Seconds of a release and of its comparison, from file to answer."""
    table = hospital(records, seed=1)
    policy = quick(SEVEN, quasi=SEVEN[:6], sensitive=SEVEN[6], k=10, search="mondrian")
    policy = _accepting(policy)
    with TemporaryDirectory() as folder:
        original, release = Path(folder) / "original.csv", Path(folder) / "release.csv"
        table.select(SEVEN).write_csv(original)
        small = Path(folder) / "small.csv"
        table.select(SEVEN).head(2_000).write_csv(small)
        anonymize(small, policy, release)  # compiles
        made, _ = once(lambda: anonymize(original, policy, release, seed=1))
        looked, found = once(lambda: compare(original, release, policy=policy, seed=1))
    shown = found.releases[0]
    print(f"{records:,} x {len(SEVEN)}: release {made:.1f} s, comparison {looked:.1f} s", end="")
    print(f" ({looked / made:.0%} of the release); two-way counts off by {shown.two_way:.4f}")


def analyses() -> None:
    """The coefficients of an analysis without and with `--for`."""
    for name, table in {"adult": adult, "acs": acs, "census": census}.items():
        try:
            drawn = table()
        except FileNotFoundError:
            print(f"{name}: the table is absent")
            continue
        for title, search in SEARCHES.items():
            _analysed(f"{name}, {title}", drawn, search)


def _analysed(title: str, drawn: Analysed, search: AnySearch) -> None:
    table, quasi, sensitive, formula = drawn
    names = [*quasi, sensitive]
    plain = _accepting(quick(names, quasi=quasi, sensitive=sensitive, k=10, search=search))
    for what, policy in (("plain", plain), ("--for", plain.for_analysis(formula))):
        frame = anonymize(table.select(names), policy, seed=1).frame
        found = compare(table.select(names), frame, policy=plain, formula=formula)
        print(f"{title:18} {what:6} {_figures(found.releases[0])}")


def _figures(release: ReleaseUtility) -> str:
    assert release.regression is not None
    terms = [one for one in release.regression.coefficients if one.release is not None]
    off = np.mean([abs(one.difference or 0.0) / one.standard_error for one in terms])
    overlap = np.mean([max(one.overlap or 0.0, 0.0) for one in terms])
    model = release.models[0]
    return (
        f"off by {off:.2f} errors, overlap {overlap:.2f}, gcp {release.losses['gcp']:.3f}, "
        f"{model.score} {model.original:.3f} -> {model.release:.3f}"
    )


def _accepting(policy: Policy) -> Policy:
    """The policy without refusals of derived columns: the tables are public."""
    columns = {n: c.model_copy(update={"derived": "accept"}) for n, c in policy.columns.items()}
    return policy.model_copy(update={"columns": columns})


def adult() -> Analysed:
    """UCI Adult: income by age, education and hours."""
    with gzip.open(quasi_tables.ADULT, "rb") as file:
        table = pl.read_csv(
            file.read(),
            has_header=False,
            new_columns=quasi_tables.ADULT_COLUMNS,
            infer_schema=False,
        )
    table = table.with_columns(pl.all().str.strip_chars()).filter(pl.col("income").is_not_null())
    table = table.with_columns(pl.col("age", "education-num", "hours-per-week").cast(pl.Int64))
    quasi = "age education-num marital-status race sex hours-per-week native-country workclass"
    formula = "income ~ age + `education-num` + `hours-per-week` + sex"
    return table.sample(DRAWN, seed=1), quasi.split(), "income", formula


def acs() -> Analysed:
    """NIST's excerpt of the American Community Survey: income by age, education and sex."""
    with gzip.open(ACS, "rb") as file:
        table = pl.read_csv(file.read(), infer_schema_length=None, null_values=["N", ""])
    words = ("SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT")
    table = table.drop_nulls(["PINCP", "EDU"]).with_columns(
        pl.col("PINCP").clip(0, 200_000), pl.col(*words).cast(pl.String)
    )
    quasi = ["PUMA", "AGEP", "EDU", *words]
    return table.sample(DRAWN, seed=1), quasi, "PINCP", "PINCP ~ AGEP + EDU + SEX"


def census() -> Analysed:
    """The papers' CENSUS: salary by age, education and gender."""
    codes = census_tables._codes()  # noqa: SLF001  the cells as they are
    drawn = np.sort(np.random.default_rng(0).choice(codes.shape[1], DRAWN, replace=False))
    table = pl.DataFrame({name: codes[j][drawn] for j, name in enumerate(census_tables.NAMES)})
    words = ("gender", "marital", "race", "work-class", "country")
    table = table.with_columns(pl.col(*words).cast(pl.String))
    quasi = list(census_tables.NAMES[:7])
    return table, quasi, "salary", "salary ~ age + education + gender"


def main() -> None:
    """Both parts."""
    speed(int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1_000_000)
    analyses()


if __name__ == "__main__":
    main()
