"""Labelled requests to forget: the memories they mean, and stores of the people who made them.

forget_requests.txt has the requests, forget_messages.txt and forget_held.tsv the chat messages that contain requests.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator.distill.candidate import ForgetRequest
from curator.distill.forget.off_the_record import WITHHELD
from curator.distill.rules import distil
from curator.distill.scores.chats import SentenceClassifier
from curator.services.forget_requests import match_requests
from factories import CHAT, TURN, memory, quote
from store import Store
from store.model import NewConversation, NewMessage, Role

_FILE = Path(__file__).with_name("forget_requests.txt")
_CHATS = Path(__file__).with_name("forget_messages.txt")
_HELD = Path(__file__).with_name("forget_held.tsv")
_REQUEST = re.compile(r"\? (?P<words>.+?) :(?P<meant>[a-z ]*)(?:\((?P<either>[a-z ]+)\))?$")


@dataclass
class Person:
    """A person: memories by letter as (chat's title, text), requests as (words, meant letters, allowed letters)."""

    name: str
    held: bool
    memories: dict[str, tuple[str, str]] = field(default_factory=dict)
    requests: list[tuple[str, set[str], set[str]]] = field(default_factory=list)


def people() -> list[Person]:
    """Return all people of forget_requests.txt."""
    found: list[Person] = []
    title = ""
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if header := re.fullmatch(r"# (\w+) \((tuned|held)\)", line):
            found.append(Person(header[1], header[2] == "held"))
        elif line.startswith("= "):
            title = line[2:]
        elif request := _REQUEST.fullmatch(line):
            one = (request["words"], set(request["meant"].split()), set((request["either"] or "").split()))
            found[-1].requests.append(one)
        elif line and not line.startswith("#"):
            found[-1].memories[line[0]] = (title, line[2:])
    return found


def fill(store: Store, person: Person) -> dict[int, str]:
    """Store a person's chats and memories; return their letters by id."""
    letters: dict[int, str] = {}
    for title in dict.fromkeys(title for title, _ in person.memories.values()):
        said = {letter: text for letter, (where, text) in person.memories.items() if where == title}
        messages = tuple(
            NewMessage(identity=f"{title} {letter}", role=Role.USER, text=text) for letter, text in said.items()
        )
        new = NewConversation(identity=title, source="chatgpt", messages=messages, external_id=None, title=title)
        with store.command("import") as writer:
            store.raw.put_conversation(writer, new)
            for letter, text in said.items():
                message = store.raw.find_identity(writer, f"{title} {letter}")
                found = store.admit(writer, memory(text, evidence=(quote(text, text, message=message),)))
                letters[found.added or 0] = letter
    return letters


@dataclass(frozen=True)
class Said:
    """A message of a chat; `meant` are the letters of what it asks to forget, None if it is no request."""

    chat: str
    text: str
    stated: tuple[tuple[str, str], ...]  # letters and texts of the memories that it states
    meant: frozenset[str] | None = None
    either: frozenset[str] = frozenset()
    is_near_miss: bool = False


def chatting_people() -> dict[tuple[str, bool], list[Said]]:
    """Return the messages of everybody who makes requests in chats, by (name, held out), in order."""
    found: dict[tuple[str, bool], list[Said]] = {}
    said: list[Said] = []
    title = ""
    for line in _CHATS.read_text(encoding="utf-8").splitlines():
        if header := re.fullmatch(r"# (\w+) \((tuned|held)\)", line):
            said = found[header[1], header[2] == "held"] = []
        elif line.startswith("= "):
            title = line[2:]
        elif line.startswith("^"):
            said[-1] = replace(said[-1], stated=(*said[-1].stated, (line[1], line[3:])))
        elif line.startswith("- "):
            said.append(Said(title, line[2:], (), is_near_miss=True))
        elif request := _REQUEST.fullmatch(line):
            meant, either = (frozenset((part or "").split()) for part in (request["meant"], request["either"]))
            said.append(Said(title, request["words"], (), meant, either))
        elif line and not line.startswith("#"):
            said.append(Said(title, line[2:], ((line[0], line[2:]),)))
    return found


def put_chats(store: Store, said: Sequence[Said]) -> tuple[dict[int, str], dict[int, Said]]:
    """Store a person's chats and memories; return the memories' letters and the messages, by id."""
    letters: dict[int, str] = {}
    messages: dict[int, Said] = {}
    for chat in dict.fromkeys(one.chat for one in said):
        here = {f"{chat} {place}": one for place, one in enumerate(said) if one.chat == chat}
        news = tuple(NewMessage(identity=key, role=Role.USER, text=one.text) for key, one in here.items())
        with store.command("import") as writer:
            new = NewConversation(identity=chat, source="chatgpt", messages=news, external_id=None, title=chat)
            store.raw.put_conversation(writer, new)
            for key, one in here.items():
                message = store.raw.find_identity(writer, key)
                messages[message] = one
                for letter, text in one.stated:
                    found = store.admit(writer, memory(text, evidence=(quote(text, text, message=message),)))
                    letters[found.added or 0] = letter
    return letters, messages


@dataclass
class ChatTally:
    """Requests in chats: how many were found and matched the right memories, and false positives among near misses.

    `kept` counts the requests that were distilled into a memory.
    """

    requests: int = 0
    found: int = 0
    right: int = 0
    kept: int = 0
    near_misses: int = 0
    taken: int = 0
    wrong: list[str] = field(default_factory=list)  # texts of misread messages

    def read(self, store: Store, said: Sequence[Said], classifier: SentenceClassifier | None) -> None:
        """Distil a person's chats into the empty `store` and count what was found in them."""
        letters, messages = put_chats(store, said)
        said_in = {letter: number for number, one in messages.items() for letter, _ in one.stated}
        asked: dict[int, list[ForgetRequest]] = {}
        own = dict[int, set[str]]()  # what each message was turned into
        refused: set[int] = set()
        for number in store.raw.conversation_ids():
            found = distil(store.raw.conversation(number), store.raw.messages(number), classifier=classifier)
            for request in found.forget_requests:
                asked.setdefault(request.asked_in, []).append(request)
            for candidate in found.candidates:
                own.setdefault(candidate.message, set()).add(candidate.text)
            refused |= {one.message for one in found.refusals if one.reason == "withheld"}
        with store.command("distil") as writer:
            all_places = [(one.message, one.start, one.end) for found in asked.values() for one in found]
            store.forget_requests.put(writer, sorted(set(all_places)))
        words = {one.place: one.words for one in store.forget_requests.page(1_000)}
        for number, one in messages.items():
            here = [words[each.message, each.start, each.end] for each in asked.get(number, ())]
            if one.is_near_miss:
                self.near_misses += 1
                self.taken += bool(here)
                self.wrong += [f"taken for a request: {one.text}"] if here else []
            if one.meant is None:
                continue
            withheld = {letter for letter, _ in one.stated if number in refused}
            marked = {letters[memory.id] for match in match_requests(store, here) for memory in match.sure}
            marked = {letter for letter in marked if said_in[letter] <= number} | withheld
            is_right = one.meant <= marked <= one.meant | one.either
            self.requests += 1
            self.found += bool(here or withheld)
            self.right += is_right
            self.kept += bool(own.get(number)) and not one.stated
            if not is_right:
                self.wrong.append(f"{sorted(marked)} for {sorted(one.meant)}, read as {here}: {one.text}")


@dataclass
class Tally:
    """Counts of memories that were marked, and that should be."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, marked: set[str], meant: set[str], either: set[str]) -> None:
        """Count one request."""
        self.right += len(marked & meant)
        self.wrong += len(marked - meant - either)
        self.missed += len(meant - marked)

    @property
    def precision(self) -> float:
        """Return the share of marked memories that are meant."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Return the share of meant memories that are marked."""
        return self.right / max(1, self.right + self.missed)


def noticed(classifier: SentenceClassifier | None) -> dict[str, tuple[int, int]]:
    """Return by label how many messages of forget_held.tsv are taken for a request to forget, and of how many."""
    rows = [line.split("\t") for line in _HELD.read_text("utf-8").splitlines() if not line.startswith("#")]
    before = replace(TURN, text="I like tea.")
    found: dict[str, tuple[int, int]] = {}
    for label, text in rows:
        read = distil(CHAT, [before, replace(TURN, id=TURN.id + 1, text=text)], classifier=classifier)
        asks = bool(read.forget_requests) or any(one.reason == WITHHELD for one in read.refusals)
        taken, of = found.get(label, (0, 0))
        found[label] = taken + asks, of + 1
    return found
