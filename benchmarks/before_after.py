"""What the same work costs before and after a change, by turns in one run.

    python -m benchmarks.before_after REV [--repeat 3] [--only WORD ...] [--large]

REV is a revision of git, of which a worktree is made for the time of the run, or the folder of
another checkout, whose compiled kernels are then found again. Each workload is a command line that
both versions understand. It runs in a fresh process of each version by turns; kernels are compiled
before, in a run that does not count. Seconds are of the processor. `first` is the first run in a
process, which loads modules and kernels; `again` the best of those that follow; `peak` the most
memory that the process held. Of several processes the least counts.

Ratios are after / before. Noise is how far the two best processes of a version are apart, in the
version where that is more. What is slower by more than 5 % beyond the noise is measured once
more, with twice as many processes; if it still is, the exit code is 1. So it is if more memory is
taken (beyond the noise and 4 MB), or if other bytes are written.

`--large` also sends ten million records (some 250 MB) through the commands that take tables of any
size. `--data FILE --quasi COLUMNS` adds a table of your own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.datasets import hospital

HERE = Path(__file__).resolve().parent
ADULT = HERE.parents[1] / "shared/data/arx/adult.csv.gz"
ALLOWED = 1.05
SLACK = 4 * 2**20
"""Bytes by which the memory of one and the same process differs from run to run."""

FOUR = "-q birth_date,zip,sex,country"
MAKE = "anonymize people.csv -s diagnosis --time-limit 600 --seed 1 -o out.csv --quiet"
WORLD = "--world world.csv --id patient_id"
WORKLOADS = {
    "crowd k=5": f"{MAKE} {FOUR} -k 5 --method crowd",
    "crowd k=10": f"{MAKE} {FOUR} -k 10 --method crowd",
    "crowd k=50": f"{MAKE} {FOUR} -k 50 --method crowd",
    "crowd l=2": f"{MAKE} {FOUR} -k 5 -l 2 --method crowd",
    "crowd unit": f"{MAKE} {FOUR} -k 5 --unit patient_id --method crowd",
    "auto": f"{MAKE} {FOUR} -k 5",
    "lattice": f"{MAKE} {FOUR},occupation,smoker -k 5 --suppress 0.02 --method lattice",
    "lattice+local": f"{MAKE} {FOUR} -k 5 --method lattice+local",
    "diversify": f"{MAKE} {FOUR} -l 3 --method diversify",
    "mondrian": f"{MAKE} {FOUR} -k 5 --method mondrian",
    "tree": f"{MAKE} {FOUR} -k 5 --method tree",
    "cuts": f"{MAKE} {FOUR} -k 5 --method cuts",
    "most privacy": f"{MAKE} {FOUR} --maximize privacy --max-loss 0.4",
    "matches anything": f"{MAKE} {FOUR} -k 5 --missing matches-anything --method mondrian",
    "k-map": f"{MAKE} -q birth_date,zip,sex -k 5 {WORLD}",
    "risk": f"risk people.csv {FOUR} -s diagnosis --json",
    "risk population": f"risk people.csv {FOUR} --population 3e6 --json",
    "special uniques": "risk people.csv -q birth_date,zip,sex,country,occupation,ward"
    " --special-uniques --max-size 3 --json",
    "discover": "discover people.csv --json",
    "discover groups": "discover people.csv -k 3 --max-size 3 --json",
    "mask": "mask people.csv --ratio 0.3 --seed 1 -o out.csv --quiet",
    "attack": "attack release.csv --certificate release.csv.certificate.json"
    f" --original people.csv {WORLD} --json",
    "check": "check release.csv --certificate release.csv.certificate.json --json",
    "check original": "check release.csv -p policy.toml"
    " --certificate release.csv.certificate.json --original people.csv --json",
    "plan": "plan people.csv --columns birth_date,zip,sex --population 3e8 -k 100 --beta 0.1"
    " --json",
    "init": "init people.csv --json",
    "safe-harbor": "safe-harbor people.csv --today 2024 --json",
    "quantiles": "quantiles stream.csv -c income,age -k 1000 --keep town --seed 1 -o out.csv"
    " --quiet",
    "quantiles stdin": "quantiles - -c income -k 1000 --seed 1 -o out.csv --quiet < stream.csv",
    "mask sampled": "mask stream.csv --method sampled --ratio 0.1 --seed 1 -o out.csv --quiet",
    "discover sampled": "discover - --sampled --seed 1 --json < stream.csv",
    "--help": "--help",
}
LARGE = {
    "10 million: quantiles": "quantiles large.csv -c income,age -k 10000 --keep town --seed 1"
    " -o out.csv --quiet",
    "10 million: mask": "mask large.csv --method sampled --ratio 0.1 --seed 1 -o out.csv --quiet",
    "10 million: discover": "discover - --sampled --seed 1 --json < large.csv",
}


@dataclass
class Measured:
    """What the processes of one version took."""

    first: list[float]
    again: list[float]
    peak: list[float]
    digests: set[str]

    def add(self, one: dict[str, float | str]) -> None:
        """Another process."""
        self.first.append(float(one["first"]))
        self.again.append(float(one["best"]))
        self.peak.append(float(one["peak"]))
        self.digests.add(str(one["digest"]))


def main() -> None:
    """Measure each workload by turns and print a line for it."""
    asked = _arguments()
    if asked.revision is None:
        print("say what to compare with: python -m benchmarks.before_after REV")
        return
    after = HERE.parent
    with tempfile.TemporaryDirectory() as place, _checkout(asked.revision) as before:
        folder = Path(place)
        work = _inputs(folder, asked)
        _release(after, folder)
        heads = f"{'before':>9}{'after':>9}{'ratio':>7}{'noise':>7}"
        print(f"{'':24}{heads}   first  ratio     peak  ratio", flush=True)
        slow = [
            name
            for name, line in work.items()
            if any(word in name for word in asked.only or [""])
            and not _compared(name, line, (before, after), folder, asked.repeat)
        ]
        slow += [] if _imported((before, after), asked.repeat) else ["import incrowd"]
    if slow:
        sys.exit(f"worse than before: {', '.join(slow)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Times and memory before and after a change.")
    parser.add_argument("revision", nargs="?", help="a revision of git, or a folder")
    parser.add_argument("--repeat", type=int, default=3, help="processes of each version")
    parser.add_argument("--only", nargs="*", help="workloads whose names hold one of these words")
    parser.add_argument("--large", action="store_true", help="ten million records, too")
    parser.add_argument("--data", type=Path, help="a table of your own, too")
    parser.add_argument("--quasi", help="its quasi-identifying columns")
    return parser.parse_known_args()[0]


@contextmanager
def _checkout(revision: str) -> Iterator[Path]:
    """The folder of a revision, for a while."""
    if Path(revision).is_dir():
        yield Path(revision).resolve()
        return
    git = ("git", "-C", str(HERE.parent), "worktree")
    with tempfile.TemporaryDirectory() as place:
        folder = str(Path(place) / "before")
        subprocess.run([*git, "add", "--quiet", "--detach", folder, revision], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True)


def _inputs(folder: Path, asked: argparse.Namespace) -> dict[str, str]:
    """Write the tables; the workloads that read them."""
    people = hospital(20_000, seed=1)
    people.write_csv(folder / "people.csv")
    hospital(60_000, seed=1).select("patient_id", "birth_date", "zip", "sex").write_csv(
        folder / "world.csv"
    )
    _stream(1_000_000).write_csv(folder / "stream.csv")
    work = dict(WORKLOADS)
    if asked.large:
        _stream(10_000_000).write_csv(folder / "large.csv")
        work |= LARGE
    for name, data, quasi in (
        ("adult", ADULT, "age,sex,race,education,native-country,workclass"),
        ("own table", asked.data, asked.quasi),
    ):
        if data is not None and data.exists() and quasi:
            end = f"{data.resolve()} -q {quasi} -k 5 --seed 1 -o out.csv --quiet"
            work |= {
                f"{name}: {how}": f"anonymize {end} --method {how}" for how in ("crowd", "lattice")
            }
    return work


def _stream(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "person": np.arange(rows),
            "income": rng.lognormal(10, 1, rows).round(),
            "age": rng.integers(0, 100, rows),
            "town": rng.integers(0, 500, rows),
            "sex": rng.integers(0, 2, rows),
        }
    )


def _release(tree: Path, folder: Path) -> None:
    """A release to attack and to check, and its policy."""
    columns = dict.fromkeys(pl.read_csv(folder / "people.csv", n_rows=0).columns, "drop")
    columns |= dict.fromkeys(("birth_date", "zip", "sex", "country"), "quasi")
    columns |= {"diagnosis": "sensitive"}
    head = 'version = 1\ntime_limit = 600.0\nsearch = "crowd"\n'
    head += '[[models]]\nname = "k-anonymity"\nk = 5\n'
    roles = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in columns.items())
    (folder / "policy.toml").write_text(head + roles)
    line = "anonymize people.csv -p policy.toml --seed 1 -o release.csv --quiet"
    command = [sys.executable, "-P", "-m", "incrowd.cli.main", *line.split()]
    subprocess.run(command, cwd=folder, env=_environment(tree), check=True)


def _environment(tree: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": ""}


def _process(tree: Path, folder: Path, line: str) -> dict[str, float | str]:
    """Run a workload in a fresh process of a version."""
    words, _, given = line.partition(" < ")
    for old in folder.glob("out*"):
        old.unlink()
    command = [sys.executable, "-P", str(HERE / "_command.py"), str(folder), given or "-"]
    done = subprocess.run(
        [*command, *words.split()],
        env=_environment(tree),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{line}: {done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _compared(name: str, line: str, trees: tuple[Path, Path], folder: Path, repeat: int) -> bool:
    """Whether a workload costs no more than before; prints its line."""
    for tree in trees:
        _process(tree, folder, line)  # compiles what is not compiled yet
    seen = tuple(Measured([], [], [], set()) for _ in trees)
    for rounds in (repeat, 2 * repeat):
        for _ in range(rounds):
            for tree, measured in zip(trees, seen, strict=True):
                measured.add(_process(tree, folder, line))
        if fine := _no_worse(*seen):
            break
    before, after = seen
    same = "" if before.digests == after.digests else "   other bytes"
    mark = "" if fine else "   WORSE"
    print(
        f"{name:24}{_two(before.again, after.again)}{_noise(before.again, after.again) - 1:7.1%}"
        f"{min(after.first):8.2f}{_ratio(before.first, after.first):7.2f}"
        f"{min(after.peak) / 2**20:6.0f} MB{_ratio(before.peak, after.peak):7.2f}{same}{mark}",
        flush=True,
    )
    return fine


def _no_worse(before: Measured, after: Measured) -> bool:
    pairs = ((before.first, after.first), (before.again, after.again))
    quick = all(_ratio(one, other) <= ALLOWED * _noise(one, other) for one, other in pairs)
    limit = ALLOWED * _noise(before.peak, after.peak) * min(before.peak) + SLACK
    return quick and min(after.peak) <= limit and before.digests == after.digests


def _ratio(before: Sequence[float], after: Sequence[float]) -> float:
    return min(after) / min(before)


def _noise(*versions: Sequence[float]) -> float:
    """How far the two best of a version are apart, as a factor."""
    best = (sorted(times)[:2] for times in versions)
    return max(pair[-1] / pair[0] for pair in best)


def _two(before: Sequence[float], after: Sequence[float]) -> str:
    return f"{min(before):9.3f}{min(after):9.3f}{_ratio(before, after):7.2f}"


def _imported(trees: tuple[Path, Path], repeat: int) -> bool:
    """Whether `import incrowd` takes no longer than before; many processes, as each is short."""
    code = "import time; s = time.process_time(); import incrowd; print(time.process_time() - s)"
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(5 * repeat):
        for tree, mine in zip(trees, times, strict=True):
            command = [sys.executable, "-P", "-c", code]
            done = subprocess.run(command, env=_environment(tree), capture_output=True, check=True)
            mine.append(float(done.stdout))
    fine = _ratio(*times) <= ALLOWED * _noise(*times)
    print(
        f"{'import incrowd':24}{_two(*times)}{_noise(*times) - 1:7.1%}{'' if fine else '   WORSE'}"
    )
    return fine


if __name__ == "__main__":
    main()
