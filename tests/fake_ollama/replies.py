"""Random replies that follow a schema, and corrupted replies."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

from fake_ollama.faults import What

_WORDS = "alder birch cedar elm fir hazel juniper larch maple oak pine rowan spruce willow yew".split()
NOWHERE = "The moon is made of green cheese."
"""A quote that no source contains."""


def instance(schema: Mapping[str, Any], seed: str) -> Any:
    """Return a random instance of a JSON schema of the basic subset; the same for the same seed."""
    return _instance(schema, random.Random(seed))


def _instance(schema: Mapping[str, Any], chance: random.Random) -> Any:
    if "enum" in schema:
        return chance.choice(list(schema["enum"]))
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object" | None:
            return {name: _instance(part, chance) for name, part in schema.get("properties", {}).items()}
        case "array":
            least = schema.get("minItems", 0)
            most = min(schema.get("maxItems", least + 2), least + 2)
            return [_instance(schema.get("items", {}), chance) for _ in range(chance.randint(least, most))]
        case "integer":
            least = schema.get("minimum", 0)
            return chance.randint(least, schema.get("maximum", least + 10))
        case "number":
            least = schema.get("minimum", 0)
            return round(chance.uniform(least, schema.get("maximum", least + 1)), 3)
        case "boolean":
            return chance.random() < 0.5
        case "null":
            return None
        case _:
            words = " ".join(chance.choice(_WORDS) for _ in range(max(3, schema.get("minLength", 0))))
            return words[: schema.get("maxLength", len(words))]


def spoiled(what: What, text: str, schema: Any) -> str:
    """Return a reply corrupted by a fault; text that is not JSON is only changed as text."""
    match what:
        case What.NOTHING | What.THINKING_ONLY:
            return ""
        case What.EMPTY_OBJECT | What.EMPTY_LIST:
            return what.value
        case What.SURROGATE:
            return "I would \ud800 rather \0 not."
        case What.CUT_SHORT:
            return text[: len(text) // 2]
        case What.FENCED:
            return f"```json\n{text}\n```"
        case What.PROSE:
            return f"Sure! Here is what you asked for:\n\n{text}\n\nLet me know if I can help {{further}}."
        case What.ECHO:
            return json.dumps(schema)
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return json.dumps(_changed(what, value, schema if isinstance(schema, Mapping) else {}), ensure_ascii=False)


def _changed(what: What, value: Any, schema: Mapping[str, Any], name: str = "") -> Any:
    """Return a value with the fault applied to every part that it concerns."""
    match value:
        case dict():
            parts = schema.get("properties", {})
            return {key: _changed(what, part, parts.get(key, {}), key) for key, part in value.items()}
        case list():
            items = [_changed(what, item, schema.get("items", {}), name) for item in value]
            return items * 2 if what is What.DUPLICATES else items[:-1] if what is What.MISSING else items
        case str() if what is What.WRONG_ENUM and "enum" in schema:
            return "probably"
        case str() if what is What.FOREIGN_QUOTE and name == "quote":
            return NOWHERE
        case int() if what is What.INVENTED and not isinstance(value, bool):
            return value + 1000
        case int() if what is What.WRONG_ENUM and "enum" in schema:
            return max(schema["enum"]) + 1
    return value
