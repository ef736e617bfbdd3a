"""The golden cases: command lines whose exit codes, documents and files must stay as they are.

Every case runs in an empty folder; `@name` is a file of `tables.make`. A case of several lines runs
them one after the other: a release is made, then checked. `-j` stands for `--seed 7 --json`;
`< name` gives a file as standard input.
"""

from dataclasses import dataclass

from golden import tables

QUICK = "-q age,zip,sex -s illness --time-limit 600"
METHODS = (
    "accuracy",
    "anatomy",
    "auto",
    "crowd",
    "cuts",
    "datafly",
    "diversify",
    "exhaustive",
    "hilbert",
    "idistance",
    "lattice",
    "lattice+local",
    "mingen",
    "mondrian",
    "mu-argus",
    "top-down",
    "tree",
)
SMALL_METHODS = ("exhaustive", "mingen", "mingen-cells", "mu-argus")


@dataclass(frozen=True)
class Case:
    """A name, and the command lines that run under it."""

    name: str
    lines: tuple[str, ...]
    unordered: bool = False
    """Whether the release is drawn anew each time, so that its rows are not held to any order."""


def _made(name: str, table: str, arguments: str, *then: str) -> Case:
    return Case(name, (f"anonymize @{table} {arguments} -o out.csv -j", *then))


def _by_policy() -> list[Case]:
    """Each policy of `tables` that needs nothing but a table of people."""
    elsewhere = {
        "weight": "weights",
        "ordered": "ordered",
        "dates-grid": "ordered",
        "derived-refused": "ordered",
        "mingen": "small",
        "mu-argus": "small",
        "diversify-optimal": "tiny",
        "accuracy-optimal": "tiny",
    }
    drawn = ("permutation", "permutation-class", "anatomy")
    cases = []
    for file in tables.POLICIES:
        name = file.removesuffix(".toml")
        if name.startswith(("k-map", "delta")) or name == "pseudonym":
            continue
        table = elsewhere.get(name, "people")
        table = "gaps" if name.startswith("missing-") or name == "plain-gaps" else table
        table = "visits" if name.startswith("unit") else table
        made = _made(f"policy-{name}", f"{table}.csv", f"-p @{file}")
        cases.append(Case(made.name, made.lines, unordered=name in drawn))
    return cases


def _by_method() -> list[Case]:
    """Each search: k alone, with l, with people of several records, with missing values."""
    cases = []
    for method in METHODS:
        how = f"--method {method} {QUICK}"
        cases += [
            _made(f"method-{method}-k", "people.csv", f"{how} -k 4 --suppress 0.05"),
            _made(f"method-{method}-kl", "people.csv", f"{how} -k 4 -l 2 --suppress 0.1"),
            _made(f"method-{method}-t", "people.csv", f"{how} -k 6 -t 0.5"),
            _made(f"method-{method}-unit", "visits.csv", f"{how} -k 3 --unit patient_id"),
            _made(
                f"method-{method}-gaps",
                "gaps.csv",
                f"{how} -k 3 --missing matches-anything --suppress 0.3",
            ),
        ]
    cases += [
        _made(f"small-{method}", "small.csv", f"--method {method} {QUICK} -k 2")
        for method in SMALL_METHODS
    ]
    return cases


def _quick() -> list[Case]:
    """Flags of `anonymize`."""
    k = f"{QUICK} -k 5"
    cases = [
        _made("quick-kl", "people.csv", f"{k} -l 2"),
        _made("quick-keep", "people.csv", f"{k} --keep smoker,cost --accept-alone smoker,cost"),
        _made("quick-alone", "people.csv", f"{k} --keep smoker,cost"),
        _made("quick-t", "people.csv", f"{k} -t 0.4"),
        _made(
            "quick-unit-weight",
            "weights.csv",
            f"{k} --unit patient_id --weight weight --accept-alone weight",
        ),
        _made("quick-suppress", "people.csv", f"{k} -l 3 --suppress 0.15"),
        _made("quick-keep-order", "people.csv", f"{k} --keep-order"),
        _made("quick-ends", "people.csv", f"{k} --ends exact"),
        _made("quick-split", "people.csv", f"{k} --split-ends --grid age=10"),
        _made("quick-limits", "people.csv", f"{k} --widest age=20 --highest zip=3 --suppress 0.3"),
        _made("quick-hierarchies", "people.csv", f"{k} --hierarchy zip=@zip.csv"),
        _made("quick-builders", "people.csv", f"{k} --hierarchy zip=prefix:3,1"),
        _made("quick-loss", "people.csv", f"{k} --loss discernibility"),
        _made("quick-maximize", "people.csv", f"{QUICK} --maximize privacy --max-loss 0.4"),
        _made(
            "quick-maximize-k", "people.csv", f"{k} --maximize privacy --max-loss 0.6 --privacy k"
        ),
        _made(
            "quick-derived",
            "raw.csv",
            "-q birth_date -s diagnosis -k 5 --keep admission --accept-alone admission",
        ),
        _made("quick-delimiter", "latin.csv", f"{k} --delimiter ; --encoding latin-1 --header"),
        Case("dry-run", (f"anonymize @people.csv {k} --dry-run -o out.csv -j",)),
        Case(
            "explore",
            (f"anonymize @people.csv {k} --method lattice --explore e.csv -o out.csv -j",),
        ),
        Case(
            "certificate-elsewhere",
            (f"anonymize @people.csv {k} --certificate c.json -o out.csv -j",),
        ),
        Case(
            "explore-json",
            (f"anonymize @small.csv {k} -k 2 --method mingen --explore e.json -o out.csv -j",),
        ),
        Case(
            "pseudonym",
            (
                "anonymize @people.csv -p @pseudonym.toml --key-file @pseudonyms.key -o out.csv -j",
                "check out.csv -p @pseudonym.toml --json",
            ),
        ),
        Case("frontier", (f"anonymize @people.csv curve.csv --frontier {QUICK} --json",)),
        Case(
            "frontier-k", (f"anonymize @people.csv curve.json --frontier {k} --privacy k --json",)
        ),
        Case("frontier-policy", ("anonymize @people.csv --frontier -p @k.toml --json",)),
    ]
    for source, target in (
        ("csv", "tsv"),
        ("tsv", "tsv"),
        ("csv.gz", "csv.gz"),
        ("parquet", "parquet"),
        ("arrow", "arrow"),
        ("parquet", "csv"),
        ("csv", "parquet"),
        ("csv", "csv.zst"),
    ):
        kept = "--keep cost,smoker --accept-alone cost,smoker"
        line = f"anonymize @people.{source} {k} {kept} -o out.{target} -j"
        check = f"check out.{target} --certificate out.{target}.certificate.json --json"
        cases.append(Case(f"format-{source}-{target}", (line, check)))
    return cases


def _worlds() -> list[Case]:
    voters = "--world @world.csv --id patient_id --rename zip=zipcode"
    other = "--world @neighbours.csv"
    checked = "check out.csv --certificate out.csv.certificate.json"
    cases = [
        _made(
            f"world-{name}", "people.csv", f"-p @{name}.toml {voters}", f"{checked} {voters} --json"
        )
        for name in ("k-map", "k-map-lattice", "delta", "k-map-delta")
    ]
    return [
        *cases,
        _made("world-quick", "people.csv", f"{QUICK} -k 5 {voters}"),
        _made("world-method", "people.csv", f"{QUICK} -k 5 --method world {voters}"),
        _made("world-two", "people.csv", f"{QUICK} -k 4 {voters} {other}"),
        _made("world-rows", "people.csv", f"{QUICK} -k 5 --world @world.csv --rename zip=zipcode"),
        _made("world-missing", "people.csv", "-p @k-map.toml"),
        _made(
            "world-attack",
            "people.csv",
            f"{QUICK} -k 5 {voters}",
            f"attack out.csv {voters} --certificate out.csv.certificate.json --json",
        ),
    ]


def _checks() -> list[Case]:
    make = f"anonymize @people.csv {QUICK} -k 5 -l 2 -o out.csv -j"
    own = "anonymize @people.csv -p @l-frequency.toml -o out.csv -j"
    paper = "--certificate out.csv.certificate.json"
    return [
        Case("check-certificate", (make, f"check out.csv {paper} --json")),
        Case("check-policy", (own, "check out.csv -p @l-frequency.toml --json")),
        Case(
            "check-original",
            (
                "anonymize @people.csv -p @plain.toml -o out.csv -j",
                f"check out.csv -p @plain.toml {paper} --original @people.csv --json",
                f"check out.csv -p @plain.toml {paper} --original @strangers.csv --json",
            ),
        ),
        Case(
            "check-levels",
            (
                "anonymize @people.csv -p @plain-lattice.toml -o out.csv -j",
                f"check out.csv -p @plain-lattice.toml {paper} --original @people.csv --json",
            ),
        ),
        Case("check-quick", (make, "check out.csv -q age,zip,sex -s illness -k 5 -l 2 --json")),
        Case(
            "check-quick-fails", ("check @people.csv -q age,zip,sex -s illness -k 5 -l 2 --json",)
        ),
        Case("check-t-fails", ("check @people.csv -q sex -s illness -t 0.01 --json",)),
        Case("check-other", (own, make, "check out.csv -p @l-frequency.toml --json")),
        Case(
            "check-exact",
            (
                "anonymize @people.csv -p @exact-sets.toml -o out.csv -j",
                f"check out.csv -p @exact-sets.toml {paper} --original @people.csv --json",
            ),
        ),
        Case(
            "check-split",
            (
                "anonymize @gaps.csv -p @split-ends.toml -o out.csv -j",
                f"check out.csv -p @split-ends.toml {paper} --original @gaps.csv --json",
            ),
        ),
        Case(
            "check-representatives",
            (
                "anonymize @people.csv -p @show-representatives.toml -o out.csv -j",
                f"check out.csv {paper} --json",
                "check out.csv -p @show-representatives.toml --original @people.csv --json",
            ),
        ),
        Case(
            "check-gaps",
            (
                "anonymize @gaps.csv -p @plain-gaps.toml -o out.csv -j",
                f"check out.csv {paper} -p @plain-gaps.toml --original @gaps.csv --json",
                "check out.csv -q age,zip,sex -s illness -k 5 --missing own-value --json",
            ),
        ),
        Case(
            "check-unit",
            (
                "anonymize @visits.csv -p @unit.toml -o out.csv -j",
                f"check out.csv {paper} --json",
                "check out.csv -p @unit.toml --original @visits.csv --json",
            ),
        ),
        Case(
            "check-permutation",
            (
                "anonymize @people.csv -p @permutation-class.toml -o out.csv -j",
                f"check out.csv {paper} --json",
                "check out.csv -p @permutation-class.toml --original @people.csv --json",
            ),
            unordered=True,
        ),
        Case(
            "check-probabilistic",
            (
                "anonymize @people.csv -p @probabilistic.toml -o out.csv -j",
                f"check out.csv {paper} --json",
            ),
        ),
        Case(
            "signed",
            (
                "keys new key --json",
                f"anonymize @people.csv {QUICK} -k 5 --sign key -o out.csv -j",
                f"check out.csv {paper} --trusted-key key.pub --json",
                "keys new other --json",
                f"check out.csv {paper} --trusted-key other.pub --json",
            ),
        ),
    ]


def _attacks() -> list[Case]:
    smoker = "--keep smoker --accept-alone smoker"
    make = f"anonymize @people.csv {QUICK} -k 4 {smoker} -o out.csv -j"
    again = f"anonymize @people.csv {QUICK} -k 5 --method mondrian {smoker} -o two.csv -j"
    coarse = f"anonymize @people.csv {QUICK} -k 5 --method lattice -o out.csv -j"
    kept = f"anonymize @people.csv {QUICK} -k 4 --keep-order -o out.csv -j"
    paper = "--certificate out.csv.certificate.json"
    voters = "--world @world.csv --id patient_id --rename zip=zipcode"
    return [
        Case("attack-world", (make, f"attack out.csv {paper} {voters} --json")),
        Case("attack-original", (make, f"attack out.csv {paper} --original @people.csv --json")),
        Case(
            "attack-both",
            (coarse, f"attack out.csv {paper} {voters} --original @people.csv --max-size 2 --json"),
        ),
        Case(
            "attack-two",
            (make, again, f"attack out.csv {paper} --original @people.csv --other two.csv --json"),
        ),
        Case("attack-two-alone", (make, again, f"attack out.csv {paper} --other two.csv --json")),
        Case(
            "attack-control",
            (
                make,
                (
                    f"attack out.csv {paper} --original @people.csv --control @strangers.csv"
                    " --max-success 0.2 --json"
                ),
            ),
        ),
        Case(
            "attack-order",
            (kept, f"attack out.csv {paper} --original @people.csv --seed 3 --json"),
        ),
        Case(
            "attack-raw",
            (
                (
                    "attack @people.csv --original @people.csv --knows age,zip,sex -s illness"
                    " --max-raise 0.5 --json"
                ),
            ),
        ),
        Case(
            "attack-promise",
            (make, f"attack out.csv {paper} {voters} --promise sex=500 --listed 0.9 --json"),
        ),
        Case(
            "attack-lenient",
            (
                make,
                (
                    f"attack out.csv {paper} --original @people.csv --max-posterior 1 --rule-out 2"
                    " --json"
                ),
            ),
        ),
        Case("attack-nothing", (make, f"attack out.csv {paper} --json")),
        Case(
            "attack-gaps",
            (
                "anonymize @gaps.csv -p @missing-matches-anything.toml -o out.csv -j",
                f"attack out.csv {paper} --original @gaps.csv --json",
            ),
        ),
        Case(
            "attack-ends",
            (
                "anonymize @people.csv -p @exact-spans.toml -o out.csv -j",
                f"attack out.csv {paper} {voters} --original @people.csv --json",
            ),
        ),
        Case(
            "attack-split",
            (
                "anonymize @people.csv -p @split-ends.toml -o out.csv -j",
                f"attack out.csv {paper} {voters} --json",
            ),
        ),
    ]


_ONE_LINERS = {
    "risk": "risk @people.csv -q age,zip,sex -s illness --json",
    "risk-threshold": "risk @people.csv -q age,zip --threshold 0.5 --json",
    "risk-population": "risk @people.csv -q age,sex --population 3e6 --json",
    "risk-fraction": "risk @people.csv -q age,sex,zip -s illness --fraction 0.1 --json",
    "risk-weights": "risk @weights.csv -q age,sex --weight weight --json",
    "risk-unit": "risk @visits.csv -q age,sex,zip -s illness --unit patient_id --json",
    "risk-unit-population": "risk @visits.csv -q age,sex --unit patient_id --population 1e5 --json",
    "risk-special": "risk @people.csv -q age,zip,sex,country,occupation --special-uniques"
    " --max-size 3 --json",
    "risk-explain": "risk @people.csv -q age,zip,sex -s illness --explain --json",
    "risk-explain-dates": "risk @ordered.csv -q birth_date,country,size --explain --json",
    "risk-gaps": "risk @gaps.csv -q age,zip,sex -s illness,stay --json",
    "risk-list": "risk @people.csv -q age,zip,sex --list-records list.csv --json",
    "risk-several": "risk @people.parquet -q age,sex -s illness,stay,smoker --json",
    "discover": "discover @people.csv --json",
    "discover-raw": "discover @raw.csv --ratio 0.95 --max-size 3 --json",
    "discover-one": "discover @people.csv --ratio 1 --max-size 4 --json",
    "discover-separation": "discover @people.csv --measure separation --ratio 0.999 --json",
    "discover-unique": "discover @people.csv --measure unique --ratio 0.5 --max-size 4 --json",
    "discover-columns": "discover @people.csv --columns age,zip,sex,country --ratio 0.3 --json",
    "discover-sampled": "discover @tall.csv --sampled --sample 500 -j",
    "discover-epsilon": "discover @tall.csv --measure separation --epsilon 0.02 -j",
    "discover-once": "discover @tall.csv --drop-duplicates --ratio 0.5 --json",
    "discover-population": "discover @people.csv --population 1e6 --domain zip=1e5 --alpha 0.3"
    " --json",
    "discover-observed": "discover @people.csv --population usa --source observed --json",
    "discover-explain": "discover @people.csv --explain age,zip --json",
    "discover-groups": "discover @people.csv -k 3 --json",
    "discover-groups-id": "discover @visits.csv -k 2 --id patient_id --max-size 2 --json",
    "discover-gaps": "discover @gaps.csv --ratio 0.6 --json",
    "mask": "mask @people.csv --ratio 0.4 -o out.csv -j",
    "mask-exact": "mask @people.csv --ratio 0.3 --method exact -o out.csv -j",
    "mask-sampled": "mask @tall.csv --ratio 0.3 --method sampled --sample 1000 -o out.csv -j",
    "mask-sampled-order": "mask @tall.csv --ratio 0.3 --method sampled --sample 800 --keep-order"
    " -o out.csv -j",
    "mask-separation": "mask @people.csv --measure separation --ratio 0.9 -o out.csv -j",
    "mask-unique": "mask @people.csv --measure unique --ratio 0.1 --keep sex -o out.csv -j",
    "mask-weights": "mask @people.csv --ratio 0.4 --weight age=5,zip=3 --drop name,patient_id"
    " --keep-order -o out.csv -j",
    "mask-dry": "mask @people.csv --ratio 0.4 --dry-run -j",
    "mask-formats": "mask @people.parquet --ratio 0.4 -o out.tsv -j",
    "mask-latin": "mask @latin.csv --ratio 0.3 --encoding latin-1 --delimiter ; --keep-order"
    " -o out.csv -j",
    "mask-gz": "mask @people.csv.gz --ratio 0.3 --method sampled --sample 200 -o out.csv.gz -j",
    "mask-none": "mask @people.csv --ratio 0.01 --keep patient_id -o out.csv -j",
    "plan-sizes": "plan --distinct sex=2,birth_date=21900,zip=100000 --population 3e8 -k 100"
    " --beta 0.1 --json",
    "plan-chernoff": "plan --distinct sex=2,age=90,zip=1000 --population 3e8 -k 100 --beta 0.1"
    " --bound chernoff --simultaneous --weights zip=2 --json",
    "plan-k": "plan --distinct sex=2,age=90,zip=1000 --population 3e8 --beta 0.1 --json",
    "plan-beta": "plan --distinct sex=2,age=90 --population 1e6 -k 100 --json",
    "plan-people": "plan --distinct sex=2,age=90 -k 100 --beta 0.05 --json",
    "plan-file": "plan @people.csv --columns age,zip,sex --population 1e7 -k 50 --beta 0.1 --json",
    "plan-found": "plan @raw.csv --population usa -k 50 --beta 0.1 --json",
    "plan-apply": "plan @people.csv --columns age,zip,sex --population 1e7 -k 20 --beta 0.1 --apply"
    " -s illness -o out.csv -j",
    "plan-hierarchy": "plan @people.csv --columns age,zip,sex --population 1e7 -k 50 --beta 0.1"
    " --hierarchy zip=prefix:3,1 --confidence 0.8 --json",
    "quantiles": "quantiles @people.csv -c age,cost -k 20 -o out.csv -j",
    "quantiles-buckets": "quantiles @people.csv -c cost --buckets 7 --show range --keep sex -o"
    " out.csv -j",
    "quantiles-sampled": "quantiles @tall.csv -c age,cost -k 100 --epsilon 0.08 -o out.csv -j",
    "quantiles-order": "quantiles @tall.csv -c age -k 50 --keep illness,name --keep-order -o"
    " out.csv -j",
    "quantiles-dates": "quantiles @raw.csv -c birth_date,admission -k 25 --show range -o"
    " out.csv -j",
    "quantiles-gaps": "quantiles @gaps.csv -c age -k 50 -o out.csv -j",
    "quantiles-parquet": "quantiles @people.parquet -c stay -k 30 -o out.parquet -j",
    "quantiles-tsv": "quantiles @people.tsv -c stay,age -k 30 --keep sex --keep-order -o"
    " out.csv.gz -j",
    "quantiles-latin": "quantiles @latin.csv -c age -k 30 --delimiter ; --encoding latin-1"
    " --keep prénom --keep-order -o out.csv -j",
    "quantiles-dry": "quantiles @people.csv -c age -k 20 --dry-run -j",
    "safe-harbor": "safe-harbor @raw.csv --today 2024 --json",
    "safe-harbor-people": "safe-harbor @people.csv --today 2024 --zip-populations @areas.csv"
    " --json",
    "safe-harbor-policy": "safe-harbor @people.csv -p @k.toml --today 2024 --json",
    "init": "init @people.csv -o policy.toml --json",
    "init-out": "init @ordered.csv --json",
    "init-raw": "init @raw.csv -o policy.toml --json",
    "init-visits": "init @visits.csv --preset public-file --json",
    "init-hipaa": "init @raw.csv --preset hipaa-safe-harbor -o policy.toml --json",
    "init-internal": "init @gaps.csv --preset internal --json",
    "stdin-risk": "risk - -q age,zip,sex --json < people.csv",
    "stdin-anonymize": "anonymize - -q age,zip,sex -k 5 --time-limit 600 -o out.csv --seed 7 --json"
    " < people.csv",
    "stdin-discover": "discover - --sampled --sample 300 --seed 7 --json < tall.csv",
    "stdin-mask": "mask - --ratio 0.3 --method sampled --sample 900 -o out.csv --seed 7 --json"
    " < tall.csv",
    "stdin-quantiles": "quantiles - -c age,cost -k 100 --epsilon 0.1 --keep zip -o out.csv --seed 7"
    " --json < tall.csv",
    "stdin-quantiles-order": "quantiles - -c cost -k 100 --keep-order --show range -o out.csv"
    " --seed 7 --json < tall.csv",
    "error-column": "risk @people.csv -q agee --json",
    "error-method": "anonymize @people.csv -q age -k 5 --method nothing -o out.csv --json",
    "error-flag": "risk @people.csv --nothing --json",
    "error-no-file": "risk nowhere.csv -q age --json",
    "error-ragged": "risk @ragged.csv -q age --json",
    "error-empty": "risk @empty.csv -q age --json",
    "error-ending": "anonymize @people.csv -q age -k 5 -o out.sav --json",
    "error-no-target": "anonymize @people.csv -q age -k 5 --json",
    "error-k": "anonymize @people.csv -q age -k 1000 -o out.csv --json",
    "error-l": "anonymize @people.csv -q age -s sex -l 5 -o out.csv --json",
    "error-share": "mask @people.csv --ratio 2 -o out.csv --json",
    "error-quantiles": "quantiles @people.csv -c sex -k 5 -o out.csv --json",
    "error-hierarchy": "anonymize @people.csv -q zip -k 5 --hierarchy zip=@sex.csv -o out.csv"
    " --json",
    "error-plan": "plan --distinct sex=2 --json",
    "error-trust": "check @people.csv -q age -k 2 --trusted-key nothing.pub --json",
    "error-preset": "init @people.csv --preset nothing --json",
    "error-lattice": "anonymize @people.csv -q age,zip,sex,country,occupation --method mingen-cells"
    " -k 5 -o out.csv --json",
    "error-seed": "anonymize @people.csv -q age -k 5 --seed -1 -o out.csv --json",
    "error-world-id": "anonymize @people.csv -q age -k 5 --world @world.csv --id nothing -o"
    " out.csv --json",
    "version-unknown": "nothing --json",
}

CASES = (
    *_by_policy(),
    *_by_method(),
    *_quick(),
    *_worlds(),
    *_checks(),
    *_attacks(),
    *(Case(name, (line,)) for name, line in _ONE_LINERS.items()),
)
