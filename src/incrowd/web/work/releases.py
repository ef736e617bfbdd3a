"""Releases: made, checked, attacked, compared and reported on, each by its verb."""

from dataclasses import replace
from pathlib import Path

from incrowd import api
from incrowd.documents.verdict import AttackOutcome, alone_sentences
from incrowd.errors import IncrowdError, PolicyError
from incrowd.io import files
from incrowd.io.reading import open_table
from incrowd.io.target import certificate_path
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Certificate
from incrowd.release.release import Release
from incrowd.table.column import Role
from incrowd.verbs.report import refuse_target
from incrowd.verbs.report_written import WrittenRelease
from incrowd.verify.verdict import Check
from incrowd.watch import Watch
from incrowd.web import facts, jobs
from incrowd.web.work.state import Tell, WorkerState, reading_of
from incrowd.withholding import public_count


def make_release(_: WorkerState, job: jobs.MakeRelease, tell: Tell) -> facts.ReleaseFacts:
    """Make a release as the command does, the same from the same seed; a report if asked for."""
    policy = Policy.loads(job.policy)
    table = job.table
    wanted = reading_of(table).with_kept(policy.names(Role.KEEP))
    certificate = str(certificate_path(job.target, None))
    _refuse_overwriting(job, certificate)
    if job.report is not None:
        refuse_target(job.report, (table.source, *job.world.files, job.target, certificate))
    with open_table(table.source, wanted, policy.columns) as there:
        release = api.anonymize(
            there,
            policy,
            job.target,
            seed=job.seed,
            key=files.pseudonym_key(job.key_file),
            sign=files.signing_key(job.sign),
            watch=Watch(tell=tell),
            folder=table.folder,
            **job.world.verb_arguments,
        )
    attacks = None
    if job.report is not None:
        paths = {"release": job.target, "certificate": certificate}
        made = WrittenRelease(
            release, table.source, there, paths, Path(table.folder), job.world.verb_arguments
        )
        attacks = made.report(job.report, Watch(tell=tell)).facts.attack_outcome
    return replace(_release_facts(release, job, certificate), attacks=attacks)


def find_replaced(_: WorkerState, job: jobs.FindReplaced, tell: Tell) -> facts.Replaced:
    """Find the files that a release would replace, and whether its certificate is signed."""
    tell("looking at what is there", 0.0)
    made = job.release
    certificate = str(certificate_path(made.target, None))
    written = [made.target, certificate, *([] if made.report is None else [made.report])]
    names = tuple(Path(path).name for path in written if Path(path).exists())
    return facts.Replaced(names=names, signed=_is_signed(certificate))


def _is_signed(certificate: str) -> bool:
    """Whether the certificate in this file is signed; False if there is none that can be read."""
    try:
        return (
            Certificate.from_json(files.read_document(certificate).decode()).signature is not None
        )
    except (IncrowdError, UnicodeDecodeError):
        return False


def _refuse_overwriting(job: jobs.MakeRelease, certificate: str) -> None:
    """Raise `PolicyError` if release or certificate would be written over a file of the world."""
    for path in job.world.files:
        if any(files.same_file(path, written) for written in (job.target, certificate)):
            raise PolicyError(
                f"{Path(path).name!r} is read and would be overwritten", remedy="name another file"
            )


def _release_facts(release: Release, job: jobs.MakeRelease, certificate: str) -> facts.ReleaseFacts:
    """Collect what the page shows of a release and its files."""
    return facts.ReleaseFacts(
        release=job.target,
        certificate=certificate,
        report=job.report,
        verdicts=release.models,
        losses=dict(release.loss),
        k=release.k,
        records=release.records,
        suppressed=public_count(release.suppressed),
        sha256=release.certificate.digest.sha256,
        notes=(*alone_sentences(release.alone), *release.notes),
        warnings=tuple(release.policy.notes()),
    )


def check_release(_: WorkerState, job: jobs.CheckRelease, tell: Tell) -> Check:
    """Check a release from its file; how many are alone is said in the notes, not in `alone`."""
    original = job.original
    found = api.check(
        job.release,
        None if job.policy is None else files.read_policy(job.policy),
        job.certificate,
        original=None if original is None else original.source,
        original_reading=None if original is None else reading_of(original),
        trusted_keys=job.trusted_keys,
        folder=job.folder,
        watch=Watch(tell=tell),
        **job.world.verb_arguments,
    )
    return replace(found, alone=None, notes=(*alone_sentences(found.alone), *found.notes))


def attack_release(_: WorkerState, job: jobs.AttackRelease, tell: Tell) -> facts.TextFacts:
    """Play the attacks of those who hold the original, or a world, on a release."""
    found = api.attack(
        job.release,
        original=job.table.source,
        policy=Policy.loads(job.policy),
        folder=job.table.folder,
        seed=job.seed,
        watch=Watch(tell=tell),
        **job.world.verb_arguments,
    )
    outcome = AttackOutcome(broken=len(found.broken), goals=found.broken)
    return facts.TextFacts(html=found._repr_html_(), attacks=outcome)


def compare_releases(_: WorkerState, job: jobs.CompareReleases, tell: Tell) -> facts.TextFacts:
    """Compare releases with their original, without model tests."""
    found = api.compare(
        job.table.source,
        *job.releases,
        policy=Policy.loads(job.policy),
        models=False,
        folder=job.table.folder,
        watch=Watch(tell=tell),
    )
    return facts.TextFacts(html=found._repr_html_())
