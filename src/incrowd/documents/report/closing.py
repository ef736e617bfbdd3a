"""The last sections of a report: limits, the policy, the certificate, a glossary."""

from collections.abc import Iterator

from incrowd.documents.page import Block, Folded, Paragraphs, Section
from incrowd.documents.report.facts import ReportFacts
from incrowd.documents.report.wording import figure_table, paragraphs, quiet_paragraphs
from incrowd.documents.words import loss_name, number
from incrowd.models import MODELS
from incrowd.release.certificate import Certificate
from incrowd.withholding import FEW

_ALWAYS = (
    f"This report has aggregated figures only, and none of {FEW} records but those left out.",
    "It speaks of the columns above and of attackers who know them: who knows more may find more.",
)
_GLOSSARY = (
    ("class", "all records of a table that show the same in the columns people are found by"),
    ("quasi-identifier", "a column that others may know and find a person by, such as age or ZIP"),
    ("sensitive column", "a column whose value nobody should learn about a person"),
    ("unique record", "a record that is alone in its class"),
    ("chance to be found", "1 divided by the people of the class, for somebody known to be there"),
    ("generalize", "show a coarser value in place of a value"),
    ("suppress", "leave a record out, or show nothing in a cell"),
    ("level", "a step of a hierarchy; level 0 shows values as they are"),
    ("information loss", "how much coarser the release is than the original, by the policy's loss"),
    ("baseline", "how often an attacker is right by guessing, without the release"),
    ("gain", "what the release adds to guessing, as a share of what guessing leaves open"),
    ("95 % interval", "where the rate would lie for more people like these"),
    ("certificate", "what a release promises and reaches, with digests, beside the release"),
)


def limits_section(facts: ReportFacts) -> Section:
    """Tell what the release does not promise."""
    return Section("limits", "Limits", paragraphs(*facts.limits, *_ALWAYS))


def papers_section(facts: ReportFacts) -> Section:
    """Show the policy, the certificate and the glossary."""
    blocks: list[Block] = [Folded("The policy", (Paragraphs((facts.policy,), "command"),))]
    if facts.certificate is None:
        blocks += quiet_paragraphs(facts.absent.get("certificate", "There is no certificate."))
    else:
        blocks.append(
            Folded("The certificate", _certificate_blocks(facts.certificate, facts.signed_by))
        )
    words = (*_GLOSSARY, *_model_definitions(facts))
    blocks.append(Folded("Words of this report", (figure_table(("word", "meaning"), words),)))
    return Section("papers", "Policy, certificate, glossary", tuple(blocks))


def _model_definitions(facts: ReportFacts) -> Iterator[tuple[str, str]]:
    """Yield the models that the report names, with how each defines itself."""
    titles = [
        *(one.name for one in facts.verdict.models),
        *(one.measure for one in facts.diversity),
    ]
    for name, model in MODELS.items():
        if model.definition and any(title.startswith(name) for title in titles):
            yield name, model.definition


def _certificate_blocks(certificate: Certificate, signed_by: str | None) -> tuple[Block, ...]:
    """The certificate as a table; `signed_by` is the fingerprint of a key, or None."""
    rows = [
        ("made", certificate.created),
        ("search", certificate.search),
        (f"SHA-256 of the {certificate.digest.of}", certificate.digest.sha256),
        ("signed by the key", signed_by or "nobody: it does not prove who made it"),
        *((f"version of {name}", version) for name, version in certificate.versions.items()),
        *((f"loss: {loss_name(name)}", number(loss)) for name, loss in certificate.loss.items()),
    ]
    return (figure_table(("what", "value"), rows),)
