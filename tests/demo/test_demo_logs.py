"""The demo's chat logs contain what the first run is to show; read as plain JSON, without Curator's importers."""

import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import curator
from curator.demo import logs

Json = dict[str, Any]


def load(*parts: str) -> Any:
    return json.loads(logs().joinpath(*parts).read_text(encoding="utf-8"))


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def chatgpt(title: str) -> Json:
    found: Json
    (found,) = [each for each in load("chatgpt", "conversations.json") if each["title"] == title]
    return found


def active(conversation: Json) -> list[Json]:
    """Return the messages from the root to the current node."""
    found, node = [], conversation["current_node"]
    while node is not None:
        entry = conversation["mapping"][node]
        node = entry["parent"]
        if entry["message"] is not None:
            found.append(entry["message"])
    return found[::-1]


def words(message: Json) -> str:
    return " ".join(part for part in message["content"].get("parts", []) if isinstance(part, str))


def claude(name: str) -> list[Json]:
    (found,) = [each for each in load("claude", "conversations.json") if each["name"] == name]
    messages: list[Json] = found["chat_messages"]
    return messages


def sessions() -> dict[str, list[Json]]:
    """Return the sessions by the first word of their first prompt."""
    found = {}
    for path in sorted(logs().glob("claude-code/*/*.jsonl")):
        rows = lines(path)
        found[prompts(rows)[0].split()[0]] = rows
    return found


def prompts(rows: list[Json]) -> list[str]:
    """Return what the person typed in a coding session."""
    return [
        row["message"]["content"]
        for row in rows
        if row["type"] == "user"
        and isinstance(row["message"]["content"], str)
        and not (row["isSidechain"] or row.get("isMeta") or row.get("isCompactSummary"))
        and not row["message"]["content"].startswith("<")
    ]


def said() -> list[tuple[datetime, str]]:
    """Return everything the person said with a date, oldest first."""
    found = []
    for conversation in load("chatgpt", "conversations.json"):
        for message in active(conversation):
            if message["author"]["role"] == "user" and message["create_time"]:
                found.append((datetime.fromtimestamp(message["create_time"], UTC), words(message)))
    for conversation in load("claude", "conversations.json"):
        for message in conversation["chat_messages"]:
            if message["sender"] == "human":
                found.append((datetime.fromisoformat(message["created_at"]), message["text"]))
    for rows in sessions().values():
        at = {row["message"]["content"]: row["timestamp"] for row in rows if isinstance(_content(row), str)}
        found += [(datetime.fromisoformat(at[text]), text) for text in prompts(rows)]
    return sorted(found)


def _content(row: Json) -> object:
    return row.get("message", {}).get("content")


def first(pattern: str) -> datetime:
    """Return when the person first said it."""
    return next(at for at, text in said() if re.search(pattern, text, re.IGNORECASE))


def test_about_thirty_conversations_over_two_years() -> None:
    when = [at for at, _ in said()]
    assert (min(when).year, min(when).month) == (2024, 10)
    assert (max(when).year, max(when).month) == (2026, 10)
    months = {(at.year, at.month) for at in when}
    assert len(months) >= 20, "a life, not a few busy weeks"
    count = len(load("chatgpt", "conversations.json")) + len(load("claude", "conversations.json"))
    count += len(sessions()) + len(lines(logs() / "openai" / "messages.jsonl")) + 1
    assert 28 <= count <= 40


def test_every_chatgpt_node_is_linked_both_ways() -> None:
    for conversation in load("chatgpt", "conversations.json"):
        nodes = conversation["mapping"]
        assert sum(node["parent"] is None for node in nodes.values()) == 1
        assert conversation["current_node"] in nodes
        for key, node in nodes.items():
            assert node["id"] == key
            assert all(nodes[child]["parent"] == key for child in node["children"])


def test_chatgpt_branches_edit_and_regeneration() -> None:
    for title, role in (("Why is this query slow", "assistant"), ("Couch to 10 km", "user")):
        nodes = chatgpt(title)["mapping"]
        (fork,) = [node for node in nodes.values() if len(node["children"]) == 2]
        assert {nodes[child]["message"]["author"]["role"] for child in fork["children"]} == {role}
    on_the_thread = " ".join(words(message) for message in active(chatgpt("Couch to 10 km")))
    assert "tuesday thursday and sunday" in on_the_thread
    assert "monday wednesday and friday" not in on_the_thread


def test_chatgpt_custom_instructions_are_hidden_and_change() -> None:
    profiles = {
        message["content"]["user_profile"]
        for conversation in load("chatgpt", "conversations.json")
        for message in active(conversation)
        if message["metadata"].get("is_user_system_message")
        and message["metadata"]["is_visually_hidden_from_conversation"]
    }
    assert len(profiles) == 2
    assert {city for city in ("Lisbon", "Porto") for profile in profiles if city in profile} == {"Lisbon", "Porto"}


def test_chatgpt_saved_memories_tools_picture_and_a_chat_to_leave_out() -> None:
    everything = load("chatgpt", "conversations.json")
    messages = [message for conversation in everything for message in active(conversation)]
    assert sum(message["recipient"] == "bio" for message in messages) >= 3
    kinds = {message["content"]["content_type"] for message in messages}
    assert {"tether_browsing_display", "code", "execution_output", "thoughts", "multimodal_text"} <= kinds
    private = [conversation["title"] for conversation in everything if conversation["is_do_not_remember"]]
    assert private == ["Blood test results"]


def test_claude_projects_memories_attachment_and_branch() -> None:
    conversations = load("claude", "conversations.json")
    projects = [load("claude", "projects", path.name) for path in (logs() / "claude" / "projects").iterdir()]
    named = {each["project"]["uuid"] for each in conversations if "project" in each}
    assert named == {project["uuid"] for project in projects}
    (memory,) = load("claude", "memories.json")
    assert set(memory["project_memories"]) == named
    assert "hazelnut" in memory["conversations_memory"]
    assert any(not each["chat_messages"] for each in conversations), "an empty conversation, as exports have"
    training = claude("Training for September")
    parents = [message["parent_message_uuid"] for message in training]
    assert len(parents) - len(set(parents)) == 1, "one answer was made twice"


def test_coding_sessions_one_long_one_short() -> None:
    long, short, work = sessions()["Today"], sessions()["create"], sessions()["this"]

    def answers(rows: list[Json]) -> set[str]:
        mine = [row for row in rows if row["type"] == "assistant" and not row["isSidechain"]]
        return {row["message"]["id"] for row in mine}

    assert len(prompts(long)) + len(answers(long)) > 25
    assert len(short) < 25
    assert len(prompts(work)) + len(answers(work)) > 25
    assert any(row.get("isSidechain") for row in work)
    assert any(row.get("isMeta") for row in long)
    assert any(row.get("isCompactSummary") for row in long)
    assert any(row.get("subtype") == "compact_boundary" for row in long)
    assert any("<command-name>" in str(_content(row)) for row in long)
    for rows in (long, short, work):
        results = [row for row in rows if row["type"] == "user" and isinstance(_content(row), list)]
        assert len(results) >= 3
        ids = {row["uuid"] for row in rows if "uuid" in row}
        assert all(row["parentUuid"] in ids for row in rows if row.get("parentUuid"))


def test_the_summary_claims_what_the_person_never_said() -> None:
    assert "dark chocolate" in json.dumps(sessions()["Today"])
    assert not any("chocolate" in text for _, text in said())


def test_openai_messages_with_a_tool_and_a_transcript_with_a_trap() -> None:
    rows = lines(logs() / "openai" / "messages.jsonl")
    assert {message["role"] for row in rows for message in row["messages"]} == {"system", "user", "assistant", "tool"}
    text = (logs() / "markdown" / "gift-ideas.md").read_text(encoding="utf-8")
    fenced = text.split("```")[1]
    assert "## Human" in fenced
    assert text.count("\n## Human\n") == 6, "five turns, and one inside the code"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("two flat whites", "I quit coffee, I drink tea now"),
        ("vegetarian since 2015", "I eat fish now"),
        ("I live in Lisbon", "We live in Porto"),
        ("Caravela", "data engineer at Tidewell now"),
        ("going with SQLite", "from SQLite to Postgres"),
        ("11 000 €", "raise the kitchen budget to 13 500 €"),
        ("tuesday evenings", "on thursday evenings"),
    ],
)
def test_what_changes_over_time(before: str, after: str) -> None:
    assert first(re.escape(before)) < first(re.escape(after))


@pytest.mark.parametrize("fact", ["hazelnut", r"\btea\b", r"\bporto\b", "left knee", r"lower-?case", "fridays?"])
def test_what_is_said_again_in_other_words(fact: str) -> None:
    assert len({text for _, text in said() if re.search(fact, text, re.IGNORECASE)}) >= 2


def test_orders_to_remember_and_to_forget() -> None:
    texts = [text for _, text in said()]
    assert sum("remember that" in text for text in texts) >= 3
    assert sum(text.startswith("/forget ") for text in texts) == 2
    assert sum(bool(re.search(r"\balways\b", text)) for text in texts) >= 3
    assert sum(bool(re.search(r"20 ?2[5-7]", text)) for text in texts) >= 8, "dates to keep"


def test_secrets_are_there_and_plainly_invented() -> None:
    tokens = {
        token for row in sessions()["Today"] for token in re.findall(r"sk-ant-api03-[\w-]{93}AA", json.dumps(row))
    }
    assert len(tokens) == 1
    assert "FAKE-DEMO-KEY-NOT-REAL" in tokens.pop()
    assert sum("sk-ant-" in text for text in prompts(sessions()["Today"])) == 1
    pasted = (logs() / "openai" / "messages.jsonl").read_text(encoding="utf-8")
    assert re.findall(r"AKIA[A-Z0-9]{16}", pasted) == ["AKIAFAKEDEMOFAKEDEMO"]
    assert "postgres://kilnlog:not-a-real-password@" in pasted


def test_injected_orders_in_a_page_a_file_a_tool_result_and_a_paste() -> None:
    order = re.compile(r"(ignore (all )?previous|disregard your) instructions", re.IGNORECASE)
    pages = [
        m["content"]["result"] for m in active(chatgpt("Moving to Porto: what to do when")) if "result" in m["content"]
    ]
    assert any(order.search(page) for page in pages)
    attached = [file for message in claude("Pipoca's itchy paws") for file in message["attachments"]]
    assert any(order.search(file["extracted_content"]) for file in attached)
    assert any(order.search(json.dumps(row)) for row in sessions()["Today"] if isinstance(_content(row), list))
    assert sum(bool(order.search(text)) for _, text in said()) == 1


def test_chatter_code_and_another_language() -> None:
    assert words(active(chatgpt("New chat"))[1]) == "good morning"
    assert sum("```" in text for _, text in said()) >= 2
    portuguese = [m["text"] for m in claude("Mensagem para a vizinha") if m["sender"] == "human"]
    assert all(re.search(r"\b(minha|por|não)\b", text) for text in portuguese)


def test_nobody_real_can_be_reached() -> None:
    reserved = re.compile(r"(?:^|\.)example\.(?:org|com)$")
    for path in logs().rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        hosts = re.findall(r"(?:https?://(?:[^\s/@]*@)?|[\w.+-]+@)([\w-]+(?:\.[\w-]+)+)", text)
        assert all(reserved.search(host) for host in hosts), (path, hosts)
        assert not re.search(r"\+\d[\d ()-]{7,}\d", text), path


def test_logs_inside_an_archive_are_refused(tmp_path: Path) -> None:
    packed = tmp_path / "packed.zip"
    root = Path(curator.__file__).parent
    with zipfile.ZipFile(packed, "w") as archive:
        for path in (root / "__init__.py", *(root / "demo").rglob("*.*")):
            archive.write(path, path.relative_to(root.parent))
    run = subprocess.run(
        [sys.executable, "-c", "from curator.demo import logs; logs()"],
        env={**os.environ, "PYTHONPATH": str(packed)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "FileNotFoundError" in run.stderr
    assert "Install Curator unpacked" in run.stderr
