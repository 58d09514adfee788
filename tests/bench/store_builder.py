"""Generators of stores and logs of a given size, through the program's public interface."""

import json
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from uuid import UUID

from curator.models import load_embedder
from curator.paths import cache_folder
from curator.text import content_key
from store import Store
from store.model import Kind, NewConversation, NewMemory, NewMessage, Origin, Review, Role, Tier
from stores import texts, vectors

_BATCH = 10_000


def build_store(folder: Path, count: int) -> Store:
    """Return a store of `count` memories with 384-d vectors (synthetic, clustered) in minilm's space."""
    store = Store.open(folder)
    fingerprint = load_embedder("minilm", cache_folder()).fingerprint
    chance = random.Random(count)
    words, blocks = texts(count, seed=1), vectors(count, seed=1)
    kinds, tiers, reviews = list(Kind), list(Tier), [Review.OPEN, Review.OPEN, Review.VALIDATED]
    done = 0
    for block in blocks:
        part = list(islice(words, len(block)))
        with store.command("import") as writer:
            rows = []
            for text, vector in zip(part, block, strict=True):
                made = NewMemory(
                    text=text,
                    key=content_key(text),
                    kind=chance.choice(kinds),
                    origin=Origin.IMPORT,
                    tier=chance.choice(tiers),
                    review=chance.choice(reviews),
                    confidence=chance.random(),
                    project=f"project-{chance.randrange(20)}",
                    source=chance.choice(["chatgpt", "claude", "claude-code"]),
                    external_id=f"bench-{done}",
                    created_at=1_600_000_000_000_000 + chance.randrange(150_000_000) * 1_000_000,
                )
                number = store.admit(writer, made).added
                assert number is not None
                rows.append((number, text, vector.tobytes()))
                done += 1
            store.vectors.put(writer.connection, fingerprint, rows)
    return store


def multiply(store: Store, times: int) -> None:
    """Copy a store's memories, with vectors and journal, until it is `times` as large, by SQL alone.

    Each copy's text gets the copy's number, and its vector is repeated, which makes no search faster or slower.
    """
    with store.sqlite() as connection:
        count, last = connection.execute("SELECT (SELECT max(id) FROM memories), max(seq) FROM events").fetchone()
        columns = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
        new = {"id": "id + :ids", "seq": "seq + :seqs", "text": "text || ' (' || :copy || ')'"}
        new |= {name: f"{name} || '-' || :copy" for name in ("content_key", "external_id")}
        chosen = ", ".join(new.get(name, name) for name in columns)
        connection.execute("PRAGMA cache_size = -4000000")  # kilobytes; index rows are inserted in random order
        for copy in range(1, times):
            numbers = {"copy": copy, "ids": copy * count, "seqs": copy * last, "count": count, "last": last}
            with connection:
                for statement in (
                    f"INSERT INTO memories SELECT {chosen} FROM memories WHERE id <= :count",
                    "INSERT INTO events SELECT seq + :seqs, command, clock, changes FROM events WHERE seq <= :last",
                    "INSERT INTO touched SELECT memory + :ids, seq + :seqs FROM touched WHERE memory <= :count",
                    "INSERT INTO vectors (memory, space, vector) SELECT memory + :ids, space, vector FROM vectors"
                    " WHERE memory <= :count",
                ):
                    connection.execute(statement, numbers)


def add_messages(store: Store, count: int) -> None:
    """Add `count` messages of some 130 characters, in conversations of twenty, to the raw layer; nothing reads them."""
    chance = random.Random(count)
    sentences = list(texts(50_000, seed=3))
    each, at_once = 20, 1_000
    for start in range(0, count // each, at_once):
        with store.command("import") as writer:
            for number in range(start, min(start + at_once, count // each)):
                began = 1_500_000_000_000_000 + number * 60_000_000
                messages = tuple(
                    NewMessage(
                        identity=f"scale-{number}-{turn}",
                        role=Role.ASSISTANT if turn % 2 else Role.USER,
                        text=" ".join(chance.choices(sentences, k=2)),
                        created_at=began + turn * 1_000_000,
                    )
                    for turn in range(each)
                )
                whole = NewConversation(
                    identity=f"scale-{number}", source="openai", created_at=began, title=f"{number}", messages=messages
                )
                store.raw.put_conversation(writer, whole)


def write_chatgpt_export(file: Path, megabytes: float, seed: int = 1) -> int:
    """Write a ChatGPT export of about this size on one minified line; return the number of conversations.

    Each seed gives other conversations.
    """
    chance = random.Random(seed)
    size = number = 0
    with file.open("w", encoding="utf-8") as out:
        out.write("[")
        for number, conversation in enumerate(_conversations(chance, seed << 90)):
            line = json.dumps(conversation, separators=(",", ":"))
            out.write("," * (number > 0) + line)
            size += len(line)
            if size > megabytes * 1_000_000:
                break
        out.write("]")
    return number + 1


def _conversations(chance: random.Random, ids: int) -> Iterator[dict[str, object]]:
    source = texts(50_000, seed=2)
    sentences = list(source)
    for number in range(10_000_000):
        began = 1_600_000_000 + number * 3_600
        mapping: dict[str, dict[str, object]] = {}
        parent: str | None = None
        root = f"root-{ids + number}"
        mapping[root] = {"id": root, "message": None, "parent": None, "children": []}
        parent = root
        for turn in range(chance.randrange(2, 30)):
            name = str(UUID(int=(ids + (number << 64) + turn) % (1 << 128), version=4))
            own = turn % 2 == 0
            text = " ".join(chance.choices(sentences, k=chance.randrange(1, 4) if own else chance.randrange(8, 25)))
            mapping[parent]["children"] = [name]
            mapping[name] = {
                "id": name,
                "parent": parent,
                "children": [],
                "message": {
                    "id": name,
                    "author": {"role": "user" if own else "assistant", "name": None, "metadata": {}},
                    "create_time": float(began + turn * 60),
                    "update_time": None,
                    "content": {"content_type": "text", "parts": [text]},
                    "status": "finished_successfully",
                    "end_turn": None if own else True,
                    "weight": 1.0,
                    "metadata": {},
                    "recipient": "all",
                },
            }
            parent = name
        yield {
            "title": f"Conversation {number}",
            "create_time": float(began),
            "update_time": float(began + 3000),
            "mapping": mapping,
            "current_node": parent,
            "conversation_id": str(UUID(int=(ids + (number << 64)) % (1 << 128), version=4)),
            "id": str(UUID(int=(ids + (number << 64)) % (1 << 128), version=4)),
            "is_archived": False,
        }
