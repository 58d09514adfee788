"""Claude.ai exports: blocks, regenerated answers, projects and the memory Claude keeps."""

from pathlib import Path

from curator.importers import Format, detect
from importers.sample_logs import (
    claude_chat,
    claude_message,
    conversations,
    items,
    problems,
    said,
    skipped,
    write_json,
    write_zip,
)
from store.model import Channel, Role


def test_a_conversation_comes_with_its_fields(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [claude_chat("c1", "I work at a bakery.", "Nice.")])
    assert detect(path) is Format.CLAUDE
    (chat,) = conversations(path)
    assert [(m.role, m.text, m.active) for m in chat.messages] == [
        (Role.USER, "I work at a bakery.", True),
        (Role.ASSISTANT, "Nice.", True),
    ]
    assert (chat.source, chat.external_id, chat.title) == ("claude", "c1", "About c1")
    assert chat.created_at == chat.messages[0].created_at == 1_740_823_200_000_000


def test_blocks_become_messages_with_channels(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "Let me see."},
        {"type": "text", "text": "I look it up."},
        {"type": "tool_use", "name": "search", "input": {"q": "bread"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "Found it"}]},
        {"type": "text", "text": "Here it is."},
        {"type": "token_budget"},
    ]
    answer = claude_message("m", "assistant", "I look it up. Here it is.", content=blocks)
    (chat,) = conversations(write_json(tmp_path / "c.json", [claude_chat("c", chat_messages=[answer])]))
    assert [(m.role, m.channel, m.text) for m in chat.messages] == [
        (Role.ASSISTANT, Channel.THINKING, "Let me see."),
        (Role.ASSISTANT, Channel.SPOKEN, "I look it up.\n\nHere it is."),
        (Role.ASSISTANT, Channel.TOOL, 'search {"q":"bread"}'),
        (Role.TOOL, Channel.TOOL, "Found it"),
    ]
    assert chat.messages[1].external_id == "m"
    assert len({m.identity for m in chat.messages}) == 4


def test_pasted_text_is_an_attachment_and_files_are_named(tmp_path: Path) -> None:
    pasted = [{"file_name": "notes.txt", "extracted_content": "I am somebody else."}]
    first = claude_message("a", "human", "What is this?", attachments=pasted, files=[{"file_name": "cat.png"}])
    second = claude_message("b", "human", "", 5, content=[], attachments=pasted)
    (chat,) = conversations(write_json(tmp_path / "c.json", [claude_chat("c", chat_messages=[first, second])]))
    assert [(m.channel, m.text) for m in chat.messages] == [
        (Channel.ATTACHMENT, "I am somebody else."),
        (Channel.SPOKEN, "What is this?\n[attachment: notes.txt]\n[attachment: cat.png]"),
        (Channel.ATTACHMENT, "I am somebody else."),
    ]


def test_placeholders_say_nothing(tmp_path: Path) -> None:
    text = "```\nThis block is not supported on your current device yet.\n```"
    message = claude_message("a", "assistant", text, content=[])
    found = items(write_json(tmp_path / "c.json", [claude_chat("c", chat_messages=[message]), claude_chat("d", "Hi!")]))
    assert skipped(found) == {"no_messages": 1}


def test_regenerated_answers_are_branches(tmp_path: Path) -> None:
    root = "00000000-0000-4000-8000-000000000000"
    messages = [
        claude_message("ask", "human", "Ask", 0, parent_message_uuid=root),
        claude_message("one", "assistant", "First", 1, parent_message_uuid="ask"),
        claude_message("two", "assistant", "Second", 2, parent_message_uuid="ask"),
        claude_message("more", "human", "More", 3, parent_message_uuid="one"),
    ]
    chat = claude_chat("c", chat_messages=messages)
    (newest,) = conversations(write_json(tmp_path / "c.json", [chat]))
    assert [(m.text, m.active) for m in newest.messages] == [
        ("Ask", True),
        ("First", True),
        ("Second", False),
        ("More", True),
    ]
    chat["current_leaf_message_uuid"] = "two"
    (chosen,) = conversations(write_json(tmp_path / "c.json", [chat]))
    assert [m.active for m in chosen.messages] == [True, False, True, False]


def project(uuid: str, name: str) -> dict[str, object]:
    docs = [{"uuid": "d1", "filename": "spec.md", "content": "A long specification."}]
    return {
        "uuid": uuid,
        "name": name,
        "prompt_template": "Always answer in French.",
        "docs": docs,
        "created_at": "2025-01-01T00:00:00Z",
    }


def test_projects_name_their_conversations_and_instruct(tmp_path: Path) -> None:
    chat = claude_chat("c", "Bonjour, I need help.", project={"uuid": "p1"})
    old = write_zip(tmp_path / "old.zip", {"conversations.json": [chat], "projects.json": [project("p1", "Garden")]})
    new = write_zip(
        tmp_path / "new.zip", {"x/conversations.json": [chat], "x/projects/p1.json": project("p1", "Garden")}
    )
    assert conversations(old) == conversations(new)
    instructed, talked = conversations(new)
    assert talked.project == instructed.project == "Garden"
    assert [(m.role, m.channel, m.hidden, m.text) for m in instructed.messages] == [
        (Role.USER, Channel.INSTRUCTIONS, True, "Always answer in French."),
        (Role.USER, Channel.ATTACHMENT, True, "A long specification."),
    ]


def test_claudes_memory_comes_as_saved_messages(tmp_path: Path) -> None:
    memory = {
        "conversations_memory": "**Work** Ann bakes.",
        "project_memories": {"p1": "Ann plants tulips."},
        "account_uuid": "account-1",
    }
    (chat,) = conversations(write_json(tmp_path / "memories.json", [memory]))
    assert [(m.channel, m.text, m.hidden) for m in chat.messages] == [
        (Channel.SAVED, "**Work** Ann bakes.", True),
        (Channel.SAVED, "Ann plants tulips.", True),
    ]
    assert chat.source == "claude"
    changed = memory | {"conversations_memory": "**Work** Ann bakes and teaches."}
    (later,) = conversations(write_json(tmp_path / "memories.json", [changed]))
    assert later.identity == chat.identity
    assert later.messages[1] == chat.messages[1]
    assert later.messages[0].identity != chat.messages[0].identity
    files = {"account_uuid": "account-1", "memory_files": [{"path": "work.md", "content": "Ann bakes bread."}]}
    (filed,) = conversations(write_json(tmp_path / "memories" / "account-1.json", files))
    assert said(filed.messages) == ["Ann bakes bread."]


def test_zip_folder_and_file_give_the_same(tmp_path: Path) -> None:
    chats = [claude_chat(f"c{n}", f"I have {n} hats.", "Good.") for n in range(3)]
    files: dict[str, object] = {"conversations.json": chats, "users.json": [{"uuid": "u", "full_name": "Ann"}]}
    zipped = write_zip(tmp_path / "data.zip", files)
    for name, value in files.items():
        write_json(tmp_path / "folder" / name, value)
    single = tmp_path / "folder" / "conversations.json"
    assert conversations(zipped) == conversations(tmp_path / "folder") == conversations(single)
    one = write_json(tmp_path / "one.json", chats[1])
    assert conversations(one) == [conversations(zipped)[1]]
    assert problems(items(zipped)) == []
