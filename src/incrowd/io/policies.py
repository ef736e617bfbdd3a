"""Policy files."""

import os

from incrowd.errors import InputError, PolicyError
from incrowd.io.files import content
from incrowd.policy.codec import loads
from incrowd.policy.policy import Policy


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """The policy of a TOML file."""
    name = os.fspath(path)
    try:
        return loads(content(path).decode("utf-8-sig"), name)
    except InputError as error:
        raise PolicyError(f"the policy {error.message}", remedy=error.remedy) from None
    except UnicodeDecodeError:
        problem = PolicyError(
            f"the policy {name!r} is not UTF-8 text", remedy="name a TOML file, saved as UTF-8"
        )
    raise problem
