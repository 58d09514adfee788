"""Invalid MCP messages: every request still gets an answer."""

import contextlib
import json

import pytest
from mcp.types import JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

from curator.serve.mcp_lines import refusal

INVALID, PARAMS, PARSE = -32600, -32602, -32700


@pytest.mark.parametrize(
    ("line", "code", "ident"),
    [
        ('{"jsonrpc": "2.0", "id": 35, "method": "tools/call", "params": []}', PARAMS, 35),
        ('{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": "x"}', PARAMS, "a"),
        ('{"jsonrpc": "1.0", "id": 91, "method": "ping"}', INVALID, 91),
        ('{"id": 92}', INVALID, 92),
        ('{"jsonrpc": "2.0", "id": 93}', INVALID, 93),
        ('{"jsonrpc": "2.0", "id": 94, "method": null}', INVALID, 94),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID, None),
        ('{"jsonrpc": "2.0", "id": [1], "method": "ping"}', INVALID, None),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID, None),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID, None),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', INVALID, None),
        ('"ping"', INVALID, None),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + '{"a":' * 300 + "1" + "}" * 301, PARSE, 1),
        ('{"jsonrpc": "2.0", "id": 2, "method": "ping", "params": {"a": "\\ud83d"}}', PARSE, 2),
        ('{"jsonrpc": "2.0", "id": 3, "result": {"a": "\\ud83d"}}', PARSE, None),
        ("[" * 100_000, PARSE, None),
        ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', PARSE, None),
    ],
)
def test_a_request_that_the_library_drops_is_answered(line: str, code: int, ident: object) -> None:
    with contextlib.suppress(ValidationError):
        assert not isinstance(jsonrpc_message_adapter.validate_json(line, by_name=False), JSONRPCRequest)
    answer = refusal(line)
    assert answer is not None
    told = json.loads(answer.model_dump_json())
    assert (told["jsonrpc"], told["error"]["code"], told["id"]) == ("2.0", code, ident)


@pytest.mark.parametrize(
    "row",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 10**30, "method": "ping", "params": None, "more": [float("inf")]},
        {"jsonrpc": "2.0", "id": "", "method": "tools/call", "params": {"name": "recall"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"method": "notifications/initialized", "params": []},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "result": 3},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x"}},
    ],
)
def test_what_the_library_reads_and_what_waits_for_no_answer_is_left_to_it(row: dict[str, object]) -> None:
    assert refusal(json.dumps(row)) is None
    if "id" in row and "method" in row:
        assert isinstance(jsonrpc_message_adapter.validate_json(json.dumps(row), by_name=False), JSONRPCRequest)
