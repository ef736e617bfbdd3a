import re
import tomllib
from pathlib import Path

import pytest
import tomlkit

from incrowd.policy.codec import loads
from incrowd.policy.policy import Column, Policy
from incrowd.policy.presets import PRESETS
from incrowd.table.column import Role

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "policy.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", GUIDE, flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_example_of_the_guide_is_a_policy(block):
    said = tomllib.loads(block)
    if "version" in said:
        assert len(loads(block).columns) > 3
        return
    base = {"version": 1, "models": [{"name": "k-anonymity", "k": 5}]}
    said["columns"]["another"] = {"role": "quasi"}
    loads(tomlkit.dumps(base | said))


def test_the_guide_names_every_key_role_and_preset():
    for key in (*Policy.model_fields, *Column.model_fields, *Role, *PRESETS):
        assert f"`{key}`" in GUIDE, key
