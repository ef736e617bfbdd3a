"""What a policy can be made of: models and searches, as each says of itself."""

from incrowd.models import MODELS, Model
from incrowd.policy.policy import Policy
from incrowd.search import SEARCHES
from incrowd.web import facts, jobs
from incrowd.web.work.state import Tell, WorkerState


def choices(_: WorkerState, job: jobs.ListChoices, tell: Tell) -> facts.Choices:
    """Models with usual settings, and searches that people compare."""
    del job
    tell("listing what there is", 0.0)
    searches = {name: one for name, one in SEARCHES.items() if one.offered}
    return facts.Choices(
        models=tuple(_offered(name, model) for name, model in MODELS.items() if model.usual),
        searches={name: one.offered for name, one in searches.items()},
        of_world=tuple(name for name, one in searches.items() if "world" in one.provides),
    )


def _offered(name: str, model: type[Model]) -> facts.OfferedModel:
    return facts.OfferedModel(
        name=name,
        settings=dict(model.usual),
        of_column="column" in model.__annotations__,
        of_world="world" in model.requires,
    )


def meanings(_: WorkerState, job: jobs.ExplainModels, tell: Tell) -> tuple[str, ...]:
    """What each model promises, in plain words."""
    tell("reading the policy", 0.0)
    return tuple(model.meaning for model in Policy.loads(job.policy).models)
