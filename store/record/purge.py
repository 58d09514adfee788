"""Purge: erase a memory's words permanently. Ids and keyed hashes, which recognise the words, remain.

A purge cannot be undone, and neither can earlier commands whose events contained the words.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import orjson

from store.errors import KeptElsewhere
from store.record import recalls
from store.record.changes import Change, Update, Value, decode, encode, is_judgment, memories_of, rows_of
from store.record.database import WAIT, functions, waiting
from store.record.erasure import EMPTY, MEMORY, Erasure, place_of
from store.record.journal import Writer
from store.record.meta import purged_id
from store.record.purged_texts import note_memories
from store.record.repository import first_column, grouped, json_list
from store.record.text_redaction import PurgedWords, Span, covered, covered_title, is_about
from store.record.tombstones import Tombstones

IN_EVERY_WRITING = "in every writing"  # summary of a purge with `variants`
_ERASED = "its words were erased by a purge; try it again"
_CHOSEN = "(SELECT value FROM json_each(?1))"
_NOT_JOURNALED = (
    f"DELETE FROM vectors WHERE space IN (SELECT id FROM spaces) AND memory IN {_CHOSEN}",
    f"DELETE FROM unembedded WHERE space IN (SELECT id FROM spaces) AND memory IN {_CHOSEN}",
    f"DELETE FROM failures WHERE sweep = 'embed' AND item IN {_CHOSEN}",  # contains a checksum of a text
    f"DELETE FROM sync_values WHERE sort = 0 AND item IN {_CHOSEN} AND field NOT LIKE 'tombstones %'",
    "DELETE FROM sync_values WHERE sort = 2 AND field IN ('reasons', 'removed row')"
    f" AND item IN (SELECT id FROM sync_alerts WHERE a IN {_CHOSEN} OR b IN {_CHOSEN})",
    f"DELETE FROM judgments WHERE alert IN (SELECT id FROM alerts WHERE a IN {_CHOSEN} OR b IN {_CHOSEN})",
    *(
        f"DELETE FROM {table} WHERE memory IN {_CHOSEN}"
        for table in ("tags", "wordings", "warmth", "compared", "stated", "expected")
    ),
)
"""Statements that delete the rows of purged memories from tables whose other rows cannot contain the words."""
_HOLDING = (
    ("wordings", "text"),
    ("judgments", "(SELECT group_concat(value, char(10)) FROM json_each(reasons))"),
    ("turns", "text"),
    ("checks", "query"),
    ("checks", "project"),
)
"""Text columns of tables that are not journaled; rows that contain the words are deleted."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Memories that a purge erased or a redaction changed, and the numbers of changed messages and events."""

    memories: tuple[int, ...]
    messages: int
    events: int


@dataclass(frozen=True, slots=True)
class Erased:
    """Numbers of conversations with erased messages, and of those messages."""

    conversations: int
    messages: int


def purge_targets(
    connection: sqlite3.Connection, owner: str, memories: Sequence[int], variants: bool = False
) -> list[int]:
    """Return these memories, those with the same words, and those merged into any of them.

    With `variants`, memories that contain the words in another spelling are included.
    """
    targets = set(memories)
    while True:
        wider = targets.union(
            first_column(
                connection,
                f"SELECT id FROM memories WHERE owner = ?2 AND life <> 'purged' AND (content_key IN"
                f" (SELECT content_key FROM memories WHERE id IN {_CHOSEN}) OR (superseded_by IN {_CHOSEN} AND EXISTS"
                " (SELECT 1 FROM versions v WHERE v.memory = superseded_by AND v.merged_from = memories.id)))",
                json_list(targets),
                owner,
            )
        )
        if variants and wider == targets:
            words = PurgedWords(said_by(connection, targets))
            rows = connection.execute("SELECT id, text FROM memories WHERE +owner = ? AND life <> 'purged'", (owner,))
            wider = targets | {row["id"] for row in rows if row["id"] not in targets and words.differ(row["text"])}
        if wider == targets:
            return sorted(targets)
        targets = wider


def words_of(connection: sqlite3.Connection, memories: Collection[int], variants: bool = False) -> PurgedWords:
    """Return the words of memories; with `variants`, in every spelling and with titles that are about them."""
    texts = said_by(connection, memories)
    if not variants:
        return PurgedWords(texts)
    titles = first_column(
        connection,
        "SELECT c.title FROM conversations c JOIN messages m ON m.conversation = c.id"
        " JOIN evidence e ON e.message = m.id"
        f" WHERE c.title IS NOT NULL AND e.memory IN {_CHOSEN}"
        f" UNION SELECT title FROM evidence WHERE title IS NOT NULL AND memory IN {_CHOSEN}",
        json_list(memories),
    )
    return PurgedWords(texts, variants, {title for title in titles if is_about(title, texts)})


def said_by(connection: sqlite3.Connection, memories: Iterable[int]) -> list[str]:
    """Return the current and former texts of the memories, and their quotes."""
    return first_column(
        connection,
        f"SELECT text FROM memories WHERE id IN {_CHOSEN}"
        f" UNION SELECT text FROM versions WHERE memory IN {_CHOSEN}"
        f" UNION SELECT quote FROM evidence WHERE memory IN {_CHOSEN}",
        json_list(memories),
    )


def quoted_spans(connection: sqlite3.Connection, memories: Iterable[int]) -> dict[int, list[Span]]:
    """Return the spans of messages that these memories quote, by message."""
    query = f"SELECT message, start, end FROM evidence WHERE message IS NOT NULL AND memory IN {_CHOSEN}"
    return grouped((message, (start, end)) for message, start, end in connection.execute(query, (json_list(memories),)))


def events(connection: sqlite3.Connection, owner: str) -> Iterator[tuple[int, int, list[Change]]]:
    """Yield the events of an owner as (number, command, changes). Events may be rewritten during the iteration."""
    for seq, command in connection.execute(
        "SELECT e.seq, e.command FROM events e JOIN commands c ON c.id = e.command AND c.owner = ? ORDER BY e.seq",
        (owner,),
    ).fetchall():
        (data,) = connection.execute("SELECT changes FROM events WHERE seq = ?", (seq,)).fetchone()
        yield seq, command, decode(data)


def rewrite_events(
    connection: sqlite3.Connection, owner: str, clean: Callable[[Change], Iterable[Change]]
) -> Iterator[tuple[int, list[Change], bool]]:
    """Replace the changes in an owner's events by what `clean` returns; only for erasing words.

    Yield each event's command, its original changes, and True if they were replaced.
    """
    for seq, command, changes in events(connection, owner):
        after = [part for change in changes for part in clean(change)]
        if after != changes:
            connection.execute("UPDATE events SET changes = ? WHERE seq = ?", (encode(after), seq))
        yield command, changes, after != changes


def rewrite_sync_values(
    connection: sqlite3.Connection, clean: Callable[[str, dict[str, Value]], Mapping[str, Value] | None]
) -> None:
    """Replace the sync values of memories and alerts by what `clean` returns; None deletes them.

    `clean` is called with a table and a dict of columns: a single column, or a whole row that may be restored later
    (see `store.record.sync.values`).
    """
    changed: list[tuple[object, ...]] = []
    for *key, value in connection.execute(
        "SELECT sort, item, field, device, clock, value FROM sync_values WHERE value NOT NULL"
    ).fetchall():
        *words, last = str(key[2]).removeprefix("unseen ").split()  # for a row: its table and a hash
        table = "alerts" if key[0] == 2 else words[-1] if words else "memories"
        told = orjson.loads(value)
        as_text = bool(words) and isinstance(told, str)
        row = orjson.loads(told) if as_text else told if words else {last: told}
        if not isinstance(row, dict):  # a flag that says if an alert exists
            continue
        new = clean(table, row.copy())
        if new != row:
            kept = None if new is None else orjson.dumps(dict(new) if words else new[last]).decode()
            changed.append((orjson.dumps(kept).decode() if as_text and kept is not None else kept, *key))
    where = "sort = ? AND item = ? AND field = ? AND device = ? AND clock = ?"
    connection.executemany(f"DELETE FROM sync_values WHERE {where}", [key for new, *key in changed if new is None])
    connection.executemany(f"UPDATE sync_values SET value = ? WHERE {where}", changed)


def purge(writer: Writer, memories: Sequence[int], variants: bool = False) -> Cleaned:
    """Erase memories of the writer's owner from rows, journal, raw messages and vectors, in the writer's transaction.

    With `variants`, also erase their words in other spellings.

    Raises KeptElsewhere if a remaining memory contains the same words. The caller must then compact the file and drop
    the projections; until then freed pages may still contain the words.
    """
    connection, owner, chosen = writer.connection, writer.owner, frozenset(memories)
    words = words_of(connection, chosen, variants)
    test, parameters = words.sql_test("text")
    holding = f"SELECT id, text FROM memories WHERE owner = ? AND {test}"
    for memory, text in connection.execute(holding, (owner, *parameters)):
        if memory not in chosen and words.spans(text):
            raise KeptElsewhere(memory)
    note_memories(connection, chosen)
    Tombstones.renew(writer, sorted(chosen))
    Tombstones.add(writer, sorted(chosen))
    former = connection.execute(  # former texts, unless a remaining memory says them
        "SELECT DISTINCT n.owner, v.content_key, n.id FROM versions v JOIN memories n ON n.id = v.memory"
        f" WHERE v.memory IN {_CHOSEN} AND v.content_key IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM memories o WHERE o.content_key = v.content_key AND +o.owner = n.owner"
        f" AND o.id NOT IN {_CHOSEN})"
        " AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = n.owner AND t.content_key = v.content_key"
        " AND t.memory = n.id)",
        (json_list(chosen),),
    )
    writer.insert("tombstones", ("owner", "content_key", "memory"), [tuple(row) for row in former.fetchall()])
    done = _Eraser(writer, chosen, words).erase()
    writer.update("memories", sorted(chosen), {"life": "purged"})
    return replace(done, memories=tuple(sorted(chosen)))


def erase_words(writer: Writer, words: PurgedWords) -> Cleaned:
    """Erase words that are not those of a stored memory wherever they occur; return the changed memories.

    The caller must then compact the file and drop the projections.
    """
    done = _Eraser(writer, frozenset(), words).erase()
    if done.messages or done.memories:
        writer.note()
    return done


def erase_logs(writer: Writer, conversations: Sequence[int]) -> Erased:
    """Erase the messages and titles of conversations of the writer's owner.

    Their ids and hashes stay, so that an import does not restore them, and memories keep their quotes. The caller must
    then compact the file and drop the projections.
    """
    connection = writer.connection
    own = "(SELECT id FROM conversations WHERE owner = ?1 AND id IN (SELECT value FROM json_each(?2)))"
    chosen = (writer.owner, json_list(conversations))
    said = f"(SELECT text FROM messages WHERE conversation IN {own} AND text <> '')"
    for table, column in (("turns", "text"), ("checks", "query")):  # may contain words said here
        connection.execute(f"DELETE FROM {table} WHERE {column} IN {said}", chosen)
    recalls.drop_empty(connection)
    count = connection.execute(
        f"UPDATE messages SET text = '' WHERE conversation IN {own} AND text <> ''", chosen
    ).rowcount
    connection.execute(f"UPDATE conversations SET title = NULL WHERE id IN {own}", chosen)
    _drop_replies(connection, writer.owner)
    if count:
        writer.note()
        end_undo(connection, {writer.id})
    return Erased(len(conversations), count)


def end_undo(connection: sqlite3.Connection, commands: set[int]) -> None:
    """Mark these commands, and those that undid or redid them, as impossible to undo."""
    ended = set(commands)
    for command, target in connection.execute("SELECT id, target FROM commands WHERE target NOT NULL ORDER BY id"):
        if target in ended:
            ended.add(command)
    connection.execute(f"UPDATE commands SET undoable = 0 WHERE id IN {_CHOSEN}", (json_list(ended),))


def compact(connection: sqlite3.Connection, wait: float = WAIT) -> bool:
    """Rewrite the file and empty its log; return False if readers prevented it for `wait` seconds."""
    with waiting(connection, wait):
        connection.execute("VACUUM")
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


def _drop_replies(connection: sqlite3.Connection, owner: str) -> None:
    """Delete the stored replies of models, which may contain the words and can be requested again."""
    connection.execute("DELETE FROM replies")
    connection.execute("UPDATE failures SET reply = '', reason = ? WHERE owner = ?", (_ERASED, owner))


@dataclass(frozen=True, slots=True)
class _Eraser:
    """Erases memories, and their words wherever they occur."""

    writer: Writer
    memories: frozenset[int]
    words: PurgedWords

    def erase(self) -> Cleaned:
        """Erase the words; return the other memories that contained some of them."""
        connection, owner, chosen, words = self.writer.connection, self.writer.owner, self.memories, self.words
        with functions(
            connection, cover=words.cover, cover_title=words.cover_title, holds=lambda text: bool(words.spans(text))
        ):
            ids = json_list(chosen)
            external = connection.execute(
                "SELECT id, external_id FROM memories WHERE external_id IS NOT NULL AND life <> 'purged' AND owner = ?",
                (owner,),
            )
            external_ids: dict[Value, str] = {
                name: purged_id(self.writer.key, name)
                for memory, name in external
                if memory in chosen or words.spans(name)
            }
            messages, spans = self._cover_messages()
            erased = Erasure(chosen, words, spans, external_ids, *self._ever_said())
            others = self._clean_names().union(*(self._clean_rows(table, erased) for table in EMPTY))
            for query in _NOT_JOURNALED:
                connection.execute(query, (ids,))
            connection.execute(
                f"DELETE FROM versions WHERE merged_from IN {_CHOSEN} AND memory NOT IN {_CHOSEN}"
                " AND content_key IN (SELECT value FROM json_each(?2))"
                " AND memory IN (SELECT id FROM memories WHERE owner = ?3)",
                (ids, json_list(map(str, erased.keys)), owner),
            )
            _drop_replies(connection, owner)
            rewrite_sync_values(connection, erased.kept)
            for table, text in _HOLDING:
                connection.execute(f"DELETE FROM {table} WHERE holds({text})")
            recalls.drop_empty(connection)
        gone = {*chosen, *first_column(connection, "SELECT id FROM memories WHERE life = 'purged'")}
        count, ended = 0, {self.writer.id}
        for command, changes, rewritten in rewrite_events(connection, owner, erased.change):
            count += rewritten
            concerned = [change for change in changes if erased.concerns(change)]
            others_left = all(map(is_judgment, concerned)) and not gone.issuperset(chain(*map(memories_of, changes)))
            if rewritten or (concerned and not others_left):
                ended.add(command)  # a judgment of several memories can still be undone for the others
        end_undo(connection, ended)
        return Cleaned(tuple(sorted(others - chosen)), messages, count)

    def _ever_said(self) -> tuple[frozenset[Value], frozenset[tuple[Value, ...]]]:
        """Return the content keys of all texts of the memories, and their quotes from logs that are not stored."""
        query = f"SELECT changes FROM events WHERE seq IN (SELECT seq FROM touched WHERE memory IN {_CHOSEN})"
        rows = [
            row
            for (data,) in self.writer.connection.execute(query, (json_list(self.memories),))
            for change in decode(data)
            if change.table in ("memories", "versions", "evidence")
            and not self.memories.isdisjoint(memories_of(change))
            for row in rows_of(change)
            if isinstance(change, Update) or row[MEMORY[change.table][0]] in self.memories
        ]
        keys = frozenset(row.get("content_key") for row in rows) - {None}
        return keys, frozenset(place_of(row) for row in rows if row.get("reference") is not None)

    def _cover_messages(self) -> tuple[int, dict[int, list[Span]]]:
        """Cover the quoted spans and other occurrences of the words in messages; offsets do not change.

        Titles derived from these messages are covered too. Messages of agents with proposals are covered completely,
        because they paraphrase the words. Return the number of changed messages, and the covered spans by message.
        """
        connection, words = self.writer.connection, self.words
        quoted = quoted_spans(connection, self.memories)
        test, parameters = words.sql_test("m.text")
        rows = connection.execute(
            "SELECT m.id, m.text, m.conversation, c.title, c.source = 'agent' AND m.channel = 'injected'"
            " FROM messages m JOIN conversations c ON c.id = m.conversation AND c.owner = ?"
            f" WHERE m.id IN (SELECT value FROM json_each(?)) OR {test}",
            (self.writer.owner, json_list(quoted), *parameters),
        )
        texts: list[tuple[str, int]] = []
        titles: list[tuple[str, int]] = []
        spans: dict[int, list[Span]] = {}
        for message, text, conversation, former, note in rows:
            if places := quoted.get(message, []) + words.spans(text):
                places = [(0, len(text))] if note else places
                spans[message] = places
                texts.append((covered(text, places), message))
                title = former and covered_title(former, text, places)
                if title != former:
                    titles.append((title, conversation))
        changed = connection.executemany("UPDATE messages SET text = ?1 WHERE id = ?2 AND text <> ?1", texts).rowcount
        connection.executemany("UPDATE conversations SET title = ? WHERE id = ?", titles)
        return changed, spans

    def _clean_names(self) -> set[int]:
        """Erase the words from tags, from titles, projects and ids of conversations, and from paths of imported files.

        Returns the memories that had such tags.
        """
        connection, owner = self.writer.connection, (self.writer.owner,)
        for table, name, clean in (
            ("conversations", "title", "cover_title"),
            ("conversations", "project", "cover"),
            ("conversations", "external_id", "cover"),
            ("projects", "label", "cover"),
        ):
            connection.execute(
                f"UPDATE {table} SET {name} = {clean}({name}) WHERE owner = ? AND {name} <> {clean}({name})", owner
            )
        connection.execute("DELETE FROM files WHERE owner = ? AND holds(path)", owner)
        own = "memory IN (SELECT id FROM memories WHERE owner = ?)"
        return set(first_column(connection, f"DELETE FROM tags WHERE {own} AND holds(tag) RETURNING memory", *owner))

    def _clean_rows(self, table: str, erased: Erasure) -> set[int]:
        """Clean a table; return the memories whose rows changed."""
        places = " OR ".join(
            f"EXISTS (SELECT 1 FROM memories o WHERE o.id = {table}.{column} AND o.owner = ?1)"
            for column in MEMORY[table]
        )
        cursor = self.writer.connection.execute(f"SELECT * FROM {table} WHERE {places}", (self.writer.owner,))
        columns = [name for name, *_ in cursor.description]
        clean = [
            (*new, row["id"]) for row in cursor if (new := erased.row(table, columns, row)) not in (None, tuple(row))
        ]
        setting = ", ".join(f"{column} = ?" for column in columns)
        self.writer.connection.executemany(f"UPDATE {table} SET {setting} WHERE id = ?", clean)
        return {row[columns.index(MEMORY[table][0])] for row in clean}
