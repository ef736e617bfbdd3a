"""What there is to choose from: searches and presets, as each says of itself."""

from incrowd.policy.presets import PRESETS
from incrowd.search import SEARCHES
from incrowd.web import facts, jobs
from incrowd.web.work.state import Tell, WorkerState


def list_choices(_: WorkerState, job: jobs.ListChoices, tell: Tell) -> facts.Choices:
    """List the searches that people compare, and the presets."""
    del job
    tell("listing what there is", 0.0)
    searches = {name: search for name, search in SEARCHES.items() if search.offered}
    return facts.Choices(
        searches={name: search.offered for name, search in searches.items()},
        of_world=tuple(name for name, search in searches.items() if "world" in search.provides),
        presets={name: preset.description for name, preset in PRESETS.items()},
    )
