"""Conversations and refused passages for tests of the Sources view, and readers of its screen."""

from textual.widgets import Static

from curator.tui.sources.view import Sources
from factories import conversation, put, quote
from store import Store
from store.model import Kind, NewConversation, Refusal
from tui.driver import Driven

TEA = "I really prefer tea."
TURNS = (f"{TEA}\nMy sister lives in Leeds.", "Noted.", "What time is it? I like walks.", "Five.")


def tell(store: Store, *talks: NewConversation) -> list[int]:
    """Import conversations; return their ids."""
    with store.command("import") as writer:
        for talk in talks:
            store.raw.put_conversation(writer, talk)
    names = {found.external_id: found.id for found in store.raw.get_conversations()}
    return [names[talk.external_id] for talk in talks]


def refuse(store: Store, number: int, *passages: tuple[str, str]) -> list[Refusal]:
    """Store refused passages of a conversation, each with its reason."""
    found = []
    for words, reason in passages:
        message = next(message for message in store.raw.messages(number) if words in message.text)
        start = message.text.index(words)
        found.append(Refusal(message.id, start, start + len(words), reason, Kind.PREFERENCE, 0.4))
    with store.command("distil") as writer:
        store.distillation.put_refusals(writer, "rules", found)
    return found


def kept(store: Store, number: int, words: str, text: str) -> int:
    """Store a memory that quotes a conversation; return its id."""
    message = next(message for message in store.raw.messages(number) if words in message.text)
    (memory,) = put(store, text, evidence=(quote(words, message.text, message.id),))
    return memory


def sources(app: Driven) -> Sources:
    found = app.view
    assert isinstance(found, Sources)
    return found


def note(app: Driven) -> str:
    return str(sources(app).pane.query_one("#note", Static).content)


def margin(app: Driven, words: str) -> str:
    """Return the left margin of the transcript's line with these words."""
    line = next(line for line in app.seen().splitlines() if words in line)
    return line[: line.index(words)].rpartition("│")[2].strip("▌ ")


def at(*turns: str, name: str, day: int) -> NewConversation:
    """Return a conversation of a day, counted from November 2023."""
    return conversation(name, *turns, created_at=1_700_000_000_000_000 + day * 86_400_000_000)
