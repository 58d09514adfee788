"""ChatGPT exports: threads, branches, kinds of content, and forms of the export."""

import json
from pathlib import Path

from curator.distill.reasons import REASONS
from curator.importers import Format, ReadProgress, detect
from importers.sample_logs import (
    conversations,
    gpt_chat,
    gpt_message,
    items,
    node,
    problems,
    said,
    skipped,
    write_json,
    write_zip,
)
from store.model import Channel, NewConversation, NewMessage, Role

TURNS = ("I live in Porto.", "Nice!", "I have two cats.", "Lovely.")


def chat_of(tmp_path: Path, *messages: dict[str, object]) -> NewConversation:
    """Import a conversation whose messages follow each other."""
    mapping = {"root": node("root", None)}
    before = "root"
    for message in messages:
        mapping[str(message["id"])] = node(str(message["id"]), before, message)
        before = str(message["id"])
    chat = gpt_chat("c") | {"mapping": mapping, "current_node": before}
    return conversations(write_json(tmp_path / "conversations.json", [chat]))[0]


def only(conversation: NewConversation) -> NewMessage:
    (message,) = conversation.messages
    return message


def test_a_conversation_comes_with_its_fields(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [gpt_chat("c1", *TURNS)])
    assert detect(path) is Format.CHATGPT
    (chat,) = conversations(path)
    assert said(chat.messages) == list(TURNS)
    assert [m.role for m in chat.messages] == [Role.USER, Role.ASSISTANT] * 2
    assert (chat.source, chat.external_id, chat.title) == ("chatgpt", "c1", "c1")
    assert chat.created_at == 1_700_000_000_500_000
    assert chat.messages[2].external_id == "c1-2"
    assert chat.messages[2].created_at == 1_700_000_002_000_000
    assert not chat.agent


def test_every_form_of_an_export_gives_the_same(tmp_path: Path) -> None:
    chats = [gpt_chat(f"c{n}", f"I own {n} bicycles.", "Good.") for n in range(6)]
    whole = conversations(write_json(tmp_path / "one" / "conversations.json", chats))
    extra = {"user.json": {"id": "u", "email": "a@example.com"}, "message_feedback.json": [{"id": "f", "rating": "x"}]}
    shards = {f"deep/down/conversations-{n:03}.json": chats[2 * n : 2 * n + 2] for n in range(3)}
    zipped = write_zip(tmp_path / "export.zip", {**shards, **extra})
    for name, value in {**shards, **extra}.items():
        write_json(tmp_path / "folder" / name, value)
    wrapped = write_json(tmp_path / "wrapped.json", {"version": 1, "conversations": chats, "more": [{"a": 1}]})
    pretty = tmp_path / "pretty.json"
    pretty.write_text("\ufeff" + json.dumps(chats, indent=2))
    for path in (zipped, tmp_path / "folder", wrapped, pretty):
        assert conversations(path) == whole
    bare = write_json(tmp_path / "bare.json", chats[3])
    assert conversations(bare) == [whole[3]]


def test_a_grown_conversation_keeps_its_identities_and_places(tmp_path: Path) -> None:
    before = conversations(write_json(tmp_path / "a.json", [gpt_chat("c", *TURNS[:2])]))[0]
    after = conversations(write_json(tmp_path / "b.json", [gpt_chat("c", *TURNS)]))[0]
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages
    assert len({m.identity for m in after.messages}) == 4


def test_left_branches_are_kept_and_marked(tmp_path: Path) -> None:
    mapping = {
        "z-answer": node("z-answer", "ask", gpt_message("z-answer", "assistant", "Old answer", 2.0e9)),
        "ask": node("ask", "root", gpt_message("ask", "user", "Question", 1.9e9)),
        "a-answer": node("a-answer", "ask", gpt_message("a-answer", "assistant", "New answer", 2.1e9)),
        "root": node("root", None),
    }
    chat = gpt_chat("c") | {"mapping": mapping, "current_node": "a-answer"}
    (read,) = conversations(write_json(tmp_path / "c.json", [chat]))
    assert [(m.text, m.active) for m in read.messages] == [
        ("Question", True),
        ("Old answer", False),
        ("New answer", True),
    ]
    chat["current_node"] = "gone"
    (read,) = conversations(write_json(tmp_path / "c.json", [chat]))
    assert [m.active for m in read.messages] == [True, False, True]


def test_a_cycle_and_a_missing_parent_lose_nothing(tmp_path: Path) -> None:
    mapping = {
        "a": node("a", "b", gpt_message("a", "user", "one")),
        "b": node("b", "a", gpt_message("b", "assistant", "two")),
        "c": node("c", "nowhere", gpt_message("c", "user", "three")),
    }
    for current in ("a", None, "c"):
        chat = gpt_chat("c") | {"mapping": mapping, "current_node": current}
        (read,) = conversations(write_json(tmp_path / "c.json", [chat]))
        assert sorted(said(read.messages)) == ["one", "three", "two"]


def test_entries_that_are_no_conversations_are_counted(tmp_path: Path) -> None:
    private = gpt_chat("private", "Don't keep this.", is_do_not_remember=True)
    path = write_json(
        tmp_path / "c.json",
        [{"id": "broken", "title": "Corrupted entry"}, private, gpt_chat("empty"), None, gpt_chat("ok", "Hi there")],
    )
    found = items(path)
    assert skipped(found) == {"no_mapping": 1, "do_not_remember": 1, "no_messages": 1}
    assert set(skipped(found)) <= REASONS.keys(), "each is explained"
    assert [problem.reason for problem in problems(found)] == ["not an object"]
    assert "Don't keep" not in repr(found)


def test_custom_instructions_are_the_persons_hidden_words(tmp_path: Path) -> None:
    wrapped = "The user provided the following information about themselves.\nUser profile:\n```I am a nurse.```"
    content = {"content_type": "user_editable_context", "user_profile": wrapped, "user_instructions": "Be brief."}
    message = only(chat_of(tmp_path, gpt_message("i", "user", "", content=content)))
    assert (message.role, message.channel, message.hidden) == (Role.USER, Channel.INSTRUCTIONS, True)
    assert message.text == "I am a nurse.\n\nBe brief."
    own = {"is_user_system_message": True, "user_context_message_data": {"about_user_message": "I teach."}}
    message = only(chat_of(tmp_path, gpt_message("i", "system", "wrapped", metadata=own)))
    assert (message.role, message.channel, message.text) == (Role.USER, Channel.INSTRUCTIONS, "I teach.")


def test_saved_memories_tools_and_thoughts_have_their_channels(tmp_path: Path) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Think", "content": "hard"}]}
    chat = chat_of(
        tmp_path,
        gpt_message("bio", "assistant", "User has a dog.", recipient="bio"),
        gpt_message("call", "assistant", "", recipient="python", content={"content_type": "code", "text": "1+1"}),
        gpt_message("result", "tool", "", content={"content_type": "execution_output", "text": "2"}),
        gpt_message("think", "assistant", "", content=thoughts),
        gpt_message("recap", "assistant", "", content={"content_type": "reasoning_recap", "content": "Thought 3 s"}),
        gpt_message("web", "tool", "", content={"content_type": "tether_browsing_display", "result": "page"}),
        gpt_message("quote", "tool", "", content={"content_type": "tether_quote", "title": "T", "text": "words"}),
        gpt_message("sys", "system", "Be nice", metadata={"is_visually_hidden_from_conversation": True}),
        gpt_message("nothing", "assistant", "  "),
    )
    assert [(m.external_id, m.role, m.channel, m.text) for m in chat.messages] == [
        ("bio", Role.ASSISTANT, Channel.SAVED, "User has a dog."),
        ("call", Role.ASSISTANT, Channel.TOOL, "1+1"),
        ("result", Role.TOOL, Channel.TOOL, "2"),
        ("think", Role.ASSISTANT, Channel.THINKING, "Think\nhard"),
        ("recap", Role.ASSISTANT, Channel.THINKING, "Thought 3 s"),
        ("web", Role.TOOL, Channel.TOOL, "page"),
        ("quote", Role.TOOL, Channel.TOOL, "T\nwords"),
        ("sys", Role.SYSTEM, Channel.INJECTED, "Be nice"),
    ]
    assert [m.hidden for m in chat.messages] == [False] * 7 + [True]


def test_pictures_and_voices_are_named_and_transcribed(tmp_path: Path) -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"},
        {"content_type": "audio_transcription", "text": "I play the cello."},
        {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_2"},
        "Look!",
    ]
    metadata = {"attachments": [{"name": "report.pdf", "id": "file_3"}]}
    content = {"content_type": "multimodal_text", "parts": parts}
    message = only(chat_of(tmp_path, gpt_message("m", "user", "", content=content, metadata=metadata)))
    assert message.text == "[image]\nI play the cello.\nLook!\n[attachment: report.pdf]"
    assert message.channel is Channel.SPOKEN


def test_times_that_are_none_are_none(tmp_path: Path) -> None:
    times: tuple[object, ...] = (None, "soon", float("inf"), -5, 1e30, True, {})
    for at in times:
        message = gpt_message("m", "user", "Hello you", content={"content_type": "text", "parts": ["Hello you"]})
        assert only(chat_of(tmp_path, message | {"create_time": at})).created_at is None


def test_the_meter_ends_full(tmp_path: Path) -> None:
    progress = ReadProgress()
    path = write_zip(tmp_path / "e.zip", {"conversations.json": [gpt_chat("c", *TURNS)]})
    items(path, progress=progress)
    assert progress.done == progress.total > 0
