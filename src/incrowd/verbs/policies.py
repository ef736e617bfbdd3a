"""The policy of a request, whose file may be named in its place."""

from dataclasses import replace
from typing import Any, TypeVar

from incrowd.io import files

Asked = TypeVar("Asked")


def with_policy(asked: Asked) -> Asked:
    """The request with its policy, read if a file is named, and the folder its paths start in."""
    request: Any = asked
    if request.policy is None:
        return asked
    folder = files.folder_of_policy(request.policy, request.folder)
    found: Asked = replace(request, policy=files.policy_of(request.policy), folder=folder)
    return found
