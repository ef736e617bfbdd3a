"""The next useful command, with the user's files and columns; None if it must not be shown."""

import csv
import io
import shlex
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.documents import release as releases
from incrowd.errors import hide_credentials
from incrowd.io import target as targets
from incrowd.requests.kinds import IN_COLUMNS, READING, Group

if TYPE_CHECKING:
    from incrowd.attacks import Attacked
    from incrowd.exposure.risk import Risk
    from incrowd.identify.outcome import Discovery, Groups, JudgedSets
    from incrowd.search.literature.accuracy.frontier import Frontier
    from incrowd.verify.verdict import Check

_K = 5
"""The usual size of the smallest class, for a first release."""
_RELEASE, _POLICY, _COMPARISON = "release.csv", "policy.toml", "comparison.html"
"""Files that a next command writes."""
_OF_CHECK = ("trusted_keys", "memory", "missing", "k", "l", "t", "quasi")
"""Options of check that attack does not have."""
RUN: ContextVar[Any] = ContextVar("RUN", default=None)
"""The command that runs, with its options, as the parser read them."""


def command(*words: str) -> str | None:
    """These words as a command of a shell; None if they cannot be written, or must not be shown.

    >>> command("risk", "my table.csv", "-q", "age,zip")
    "incrowd risk 'my table.csv' -q age,zip"
    >>> command("risk", "-"), command("risk", "postgresql://me:secret@host/db?table=t")
    (None, None)
    """
    hidden = any(word == "-" or hide_credentials(word) != word for word in words)
    if hidden or not all(word.isprintable() for word in words):
        return None
    return shlex.join(["incrowd", *words])


def columns_text(names: Sequence[str]) -> str:
    """Columns as one text that an option takes: names with a comma or a quote in double quotes.

    >>> columns_text(["age", "name, first"])
    'age,"name, first"'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


def number_text(value: float) -> str:
    """A number as an option takes it, with all its digits.

    >>> number_text(1_234_567), number_text(2.0), number_text(0.1234567)
    ('1234567', '2', '0.1234567')
    """
    return str(value).removesuffix(".0")


def options_of_run(*, panel: Group | None = None, without: Sequence[str] = ()) -> list[str]:
    """The options given in this run as words, those of the group `panel` if one is named."""
    context = RUN.get()
    if context is None:
        return []
    return [
        word
        for option in context.command.params
        if option.name not in {*without, "as_json", "quiet", "details"}
        and getattr(context.get_parameter_source(option.name), "name", "") == "COMMANDLINE"
        and (panel is None or getattr(option, "rich_help_panel", None) == panel.title)
        for word in _option_words(option, context.params[option.name])
    ]


def _option_words(option: Any, value: Any) -> Iterator[str]:
    """Yield an option with its value, as words of the command line; nothing for an argument."""
    if option.param_type_name != "option" or option.hidden:
        return
    if isinstance(value, bool):
        yield (option.opts if value else option.secondary_opts)[0]
        return
    for one in value if isinstance(value, list | tuple) else (value,):
        yield from (option.opts[0], number_text(one) if isinstance(one, float) else str(one))


def _table_words(file: str) -> list[str]:
    """The table of this run and how it is read, as words of the command line."""
    return [
        f"./{file}" if file.startswith("-") and file != "-" else file,
        *options_of_run(panel=READING),
    ]


def _column_flags(quasi: Sequence[str], sensitive: Sequence[str] = ()) -> list[str]:
    """The options -q and, if there are any, -s, as words of the command line."""
    return ["-q", columns_text(quasi), *(["-s", columns_text(sensitive)] if sensitive else [])]


def command_after_risk(
    file: str, found: "Risk", quasi: Sequence[str], sensitive: Sequence[str]
) -> str | None:
    """The command that makes a release; None for a table without records."""
    if not found.records:
        return None
    known = [
        *_column_flags(quasi, sensitive),
        *options_of_run(panel=IN_COLUMNS, without=("quasi", "sensitive")),
    ]
    return command("anonymize", *_table_words(file), *known, "-k", str(_K), "-o", _RELEASE)


def command_after_discover(file: str, found: "Discovery | Groups | JudgedSets") -> str | None:
    """The command for the risk of a smallest set, of several columns if any; None without sets."""
    sets = sorted((one.columns for one in found.sets), key=lambda one: (len(one) < 2, len(one)))
    return command("risk", *_table_words(file), *_column_flags(sets[0])) if sets else None


def command_after_init(file: str, policy: str | None) -> str | None:
    """The command that makes the release of the drafted policy; None without a file of it."""
    if policy is None:
        return None
    return command("anonymize", *_table_words(file), "--policy", policy, "-o", _RELEASE)


def command_after_anonymize(file: str, output: str | None, certificate: str | None) -> str | None:
    """The command that checks the release, or after a dry run makes it; see `command` for None."""
    if output is None:
        return command("anonymize", file, *options_of_run(without=("dry_run",)), "-o", _RELEASE)
    return command("check", output, *(["--certificate", certificate] if certificate else []))


def command_after_compare(original: str, releases: Sequence[str], page: str | None) -> str | None:
    """The command that writes every figure on a page; None if there is one."""
    if page:
        return None
    return command("compare", original, *releases, *options_of_run(), "-o", _COMPARISON)


def command_after_check(file: str, found: "Check", original: str | None) -> str | None:
    """The command that attacks what passes, or makes a new release of what fails a model.

    None if it fails otherwise, or no option says what policy it has.
    """
    if found.ok:
        policy = options_of_run(without=_OF_CHECK)
        return command("attack", file, *policy) if policy else None
    if not found.models or all(model.ok for model in found.models):
        return None
    asked = options_of_run(without=("certificate", "trusted_keys", "original"))
    return command("anonymize", original or "ORIGINAL", *asked, "-o", _RELEASE) if asked else None


def command_after_attack(file: str, found: "Attacked") -> str | None:
    """The command that looks at a broken limit, else checks; None if no certificate lies beside."""
    if not found.ok:
        return command("attack", file, *options_of_run(), "--details")
    certificate = targets.certificate_path(file, None)
    if certificate is None or not Path(certificate).exists():
        return None
    return command("check", file, "--certificate", str(certificate))


def command_after_columns(written: str | None, names: Sequence[str]) -> str | None:
    """The command that measures the risk of the columns that were written; None if none were."""
    if written is None or not names:
        return None
    return command("risk", written, *_column_flags(names))


def command_after_plan(file: str) -> str | None:
    """The command that carries out the plan; see `command` for None."""
    return command("plan", file, *options_of_run(), "--apply", "-o", _RELEASE)


def command_after_frontier(file: str, found: "Frontier") -> str | None:
    """The command that releases the first shown point of k >= `_K`, else the last; None without."""
    if not found.points:
        return None
    points = releases.spread_points(found.points)
    point = next((one for one in points if one.k >= _K), points[-1])
    same = options_of_run(without=("curve",))
    most = ["--maximize", "privacy", "--max-loss", number_text(point.max_loss)]
    return command("anonymize", file, *same, *most, "-o", _RELEASE)


def command_after_safe_harbor(file: str, *, met: bool, policy: str | None) -> str | None:
    """The command that looks for more if `met`, else drafts a policy; None if there is a policy."""
    if met:
        return command("discover", *_table_words(file))
    if policy is not None:
        return None
    return command("init", *_table_words(file), "--preset", "hipaa-safe-harbor", "-o", _POLICY)


def command_after_keys(private: str) -> str | None:
    """The command that signs a release with this key; see `command` for None."""
    return command("anonymize", "FILE", "--policy", _POLICY, "-o", _RELEASE, "--sign", private)
