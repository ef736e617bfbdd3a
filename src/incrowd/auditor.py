"""Check a release by its certificate: one file that anybody can read, standard library only.

    python auditor.py release.csv [release.csv.certificate.json] [--json]

It shares no code with incrowd: it was written from docs/guide/verify.md and docs/models. It counts
what a CSV release shows, compares its certificate, and lists the rest. It shows no cell.

Exit codes: 0 all that can be recounted agrees and is met; 1 it does not; 3 a file cannot be read.
"""

import argparse
import csv
import hashlib
import io
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

Entries = Mapping[str, Any]
Shares = list[Fraction]  # of the records, by the place of the value; place 0 is for missing
Judgement = tuple[float, bool]  # what the weakest crowd reaches, and whether that is enough
MARKS = {*re.findall(r"\S+", "? - . N NA N/A n/a #N/A NaN nan NULL null None")}  # mean missing
WHITE = "".join(c for c in map(chr, range(0x3001)) if c.isspace() and not "\x1c" <= c <= "\x1f")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
DATE = re.compile(r"[0-9]{4}((-[0-9]{2}){2}( [0-9:]+(\.[0-9]+)?)?|(/[0-9]{2}){2})|[0-9.]+")
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", *(f"%Y-%m-%d %H:%M{s}" for s in ("", ":%S", ":%S.%f")))
ROUNDING, ENDS = 1e-9, ("_low", "_high")


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit a release from the command line; return 0 if it passes, 1 if not, 3 if unread."""
    parser = argparse.ArgumentParser(prog="auditor", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("release", type=Path, help="a CSV file that incrowd has written")
    parser.add_argument("certificate", type=Path, nargs="?", help="RELEASE.certificate.json")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    asked = parser.parse_args(arguments)
    try:
        found = audit(asked.release, asked.certificate or Path(f"{asked.release}.certificate.json"))
    except OSError as error:
        sys.stderr.write(f"error: {error.strerror or error}\n")
        return 3
    text = json.dumps(found, indent=2) if asked.json else "\n".join(sentences(found))
    sys.stdout.write("".join(c if c.isprintable() or c == "\n" else "?" for c in f"{text}\n"))
    return 0 if found["ok"] else 1


def audit(release: Path, certificate_path: Path) -> dict[str, Any]:
    """Recount a release beside its certificate and return the answer; `OSError` if unreadable."""
    try:
        return recount(json.loads(certificate_path.read_text("utf-8")), release.read_bytes())
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise OSError("the certificate is not a JSON document that incrowd writes") from None


def recount(certificate: Entries, content: bytes) -> dict[str, Any]:
    """Recount the content of a release; `ValueError` or the like if it is no certificate."""
    if certificate["schema"] != "incrowd.certificate/1":
        raise ValueError
    table = Table(certificate, *read_csv(content, certificate["policy"]))
    faults, models, figures = [*file_faults(certificate, content), *table.column_faults()], [], {}
    if table.rows and not table.missing_columns:
        figures, models = table.figures(), list(judge_models(table))
        faults += [*table.figure_faults(), *model_faults(models)]
    proven = {"digest", "policy_sha256", *figures, *(["alone"] if figures and table.alone else [])}
    proven |= {"models"} if models and not any(one["why_not"] for one in models) else set()
    found = {"ok": not faults, "records": len(table.rows), "faults": faults, "models": models}
    found["recounted"] = [place for place in table.entries if place in proven]
    return found | {"not_recounted": [place for place in table.entries if place not in proven]}


def sentences(found: Entries) -> Iterator[str]:
    """Yield the answer for people: verdict, models, what is wrong, what was not recounted."""
    verdict = "agrees with its certificate and keeps its policy" if found["ok"] else "does NOT pass"
    yield f"The release of {found['records']:,} records {verdict}, as far as it can be recounted."
    for one in found["models"]:
        name = f"{one['name']} of {one['column']}" if one["column"] else one["name"]
        counted = one["why_not"] or f"counted {one['counted']:.6g}"
        yield f"  {name}: asked {one['asked']:.6g}, {counted}: {'met' if one['met'] else 'NOT MET'}"
    yield from (f"  WRONG: {fault}" for fault in found["faults"])
    yield f"Recounted: {', '.join(found['recounted'])}."
    yield f"Not recounted, the certificate's word: {', '.join(found['not_recounted'])}."


def read_csv(content: bytes, policy: Entries) -> tuple[list[str], list[list[str]]]:
    """Read header and rows, by the separator that finds most columns of `policy`; or `OSError`."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise OSError("the release is not a CSV file in UTF-8") from None
    names = {name + end for name in policy["columns"] for end in ("", *ENDS)}
    csv.field_size_limit(2**31 - 1)
    best: list[list[str]] = [[]]
    for separator in ",;\t|":
        lines = list(csv.reader(io.StringIO(text, ""), delimiter=separator))
        if lines and len(names & {*lines[0]}) > len(names & {*best[0]}):
            best = lines
    rows = [line or [""] for line in best[1:]]  # an empty line is a row of one empty cell
    if any(len(line) != len(best[0]) for line in rows):
        raise OSError("the rows of the release are not equally long")
    return best[0], rows


def file_faults(certificate: Entries, content: bytes) -> Iterator[str]:
    """Yield a fault if the file is not the certified one, or the certificate was changed."""
    if certificate["digest"] != {"of": "file", "sha256": hashlib.sha256(content).hexdigest()}:
        yield "The certificate belongs to another file, or somebody changed the release."
    policy = certificate["policy"]
    text = json.dumps(policy, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if hashlib.sha256(text.encode()).hexdigest() != certificate["policy_sha256"]:
        yield "The policy in the certificate was changed."


class Table:
    """A release, read by the policy in its certificate."""

    def __init__(self, certificate: Entries, header: list[str], rows: list[list[str]]) -> None:
        self.certificate, self.header, self.rows = certificate, header, rows
        self.whole, self.gone = certificate["records_in"], certificate["suppressed"]
        self.policy: Entries = certificate["policy"]
        self.columns: Mapping[str, Entries] = self.policy["columns"]
        self.number: str | None = self.policy.get("class_column")
        self.shows_classes = bool(self.number) or self.policy.get("show") != "permutation"
        may = self.columns_with_roles("quasi") if self.policy.get("split_ends") else []
        self.split = {n for n in may if n not in header and {n + end for end in ENDS} <= {*header}}
        self._cells: dict[str, list[Any]] = {}

    def columns_with_roles(self, *roles: str) -> list[str]:
        """The columns of these roles; an identifier with a pseudonym has the role `pseudonym`."""
        keyed = {n: "pseudonym" for n, c in self.columns.items() if c.get("action") == "pseudonym"}
        return [n for n, column in self.columns.items() if keyed.get(n, column["role"]) in roles]

    @cached_property
    def entries(self) -> dict[str, Any]:
        """The entries of the certificate that say something, by place, such as `loss.gcp`."""
        found = {n: said for n, said in self.certificate.items() if said not in (None, {}, [])}
        for outer in ("loss", "suppressed"):
            found |= {f"{outer}.{inner}": value for inner, value in found.pop(outer, {}).items()}
        return found

    @cached_property
    def missing_columns(self) -> list[str]:
        """Columns that should be in the release and are not."""
        names = self.columns_with_roles("quasi", "sensitive", "keep", "weight", "pseudonym")
        there = {*self.header, *self.split}
        return [name for name in (*names, *filter(None, [self.number])) if name not in there]

    def cells(self, name: str) -> list[Any]:
        """The texts of a column, None where missing; pairs if its ends leave as two columns."""
        if name not in self._cells:
            stored = [name + end for end in ENDS] if name in self.split else [name]
            texts = [self._texts(one, name) for one in stored]
            self._cells[name] = list(zip(*texts, strict=True)) if name in self.split else texts[0]
        return self._cells[name]

    def _texts(self, stored: str, name: str) -> list[str | None]:
        """The texts of the column `stored`; None where one means missing in the column `name`."""
        place = self.header.index(stored)
        own = self.columns.get(name, {}).get("missing_values", [])
        gone = {*own, *self.policy.get("missing_values", [""])}
        numbers = {float(text) for text in own if is_number_and_no_code(text)}
        texts = {row[place] for row in self.rows}
        marks = (text for text in texts if is_number_and_no_code(text) and float(text) in numbers)
        gone |= {*marks, *(text for text in texts if not text.strip(WHITE))}
        return [None if row[place] in gone else row[place] for row in self.rows]

    @cached_property
    def classes(self) -> dict[tuple[Any, ...], list[int]]:
        """The indices of the rows of each class, by its quasi-identifiers or its class number."""
        names = [self.number] if self.number else self.columns_with_roles("quasi")
        found: dict[tuple[Any, ...], list[int]] = {}
        for row, shown in enumerate(zip(*map(self.cells, names), strict=True)):
            found.setdefault(shown, []).append(row)
        return found

    @cached_property
    def crowds(self) -> list[list[int]]:
        """For each class its crowd: its rows, and those that missing values may put into it."""
        classes = self.classes
        if self.policy.get("missing", "own-value") != "matches-anything" or self.number:
            return list(classes.values())
        gaps = [shown for shown in classes if None in shown]
        found: list[list[int]] = []
        for shown in classes:
            near = classes if None in shown else [shown, *gaps]
            pairs = ((one, zip(shown, one, strict=True)) for one in near)
            alike = (one for one, both in pairs if all(a == b or None in (a, b) for a, b in both))
            found.append([row for one in alike for row in classes[one]])
        return found

    def counts(self, column: str) -> list[Counter[Any]]:
        """Count, for each crowd, the records by value of a sensitive column; None is missing."""
        cells, kind = self.cells(column), self.certificate.get("kinds", {}).get(column, "text")
        value = {None: None} | values_of({*cells} - {None}, kind)
        return [Counter(value[cells[row]] for row in crowd) for crowd in self.crowds]

    @cached_property
    def alone(self) -> dict[str, Any]:
        """The certificate's entry `alone`, recounted; empty without it or if rows cannot tell."""
        if "alone" not in self.entries or not self.shows_classes or self.columns_with_roles("unit"):
            return {}
        kept, limit = self.columns_with_roles("keep", "weight"), self.policy.get("max_alone", 0.05)
        judged = [name for name in kept if self.columns[name].get("alone") != "accept"]
        known = {"columns": {name: self._alone_by([name]) for name in kept}, "limit": limit}
        return known | {"together": self._alone_by(kept), "unaccepted": self._alone_by(judged)}

    def _alone_by(self, names: list[str]) -> float:
        """Share of people alone by `names` in crowds of over 1, rounded up; 1 to 4 count as 5."""
        values, alone = list(zip(*map(self.cells, names), strict=True)) or [()] * len(self.rows), 0
        for rows, crowd in zip(self.classes.values(), self.crowds, strict=True):
            held = Counter(values[row] for row in crowd)
            alone += sum(held[values[row]] == 1 for row in rows if len(crowd) > 1)
        return min(1.0, -(-max(alone, 5) * 10_000 // len(self.rows)) / 10_000) if alone else 0.0

    def figures(self) -> dict[str, Any]:
        """Recount the figures of the certificate that the rows show, by place."""
        rows, whole = len(self.rows), self.whole
        found = {"records_out": rows, "suppressed.share": (whole - rows) / max(whole, 1)}
        found |= {} if self.columns_with_roles("unit") else {"people": rows}
        if self.shows_classes:
            sizes, read = list(map(len, self.classes.values())), whole - self.gone["for_missing"]
            found |= {"classes": len(sizes), "loss.average_class": rows / len(sizes)}
            found["loss.discernibility"] = sum(n * n for n in sizes) + (read - rows) * read
        return {place: value for place, value in found.items() if place in self.entries}

    def column_faults(self) -> Iterator[str]:
        """Yield a fault if columns, or all records, are missing, and if columns may not leave."""
        if (gone := len(self.missing_columns)) or not self.rows:
            yield f"The release lacks {gone} columns of the policy, or all records."
        hidden = self.columns_with_roles("drop", "identifier", "unit")
        known = {*self.columns, self.number, *(f"{n}{end}" for n in self.split for end in ENDS)}
        if stray := [name for name in self.header if name in hidden or name not in known]:
            yield f"The release has {len(stray)} columns that may not leave."

    def figure_faults(self) -> Iterator[str]:
        """Yield a fault for each figure that differs from the recount or breaks a limit."""
        for place, value in self.figures().items():
            if not math.isclose(self.entries[place], value, rel_tol=1e-12, abs_tol=1e-12):
                yield f"The certificate gives another figure for {place} than the rows."
        alone, said = self.alone, self.entries.get("alone")
        if alone and (alone != said or alone["unaccepted"] > alone["limit"]):
            yield "More people are alone by columns that leave unchanged than is said or allowed."
        rows, whole, for_missing = len(self.rows), self.whole, self.gone["for_missing"]
        chosen, limit = self.gone["records"] - for_missing, self.policy.get("suppression", 0.0)
        adds_up = rows == whole - self.gone["records"] and 0 < self.certificate["people"] <= rows
        allowed = 0 <= chosen <= limit * whole + ROUNDING and for_missing >= 0
        if not adds_up or not allowed or (for_missing and self.policy["missing"] != "suppress"):
            yield "The numbers of records do not match the release and the limit of suppression."


def is_number_and_no_code(text: str) -> bool:
    """Whether a text is a number, and not a code such as 099."""
    return bool(NUMBER.fullmatch(text)) and not re.match(r"[+-]?0[0-9]", text)


def values_of(texts: set[str], kind: str) -> dict[Any, Any]:
    """The value of each text, None if it means missing; spellings of a number or date are one."""
    if kind == "text":
        return {text: text for text in texts}
    bare = {text: text.strip(WHITE) for text in texts}
    numbers = {text: one for text, one in bare.items() if NUMBER.fullmatch(one)}
    whole = all(re.fullmatch("[+-]?[0-9]{1,18}", one) for one in numbers.values())
    read: dict[str, Any] = {t: int(one) if whole else float(one) for t, one in numbers.items()}
    if kind == "date":
        read = {text: moment_of(one.replace("T", " ", 1)) for text, one in bare.items()}
    strange = {text: None if text in MARKS else f"text {text}" for text in texts}
    return {t: strange[t] if read.get(t) in (None, math.inf, -math.inf) else read[t] for t in texts}


def moment_of(text: str) -> datetime | None:
    """The date or moment that a text names; None if it names none."""
    for form in DATES if DATE.fullmatch(text) else ():
        with suppress(ValueError):
            return datetime.strptime(text, form)  # noqa: DTZ007  cells have no zone
    return None


def judge_models(table: Table) -> Iterator[dict[str, Any]]:
    """Yield, for each model of the policy, what is asked, certified and counted."""
    for model, said in zip(table.policy["models"], table.certificate["models"], strict=True):
        why_not, counted, met = None, None, is_possible(table, said) and bool(said["ok"])
        if model["name"] not in JUDGES:
            why_not = "not recounted (it is about people who are not in the release)"
        elif table.columns_with_roles("unit") or not table.shows_classes:
            why_not = "not recounted (the release does not show its classes, or who is one person)"
        elif (judged := JUDGES[model["name"]](table, model)) is None:
            why_not, met = "not recounted (the rows have another number of values than said)", False
        else:
            counted, met = judged
            counted = said["asked"] if abs(counted - said["asked"]) <= ROUNDING else counted
        known = {"name": model["name"], "column": model.get("column"), "asked": said["asked"]}
        known |= {"certificate": said["reached"], "counted": counted}
        yield known | {"met": met, "why_not": why_not}


def is_possible(table: Table, said: Entries) -> bool:
    """Whether `said`, what is certified of a model, is enough, and k no more than the rows show."""
    if said["name"] in {"t-closeness", "alpha-k", "delta-presence"}:
        return bool(said["reached"] <= said["asked"] + ROUNDING)
    too_much = said["name"] == "k-anonymity" and said["reached"] > min(map(len, table.crowds))
    return bool(said["reached"] >= said["asked"] - ROUNDING) and not too_much


def model_faults(models: Sequence[Entries]) -> Iterator[str]:
    """Yield a fault for each model that is not met or differs from the certificate."""
    for one in models:
        if not one["met"]:
            yield ": ".join(filter(None, (f"{one['name']} is not met", one["why_not"]))) + "."
        if not one["why_not"] and abs(one["counted"] - one["certificate"]) > ROUNDING:
            yield f"The certificate gives another value for {one['name']} than the rows."


def meant_fraction(number: float) -> Fraction:
    """The simple fraction next to a number: 0.1 is a tenth, 0.333… a third."""
    return Fraction(number).limit_denominator(1_000_000)


def l_diversity(table: Table, model: Entries) -> Judgement:
    """The l that the crowd with the least diverse values reaches, and whether it is enough."""
    crowds, kind, l = table.counts(model["column"]), model.get("kind", "frequency"), model["l"]
    falling = [sorted(counts.values(), reverse=True) for counts in crowds]
    if kind == "recursive":  # r1 < c (r_l + … + r_m) in every crowd
        reached, c = 0, meant_fraction(model["c"])
        while all(counts[0] < c * sum(counts[reached:]) for counts in falling):
            reached += 1
        return reached, reached >= l
    if kind == "entropy":
        shares = [[number / sum(counts) for number in counts] for counts in falling]
        lowest = min(-math.fsum(share * math.log(share) for share in one) for one in shares)
        return math.exp(lowest), lowest >= math.log(l) - ROUNDING
    if kind == "distinct":
        return min(map(len, crowds)), min(map(len, crowds)) >= meant_fraction(l)
    least = min(Fraction(sum(counts), counts[0]) for counts in falling)
    return float(least), least >= meant_fraction(l)


def alpha_k(table: Table, model: Entries) -> Judgement:
    """The largest share of a value in a crowd, 1 if a crowd is too small; and whether it is met."""
    if min(map(len, table.crowds)) < model["k"]:
        return 1.0, False
    share = max(Fraction(max(c.values()), c.total()) for c in table.counts(model["column"]))
    return float(share), share <= meant_fraction(model["alpha"])


def t_closeness(table: Table, model: Entries) -> Judgement | None:
    """The largest distance of a crowd from all, and if allowed; None if it cannot be counted."""
    spread, cells = table.certificate["spread"][model["column"]], table.cells(model["column"])
    texts = sorted({*cells} - {None})
    if len(texts) != len(spread["places"]):  # these are not the rows that were certified
        return None
    place = {None: 0} | dict(zip(texts, spread["places"], strict=True))
    distance, people = DISTANCES[model.get("distance", "equal")], Counter(map(place.get, cells))
    if spread.get("of") != "release":  # an earlier certificate, which counts the original
        people = Counter(dict(enumerate(spread["people"])))
    whole = [Fraction(people[at], people.total()) for at in range(len(spread["people"]))]
    crowds = (Counter(place[cells[row]] for row in crowd) for crowd in table.crowds)
    shares = ([Fraction(held[at], held.total()) for at in range(len(whole))] for held in crowds)
    worst = max(distance(here, whole, spread.get("maps")) for here in shares)
    return float(worst), worst <= model["t"] + ROUNDING


def ordered_emd(here: Shares, whole: Shares, _: Any) -> Fraction:
    """The mean difference of cumulated shares, 0..1; missing values stand apart, at place 0."""
    known = [position for position, share in enumerate(whole) if position and share]
    total, carried = abs(here[0] - whole[0]), Fraction(0)
    for position in known[:-1]:
        carried += here[position] - whole[position] * (1 - here[0]) / (1 - whole[0])
        total += abs(carried) / (len(known) - 1)
    return min(Fraction(1), total)


def hierarchical_emd(here: Shares, whole: Shares, maps: Any) -> Fraction:
    """The earth mover's distance over a tree; `maps` has the node of each place at each level."""
    total = Fraction(0)
    for level in range(1, len(maps)):
        children: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for child, parent, a, b in zip(maps[level - 1], maps[level], here, whole, strict=True):
            children[parent, child] += a - b
        for node in set(maps[level]):
            below = [extra for (parent, _), extra in children.items() if parent == node]
            given = sum((extra for extra in below if extra > 0), Fraction(0))
            total += Fraction(level, len(maps) - 1) * min(given, given - sum(below, Fraction(0)))
    return total


DISTANCES: dict[str, Any] = {"ordered": ordered_emd, "hierarchical": hierarchical_emd}
DISTANCES["equal"] = lambda p, q, _: sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
JUDGES = {"alpha-k": alpha_k} | {"l-diversity": l_diversity, "t-closeness": t_closeness}
JUDGES["k-anonymity"] = lambda table, model: (n := min(map(len, table.crowds)), n >= model["k"])

if __name__ == "__main__":
    sys.exit(main())
