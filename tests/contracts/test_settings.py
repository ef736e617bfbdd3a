"""Settings are frozen values, checked when they are written."""

import dataclasses
import typing

import pytest
from pydantic import TypeAdapter, ValidationError

import incrowd.hierarchy
import incrowd.loss
import incrowd.models
import incrowd.search

FAMILIES = {
    "models": incrowd.models.AnyModel,
    "loss": incrowd.loss.AnyLoss,
    "search": incrowd.search.AnySearch,
    "hierarchy": incrowd.hierarchy.AnyHierarchy,
}


def plugins():
    for family, union in FAMILIES.items():
        for plugin in typing.get_args(typing.get_args(union)[0]):
            yield pytest.param(union, plugin, id=f"{family}-{plugin.__name__}")


@pytest.mark.parametrize(("union", "plugin"), list(plugins()))
def test_plugins_are_frozen_values_with_a_literal_name(union, plugin):
    assert dataclasses.is_dataclass(plugin)
    assert plugin.__dataclass_params__.frozen
    assert plugin.__pydantic_config__["extra"] == "forbid"
    assert plugin.__pydantic_config__["hide_input_in_errors"]
    name = typing.get_args(typing.get_type_hints(plugin)["name"])
    assert len(name) == 1
    with pytest.raises(ValidationError):
        TypeAdapter(union).validate_python({"name": name[0], "no such key": 1})


@pytest.mark.parametrize("union", list(FAMILIES.values()), ids=list(FAMILIES))
def test_names_are_unique_in_a_family(union):
    plugins = typing.get_args(typing.get_args(union)[0])
    names = [typing.get_args(typing.get_type_hints(plugin)["name"])[0] for plugin in plugins]
    assert len(set(names)) == len(names)
