"""Conversations without an id: different ones stay apart, a grown one stays the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from importers.sample_logs import conversations, write_json

Log = Callable[[list[str]], Any]


def deepseek(texts: list[str]) -> Any:
    kinds = ("USER", "ASSISTANT")
    return {
        "chat_messages": [
            {"message_id": n + 1, "parent_id": n or None, "role": kinds[n % 2], "content": text}
            for n, text in enumerate(texts)
        ]
    }


def grok(texts: list[str]) -> Any:
    said = [{"response": {"sender": ("human", "assistant")[n % 2], "message": text}} for n, text in enumerate(texts)]
    return {"conversation": {"title": "T"}, "responses": said}


def huggingchat(texts: list[str]) -> Any:
    return {"messages": [{"from": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]}


def librechat(texts: list[str]) -> Any:
    said = [{"isCreatedByUser": n % 2 == 0, "text": text} for n, text in enumerate(texts)]
    return {"conversationId": None, "messages": said}


def open_webui(texts: list[str]) -> Any:
    said = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"chat": {"messages": said}}


@pytest.mark.parametrize("log", [deepseek, grok, huggingchat, librechat, open_webui])
def test_without_an_id_the_first_words_name_a_conversation(tmp_path: Path, log: Log) -> None:
    (boat,) = conversations(write_json(tmp_path / "a.json", log(["I own a boat", "Nice"])))
    (kite,) = conversations(write_json(tmp_path / "b.json", log(["I own a kite", "Nice"])))
    (grown,) = conversations(write_json(tmp_path / "c.json", log(["I own a boat", "Nice", "And an oar", "Ah"])))
    assert boat.identity != kite.identity
    assert not {one.identity for one in boat.messages} & {one.identity for one in kite.messages}
    assert grown.identity == boat.identity
    assert {one.identity for one in boat.messages} < {one.identity for one in grown.messages}
