"""Operations that `kills.py` kills, each with its stores and what must hold afterwards.

`act` runs in a process that is killed, and reports what it begins and what was acknowledged. `check` runs in a new
process and returns the problems found, each with its kind (`lost`, `unsound` or `unfinished`) and a description.
"""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from curator import curation
from curator.lifecycle import plan, run
from curator.models import load_embedder
from curator.services import distillation
from curator.services.import_logs import import_paths
from curator.text import content_key
from factories import conversation, memory, put, quote
from store import Filter, Store, StoreError, copies, restore
from store.model import Life
from store.record import migrations, schema
from store.record.changes import Insert, encode
from store.record.database import connect
from store.record.journal import Writer

Report = dict[str, Any]
Tell = Callable[[str, Report], None]
Problem = tuple[str, str]

FILES, TURNS = 6, 4


@dataclass(frozen=True)
class Operation:
    """An operation: `prepare` a folder, `act` until killed, `check` the reports against the store."""

    prepare: Callable[[Path, Random], None]
    act: Callable[[Path, Random, Tell], None]
    check: Callable[[Path, Sequence[Report], Report | None], list[Problem]]
    fresh: int = 8  # kills before a new folder is made


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Store]:
    """Open the store in a folder, and close it afterwards."""
    with contextlib.closing(Store.open(folder / "store")) as store:
        yield store


def on_write(hook: Callable[[], None]) -> None:
    """Call `hook` in every command, as soon as its transaction has begun."""
    begin = Writer.__init__

    def begun(self: Writer, *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        hook()

    Writer.__init__ = begun  # type: ignore[method-assign]


def copied_texts(file: Path) -> set[str]:
    """Return the memories' texts in a copy of a record. Raises AssertionError or sqlite3.Error if it is damaged."""
    with contextlib.closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        assert [row[0] for row in connection.execute("PRAGMA integrity_check")] == ["ok"]
        return {row[0] for row in connection.execute("SELECT text FROM memories")}


def empty(folder: Path, chance: Random) -> None:
    """Prepare an empty store."""
    with opened(folder):
        pass


def sound(store: Store) -> list[Problem]:
    """Return the inconsistencies of the record."""
    return [("unsound", line) for line in store.differences()]


def texts(store: Store) -> list[str]:
    """Return the texts of live memories."""
    return [one.text for one in store.get_many(store.list_ids(Filter()))]


def states(store: Store, ids: Sequence[int]) -> dict[int, list[object]]:
    """Return text, life, review and pin of each memory, by id."""
    return {one.id: [one.text, one.life.value, one.review.value, one.pinned] for one in store.get_many(ids)}


# Import


def import_texts(number: int) -> list[str]:
    """Return the texts of one import, in order."""
    return [f"I like walks number {number}-{n}-{turn} with my dog." for n in range(FILES) for turn in range(TURNS)]


def import_act(folder: Path, chance: Random, tell: Tell) -> None:
    with opened(folder) as store:
        embedder = load_embedder("hashing", folder)
        distillation._CHARACTERS = 10  # a batch for each conversation or two
        current: Report = {}
        on_write(lambda: tell("begin", current))
        for _ in range(100):
            current["number"] = number = chance.randrange(10**9)
            logs = folder / f"logs{number}"
            logs.mkdir()
            for n in range(FILES):
                turns = [
                    {"role": "user", "content": text} for text in import_texts(number)[n * TURNS : (n + 1) * TURNS]
                ]
                (logs / f"{n}.json").write_text(json.dumps({"messages": turns}))
            import_paths(store, [logs], embedder)
            tell("done", dict(current))


def import_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    with opened(folder) as store:
        found = sound(store)
        if inside is not None:
            import_paths(store, [folder / f"logs{inside['number']}"], load_embedder("hashing", folder))
            found += sound(store)
        with store.sqlite() as connection:
            heard = [row[0] for row in connection.execute("SELECT text FROM messages")]
        for one in [*reports, *([inside] if inside else [])]:
            wanted = import_texts(one["number"])
            kind = "lost" if one is not inside else "unfinished"
            found += [(kind, text) for text in set(wanted).difference(heard)]
            found += [("unsound", f"{text} stands twice") for text in wanted if heard.count(text) > 1]
        remembered = texts(store)
        found += [("unsound", f"{text} is remembered twice") for text in set(remembered) if remembered.count(text) > 1]
        if reports and not remembered:
            found.append(("lost", "no memory was made"))
        return found


# Decide and merge


def decide_act(folder: Path, chance: Random, tell: Tell) -> None:
    with opened(folder) as store:
        ids = put(store, *(f"decided {chance.randrange(10**9)}" for _ in range(5)))
        current: Report = {}
        on_write(lambda: tell("begin", current))
        verbs: tuple[Callable[[int], object], ...] = (
            lambda one: curation.validate(store, [one]),
            lambda one: curation.reject(store, [one]),
            lambda one: curation.forget(store, [one]),
            lambda one: curation.restore(store, [one]),
            lambda one: curation.edit(store, one, f"decided better {chance.randrange(10**9)}"),
        )
        current["ids"] = ids
        for _ in range(10_000):
            with contextlib.suppress(StoreError):
                if chance.choice(verbs)(chance.choice(ids)) and chance.random() < 0.3:
                    store.undo()
            tell("done", {"states": states(store, ids)})


def decided(store: Store, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    """Return acknowledged states that are missing; the one command that was killed may have changed one memory."""
    found: list[Problem] = []
    last = {int(number): state for one in reports[-1:] for number, state in one["states"].items()}
    there = states(store, list(last))
    other = [number for number in last if there.get(number) != last[number]]
    if len(other) > (1 if inside else 0):
        found += [("lost", f"memory {number} is {there.get(number)}, not {last[number]}") for number in other]
    return found


def decide_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    with opened(folder) as store:
        return sound(store) + decided(store, reports, inside)


def merge_act(folder: Path, chance: Random, tell: Tell) -> None:
    with opened(folder) as store:
        current: Report = {}
        for _ in range(10_000):
            ids = put(store, *(f"merged {chance.randrange(10**9)}" for _ in range(3)))
            survivor, text = ids[0], f"all of them {chance.randrange(10**9)}"
            if "ids" not in current:
                on_write(lambda: tell("begin", current) if current["on"] else None)
            current.update(ids=ids, text=text, on=True)
            curation.merge(store, ids, text, survivor)
            current["on"] = False
            tell("done", {"ids": ids, "text": text})


def merge_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    with opened(folder) as store:
        found = sound(store)
        for one in [*reports, *([inside] if inside else [])]:
            first, *others = store.get_many(one["ids"])
            merged = first.text == one["text"] and all(other.life is Life.SUPERSEDED for other in others)
            untouched = first.text != one["text"] and all(other.life is Life.LIVE for other in others)
            if one is not inside and not merged:
                found.append(("lost", f"memories {one['ids']} are not merged"))
            if one is inside and not (merged or untouched):
                found.append(("unfinished", f"memories {one['ids']} are merged by half"))
        return found


# Purge


def purge_act(folder: Path, chance: Random, tell: Tell) -> None:
    with opened(folder) as store:
        current: Report = {"on": False}
        on_write(lambda: tell("begin", current) if current["on"] else None)
        for _ in range(10_000):
            secret = f"the vault code is {chance.randrange(10**12):012d}"
            with store.command("import") as writer:
                store.raw.put_conversation(writer, conversation(secret[-12:], f"I say {secret}, tell nobody"))
                heard = writer.connection.execute("SELECT max(id) FROM messages").fetchone()[0]
                new = memory(secret, evidence=(quote(secret, f"I say {secret}", message=heard),))
                number = store.admit(writer, new).added
            assert number is not None
            (store.folder / "backups").mkdir(exist_ok=True)
            store.backup(folder / "copy.sqlite")
            (folder / "copy.sqlite").replace(store.folder / "backups" / f"copy{number}.sqlite")
            current.update(memory=number, secret=secret, on=True)
            curation.purge(store, [number])
            current["on"] = False
            tell("done", dict(current))


def purge_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    with opened(folder) as store:
        left = curation.continue_purge(store)
        found = sound(store) + [("unfinished", line) for line in left]
        if store.unfinished_purge() is not None:
            found.append(("unfinished", "the purge is not done"))
        content = b"".join(path.read_bytes() for path in store.folder.rglob("*") if path.is_file())
        for one in [*reports, *([inside] if inside else [])]:
            gone = store.get(one["memory"]).life is Life.PURGED
            if one is not inside and not gone:
                found.append(("lost", f"memory {one['memory']} is not purged"))
            if gone and one["secret"][-12:].encode() in content.replace(f"chatgpt:{one['secret'][-12:]}".encode(), b""):
                found += _holding(store, one["secret"])
        return found


def _holding(store: Store, secret: str) -> list[Problem]:
    files = [path for path in store.folder.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    return [("unfinished", f"{path.name} holds purged words") for path in files]


# Restore, backup, migrate


def restore_prepare(folder: Path, chance: Random) -> None:
    with opened(folder) as store:
        put(store, *(f"of the backup {n}" for n in range(200)))
        store.backup(folder / "backup.sqlite")
        put(store, *(f"newer {n}" for n in range(200)))


def restore_act(folder: Path, chance: Random, tell: Tell) -> None:
    for _ in range(1000):
        with opened(folder) as store:
            newer = curation.add(store, f"newer still {chance.randrange(10**9)}").text
        tell("begin", {"newer": newer})
        restore(folder / "store", folder / "backup.sqlite", content_key)
        tell("done", {"newer": newer})


def restore_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    found: list[Problem] = []
    for attempt in range(2 if inside else 1):
        if attempt:
            restore(folder / "store", folder / "backup.sqlite", content_key)
        with opened(folder) as store:
            found += sound(store)
            there = set(texts(store))
        if missing := {f"of the backup {n}" for n in range(200)} - there:
            found.append(("lost", f"{len(missing)} memories of the backup"))
        kept = set(there)
        for copy in copies(folder / "store"):
            if copy.suffix == ".sqlite":
                kept |= copied_texts(copy)
        for one in [*reports, *([inside] if inside else [])]:
            if one["newer"] not in kept:
                found.append(("lost", f"{one['newer']} is in no record and no copy"))
    return found


def backup_act(folder: Path, chance: Random, tell: Tell) -> None:
    with opened(folder) as store:
        put(store, *(f"kept {n} " * 20 for n in range(300)))
        for _ in range(1000):
            text = curation.add(store, f"added {chance.randrange(10**9)}").text
            tell("begin", {"text": text})
            store.backup(folder / "backup.sqlite")
            tell("done", {"text": text})


def backup_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    found: list[Problem] = []
    file = folder / "backup.sqlite"
    if reports:
        held = copied_texts(file)
        found += [("lost", f"{one['text']} is not in the backup") for one in reports if one["text"] not in held]
    with opened(folder) as store:
        found += sound(store)
        store.backup(file)
    if missing := {one["text"] for one in [*reports, *([inside] if inside else [])]} - copied_texts(file):
        found.append(("lost", f"{len(missing)} memories are in no backup"))
    return found


def migrate_prepare(folder: Path, chance: Random) -> None:
    """Prepare a record of the first schema version, with a journal."""
    old = folder / "old.sqlite"
    fields: tuple[str, ...] = (
        "id",
        "owner",
        "text",
        "content_key",
        "kind",
        "tier",
        "origin",
        "review",
        "rank",
        "life",
        "pinned",
    )
    fields += ("confidence", "importance", "scope", "created_at", "added_at")
    with contextlib.closing(connect(old)) as connection:
        migrations.migrate(connection, old, 0, schema.MIGRATIONS[:1])
        connection.execute("BEGIN")
        connection.execute("INSERT INTO commands (at, owner, actor, verb) VALUES (1, 'me', 'person', 'add')")
        state = ("fact", "medium", "rules", "open", "new", "live", 0, 0.5, 5, "global", 1, 1)
        rows = tuple((n, "me", f"fact {n} " * 30, f"key {n}", *state) for n in range(1, 1001))
        connection.execute("INSERT INTO events VALUES (1, 1, ?)", (encode([Insert("memories", fields, rows)]),))
        places = ", ".join("?" * len(fields))
        connection.executemany(f"INSERT INTO memories ({', '.join(fields)}, seq) VALUES ({places}, 1)", rows)
        connection.executemany("INSERT INTO touched VALUES (?, 1)", ((row[0],) for row in rows))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode=DELETE")


def migrate_act(folder: Path, chance: Random, tell: Tell) -> None:
    for _ in range(1000):
        name = f"old{chance.randrange(10**9)}"
        (folder / name / "store").mkdir(parents=True)
        (folder / name / "store" / "record.sqlite").write_bytes((folder / "old.sqlite").read_bytes())
        tell("begin", {"name": name})
        with opened(folder / name):
            pass
        tell("done", {"name": name})


def migrate_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    found: list[Problem] = []
    for one in [*reports[-1:], *([inside] if inside else [])]:
        with opened(folder / one["name"]) as store:
            found += sound(store)
            if store.count(Filter()) != 1000:
                found.append(("lost", f"{store.count(Filter())} of 1000 memories"))
        for copy in copies(folder / one["name"] / "store"):
            if copy.suffix == ".sqlite":
                copied_texts(copy)
    return found


# Tidy, rebuild


def tidy_act(folder: Path, chance: Random, tell: Tell) -> None:
    with opened(folder) as store:
        current: Report = {"on": False}
        on_write(lambda: tell("begin", current) if current["on"] else None)
        for _ in range(1000):
            ids = put(store, *(f"over {chance.randrange(10**12)}" for _ in range(300)), created_at=1, expires_at=2)
            planned = plan(store)
            current.update(ids=ids, on=True)
            run(store, planned)
            current["on"] = False
            tell("done", dict(current))


def tidy_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    with opened(folder) as store:
        found = sound(store)
        for one in reports:
            live = [memory.id for memory in store.get_many(one["ids"]) if memory.life is Life.LIVE]
            found += [("lost", f"{len(live)} memories live again")] if live else []
        run(store, plan(store))
        if inside and any(memory.life is Life.LIVE for memory in store.get_many(inside["ids"])):
            found.append(("unfinished", "another run does not go on with it"))
        return found + sound(store)


def rebuild_prepare(folder: Path, chance: Random) -> None:
    with opened(folder) as store:
        embedder = load_embedder("hashing", folder)
        ids = put(store, *(f"indexed {n}" for n in range(100)))
        rows = [(one, f"indexed {n}", embedder.embed([f"indexed {n}"])[0].tobytes()) for n, one in enumerate(ids)]
        store.vectors.add(embedder.fingerprint, rows)


def rebuild_act(folder: Path, chance: Random, tell: Tell) -> None:
    from store.index import Index

    with opened(folder) as store:
        index = Index(store, load_embedder("hashing", folder).fingerprint)
        index.catch_up()
        for _ in range(1000):
            tell("begin", {})
            index.rebuild()
            tell("done", {})


def rebuild_check(folder: Path, reports: Sequence[Report], inside: Report | None) -> list[Problem]:
    from store.index import Index

    with opened(folder) as store:
        index = Index(store, load_embedder("hashing", folder).fingerprint)
        index.catch_up()
        return sound(store) + [("unsound", line) for line in index.check()]


OPERATIONS: dict[str, Operation] = {
    "import": Operation(empty, import_act, import_check, fresh=4),
    "decide": Operation(empty, decide_act, decide_check, fresh=1),
    "merge": Operation(empty, merge_act, merge_check),
    "purge": Operation(empty, purge_act, purge_check, fresh=4),
    "restore": Operation(restore_prepare, restore_act, restore_check, fresh=2),
    "backup": Operation(empty, backup_act, backup_check),
    "migrate": Operation(migrate_prepare, migrate_act, migrate_check),
    "tidy": Operation(empty, tidy_act, tidy_check, fresh=2),
    "rebuild": Operation(rebuild_prepare, rebuild_act, rebuild_check),
}
