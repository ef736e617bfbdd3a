import json
from pathlib import Path

from incrowd.policy.codec import keys_at, schema, schema_text

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "policy.schema.json"


def test_the_published_schema_is_up_to_date():
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text(), (
        "write incrowd.policy.codec.schema_text() to docs/reference/policy.schema.json"
    )


def test_every_key_is_described():
    whole = schema()
    assert whole["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(whole["properties"]) == set(keys_at(()))
    column = whole["$defs"]["Column"]
    assert set(column["properties"]) == set(keys_at(("columns", "age")))
    for properties in (whole["properties"], column["properties"]):
        for key, about in properties.items():
            assert about["description"], key


def test_bare_names_are_allowed_where_nothing_more_must_be_said():
    whole = schema()
    loss = whole["properties"]["loss"]["anyOf"]
    assert "gcp" in loss[0]["enum"]
    assert "classification" not in loss[0]["enum"]
    hierarchy = whole["$defs"]["Column"]["properties"]["hierarchy"]["anyOf"]
    assert {"flat", "prefix", "auto"} <= set(hierarchy[0]["enum"])
    assert {"tree", "file"}.isdisjoint(hierarchy[0]["enum"])
    assert not any(choice.get("type") == "null" for choice in hierarchy)


def test_plug_ins_need_their_name_and_show_no_examples():
    text = json.dumps(schema())
    assert ">>>" not in text
    assert schema()["$defs"]["KAnonymity"]["required"] == ["name", "k"]
