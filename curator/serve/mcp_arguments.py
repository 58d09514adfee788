"""Error messages for wrong arguments of an MCP tool, from the JSON schema of the tool."""

from collections.abc import Iterable, Mapping
from typing import Any

Schema = Mapping[str, Any]
_NOUNS = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "null": "null"}


def unknown(name: str, schema: Schema, given: Iterable[str]) -> str:
    """Return the error message for the first argument that a tool does not have, or ""."""
    takes = list(schema.get("properties", {}))
    wrong = next((one for one in given if one not in takes), "")
    return f"there is no `{wrong[:50]}`: `{name}` takes {', '.join(takes) or 'no arguments'}" if wrong else ""


def invalid(name: str, schema: Schema, given: Mapping[str, object], wrong: Iterable[str]) -> str:
    """Return the error message for the `wrong` arguments of a tool, with the allowed values of each."""
    takes, defined = schema.get("properties", {}), schema.get("$defs", {})
    said = [
        f"`{one}` {'must be' if one in given else 'is needed:'} {allowed(takes[one], defined)}"
        for one in dict.fromkeys(wrong)
    ]
    return f"`{name}`: {'; '.join(said)}"


def allowed(schema: Schema, defined: Schema) -> str:
    """Return the allowed values of a schema in words, like `a whole number from 50 to 20,000, or null`."""
    if "$ref" in schema:
        return allowed(defined[schema["$ref"].rpartition("/")[2]], defined)
    if "anyOf" in schema:
        return ", or ".join(allowed(one, defined) for one in schema["anyOf"])
    if "enum" in schema:
        *others, last = map(str, schema["enum"])
        return f"one of {', '.join(others)} or {last}" if others else last
    if schema.get("type") == "string":
        return f"a text{_range(schema, 'minLength', 'maxLength', ' of', ' characters')}"
    if schema.get("type") == "array":
        each = allowed(schema["items"], defined)
        return f"a list{_range(schema, 'minItems', 'maxItems', ' of', '')}, each {each}"
    noun = _NOUNS.get(str(schema.get("type")), "another value")
    return noun + _range(schema, "minimum", "maximum", "", "")


def _range(schema: Schema, least: str, most: str, of: str, unit: str) -> str:
    low, high = schema.get(least), schema.get(most)
    if low is not None and high is not None:
        between = f"{low:,} to {high:,}"
        return f"{of or ' from'} {between}{unit}"
    if high is not None:
        return f"{of} at most {high:,}{unit}"
    return f"{of} at least {low:,}{unit}" if low is not None else ""
