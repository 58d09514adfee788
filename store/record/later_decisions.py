"""Reapply decisions made after a backup to the record that is restored from it.

Commands that only the present record has were made after the backup. Their forgets, rejections and purges are repeated
as commands of the restored record.

Of a purged memory that the backup lacks, the present record only has hashes of its words and masked places. Its words
are therefore found in the backup as the texts at these places and the texts with such a hash; others are not known.
"""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import groupby

from store.errors import KeptElsewhere
from store.model import Actor
from store.record import database, meta, purge, redact
from store.record.changes import Insert, Value, decode, memories_of, rows_of
from store.record.journal import Writer, command
from store.record.memories import EVIDENCE
from store.record.meta import hashed
from store.record.repository import first_column, grouped, json_list, next_id
from store.record.sync.rekey import all_texts, keep_former_keys, rekey
from store.record.text_redaction import MASK, PurgedWords
from store.record.tombstones import Tombstones

_SUMMARY = "again, since it came after the backup that was restored"


@dataclass(slots=True)
class Reapplied:
    """Numbers of memories forgotten, rejected or purged again, and of messages and other memories with erased words.

    `comparable` is False if the backup is of another store, or this store is too damaged. `by_hash` counts the purged
    memories that the backup lacks, whose words are only known by hashes and masked places.
    """

    comparable: bool = True
    forgotten: int = 0
    rejected: int = 0
    purged: int = 0
    messages: int = 0
    memories: int = 0
    by_hash: int = 0


def reapply(stage: sqlite3.Connection, present: sqlite3.Connection, key_of: Callable[[str], str]) -> Reapplied:
    """Repeat in `stage` the forgets, rejections and purges that only the `present` record has; return the numbers."""
    if meta.get(stage, "id") != meta.get(present, "id"):
        return Reapplied(comparable=False)
    keys = meta.keys(present)
    if meta.get(stage, "key") not in keys:
        return Reapplied(comparable=False)
    with database.writing(stage):
        if meta.get(stage, "key") != keys[0]:  # the store joined others since
            rekey(stage, keys[0], key_of)
            for table in ("conversations", "messages"):
                rows = present.execute(f"SELECT ident, id, created_at FROM {table}").fetchall()
                put = f"UPDATE OR IGNORE {table} SET ident = ? WHERE id = ? AND created_at IS ?"
                stage.executemany(put, map(tuple, rows))
        keep_former_keys(stage, keys)
    query = "SELECT id, at, verb FROM commands"
    known = {tuple(row) for row in stage.execute(query)}
    later = {row["id"]: row["verb"] for row in present.execute(query) if tuple(row) not in known}
    later_decisions = _Later(stage, present)
    later_decisions.read(later)
    later_decisions.add_keys(keys, key_of)
    for owner in sorted({row["owner"] for row in later_decisions.memories}):
        later_decisions.repeat(owner)
    if {"purge", "redact"} & {*later.values()}:
        later_decisions.erase_words({*later.values()}, key_of)
    done = later_decisions.done
    if done.purged or done.messages or done.memories:
        stage.execute("VACUUM")
    return done


@dataclass(slots=True)
class _Later:
    """Later decisions: the memories of the present record that they forgot or purged, and the results in `stage`.

    `variants` are the memories that were purged in every spelling, and `keys` the hashes in the tombstones by memory.
    `purged_keys` holds the hashes of purged memories, under True if they were purged in every spelling.
    """

    stage: sqlite3.Connection
    present: sqlite3.Connection
    memories: Sequence[sqlite3.Row] = ()
    variants: set[int] = field(default_factory=set)
    keys: dict[int, list[str]] = field(default_factory=dict)
    purged_keys: dict[bool, set[str]] = field(default_factory=lambda: {False: set(), True: set()})
    done: Reapplied = field(default_factory=Reapplied)

    def read(self, commands: Collection[int]) -> None:
        """Read the present state of the memories that these commands forgot or purged."""
        ended: set[int] = set()
        for changes, variants in self._rows(
            "SELECT e.changes, c.verb = 'purge' AND c.summary LIKE '%' || ? || '%' FROM events e"
            " JOIN commands c ON c.id = e.command WHERE e.command IN {} ORDER BY e.seq",
            commands,
            purge.IN_EVERY_WRITING,
        ):
            for change in decode(changes):
                if change.table == "memories" and "life" in change.columns:
                    ended.update(memories_of(change))
                    self.variants.update(memories_of(change) if variants else ())
        self.memories = self._rows(
            "SELECT * FROM memories m WHERE id IN {} AND life IN ('forgotten', 'purged')"
            " AND EXISTS (SELECT 1 FROM tombstones t WHERE t.memory = m.id AND t.owner = m.owner) ORDER BY owner, id",
            ended,
        )
        ids = [row["id"] for row in self.memories]
        keys = self._rows("SELECT memory, content_key FROM tombstones WHERE memory IN {}", ids)
        self.keys = grouped((memory, key) for memory, key in keys)

    def add_keys(self, keys: Sequence[bytes], key_of: Callable[[str], str]) -> None:
        """Add hashes with the current key for texts that were purged under a former one, found in the stage."""
        first, *former = keys
        if not former or not self.keys:
            return
        content_keys = {key_of(text) for text in all_texts(self.stage)}
        new = {hashed(key, content_key): hashed(first, content_key) for key in former for content_key in content_keys}
        for memory, hashes in self.keys.items():
            self.keys[memory] = [*dict.fromkeys([*hashes, *(new[one] for one in hashes if one in new)])]

    def _rows(self, query: str, ids: Iterable[int], *before: str) -> list[sqlite3.Row]:
        """Return rows of the present record; `{}` in the query becomes the ids, after the parameters `before`."""
        listed = query.format("(SELECT value FROM json_each(?))")
        return self.present.execute(listed, (*before, json_list(sorted(ids)))).fetchall()

    def repeat(self, owner: str) -> None:
        """Repeat the decisions on one owner's memories, and on those of the stage with the same statements."""
        chosen: defaultdict[str, set[int]] = defaultdict(set)  # ids in the stage, by action
        missing: defaultdict[str, list[sqlite3.Row]] = defaultdict(list)
        tombstones: defaultdict[str, list[tuple[str, str, int]]] = defaultdict(list)
        staged_tombstones = Tombstones.on(self.stage, owner)
        for row in self.memories:
            if row["owner"] != owner:
                continue
            life, keys, variants = row["life"], self.keys[row["id"]], row["id"] in self.variants
            here = self.stage.execute(
                "SELECT id, life FROM memories WHERE id = ? AND owner = ? AND added_at = ?",
                (row["id"], owner, row["added_at"]),
            ).fetchone()
            found = self._twins(row)
            if here is None:
                missing[life].append(row)
            else:
                tombstones[life] += [(owner, key, here["id"]) for key in keys]
                if here["life"] != "purged" and (life == "purged" or not staged_tombstones.among([here["id"]])):
                    found.add(here["id"])
            chosen[life] |= found
            if life == "purged":
                chosen["variants"] |= found if variants else set()
                self.purged_keys[variants].update(keys)
            elif row["review"] == "rejected" and here is not None:
                chosen["rejected"].add(here["id"])
        chosen["forgotten"] -= chosen["purged"]
        chosen["rejected"] &= chosen["forgotten"]
        with self._command(owner, "forget") as writer:
            writer.update("memories", sorted(chosen["forgotten"]), {"life": "forgotten"})
            writer.update("memories", sorted(chosen["rejected"]), {"review": "rejected"})
            Tombstones.add(writer, sorted(chosen["forgotten"]))
            Tombstones.put(writer, tombstones["forgotten"])
            for row in missing["forgotten"]:
                self._add_missing(writer, row)
        for variants in (True, False):
            summary = f"{_SUMMARY}, {purge.IN_EVERY_WRITING}" if variants else _SUMMARY
            with self._command(owner, "purge", summary) as writer:  # not undoable
                left = writer.where("life <> 'purged'", sorted(chosen["variants" if variants else "purged"]))
                self.done.purged += self._purge(writer, left, variants)
                if not variants:
                    Tombstones.put(writer, tombstones["purged"])
                for row in missing["purged"]:
                    if (row["id"] in self.variants) is variants:
                        self._add_missing(writer, row)
                purge.end_undo(self.stage, {writer.id})
        self.done.rejected += len(chosen["rejected"])
        self.done.forgotten += len(chosen["forgotten"] - chosen["rejected"]) + len(missing["forgotten"])
        self.done.purged += len(missing["purged"])
        self.done.by_hash += len(missing["purged"])

    def _command(self, owner: str, verb: str, summary: str = _SUMMARY) -> AbstractContextManager[Writer]:
        return command(nullcontext(self.stage), owner, verb, Actor.PERSON, summary)

    def _twins(self, row: sqlite3.Row) -> set[int]:
        """Return live memories of the stage with an ended one's statement that are not live in the present record.

        For a forgotten memory, only those in its scope; for a purged one, those in any scope.
        """
        same = self.stage.execute(
            "SELECT id, added_at FROM memories WHERE owner = ?1 AND life = 'live' AND (?2 = 'purged' OR scope = ?3)"
            " AND content_key IN (SELECT value FROM json_each(?4))",
            (row["owner"], row["life"], row["scope"], json_list(self.keys[row["id"]])),
        ).fetchall()
        stays = "SELECT 1 FROM memories WHERE id = ? AND added_at = ? AND owner = ? AND life = 'live'"
        return {number for number, at in same if not self.present.execute(stays, (number, at, row["owner"])).fetchone()}

    def _add_missing(self, writer: Writer, row: sqlite3.Row) -> None:
        """Add a memory that the backup lacks, with its tombstones, so that its statement is not admitted again."""
        stage, life, external_id = self.stage, row["life"], row["external_id"]
        columns = [name for _, name, *_ in stage.execute("PRAGMA table_info(memories)") if name in row.keys()]  # noqa: SIM118
        values: dict[str, Value] = {name: row[name] for name in columns if name != "seq"}
        taken = first_column(stage, "SELECT 1 FROM memories WHERE id = ?", row["id"])
        number = int(next_id(stage, "memories") if taken else row["id"])
        uid, at = self.present.execute("SELECT uid, at FROM devices WHERE id = ?", (row["device"],)).fetchone()
        stage.execute("INSERT OR IGNORE INTO devices (uid, at) VALUES (?, ?)", (uid, at))
        (device,) = first_column(stage, "SELECT id FROM devices WHERE uid = ?", uid)
        values |= {"id": number, "superseded_by": None, "device": device}
        if first_column(stage, "SELECT 1 FROM memories WHERE owner = ? AND external_id = ?", writer.owner, external_id):
            values["external_id"] = None
        writer.insert("memories", [*values], [tuple(values.values())])
        Tombstones.put(writer, [(writer.owner, key, number) for key in self.keys[row["id"]]])
        if life == "forgotten":
            self._add_texts(writer, row["id"], number)

    def _add_texts(self, writer: Writer, memory: int, number: int) -> None:
        """Add versions and quotes of a missing memory; a quote of a message that the stage lacks gets a citation."""
        columns = ("id", "memory", "text", "content_key", "at")
        for version in self.present.execute(
            "SELECT text, content_key, at FROM versions WHERE memory = ? ORDER BY id", (memory,)
        ):
            writer.insert("versions", columns, [(next_id(self.stage, "versions"), number, *version)])
        quotes = self.present.execute(
            "SELECT v.quote, v.start, v.end, coalesce(v.reference, m.external_id), coalesce(v.source, c.source),"
            " coalesce(v.title, c.title), coalesce(v.said_at, m.created_at, c.created_at), m.ident FROM evidence v"
            " LEFT JOIN messages m ON m.id = v.message LEFT JOIN conversations c ON c.id = m.conversation"
            " WHERE v.memory = ? ORDER BY v.id",
            (memory,),
        )
        for *quote, reference, source, title, said_at, ident in quotes.fetchall():
            found = self.stage.execute("SELECT id FROM messages WHERE ident = ?", (ident,)).fetchone()
            citation = (reference, source, title, said_at) if found is None else (None,) * 4
            values = (next_id(self.stage, "evidence"), number, found and found["id"], *quote, *citation)
            writer.insert("evidence", EVIDENCE, [values])

    def erase_words(self, verbs: Collection[str], key_of: Callable[[str], str]) -> None:
        """Repeat later redactions and erasures, even in places that the present record does not have."""
        stage, key = self.stage, meta.get(self.stage, "key")
        covered = covered_since(stage, self.present)
        secrets = covered | redacted_since(stage, self.present) if "redact" in verbs else set()
        exact, variants = (known_by_hash(stage, key, key_of, self.purged_keys[every]) for every in (False, True))
        exact |= covered if "purge" in verbs else set()
        known = re.compile("|".join(map(re.escape, sorted(secrets, key=len, reverse=True))))
        redactors = redact.Redactors(
            lambda text: known.sub("[REDACTED]", text),
            lambda text: known.sub(lambda hit: MASK * len(hit[0]), text),
            key_of,
        )
        texts = self._covered_messages()
        memories: set[int] = set()
        for owner in first_column(stage, "SELECT DISTINCT owner FROM commands"):
            if secrets:
                with self._command(owner, "redact") as writer:
                    memories.update(redact.redact(writer, redactors).memories)
            for words in (PurgedWords(exact), PurgedWords(variants, variants=True)):
                if words:
                    with self._command(owner, "purge") as writer:
                        memories.update(purge.erase_words(writer, words).memories)
        stage.executemany("UPDATE messages SET text = ?1 WHERE id = ?2 AND text <> ?1", texts)
        titles = self.present.execute(
            "SELECT title, ident FROM conversations WHERE title IS NULL OR instr(title, ?)", (MASK,)
        ).fetchall()
        stage.executemany("UPDATE conversations SET title = ? WHERE ident = ?", titles)
        stage.execute("DELETE FROM replies")
        self.done.messages, self.done.memories = len(texts), len(memories)

    def _covered_messages(self) -> list[tuple[str, int]]:
        """Return messages of the stage, as (text, id), masked and erased as in the present record."""
        found: list[tuple[str, int]] = []
        for ident, text in self.present.execute(
            "SELECT ident, text FROM messages WHERE text = '' OR instr(text, ?)", (MASK,)
        ):
            row = self.stage.execute("SELECT id, text FROM messages WHERE ident = ?", (ident,)).fetchone()
            if row is not None and row["text"] != text:
                same = len(row["text"]) == len(text)  # otherwise it was erased completely
                pairs = zip(row["text"], text, strict=True) if same else ()
                found.append(("".join(MASK if MASK in pair else pair[0] for pair in pairs), row["id"]))
        return found

    @staticmethod
    def _purge(writer: Writer, memories: Collection[int], variants: bool) -> int:
        """Purge memories, and all with the same words, which are purged or reworded in the present record."""
        chosen = set(memories)
        while chosen:
            try:
                targets = purge.purge_targets(writer.connection, writer.owner, sorted(chosen), variants)
                return len(purge.purge(writer, targets, variants).memories)
            except KeptElsewhere as error:
                chosen.add(error.memory)
        return 0


_MARKED = 6  # minimum characters of masked words that are searched for everywhere
_REDACTED = "[REDACTED]"
_SECRET = r"(\S{8,}?)"
_OF_MEMORY = ("text", "subject", "relation", "object", "span", "project", "scope", "session", "source")
_SHARED = (  # table, the columns that identify a row in both records, and those with words
    ("memories", ("id", "owner", "added_at"), _OF_MEMORY),
    ("versions", ("id", "memory", "at"), ("text",)),
    ("evidence", ("id", "memory", "start", "end"), ("quote", "title", "reference", "source")),
    ("conversations", ("ident",), ("title", "project", "external_id")),
    ("messages", ("ident",), ("text",)),
)
_NAMES = (
    "SELECT project FROM memories UNION SELECT scope FROM memories UNION SELECT source FROM memories"
    " UNION SELECT session FROM memories UNION SELECT subject FROM memories UNION SELECT object FROM memories"
    " UNION SELECT tag FROM tags UNION SELECT text FROM versions UNION SELECT quote FROM evidence"
    " UNION SELECT title FROM evidence UNION SELECT project FROM conversations UNION SELECT title FROM conversations"
)


def covered_since(stage: sqlite3.Connection, present: sqlite3.Connection) -> set[str]:
    """Return the words of the stage that are masked in the present record, and tags that a purge erased."""
    found: set[str] = set()
    for former, now in _pairs(stage, present, MASK):
        if len(former) == len(now):
            pairs = zip(former, now, strict=True)
            runs = groupby(pairs, key=lambda pair: pair[1] == MASK and pair[0] != MASK)
            words = ("".join(sign for sign, _ in run).strip() for covered, run in runs if covered)
            found.update(run for run in words if len(run) >= _MARKED)
    return found | _erased_tags(stage, present)


def redacted_since(stage: sqlite3.Connection, present: sqlite3.Connection) -> set[str]:
    """Return the secrets of the stage that the present record has redacted."""
    found: set[str] = set()
    for former, now in _pairs(stage, present, _REDACTED):
        if _REDACTED not in former:
            match = re.fullmatch(_SECRET.join(map(re.escape, now.split(_REDACTED))), former, re.DOTALL)
            found.update(match.groups() if match else ())
    return found


def known_by_hash(
    stage: sqlite3.Connection, key: bytes, key_of: Callable[[str], str], content_keys: Collection[str]
) -> set[str]:
    """Return names, tags, titles, quotes and former texts of the stage that match the content keys."""
    wanted = frozenset(content_keys)
    names = {row[0] for row in stage.execute(_NAMES) if row[0]} if wanted else set()
    names |= {name.partition(":")[2] for name in names} | {name.replace("-", " ") for name in names}
    return {name for name in names if name and hashed(key, key_of(name)) in wanted}


def _pairs(stage: sqlite3.Connection, present: sqlite3.Connection, mark: str) -> Iterator[tuple[str, str]]:
    """Yield texts of the same place in both records, if the present record's contains `mark` and they differ."""
    for table, keys, columns in _SHARED:
        same = " AND ".join(f'"{key}" IS ?' for key in keys)
        listed = ", ".join(f'"{key}"' for key in keys)
        for column in columns:
            for now, *found in present.execute(
                f"SELECT {column}, {listed} FROM {table} WHERE instr({column}, ?)", (mark,)
            ):
                row = stage.execute(f"SELECT {column} FROM {table} WHERE {same}", found).fetchone()
                if row is not None and row[0] is not None and row[0] != now:
                    yield row[0], now


def _erased_tags(stage: sqlite3.Connection, present: sqlite3.Connection) -> set[str]:
    """Return tags of the stage that have no trace in the present record's journal.

    A tag that the person removed leaves the events of its addition and removal.
    """
    found: set[str] = set()
    for memory, tag, owner, added_at in stage.execute(
        "SELECT t.memory, t.tag, m.owner, m.added_at FROM tags t JOIN memories m ON m.id = t.memory"
    ).fetchall():
        here = present.execute(
            "SELECT 1 FROM memories m WHERE id = ? AND owner = ? AND added_at = ? AND life <> 'purged'"
            " AND NOT EXISTS (SELECT 1 FROM tags WHERE memory = m.id AND tag = ?)",
            (memory, owner, added_at, tag),
        ).fetchone()
        events = present.execute(
            "SELECT changes FROM events WHERE seq IN (SELECT seq FROM touched WHERE memory = ?)", (memory,)
        )
        if here is not None and not any(
            isinstance(change, Insert) and change.table == "tags" and {"memory": memory, "tag": tag} in rows_of(change)
            for (data,) in events
            for change in decode(data)
        ):
            found.add(tag)
    return found
