"""Known formats without a reader: names, detection, and what to import instead, if anything."""

import re
from dataclasses import dataclass

from curator.importers.formats import sillytavern
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_str
from curator.importers.log_format import Fits, has, has_messages

_NOT_YET = ", which is not supported yet"


@dataclass(frozen=True, slots=True)
class UnsupportedFormat:
    """A known format without a reader.

    `name` completes "this is …", and `reason` continues it, with a remedy if there is one. `fits` checks a JSON record
    as in LogFormat; `pattern` matches the beginning of other texts. A `copy` repeats other files of an export, and is
    reported only if it is alone.
    """

    name: str
    reason: str = _NOT_YET
    fits: Fits | None = None
    pattern: re.Pattern[str] | None = None
    copy: bool = False


_FICTION = ", which is fiction: no memories are made of it"
_TABLES = {"agents", "agentsToSessions", "aiModels", "aiProviders", "messagePlugins", "userInstalledPlugins"}
_LAYERS = ("entry_summary.v", "topic_memory.v", "global_memory.v", "layers_index.v")
_OWN = "made from the store: nothing to import; memories are what `curator export` writes"


def is_character_ai(record: JsonObject) -> bool:
    """Return True for a chat of Character.AI, in the form of its site or of an exporter."""
    turns = any("candidates" in one for one in as_dicts(record.get("turns"))[:20])
    said = "text" in record and "is_human" in as_dict(record.get("src"))
    return turns or said or "histories" in record or ("turn_key" in record and "candidates" in record)


def is_lobe_chat(record: JsonObject) -> bool:
    """Return True for a backup of LobeChat, from its browser or its database."""
    if has("exportType", "state")(record) or has("schemaHash", "data")(record):
        return True
    return (
        len(_TABLES & as_dict(record.get("data")).keys()) > 1
    )  # its hash is the last field, out of sight in a long file


def is_typing_mind(record: JsonObject) -> bool:
    """Return True for an export of TypingMind."""
    return any("chatID" in one or "chatTitle" in one for one in as_dicts(as_dict(record.get("data")).get("chats"))[:20])


def is_chatbox(record: JsonObject) -> bool:
    """Return True for a backup of Chatbox."""
    return bool({"__exported_items", "chat-sessions-list"} & record.keys())


def is_kagi(record: JsonObject) -> bool:
    """Return True for threads of Kagi Assistant."""
    return any("markdownExport" in one for one in (record, *as_dicts(record.get("threads"))[:20]))


def is_teams(record: JsonObject) -> bool:
    """Return True for a message of Microsoft Teams, or a page of them, as Microsoft Graph returns it."""
    some = (record, *as_dicts(record.get("value"))[:20], *as_dicts(record.get("messages"))[:20])
    return any("messageType" in one and "contentType" in as_dict(one.get("body")) for one in some)


def is_layer(record: JsonObject) -> bool:
    """Return True for a layer, whose schema may be out of sight in a long file."""
    schema = as_str(record.get("schema")).startswith(_LAYERS)
    facts = any("user_fact_score" in one for one in as_dicts(record.get("facts"))[:1])
    listed = "GLOBAL_MEMORY.json" in as_dict(record.get("files"))
    return schema or facts or listed or has("active_topics", "as_of", "do_not_forget")(record)


UNSUPPORTED = (
    UnsupportedFormat(
        "a Cursor chat as JSON",
        ", as another program wrote it; import `state.vscdb` of the editor",
        lambda r: bool({"composerData", "bubbles", "allComposers", "fullConversationHeadersOnly"} & r.keys()),
    ),
    UnsupportedFormat(
        "a LibreChat database dump", "; export its conversations as JSON", has("conversationId", "messageId")
    ),
    UnsupportedFormat("a SillyTavern roleplay", _FICTION, sillytavern.is_roleplay),
    UnsupportedFormat("a Character.AI chat", _FICTION, is_character_ai),
    UnsupportedFormat(
        "an OpenTelemetry trace",
        ", in which a person's words cannot be told from those of an application",
        lambda r: bool({"resourceSpans", "resource_spans"} & r.keys()),
    ),
    UnsupportedFormat(
        "a Claude Code prompt history",
        ", without answers; the sessions are in `~/.claude/projects`",
        has("display", "pastedContents"),
    ),
    UnsupportedFormat(
        "a Codex prompt history",
        ", without answers; the sessions are in `~/.codex/sessions`",
        lambda r: r.keys() == {"session_id", "ts", "text"},
    ),
    UnsupportedFormat("a Chatbox backup", fits=is_chatbox),
    UnsupportedFormat("a Cherry Studio backup", fits=has("localStorage", "indexedDB")),
    UnsupportedFormat("a LobeChat backup", "; export single topics as JSON", is_lobe_chat),
    UnsupportedFormat("a NextChat backup", "; export single chats as JSON", has("chat-next-web-store")),
    UnsupportedFormat("a TypingMind export", fits=is_typing_mind),
    UnsupportedFormat(
        "a Chatbot UI export",
        fits=lambda r: isinstance(r.get("history"), list) and isinstance(r.get("folders"), list),
    ),
    UnsupportedFormat(
        "an AnythingLLM export",
        "; export it as JSONL",
        has("workspace", "prompt", "response"),
        re.compile(r'\ufeff?"?id"?,"?workspace"?,"?prompt"?,"?response"?,'),
    ),
    UnsupportedFormat("a Kagi Assistant export", fits=is_kagi),
    UnsupportedFormat(
        "a chat of Facebook or Instagram",
        fits=lambda r: "participants" in r and has_messages("sender_name", "timestamp_ms")(r),
    ),
    UnsupportedFormat("an export of Skype or Teams", fits=lambda r: isinstance(r.get("MessageList"), list)),
    UnsupportedFormat("chats of Microsoft Teams", fits=is_teams),
    UnsupportedFormat(
        "a chat of Signal",
        fits=lambda r: has("conversationId", "sent_at", "type")(r) or has("sender", "body", "quote", "reactions")(r),
    ),
    UnsupportedFormat(
        "a layer of Curator's own",
        f", {_OWN}",
        is_layer,
        re.compile(rf"---\nschema: (?:{'|'.join(map(re.escape, _LAYERS))})"),
        copy=True,
    ),
    UnsupportedFormat(
        "ChatGPT's page of all chats",
        "; import `conversations.json` of the same export, or the zip",
        pattern=re.compile(r"<title>ChatGPT Data Export</title>|<script>\s*var jsonData = \["),
        copy=True,
    ),
    UnsupportedFormat(
        "a Telegram export as HTML",
        "; export the chat as JSON (“machine-readable”)",
        pattern=re.compile(r'<div class="page_body chat_page">'),
        copy=True,
    ),
    UnsupportedFormat(
        "a LibreChat export as text",
        "; export it as JSON",  # its speakers have any name, so that an answer could be taken for the person's words
        pattern=re.compile(r"\s*(?:# )?Conversation\n(?:#+\n)?(?:- )?conversationId: "),
    ),
    UnsupportedFormat(
        "Ollama's list of prompts", ", without answers and dates; the chats are in `db.sqlite` of Ollama's app"
    ),
    UnsupportedFormat(
        "an Antigravity database",
        ", whose format is not documented; import `~/.gemini/antigravity/brain` or an export",
    ),
)
COPIES = frozenset(one.name for one in UNSUPPORTED if one.copy)
_REASONS = {one.name: one.reason for one in UNSUPPORTED}


def unsupported_text(text: str) -> str | None:
    """Return the name of the unsupported format of a text that is no JSON, or None."""
    anywhere = text.lstrip()[:1] == "<"
    for one in UNSUPPORTED:
        if one.pattern is not None and (one.pattern.search(text) if anywhere else one.pattern.match(text)):
            return one.name
    return None


def reason(name: str) -> str:
    """Return the reason why a format is unsupported, to follow "this is NAME"."""
    return _REASONS.get(name, _NOT_YET)
