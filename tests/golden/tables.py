"""The tables, policies and keys that the golden cases read, made the same every time."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from incrowd.datasets import hospital, visits

SEED = 3
PEOPLE = 300
WORLD = 1200


def make(folder: Path) -> None:
    """Write every input below the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    people = _people(hospital(PEOPLE, SEED))
    tables = {
        "people": people,
        "small": people.select("age", "sex", pl.col("zip").str.slice(0, 2), "illness").head(16),
        "tiny": people.select("age", "illness").head(20),
        "visits": _people(visits(150, SEED)),
        "weights": people.with_columns(weight=1 + pl.int_range(pl.len()) % 9 * 2),
        "gaps": _with_gaps(people),
        "ordered": _ordered(hospital(PEOPLE, SEED)),
        "world": _people(hospital(WORLD, SEED)).select(
            "patient_id", "age", "sex", pl.col("zip").alias("zipcode"), "name"
        ),
        "neighbours": _people(hospital(WORLD, SEED))
        .select("patient_id", "age", "occupation")
        .gather_every(2),
        "strangers": _people(hospital(PEOPLE, SEED + 1)),
        "raw": hospital(PEOPLE, SEED),
        "tall": pl.concat([_people(hospital(2000, SEED))] * 2),
    }
    for name, table in tables.items():
        table.write_csv(folder / f"{name}.csv")
    _other_formats(people, folder)
    _odd_files(people, folder)


def _people(table: pl.DataFrame) -> pl.DataFrame:
    """The hospital with ages as numbers and illnesses as few letters."""
    return table.select(
        "patient_id",
        "name",
        (2024 - pl.col("birth_date").dt.year()).alias("age"),
        "sex",
        "zip",
        "country",
        "occupation",
        pl.col("diagnosis").str.slice(0, 1).fill_null("I").alias("illness"),
        "stay",
        "cost",
        "smoker",
    ).with_columns(pl.col("age").fill_null(40), pl.col("zip").fill_null("00501"))


def _with_gaps(people: pl.DataFrame) -> pl.DataFrame:
    row = pl.int_range(pl.len())
    return people.with_columns(
        age=pl.when(row % 7 != 3).then("age"),
        zip=pl.when(row % 11 != 5).then("zip"),
        sex=pl.when(row % 13 != 6).then("sex"),
    )


def _ordered(table: pl.DataFrame) -> pl.DataFrame:
    row = pl.int_range(pl.len())
    sizes = pl.Series(["S", "M", "L", "XL"])
    return table.select(
        "birth_date",
        size=pl.lit(sizes).gather((row * 7 % 10 // 3).cast(pl.UInt32)),
        town=pl.format("{}, {}", pl.col("zip").str.slice(0, 1).fill_null("?"), "ward"),
        admission="admission",
        country="country",
        ward=pl.col("ward"),
        stay="stay",
    )


def _other_formats(people: pl.DataFrame, folder: Path) -> None:
    people.write_csv(folder / "people.tsv", separator="\t")
    text = people.write_csv().encode()
    (folder / "people.csv.gz").write_bytes(gzip.compress(text, mtime=0))
    people.write_parquet(folder / "people.parquet")
    people.write_ipc(folder / "people.arrow")
    lines = text.decode().replace(",", ";").splitlines()
    (folder / "latin.csv").write_bytes(
        "\r\n".join([lines[0].replace("name", "prénom"), *lines[1:], ""]).encode("latin-1")
    )


def _odd_files(people: pl.DataFrame, folder: Path) -> None:
    (folder / "ragged.csv").write_text("age,sex\n20,F\n21\n22,M,3\n")
    (folder / "empty.csv").write_text("")
    (folder / "pseudonyms.key").write_bytes(bytes(range(32)))
    sexes = "F;*\nM;*\nfemale;*\nmale;*\n"
    (folder / "sex.csv").write_text(sexes)
    zips = sorted({line for line in people["zip"].to_list() if line})
    (folder / "zip.csv").write_text("".join(f"{z};{z[:2]}***;{z[:1]}****;*\n" for z in zips))
    (folder / "areas.csv").write_text("zip3,people\n005,30000\n100,15000\n941,25000\n")
    for name, text in POLICIES.items():
        (folder / name).write_text(text)


def toml(
    *models: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]] | None = None, **top: Any
) -> str:
    """A policy file of these models, columns beside the usual ones, and settings."""
    settings = {"version": 1, "time_limit": 600.0, **top}
    lines = [f"{key} = {_value(value)}" for key, value in settings.items()]
    for model in models:
        lines += ["", "[[models]]", *(f"{key} = {_value(value)}" for key, value in model.items())]
    for name, column in (USUAL if columns is None else columns).items():
        lines += ["", f"[columns.{name}]"]
        lines += [f"{key} = {_value(value)}" for key, value in column.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)


DROP: dict[str, Any] = {"role": "drop"}
QUASI: dict[str, Any] = {"role": "quasi"}
SENSITIVE: dict[str, Any] = {"role": "sensitive"}
KEEP: dict[str, Any] = {"role": "keep", "alone": "accept"}
USUAL: dict[str, dict[str, Any]] = {
    "patient_id": DROP,
    "name": DROP,
    "age": {"role": "quasi", "hierarchy": {"name": "intervals", "width": 5}},
    "sex": {"role": "quasi", "hierarchy": "flat"},
    "zip": {"role": "quasi", "hierarchy": "prefix"},
    "country": DROP,
    "occupation": DROP,
    "illness": SENSITIVE,
    "stay": {"role": "sensitive"},
    "cost": DROP,
    "smoker": KEEP,
}
SMALL: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi", "hierarchy": {"name": "intervals", "widths": [10, 20, 40]}},
    "sex": {"role": "quasi", "hierarchy": "flat"},
    "zip": {"role": "quasi", "hierarchy": "prefix"},
    "illness": SENSITIVE,
}
TINY: dict[str, dict[str, Any]] = {"age": QUASI, "illness": SENSITIVE}
PERMUTED = {**USUAL, "smoker": DROP}
WORLDLY = {**USUAL, "stay": DROP, "smoker": DROP}
TREE = {
    "name": "tree",
    "rows": [
        *([letter, "body", "*"] for letter in "IJEKN"),
        *([letter, "frame", "*"] for letter in "SM"),
        *([letter, "rare", "*"] for letter in "CFGABOPQ"),
    ],
}

K5 = {"name": "k-anonymity", "k": 5}
K3 = {"name": "k-anonymity", "k": 3}
K2 = {"name": "k-anonymity", "k": 2}


def diverse(l: float, kind: str = "frequency", **more: Any) -> dict[str, Any]:
    """An l-diversity of the illness."""
    return {"name": "l-diversity", "column": "illness", "l": l, "kind": kind, **more}


def close(t: float, distance: str, column: str = "illness") -> dict[str, Any]:
    """A t-closeness."""
    return {"name": "t-closeness", "column": column, "t": t, "distance": distance}


def limited(**limits: Any) -> dict[str, dict[str, Any]]:
    """The usual columns, with further keys for some."""
    return {**USUAL, **{name: {**USUAL[name], **more} for name, more in limits.items()}}


SHOWS = ("spans", "sets", "representatives")
READINGS = ("own-value", "matches-anything", "suppress")
LOSSES: dict[str, Any] = {
    **{
        name: name
        for name in (
            "gcp",
            "granularity",
            "precision",
            "discernibility",
            "average_class",
            "il1",
            "ilinf",
            "entropy",
        )
    },
    "classification": {"name": "classification", "target": "illness"},
    "queries-kl": {"name": "queries", "column": "illness", "level": 2, "measure": "kl"},
    "queries-relative": {"name": "queries", "column": "illness", "level": 1, "measure": "relative"},
}
MODELS: dict[str, list[dict[str, Any]]] = {
    "k": [K5],
    "l-frequency": [K5, diverse(2.5)],
    "l-distinct": [K2, diverse(3, "distinct")],
    "l-entropy": [K2, diverse(2.5, "entropy")],
    "l-recursive": [K2, diverse(2, "recursive", c=2.0)],
    "t-equal": [K5, close(0.5, "equal")],
    "t-ordered": [K5, close(0.2, "ordered", "stay")],
    "t-hierarchical": [K5, close(0.4, "hierarchical")],
    "alpha-k": [{"name": "alpha-k", "column": "illness", "alpha": 0.5, "k": 4}],
    "probabilistic": [
        {"name": "probabilistic", "population": 10**6, "k": 50, "beta": 0.1, "confidence": 0.9}
    ],
    "several": [K5, diverse(2), close(0.6, "equal"), close(0.35, "ordered", "stay")],
}
SEARCHES: dict[str, Any] = {
    "hilbert-fast": {"name": "hilbert", "fast": True, "bits": 6},
    "idistance-centres": {"name": "idistance", "centres": 8, "fast": True},
    "mondrian-relaxed": {"name": "mondrian", "relaxed": True},
    "cuts-k-median": {"name": "cuts", "method": "k-median", "buckets": {"age": 6}},
    "cuts-k-centre": {"name": "cuts", "method": "k-centre"},
    "cuts-cellular": {"name": "cuts", "method": "cellular", "methods": {"age": "quantile"}},
    "datafly-preference": {"name": "datafly", "preference": {"zip": 0.5}, "joint": True},
    "diversify-hilbert": {"name": "diversify", "mapping": "hilbert", "rounds": 2},
    "crowd-effort": {"name": "crowd", "effort": 0.5},
    "top-down-rounds": {"name": "top-down", "rounds": 2},
    "accuracy-ac-l": {"name": "accuracy", "max_loss": 0.5, "privacy": "l", "column": "illness"},
    "accuracy-mondrian": {"name": "accuracy", "max_loss": 0.5, "method": "ipcsd-mondrian"},
    "accuracy-direct": {
        "name": "accuracy",
        "max_loss": 0.6,
        "method": "ipcsd-direct",
        "privacy": "l",
        "mapping": "idistance",
    },
}


_PLAIN = {**USUAL, "stay": DROP}
_TOWNS = {
    **dict.fromkeys(("birth_date", "size", "admission", "country", "stay"), DROP),
    "town": QUASI,
    "ward": SENSITIVE,
}


def _policies() -> dict[str, str]:
    typed = {**USUAL, "illness": {"role": "sensitive", "hierarchy": TREE}}
    own = {name: toml(*models, columns=typed) for name, models in MODELS.items()}
    own |= {f"show-{show}": toml(K5, diverse(2), show=show) for show in SHOWS}
    own |= {f"exact-{show}": toml(K5, show=show, ends="exact") for show in SHOWS[:2]}
    own |= {f"loss-{name}": toml(K5, loss=loss) for name, loss in LOSSES.items()}
    own |= {f"search-{name}": toml(K5, search=search) for name, search in SEARCHES.items()}
    for reading in READINGS:
        own[f"missing-{reading}"] = toml(K5, diverse(2), missing=reading)
        own[f"missing-lattice-{reading}"] = toml(
            K5, missing=reading, search="lattice", suppression=0.1
        )
    permuted = {"columns": PERMUTED, "show": "permutation"}
    person = {"patient_id": {"role": "unit"}}
    own |= {
        "permutation": toml(diverse(2), **permuted, search="mondrian"),
        "permutation-class": toml(diverse(3), **permuted, search="diversify", class_column="class"),
        "anatomy": toml(diverse(2), **permuted, search="anatomy", class_column="class"),
        "permutation-weak": toml(K5, columns=PERMUTED, show="permutation"),
        "unit": toml(K5, diverse(2), columns={**USUAL, **person}),
        "unit-t": toml(K3, close(0.6, "equal"), columns={**USUAL, **person}, search="mondrian"),
        "unit-lattice": toml(K5, columns={**USUAL, **person}, search="lattice", suppression=0.05),
        "weight": toml(K5, columns={**USUAL, "weight": {"role": "weight", "alone": "accept"}}),
        "consistent": toml(K5, diverse(2), consistent=True),
        "consistent-mondrian": toml(K5, consistent=True, search="mondrian"),
        "suppression": toml(K5, diverse(3), suppression=0.1),
        "suppression-lattice": toml(K5, diverse(2), suppression=0.1, search="lattice"),
        "split-ends": toml(K5, split_ends=True),
        "split-ends-exact": toml(K5, split_ends=True, ends="exact"),
        "grid": toml(K5, columns=limited(age={"grid": 5})),
        "limits": toml(
            K2, columns=limited(age={"widest": 15}, zip={"highest": 3}), suppression=0.2
        ),
        "lowest": toml(K5, columns=limited(age={"lowest": 1}, zip={"lowest": 2})),
        "column-weights": toml(K5, columns=limited(age={"weight": 4.0})),
        "keep-order": toml(K5, order="keep"),
        "pseudonym": toml(
            K5,
            columns={**USUAL, "patient_id": {"role": "identifier", "action": "pseudonym"}},
        ),
        "kinds": toml(K5, columns=limited(zip={"kind": "text"}, stay={"kind": "text"})),
        "missing-values": toml(K5, missing_values=["20", "F"], missing="matches-anything"),
        "files": toml(
            K5,
            columns=limited(
                sex={"hierarchy": {"name": "file", "path": "sex.csv"}},
                zip={"hierarchy": {"name": "file", "path": "zip.csv"}},
            ),
        ),
        "builders": toml(
            K5,
            columns=limited(
                age={"hierarchy": {"name": "intervals", "cuts": [[18, 40, 65, 80], [18, 65]]}},
                zip={"hierarchy": {"name": "zip-codes"}, "lowest": 1},
            )
            | {"country": {"role": "quasi", "hierarchy": "regions"}},
        ),
        "builders-lattice": toml(
            K5,
            columns=limited(
                age={"hierarchy": {"name": "intervals", "quantiles": 8}},
                zip={"hierarchy": {"name": "prefix", "steps": [3, 1]}},
            )
            | {"country": {"role": "quasi", "hierarchy": "regions"}},
            search="lattice",
        ),
        "ordered": toml(
            K5,
            columns={
                "birth_date": {"role": "quasi", "hierarchy": "dates"},
                "size": {
                    "role": "quasi",
                    "hierarchy": {"name": "ordered", "values": ["S", "M", "L", "XL"], "sizes": [2]},
                },
                "town": {"role": "quasi", "hierarchy": "flat"},
                "admission": DROP,
                "country": {"role": "quasi", "hierarchy": "regions"},
                "ward": {"role": "sensitive", "derived": "accept"},
                "stay": KEEP,
            },
        ),
        "plain": toml(K5, diverse(2), columns=_PLAIN),
        "plain-gaps": toml(K5, diverse(2), columns=_PLAIN, missing="matches-anything"),
        "plain-lattice": toml(K5, columns=_PLAIN, search="lattice", suppression=0.05),
        "derived-refused": toml(K5, columns=_TOWNS),
        "dates-grid": toml(
            K5,
            columns={
                "birth_date": {"role": "quasi", "grid": "5 years"},
                "size": DROP,
                "town": DROP,
                "admission": {"role": "quasi", "grid": "quarter"},
                "country": DROP,
                "ward": SENSITIVE,
                "stay": KEEP,
            },
        ),
        "probabilistic-declared": toml(
            {**MODELS["probabilistic"][0], "labels": "declared"}, search="lattice"
        ),
        "probabilistic-cuts": toml(*MODELS["probabilistic"], search="cuts"),
        "k-map": toml({"name": "k-map", "k": 5}, columns=WORLDLY),
        "k-map-lattice": toml({"name": "k-map", "k": 5}, columns=WORLDLY, search="lattice"),
        "delta": toml({"name": "delta-presence", "delta": 0.5}, columns=WORLDLY),
        "k-map-delta": toml(
            {"name": "k-map", "k": 4},
            {"name": "delta-presence", "delta": 0.6},
            columns=WORLDLY,
            show="sets",
        ),
        "mingen": toml(
            K2,
            columns=SMALL,
            search={"name": "mingen", "prefer": {"order": ["zip", "age"], "weights": {"sex": 2.0}}},
        ),
        "diversify-optimal": toml(
            diverse(2), columns=TINY, search={"name": "diversify", "optimal": True}
        ),
        "accuracy-optimal": toml(
            K2,
            columns=TINY,
            search={"name": "accuracy", "method": "optimal", "max_loss": 0.4, "privacy": "k"},
        ),
        "mu-argus": toml(
            K2,
            columns=SMALL,
            search={"name": "mu-argus", "identifying": {"age": "most", "zip": "more"}},
        ),
        "unknown-key": toml(K5, supression=0.1),
        "wrong-value": toml({"name": "k-anonymity", "k": 0}),
        "lacks-columns": toml(K5, columns={"age": QUASI}),
        "newer": toml(K5, version=2),
        "no-time": toml(K5, search="crowd", time_limit=1e-9),
        "out-of-reach": toml(K5, diverse(8)),
    }
    return {f"{name}.toml": text for name, text in own.items()}


POLICIES = _policies()
"""The text of every policy file, by its name."""
