"""The fake server itself: its answers, checks and faults, and its log of clients."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from effort import exhaustive, thorough
from fake_ollama.faults import OF_THE_REPLY, Fault, What
from fake_ollama.replies import NOWHERE, instance
from fake_ollama.scenario import CHAT, CLOUD, EMBEDDER, SMALLER, Model, Overlong, Said, Scenario, Script
from fake_ollama.server import Server, serving

SCHEMA = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "minItems": 1,
            "maxItems": 3,
            "items": {
                "type": "object",
                "properties": {
                    "quote": {"type": "string"},
                    "kind": {"type": "string", "enum": ["fact", "goal"]},
                    "number": {"type": "integer", "minimum": 1, "maximum": 5},
                },
                "required": ["quote", "kind", "number"],
            },
        }
    },
    "required": ["items"],
}
ONE = {"items": [{"quote": "I live in Porto", "kind": "fact", "number": 1}]}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def chat(text: str = "hi", **more: Any) -> dict[str, Any]:
    return {"model": "qwen3:4b", "messages": [{"role": "user", "content": text}], "think": False, **more}


def post(server: Server, path: str = "/api/chat", **body: Any) -> httpx.Response:
    return httpx.post(server.host + path, json=body, timeout=10, trust_env=False)


def streamed(server: Server, path: str = "/api/chat", **body: Any) -> list[dict[str, Any]]:
    """Return the lines of an answer; those of a broken one are lost."""
    return [json.loads(line) for line in post(server, path, **body).text.splitlines()]


def said(lines: list[dict[str, Any]]) -> str:
    return "".join(line["message"]["content"] for line in lines)


def raw(server: Server, data: bytes) -> bytes:
    """Return all bytes received until the server closes the connection or is silent for a while."""
    with socket.create_connection(("127.0.0.1", server.port)) as plug:
        plug.settimeout(0.5)
        plug.sendall(data)
        came = b""
        try:
            while part := plug.recv(65536):
                came += part
        except TimeoutError:
            pass
        return came


@thorough
def test_what_is_installed_is_told_as_the_server_tells_it(server: Server) -> None:
    assert httpx.get(server.host).text == "Ollama is running"
    assert httpx.get(f"{server.host}/api/version").json() == {"version": "0.33.0"}
    models = {model["name"]: model for model in httpx.get(f"{server.host}/api/tags").json()["models"]}
    assert list(models) == ["qwen3:4b", "gemma3:4b", "nomic-embed-text:latest", "gpt-oss:120b-cloud"]
    assert models["qwen3:4b"]["details"]["parameter_size"] == "4.0B"
    assert len(models["qwen3:4b"]["digest"]) == 64
    assert models["gpt-oss:120b-cloud"]["remote_host"] == "https://ollama.com:443"
    assert "remote_host" not in models["qwen3:4b"]
    shown = post(server, "/api/show", model="nomic-embed-text").json()
    assert shown["capabilities"] == ["embedding"]
    assert shown["model_info"]["general.architecture"] == "nomic-bert"
    assert shown["model_info"]["nomic-bert.embedding_length"] == 768
    assert shown["model_info"]["nomic-bert.context_length"] == 2048
    assert post(server, "/api/show", model="no-such").status_code == 404
    assert post(server, "/api/show", model="no such").status_code == 400


def test_a_stream_is_split_anywhere_and_ends_with_its_metrics() -> None:
    text = "Grüße aus 東京 – naïve 🦉 words, " * 20
    with serving(Scenario(scripts=(Script("hi", text),))) as server:
        came = b""
        mid_letter = several = 0
        with httpx.stream("POST", f"{server.host}/api/chat", json=chat()) as answer:
            assert answer.headers["content-type"] == "application/x-ndjson"
            assert answer.headers["transfer-encoding"] == "chunked"
            for part in answer.iter_raw():
                several += part.count(b"\n") > 1
                came += part
                try:
                    came.decode()
                except UnicodeDecodeError:
                    mid_letter += 1
        assert several and mid_letter
        *lines, last = map(json.loads, came.decode().splitlines())
        assert said([*lines, last]) == text
        assert not any(line["done"] for line in lines)
        assert (last["done"], last["done_reason"], last["eval_count"]) == (True, "stop", len(lines))
        assert last["total_duration"] >= last["eval_duration"] > 1_000_000  # nanoseconds
        whole = post(server, **chat(stream=False)).json()
        assert (whole["message"]["content"], whole["done"]) == (text, True)


def test_tokens_come_one_after_the_other_at_their_pace() -> None:
    with serving(Scenario(scripts=(Script("hi", "一二三四五六"),), pace=0.02, first_byte=0.05)) as server:
        begun = time.monotonic()
        came = []
        with httpx.stream("POST", f"{server.host}/api/chat", json=chat()) as answer:
            for part in answer.iter_raw():
                came.append((time.monotonic() - begun, part))
        assert came[0][0] >= 0.05
        assert came[-1][0] >= 0.05 + 6 * 0.02
        assert said([json.loads(line) for line in b"".join(part for _, part in came).splitlines()]) == "一二三四五六"


@pytest.mark.parametrize(
    ("status", "words", "body"),
    [
        (404, "model 'nobody' not found", chat(model="nobody")),
        (400, "does not support chat", chat(model="nomic-embed-text")),
        (400, "does not support thinking", chat(model="gemma3:4b", think=True)),
        (500, 'invalid format: "xml"', chat(format="xml")),
        (500, "grammar", chat(format={"type": "object", "properties": {"a": {"type": "text"}}})),
        (400, "model is required", chat(model="")),
    ],
)
def test_requests_are_checked(server: Server, status: int, words: str, body: dict[str, Any]) -> None:
    answer = post(server, **body)
    assert answer.status_code == status
    assert words in answer.json()["error"]


@thorough
def test_bodies_hosts_and_paths_are_checked(server: Server) -> None:
    url = f"{server.host}/api/chat"
    empty, broken = httpx.post(url), httpx.post(url, content=b"{'model'")
    assert (empty.status_code, empty.json()["error"]) == (400, "missing request body")
    assert broken.status_code == 400
    assert server.requests[-1].body == "{'model'"
    assert httpx.get(url).status_code == 405
    assert httpx.get(f"{server.host}/api/nothing").status_code == 404
    stranger = httpx.get(f"{server.host}/api/tags", headers={"Host": "evil.example"})
    assert (stranger.status_code, stranger.content) == (403, b"")
    assert raw(server, b"nonsense\r\n\r\n") == b""


def test_a_reply_obeys_the_schema_and_is_the_same_again(server: Server) -> None:
    def reply() -> Any:
        return json.loads(said(streamed(server, **chat(format=SCHEMA))))

    first = reply()
    assert first == reply()
    assert 1 <= len(first["items"]) <= 3
    for item in first["items"]:
        assert item.keys() == {"quote", "kind", "number"}
        assert item["kind"] in ("fact", "goal") and 1 <= item["number"] <= 5
    assert instance(SCHEMA, "one") != instance(SCHEMA, "another")


def test_scripts_answer_by_text_or_predicate_the_first_that_fits() -> None:
    scripts = (
        Script("Porto", ONE),
        Script(lambda body: body["options"]["seed"] == 7, lambda body: f"seven for {body['model']}"),
        Script("", Said("partly", reason=None)),
    )
    with serving(Scenario(scripts=scripts, mind=lambda body: "never")) as server:
        assert json.loads(said(streamed(server, **chat("I live in Porto")))) == ONE
        assert said(streamed(server, **chat(options={"seed": 7}))) == "seven for qwen3:4b"
        assert not streamed(server, **chat(options={"seed": 8}))[-1]["done"]


def spoilt(what: What) -> list[dict[str, Any]]:
    scenario = Scenario(scripts=(Script("hi", ONE),), faults=(Fault(what),))
    with serving(scenario) as server:
        return streamed(server, **chat(format=SCHEMA, options={"num_predict": 200}))


@thorough
def test_faults_of_the_reply() -> None:
    came = {what: spoilt(what) for what in OF_THE_REPLY}
    texts = {what: said(lines) for what, lines in came.items()}
    assert all(lines[-1]["done"] for lines in came.values())
    assert texts[What.EMPTY_OBJECT] == "{}" and texts[What.EMPTY_LIST] == "[]"
    assert texts[What.NOTHING] == texts[What.THINKING_ONLY] == ""
    assert any("thinking" in line["message"] for line in came[What.THINKING_ONLY])
    assert texts[What.FENCED].startswith("```json\n{") and texts[What.PROSE].startswith("Sure!")
    assert json.loads(texts[What.ECHO]) == SCHEMA
    assert " \n" * 50 in texts[What.CUT_SHORT]
    assert came[What.CUT_SHORT][-1]["done_reason"] == "length"
    assert came[What.CUT_SHORT][-1]["eval_count"] == 200
    (item,) = ONE["items"]
    for what, items in {
        What.WRONG_ENUM: [{**item, "kind": "probably"}],
        What.FOREIGN_QUOTE: [{**item, "quote": NOWHERE}],
        What.INVENTED: [{**item, "number": 1001}],
        What.DUPLICATES: [item, item],
        What.MISSING: [],
    }.items():
        assert json.loads(texts[what]) == {"items": items}


def test_a_model_that_thinks_does_so_unless_told_not_to(server: Server) -> None:
    assert any("thinking" in line["message"] for line in streamed(server, **chat(think=None)))
    assert not any("thinking" in line["message"] for line in streamed(server, **chat()))
    ignoring = replace(CHAT, ignores_format=True)
    server.change(Scenario(models=(ignoring,)))
    assert said(streamed(server, **chat(format=SCHEMA))).startswith("```json")
    assert said(streamed(server, **chat(format=SCHEMA, think=None))).startswith("{")


@thorough
def test_what_is_too_long_is_cut_without_a_word_or_refused() -> None:
    heard: list[str] = []

    def mind(body: Any) -> str:
        heard.append("\n".join(message["content"] for message in body["messages"]))
        return "ok"

    refusing, deaf = Model("refusing", overlong=Overlong.REFUSE), Model("deaf", overlong=Overlong.DEAF)
    options = {"num_ctx": 100}
    long = "begin " + "x" * 1000 + " end"
    with serving(Scenario(models=(CHAT, refusing, deaf), mind=mind)) as server:
        last = streamed(server, **chat(long, options=options))[-1]
        assert len(heard[-1]) <= 200 and heard[-1].startswith("begin") and heard[-1].endswith("end")
        assert last["prompt_eval_count"] <= 60
        assert post(server, **chat(long, options=options, truncate=False)).status_code == 400
        assert post(server, **chat(long, options=options, model="refusing")).status_code == 400
        streamed(server, **chat(long, options=options, model="deaf", truncate=False))
        assert len(heard[-1]) <= 200
        talk = [{"role": role, "content": f"{role} " + "y" * 150} for role in ("system", "user", "assistant", "user")]
        streamed(server, **{**chat(options=options), "messages": talk})
        assert heard[-1].startswith("system") and "assistant" not in heard[-1]
        server.change(Scenario(scripts=(Script("", "z" * 1000),)))
        assert streamed(server, **chat(options={"num_predict": 10}))[-1]["done_reason"] == "length"
        assert streamed(server, **chat(options=options))[-1]["done_reason"] == "length"


def embedded(server: Server, **body: Any) -> list[list[float]]:
    found: list[list[float]] = post(server, "/api/embed", **{"model": "nomic-embed-text", **body}).json()["embeddings"]
    return found


def test_vectors_are_normal_in_order_and_near_for_the_same_words(server: Server) -> None:
    one, two, three = embedded(server, input=["I live in Porto", "I live in Porto now", "the engine failed"])
    assert [one] == embedded(server, input="I live in Porto")
    assert len(one) == 768 and sum(x * x for x in one) == pytest.approx(1)

    def near(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    assert near(one, two) > 0.7 > 0.4 > near(one, three)
    (short,) = embedded(server, input="I live in Porto", dimensions=64)
    assert len(short) == 64 and sum(x * x for x in short) == pytest.approx(1)


@thorough
def test_embedding_has_its_traps(server: Server) -> None:
    assert embedded(server, input="") == embedded(server, input=[]) == []
    too_long = {"model": "nomic-embed-text", "input": ["short", "x" * 9000]}
    assert len(embedded(server, **too_long)) == 2
    refused = post(server, "/api/embed", truncate=False, **too_long)
    assert (refused.status_code, "exceeds the context" in refused.json()["error"]) == (400, True)
    faults = (
        Fault(What.NAN, path="/api/embed", when="poison"),
        Fault(What.WRONG_COUNT, path="/api/embed", calls={3}),
    )
    server.change(Scenario(faults=faults))
    poisoned = post(server, "/api/embed", model="nomic-embed-text", input=["a", "poison"])
    assert (poisoned.status_code, "NaN" in poisoned.json()["error"]) == (500, True)
    assert len(embedded(server, input=["a", "b"])) == 2
    assert len(embedded(server, input=["a", "b"])) == 1


@thorough
def test_a_pull_tells_its_progress_and_goes_on_where_it_was_left() -> None:
    new = Model("llama3.2:3b")
    with serving(Scenario(library=(new,), pace=0.01)) as server:
        assert post(server, **chat(model="llama3.2:3b")).status_code == 404
        with httpx.stream("POST", f"{server.host}/api/pull", json={"model": "llama3.2:3b"}) as answer:
            for line in answer.iter_lines():
                if json.loads(line).get("completed"):
                    break
        server.wait(lambda server: server.disconnects)
        assert post(server, "/api/show", model="llama3.2:3b").status_code == 404
        lines = streamed(server, "/api/pull", model="llama3.2:3b")
        assert lines[1]["completed"] > lines[1]["total"] // 4  # continues after the first lines
        assert any("digest" in line and "completed" not in line for line in lines)
        assert [line["status"] for line in lines][-4:] == [
            "verifying sha256 digest",
            "writing manifest",
            "removing any unused layers",
            "success",
        ]
        assert post(server, **chat(model="llama3.2:3b")).status_code == 200
        missing = streamed(server, "/api/pull", model="no-such")
        assert "file does not exist" in missing[-1]["error"]
        server.change(Scenario(library=(new,), faults=(Fault(What.ERROR_LINE, path="/api/pull", at=100),)))
        assert "error" in streamed(server, "/api/pull", model="llama3.2:3b")[-1]


def test_faults_with_a_status_and_those_that_pass() -> None:
    faults = (
        Fault(What.BUSY, calls={1}),
        Fault(What.CRASH, calls={2}),
        Fault(What.HTML, calls={3}),
        Fault(What.GARBAGE, calls={4}),
    )
    with serving(Scenario(faults=faults)) as server:
        answers = [post(server, **chat()) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [503, 500, 502, 200, 200]
        assert "server busy" in answers[0].json()["error"]
        assert "unexpectedly stopped" in answers[1].json()["error"]
        assert "<html>" in answers[2].text
        with pytest.raises(ValueError, match=r"codec|Expecting"):
            json.loads(answers[3].content)
        assert answers[4].text.splitlines()[-1].count('"done":true') == 1


def broken_body(server: Server) -> bytes:
    """Return the body of a chat up to where the connection breaks."""
    came = b""
    with (
        pytest.raises(httpx.RemoteProtocolError),
        httpx.stream("POST", f"{server.host}/api/chat", json=chat()) as answer,
    ):
        for part in answer.iter_raw():
            came += part
    return came


@exhaustive
def test_a_connection_ends_at_exactly_the_byte_it_is_told_to() -> None:
    with serving(Scenario(scripts=(Script("", "naïve 東京"),))) as server:
        body = post(server, **chat()).content
        for at in (*range(0, len(body), 37), len(body) - 1, len(body), len(body) + 9):
            server.change(Scenario(scripts=(Script("", "naïve 東京"),), faults=(Fault(What.DROP, at=at),)))
            assert broken_body(server) == body[:at]
            assert server.requests[-1].sent == min(at, len(body))
        server.change(Scenario(faults=(Fault(What.DROP, at=-20),)))
        assert raw(server, b"POST /api/chat HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}").startswith(b"HTTP/1.1 4")
        assert broken_body(server) == b""
        server.change(Scenario(faults=(Fault(What.REFUSE),)))
        with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
            post(server, **chat())


@thorough
def test_streams_that_stall_come_late_end_early_or_in_an_error() -> None:
    with serving(Scenario(faults=(Fault(What.STALL, at=150, seconds=0.3),))) as server:
        gaps = []
        before = time.monotonic()
        with httpx.stream("POST", f"{server.host}/api/chat", json=chat()) as answer:
            size = 0
            for part in answer.iter_raw():
                gaps.append((time.monotonic() - before, size))
                before, size = time.monotonic(), size + len(part)
        assert any(seconds >= 0.25 and size == 150 for seconds, size in gaps)
        server.change(Scenario(faults=(Fault(What.SLOW, seconds=0.2),)))
        begun = time.monotonic()
        assert streamed(server, **chat())[-1]["done"]
        assert time.monotonic() - begun >= 0.2
        server.change(Scenario(faults=(Fault(What.NO_END),)))
        assert not any(line["done"] for line in streamed(server, **chat()))
        assert post(server, **chat(stream=False)).json()["done"] is False
        server.change(Scenario(faults=(Fault(What.ERROR_LINE, at=300),)))
        *lines, last = streamed(server, **chat())
        assert len(lines) == 2 and "error" in last


@exhaustive
def test_faults_by_chance_are_the_same_for_the_same_seed() -> None:
    def crashes(seed: int) -> list[bool]:
        with serving(Scenario(faults=(Fault(What.CRASH, chance=0.5),), seed=seed)) as server:
            return [post(server, **chat()).status_code == 500 for _ in range(12)]

    assert crashes(1) == crashes(1) != crashes(2)
    assert 0 < sum(crashes(1)) < 12


def wait_for_requests(server: Server, count: int) -> None:
    """Wait until the server has received this many requests."""
    server.wait(lambda server: len(server.requests) == count)


@thorough
def test_calls_wait_for_each_other_and_too_many_are_turned_away() -> None:
    with serving(Scenario(first_byte=0.5, max_queue=1)) as server:
        statuses: list[int] = []
        threads = [threading.Thread(target=lambda: statuses.append(post(server, **chat()).status_code)) for _ in "123"]
        for count, thread in enumerate(threads):
            thread.start()
            wait_for_requests(server, count + 1)
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [200, 200, 503]
        first, second = [request for request in server.requests if request.status == 200]
        server.wait(lambda _: first.ended and second.ended)  # recorded after the answer was sent
        assert second.ended and first.ended and second.ended - first.ended >= 0.48
        assert httpx.get(f"{server.host}/api/version").status_code == 200


def disconnect_after(server: Server, after: int) -> None:
    """Send a request, and disconnect after this many bytes of the answer."""
    with httpx.stream("POST", f"{server.host}/api/chat", json=chat()) as answer:
        came = 0
        for part in answer.iter_raw():
            came += len(part)
            if came >= after:
                return


def test_a_client_that_leaves_is_seen_and_makes_room() -> None:
    with serving(Scenario(pace=0.01, scripts=(Script("", "word " * 1000),))) as server:
        disconnect_after(server, 500)
        server.wait(lambda server: server.disconnects)
        (left,) = server.disconnects
        assert left.ended and left.ended - left.begun < 5 and left.sent < 10_000
        server.change(Scenario(faults=(Fault(What.SLOW, calls={1}),)))
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{server.host}/api/chat", json=chat(), timeout=0.1)
        server.wait(lambda server: len(server.disconnects) == 2)
        assert post(server, **chat()).status_code == 200  # the slot is free again
        assert len(server.disconnects) == 2


@thorough
def test_models_take_turns_in_memory() -> None:
    models = (replace(CHAT, load=0.1), SMALLER, EMBEDDER, CLOUD)
    with serving(Scenario(models=models)) as server:
        begun = time.monotonic()
        last = streamed(server, **chat(options={"num_ctx": 8192}))[-1]
        assert time.monotonic() - begun >= 0.1 and last["load_duration"] >= 100_000_000
        streamed(server, **chat(options={"num_ctx": 8192}))
        (loaded,) = httpx.get(f"{server.host}/api/ps").json()["models"]
        assert (loaded["name"], loaded["context_length"]) == ("qwen3:4b", 8192)
        streamed(server, **chat(options={"num_ctx": 4096}))
        embedded(server, input="a")
        server.change(Scenario(models=models, max_loaded=2))
        assert streamed(server, **{**chat(), "messages": []})[-1]["done_reason"] == "load"
        assert post(server, **chat(messages=[], stream=False, keep_alive=0)).json()["done_reason"] == "unload"
        names = [("qwen3:4b", 8192), ("qwen3:4b", 4096), ("nomic-embed-text:latest", 2048), ("qwen3:4b", 4096)]
        assert server.loads == names
        (loaded,) = httpx.get(f"{server.host}/api/ps").json()["models"]
        assert loaded["name"] == "nomic-embed-text:latest"


@thorough
def test_it_stops_and_starts_again_on_its_port() -> None:
    with serving(Scenario(pace=0.01, scripts=(Script("", "word " * 1000),))) as server:
        broken = threading.Thread(target=broken_body, args=(server,))
        broken.start()
        server.wait(lambda server: server.requests and server.requests[0].sent > 100)
        server.stop()
        broken.join(5)
        assert not broken.is_alive() and not server.disconnects
        with pytest.raises(httpx.ConnectError):
            post(server, **chat())
        port = server.port
        server.start()
        assert server.port == port
        server.change(Scenario(faults=(Fault(What.STOP, calls={2}, at=50),)))
        assert post(server, **chat()).status_code == 200
        assert len(broken_body(server)) == 50
        server.wait(lambda server: not server.listens)
        with pytest.raises(httpx.ConnectError):
            post(server, **chat())
        server.start()
        assert post(server, **chat()).status_code == 200


def test_what_goes_wrong_in_a_scenario_is_told_at_the_end() -> None:
    def mind(body: Any) -> str:
        raise LookupError("a mistake of the test")

    with (
        pytest.raises(LookupError, match="mistake"),
        serving(Scenario(mind=mind)) as server,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        post(server, **chat())
