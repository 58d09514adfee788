"""Requests to forget with the memories that they mean (forget_requests.txt), and stores of the people who made them."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from factories import memory, quote
from store import Store
from store.model import NewConversation, NewMessage, Role

_FILE = Path(__file__).with_name("forget_requests.txt")
_REQUEST = re.compile(r"\? (?P<words>.+?) :(?P<meant>[a-z ]*)(?:\((?P<either>[a-z ]+)\))?$")


@dataclass
class Person:
    """A person: memories by letter as (title of the chat, text), and requests as (words, meant, either)."""

    name: str
    held: bool
    memories: dict[str, tuple[str, str]] = field(default_factory=dict)
    requests: list[tuple[str, set[str], set[str]]] = field(default_factory=list)


def people() -> list[Person]:
    """Everybody in the file."""
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


@dataclass
class Tally:
    """Memories that were marked, and should be."""

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
        """Share of the marked ones that are meant."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Share of those meant that are marked."""
        return self.right / max(1, self.right + self.missed)
