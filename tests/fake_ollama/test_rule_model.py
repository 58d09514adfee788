"""Answers of the demonstration's rule-based model to each task's prompt."""

import json
from typing import Any

from fake_ollama.demo import DEMO
from fake_ollama.rule_model import answer, reworded, sentences, stated
from fake_ollama.scenario import Scenario

NONCE = "badofukiza"


def block(name: str, note: str, text: str) -> str:
    return f"<{name}-{NONCE}{' ' if note else ''}{note}>\n{text}\n</{name}-{NONCE}>"


def asked(fields: str, *blocks: str) -> list[dict[str, Any]]:
    """Return the answered items for blocks, when the schema's items have these fields."""
    items = {"type": "object", "properties": {key: {"type": "string"} for key in fields.split()}}
    form = {"type": "object", "properties": {"items": {"type": "array", "items": items}}}
    said = answer({"messages": [{"role": "user", "content": "\n\n".join(blocks)}], "format": form})
    assert said is not None
    found: list[dict[str, Any]] = json.loads(said)["items"]
    return found


def test_it_takes_statements_of_the_person_from_their_turns_only() -> None:
    one = block("turn", "1, the person, 2025-03-01", "Hi! i live in Porto with my dog. Can I ask you something?")
    two = block("context", "the assistant", "I am a model. I live nowhere.")
    three = block("turn", "2, the person", "I'm allergic to nuts\nI need you to fix it. My sister is called Elin.")
    found = asked("turn quote text kind confidence", one, two, three)
    assert [(item["turn"], item["quote"], item["text"], item["kind"]) for item in found] == [
        (1, "i live in Porto with my dog.", "I live in Porto with my dog.", "identity"),
        (2, "I'm allergic to nuts", "I am allergic to nuts.", "constraint"),
        (2, "My sister is called Elin.", "My sister is called Elin.", "relationship"),
    ]
    assert list(sentences("Hey, so I run. OK!")) == ["I run.", "OK!"]
    assert not stated("Do I live in Porto?")
    assert reworded("i don't eat meat!") == "I do not eat meat."


def test_it_scores_judges_and_merges() -> None:
    reply = block("reply", "", "A walk along the river in Porto suits your dog.")
    used, unused = block("note", "1", "I live in Porto with my dog"), block("note", "2", "I am allergic to nuts")
    scores = asked("number words score", reply, used, unused)
    assert [item["number"] for item in scores] == [1, 2]
    assert scores[0]["score"] >= 3 > scores[1]["score"] == 1
    assert scores[0]["words"] in reply and not scores[1]["words"]

    def judged(a: str, b: str, day: str = "2025-03-01") -> str:
        pair = block("statement", "A, 2025-03-01", a), block("statement", f"B, {day}", b)
        (opinion,) = asked("difference relation confidence", *pair)
        relation: str = opinion["relation"]
        return relation

    assert judged("I live in Porto", "I live in Porto.") == "duplicate"
    assert judged("I live in Porto now", "I live in Lisbon now", "2026-01-01") == "update"
    assert judged("I live in Porto now", "I live in Lisbon now") == "contradiction"
    assert judged("I live in Porto", "I live in Porto with my dog") == "coexist"
    assert judged("I live in Porto", "I play chess") == "unrelated"
    statements = block("statement", "1", "I live in Porto"), block("statement", "2", "I live in Porto with a dog")
    assert asked("text", *statements) == [{"text": "I live in Porto with a dog"}]


def test_what_it_does_not_know_is_left_to_the_schema() -> None:
    assert answer({"messages": [{"role": "user", "content": "hi"}]}) is None
    assert answer({"messages": [], "format": {"type": "object", "properties": {"ok": {"type": "boolean"}}}}) is None
    assert isinstance(DEMO, Scenario) and DEMO.mind is answer
