"""Tables with the roles that an expert gives, made from their descriptions in `drafts/*.toml`.

A description says how the values of each column are spread: no cell of the published tables is in
it. Where a published table is at hand (`../shared/data`), its cells take their place.
"""

import tomllib
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.datasets import hospital

FOLDER = Path(__file__).parent / "drafts"
PUBLISHED = Path(__file__).parents[2] / "shared/data"
ROLES = ("quasi", "sensitive", "identifier", "unit", "weight", "keep", "drop")


@dataclass(frozen=True)
class Judged:
    """One table: its cells, its labels, and what an expert says of each column."""

    name: str
    held_out: bool
    frame: pl.DataFrame
    labels: dict
    roles: dict
    also: dict
    """By column: further roles that an expert would keep."""


def judged_tables():
    """All tables, those that nobody tuned on last."""
    found = [_table(path) for path in sorted(FOLDER.glob("*.toml"))]
    return sorted(found, key=lambda one: one.held_out)


def _table(path):
    spec = tomllib.loads(path.read_text(encoding="utf-8"))
    columns = spec["columns"]
    published = PUBLISHED / spec.get("table", "nothing")
    names = [column["name"] for column in columns]
    frame = _read(published, names) if published.is_file() else _made(columns, spec["records"])
    return Judged(
        path.stem,
        spec.get("held_out", False),
        frame,
        {c["name"]: c["label"] for c in columns if "label" in c},
        {c["name"]: c["role"] for c in columns},
        {c["name"]: frozenset(c.get("also", ())) for c in columns},
    )


def _read(path, names):
    headed = path.name != "adult.data.gz"
    separator = ";" if path.name == "cup.csv.gz" else ","
    frame = pl.read_csv(path, has_header=headed, separator=separator, infer_schema_length=0)
    frame = frame.select(pl.all().str.strip_chars()).head(30_000)
    frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    return pl.read_csv(frame.write_csv().encode(), infer_schema_length=None)


def _made(columns, records):
    made = {}
    for place, column in enumerate(columns):
        rng = np.random.default_rng([place, records])
        made[column["name"]] = values(column["values"], records, rng)
    return pl.DataFrame(made, strict=False)


def values(spec, n, rng):
    """Cells of a column by a description such as `whole 18 90 flat + 99:13`."""
    spec, _, marks = spec.partition(" + ")
    word, _, rest = spec.partition(" ")
    cells = list(_SPREADS[word](rest, n, rng))
    left = rng.random(n)
    for entry in marks.split():
        mark, _, share = entry.rpartition(":")
        for i in np.flatnonzero(left < float(share) / 100):
            cells[i] = int(mark)
        left = np.where(left < float(share) / 100, 2.0, left - float(share) / 100)
    return cells


def _weighted(rest, n, rng, *, kind):
    if ".." in rest:
        low, high = map(int, rest.split(".."))
        entries = {str(one): 1.0 for one in range(low, high + 1)}
    else:
        entries = _entries(rest)
    shares = np.array(list(entries.values()))
    drawn = rng.choice(len(entries), n, p=shares / shares.sum())
    names = [kind(one) for one in entries]
    return [names[i] for i in drawn]


def _entries(rest):
    """`A B:60 C:40` as {"A B": 60, "C": 40}; without shares all are as common."""
    if ":" not in rest:
        return dict.fromkeys(rest.split(), 1.0)
    found, text = {}, []
    for word in rest.split(" "):
        name, colon, share = word.rpartition(":")
        if colon and share.replace(".", "").isdigit():
            found[" ".join([*text, name])] = float(share)
            text = []
        else:
            text.append(word)
    return found


def _whole(rest, n, rng):
    low, high, *spread = rest.split()
    low, high, spread = int(low), int(high), (spread or ["flat"])[0]
    size = high - low
    if spread == "flat":
        return rng.integers(low, high + 1, n).tolist()
    if spread == "zeros":
        some = low + np.minimum(size, rng.exponential(size / 6, n)).astype(int)
        return np.where(rng.random(n) < 0.6, low, some).tolist()
    drawn = rng.normal(0.5, 0.13, n) if spread == "normal" else rng.beta(1.2, 6, n)
    return (low + np.clip(drawn, 0, 1) * size).round().astype(int).tolist()


def _money(rest, n, rng):
    low, high, digits = rest.split()
    low, high = max(float(low), 1.0), float(high)
    drawn = np.exp(np.clip(rng.normal(0.45, 0.15, n), 0, 1) * np.log(high / low)) * low
    return [int(x) if digits == "0" else round(x, int(digits)) for x in drawn.tolist()]


def _float(rest, n, rng):
    low, high, digits = rest.split()
    drawn = float(low) + np.clip(rng.normal(0.4, 0.15, n), 0, 1) * (float(high) - float(low))
    return drawn.round(int(digits)).tolist()


def _dates(rest, n, rng, *, step):
    first, last, *present = rest.split()
    start = datetime.fromisoformat(first)
    days = (datetime.fromisoformat(last) - start).days
    drawn = [start + timedelta(days=int(d)) for d in rng.integers(0, days + 1, n)]
    if step == "s":
        drawn = [
            d + timedelta(seconds=int(s))
            for d, s in zip(drawn, rng.integers(0, 86400, n), strict=True)
        ]
    moments = [d if step == "s" else d.date() for d in drawn]
    kept = float(present[0]) / 100 if present else 1.0
    return [d if r < kept else None for d, r in zip(moments, rng.random(n), strict=True)]


def _geo(rest, n, rng):
    """Codes of one length with gaps, in clusters, as those of places are."""
    number, digits = map(int, rest.split())
    heads = rng.choice(90, max(3, number // 40), replace=False) + 10
    scale = 10 ** (digits - 2)
    codes = np.unique(rng.choice(heads, 4 * number) * scale + rng.integers(0, scale, 4 * number))
    codes = rng.permutation(codes)[:number]
    return rng.choice(codes, n, p=rng.dirichlet(np.full(len(codes), 0.7))).tolist()


def _phrases(rest, n, rng):
    number = int(rest)
    said = "alpha stone river plain first other basic common later major"
    words = said.split()
    every = [f"{words[i % 10]} {words[i // 10 % 10]} {chr(97 + i % 26)}" for i in range(number)]
    return [every[i] for i in (rng.beta(1, 3, n) * number).astype(int)]


def _icd(rest, n, rng, *, tenth):
    number = int(rest)
    if tenth:
        codes = [f"{'ABCEFGIJKMNR'[i % 12]}{i * 7 % 90:02d}.{i % 9}" for i in range(number)]
    else:
        codes = [f"{i * 13 % 990 + 1:03d}" + ("" if i % 3 else f".{i % 9}") for i in range(number)]
    return [codes[i] for i in rng.integers(0, number, n)]


def _states(_, n, rng):
    said = "AL AK AZ CA CO FL GA IL IN MI MN MO NC NY OH OR TX UT VA WA WI"
    names = said.split()
    return [names[i] for i in rng.integers(0, len(names), n)]


def _nuts(rest, n, rng):
    lands = ("DE", "FR", "PL", "ES", "IT")
    codes = [f"{lands[i % 5]}{i // 5 % 9 + 1}{i % 7}" for i in range(int(rest))]
    return [codes[i] for i in rng.integers(0, len(codes), n)]


def _sentences(_, n, rng):
    said = "the patient was seen again after some days and felt much better than before"
    words = said.split()
    return [" ".join(words[i] for i in rng.integers(0, len(words), 14)) for _ in range(n)]


def _names(part, n, rng):
    people = hospital(max(n, 200), seed=5)["name"].to_list()
    return [people[i].split()[part] for i in rng.integers(0, len(people), n)]


def _ids(rest, n, rng):
    return [f"{rest}{number:06d}" for number in rng.permutation(10 * n)[:n]]


_SPREADS = {
    "codes": lambda rest, n, rng: _weighted(rest, n, rng, kind=int),
    "texts": lambda rest, n, rng: _weighted(rest, n, rng, kind=str),
    "whole": _whole,
    "money": _money,
    "hundreds": lambda rest, n, rng: [int(round(x, -2)) for x in _money(f"{rest} 2", n, rng)],
    "float": _float,
    "dates": lambda rest, n, rng: _dates(rest, n, rng, step="d"),
    "times": lambda rest, n, rng: _dates(rest, n, rng, step="s"),
    "serial": lambda rest, n, _: (int(rest) + np.arange(n)).tolist(),
    "repeat": lambda rest, n, rng: np.sort(rng.integers(1, int(rest) + 1, n)).tolist(),
    "ids": _ids,
    "geo": _geo,
    "phrases": _phrases,
    "icd9": lambda rest, n, rng: _icd(rest, n, rng, tenth=False),
    "icd10": lambda rest, n, rng: _icd(rest, n, rng, tenth=True),
    "states": _states,
    "nuts": _nuts,
    "sentences": _sentences,
    "given": lambda _, n, rng: _names(0, n, rng),
    "surnames": lambda _, n, rng: _names(-1, n, rng),
    "constant": lambda rest, n, _: [int(rest)] * n,
}


@dataclass(frozen=True)
class Score:
    """How the roles of drafts agree with those of an expert."""

    pairs: Counter
    """Columns by the expert's and by the drafted role; what an expert would keep, too, agrees."""
    review: int
    columns: int

    def __add__(self, other):
        return Score(
            self.pairs + other.pairs, self.review + other.review, self.columns + other.columns
        )

    def recall(self, *roles):
        """The share of the expert's columns of these roles that have just that role."""
        every = sum(n for (asked, _), n in self.pairs.items() if asked in roles)
        right = sum(n for (asked, got), n in self.pairs.items() if asked in roles and asked == got)
        return right / every if every else float("nan")

    def precision(self, role):
        every = sum(n for (_, got), n in self.pairs.items() if got == role)
        return self.pairs[role, role] / every if every else float("nan")

    @property
    def reviewed(self):
        return self.review / self.columns


def score(judged, drafted):
    """How one draft does. `drafted` is what `incrowd.draft` returned."""
    pairs = Counter()
    for name, column in drafted.policy.columns.items():
        got, asked = column.role.value, judged.roles[name]
        pairs[got if got in judged.also[name] else asked, got] += 1
    return Score(pairs, len(drafted.review), len(pairs) and len(judged.roles))


def disagreements(judged, drafted):
    """Columns whose drafted role an expert would change: name, the expert's role, the draft's."""
    for name, column in drafted.policy.columns.items():
        got = column.role.value
        if got != judged.roles[name] and got not in judged.also[name]:
            yield name, judged.roles[name], got
