"""Edits of JSON with comments change only what they insert or remove."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connect.conftest import COMMAND
from curator.connect import edit_json, jsonc
from curator.connect.hosts import HOSTS
from curator.connect.jsonc import InvalidSettings, Json
from effort import EXAMPLES, share, thorough

PART = HOSTS["gemini"].files[0]
ENTRY: Json = {"command": "/opt/my tools/curator", "args": ["mcp"], "hooks": [{"é": {}}]}

gaps = st.lists(
    st.sampled_from((" ", "\n", "\r\n", "\t", "    ", '// a, [b] "c"  \n', "/* { */", "/* two\nlines */ ")), max_size=3
).map("".join)
scalars = st.one_of(
    st.text(max_size=6).map(json.dumps),
    st.sampled_from(('"//"', '"/*"', '"\\""', '"a,}"', "true", "null", "-1.5e3", '"ü"', "0")),
)


@st.composite
def containers(draw: st.DrawFn, inner: st.SearchStrategy[str], opening: str | None = None) -> str:
    """Draw an object or array as text, with whitespace, comments and perhaps a trailing comma."""
    signs: str = opening or draw(st.sampled_from(("{}", "[]")))
    items: list[str] = draw(st.lists(inner, max_size=4))
    names: list[str] = draw(st.lists(st.text(max_size=4).map(json.dumps), min_size=4, max_size=4, unique=True))
    parts = []
    for name, item in zip(names, items, strict=False):
        key = f"{name}{draw(gaps)}:{draw(gaps)}" if signs == "{}" else ""
        parts.append(draw(gaps) + key + item + draw(gaps))
    comma: str = "," if parts and draw(st.sampled_from((True, False))) else ""
    return signs[0] + ",".join(parts) + comma + draw(gaps) + signs[1]


values = st.recursive(scalars, containers, max_leaves=12)
documents = st.builds(
    lambda before, root, after: before + root + after, gaps, st.deferred(lambda: containers(values, "{}")), gaps
)


def plain(text: str) -> Json:
    """Parse a text with Python's parser, after removing comments and trailing commas."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/|[^"/]+', text, re.S)
    bare = "".join(token for token in tokens if not token.startswith(("//", "/*")))
    marked = re.sub(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])', lambda found: found[1] or found[2], bare)
    value: Json = json.loads(marked)
    return value


def value_of(text: str) -> dict[str, Json]:
    root = jsonc.parse(text)
    assert root is not None and isinstance(root.value, dict)
    return dict(root.value)


@thorough
@settings(max_examples=share(EXAMPLES) * 2)
@given(documents)
def test_the_scanner_reads_what_pythons_parser_reads(text: str) -> None:
    assert value_of(text) == plain(text)


@thorough
@settings(max_examples=share(EXAMPLES) * 2)
@given(documents)
def test_what_was_inserted_is_removed_without_a_trace(text: str) -> None:
    before = value_of(text)
    written = jsonc.insert(text, (), "curator", ENTRY)
    assert value_of(written) == {**before, "curator": ENTRY}
    after = jsonc.remove(written, ("curator",))
    assert value_of(after) == before
    if before:
        assert after == text
    else:
        assert "".join(after.split()) == "".join(text.split())


@thorough
@settings(max_examples=share(EXAMPLES) * 2)
@given(documents, st.data())
def test_any_member_can_be_removed_or_replaced(text: str, data: st.DataObject) -> None:
    before = value_of(text)
    if before:
        name = data.draw(st.sampled_from(sorted(before)))
        assert value_of(jsonc.remove(text, (name,))) == {key: one for key, one in before.items() if key != name}
        assert value_of(jsonc.replace(text, (name,), ENTRY)) == {**before, name: ENTRY}


@thorough
@settings(max_examples=share(EXAMPLES), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents)
def test_connecting_a_random_document_can_be_undone(text: str) -> None:
    before = value_of(text)
    if any(not isinstance(before.get(name, {}), dict) for name in ("mcpServers", "hooks")):
        return
    edited = edit_json.connect(text, PART, COMMAND)
    assert edit_json.connect(edited.text, PART, COMMAND).text == edited.text
    after = edit_json.disconnect(edited.text, PART, edited.created)
    assert value_of(after) == before
    assert after == text or not before


@pytest.mark.parametrize("text", ["", " \n", "// only\n/* comments */"])
def test_a_text_without_a_value_has_none(text: str) -> None:
    assert jsonc.parse(text) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", 1),
        ('{"a": 1,,}', 1),
        ('{\n"a" 1}', 2),
        ('{"a": "\n"}', 1),
        ("{}\n{}", 2),
        ('{\n\n"a": tru}', 3),
        ("{ /* never closed }", 1),
        ("[1 2]", 1),
        ('{"a": "\\x"}', 1),
        ("[" * 100_000, 1),
        ("{,}", 1),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(text: str, line: int) -> None:
    with pytest.raises(InvalidSettings) as error:
        jsonc.parse(text)
    assert error.value.line == line and str(error.value)


def test_style_is_that_of_the_text(tmp_path: Path) -> None:
    assert jsonc.insert('{"a": 1}', (), "b", ["x"]) == '{"a": 1, "b": ["x"]}'
    assert (
        jsonc.insert('{\n\t"a": 1 // one\n}', (), "b", {"c": 2}) == '{\n\t"a": 1, // one\n\t"b": {\n\t\t"c": 2\n\t}\n}'
    )
    assert jsonc.insert('{\r\n    "a": {},\r\n}', ("a",), "b", 1) == (
        '{\r\n    "a": {\r\n        "b": 1\r\n    },\r\n}'
    )
