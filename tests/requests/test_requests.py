"""An option has one home: from it come the signature, the docstring, the flags and the checks."""

import inspect
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import pytest

import incrowd
from incrowd.errors import PolicyError
from incrowd.requests import kinds
from incrowd.requests.anonymize import AnonymizeRequest
from incrowd.requests.attack import AttackRequest
from incrowd.requests.check import CheckRequest
from incrowd.requests.compare import CompareRequest
from incrowd.requests.discover import DiscoverRequest, GroupsRequest, JudgeSetsRequest
from incrowd.requests.draft import DraftRequest
from incrowd.requests.frontier import FrontierRequest
from incrowd.requests.mask import MaskRequest
from incrowd.requests.plan import PlanRequest, PlanSizesRequest
from incrowd.requests.quantiles import QuantilesRequest
from incrowd.requests.query_precision import QueryPrecisionRequest
from incrowd.requests.report import ReportRequest
from incrowd.requests.request import Request, options_of, verb
from incrowd.requests.risk import RiskRequest
from incrowd.requests.safe_harbor import SafeHarborRequest
from incrowd.requests.shared import Quasi, Source

GROUP = kinds.Group("Things")
REQUESTS = {
    "anonymize": AnonymizeRequest,
    "attack": AttackRequest,
    "check": CheckRequest,
    "compare": CompareRequest,
    "discover": DiscoverRequest,
    "draft": DraftRequest,
    "frontier": FrontierRequest,
    "groups": GroupsRequest,
    "judge_sets": JudgeSetsRequest,
    "mask": MaskRequest,
    "plan": PlanRequest,
    "plan_sizes": PlanSizesRequest,
    "quantiles": QuantilesRequest,
    "query_precision": QueryPrecisionRequest,
    "report": ReportRequest,
    "risk": RiskRequest,
    "safe_harbor": SafeHarborRequest,
}


@dataclass(frozen=True, kw_only=True)
class Things(Request):
    """Some things."""

    source: Source = field(kw_only=False)
    quasi: Quasi = ()
    most_people: Annotated[int, kinds.COUNT, GROUP] = 3
    """This many; see --share."""
    share: Annotated[float | None, kinds.SHARE, GROUP, kinds.Flags("--share", "-s")] = None
    """A share."""
    watch: Any = None
    """Hears of progress."""


@verb(Things)
def things(asked: Things) -> tuple[Any, ...]:
    """Look at things."""
    return asked.source, asked.quasi, asked.most_people, asked.share


def test_a_verb_takes_what_its_request_has():
    assert things("t.csv", quasi="age", share=0.5) == ("t.csv", ("age",), 3, 0.5)
    assert str(inspect.signature(things)).startswith("(source: Any, *, quasi: ")
    assert things.__doc__.startswith("Look at things.\n\n`source`: The table")
    assert "`most_people`: This many; see `share`.\n" in things.__doc__
    assert "`watch`: Hears of progress." in things.__doc__


@pytest.mark.parametrize(
    ("places", "given", "says"),
    [
        (("t",), {"shares": 1}, "things() got an unexpected keyword argument 'shares'"),
        ((), {}, "things() missing a required argument: 'source'"),
        (("t", "u"), {}, "things() too many positional arguments"),
    ],
)
def test_a_wrong_call_names_the_verb(places, given, says):
    with pytest.raises(TypeError) as error:
        things(*places, **given)
    assert str(error.value) == says


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"share": "0.5"}, "share must be a number"),
        ({"share": float("nan")}, "share must be from 0 to 1"),
        ({"share": 1.5}, "share must be from 0 to 1"),
        ({"share": True}, "share must be a number"),
        ({"most_people": -1}, "most_people must be 0 or more"),
        ({"most_people": 1.5}, "most_people must be a whole number"),
        ({"quasi": [1]}, "column names must be text"),
    ],
)
def test_wrong_values_are_refused_with_a_remedy(given, says):
    with pytest.raises(PolicyError) as error:
        things("t.csv", **given)
    assert error.value.message == says
    assert error.value.remedy


@pytest.mark.parametrize("places", [("b", "c"), (["b", "c"],), (("b", "c"),)])
def test_several_tables_are_a_list_or_follow_one_by_one(places):
    @verb(CompareRequest, several="releases")
    def beside(asked: CompareRequest) -> tuple[Any, ...]:
        return asked.original, tuple(asked.releases), asked.seed

    assert beside("a", *places, seed=1) == ("a", ("b", "c"), 1)
    assert beside("a", releases=["b", "c"]) == ("a", ("b", "c"), 0)
    assert beside("a") == ("a", (), 0)


def test_numbers_of_numpy_are_numbers():
    assert things("t", most_people=np.int64(2), share=np.float32(0.5))[2:] == (2, 0.5)


def test_options_have_flags_groups_and_sentences():
    source, quasi, people, share = options_of(Things)
    assert (source.flags, quasi.flags) == ((), ("--quasi", "-q"))
    assert (people.flags, people.group, people.default) == (("--most-people",), "Things", 3)
    assert (share.flags, share.says) == (("--share", "-s"), "A share.")


@pytest.mark.parametrize("name", REQUESTS)
def test_every_parameter_of_a_verb_is_explained(name):
    called, request = getattr(incrowd, name), REQUESTS[name]
    assert list(inspect.signature(called).parameters) == list(inspect.signature(request).parameters)
    for parameter in inspect.signature(called).parameters:
        assert f"\n`{parameter}`: " in called.__doc__
