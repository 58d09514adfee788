"""What came after a command: what rests on it, and what has moved since, for it may not be taken back under those."""

import sqlite3

import orjson

from store.errors import ReliedOn
from store.record.changes import Change, Insert, Update, Value, decode, keys_of, memories_of

_Places = dict[tuple[str, tuple[Value, ...]], frozenset[str]]  # table and key of a row: the columns changed, * for all
_STANDING = frozenset({"life", "content_key", "scope"})  # of these it depends which memories may be live together


def taken_along(connection: sqlite3.Connection, target: int, verb: str) -> tuple[list[int], set[int]]:
    """The commands that go when `target` is taken back, the last first, itself included.

    What a model or a sweep made of an import while nobody looked goes with the import: the person who takes back the
    import sees one step, and means what came of it. Never does what a person did go along, nor other lines that were
    imported: raises ReliedOn if such commands after these still stand and changed the same columns, or rest on their
    rows.

    Also returns the memories that came, went, or changed life, words or scope since.
    """
    going = {target}
    while True:
        relying, since = _relying(connection, going)
        machines = _made_by_machines(connection, relying) if verb == "undo" else set()
        if relying - machines:
            raise ReliedOn(target, tuple(sorted(relying - machines)))
        if not machines:
            return sorted(going, reverse=True), since
        going |= machines


def _made_by_machines(connection: sqlite3.Connection, commands: set[int]) -> set[int]:
    rows = connection.execute(
        "SELECT id FROM commands WHERE actor IN ('model', 'sweep') AND verb <> 'import' AND undoable"
        " AND id IN (SELECT value FROM json_each(?))",
        (orjson.dumps(sorted(commands)).decode(),),
    )
    return {row[0] for row in rows}


def _relying(connection: sqlite3.Connection, targets: set[int]) -> tuple[set[int], set[int]]:
    """The commands that rest on these and are none of them, and the memories that moved since the first."""
    chosen = orjson.dumps(sorted(targets)).decode()
    mine: _Places = {}
    for event in connection.execute(
        "SELECT changes FROM events WHERE command IN (SELECT value FROM json_each(?))", (chosen,)
    ):
        for change in decode(event["changes"]):
            columns = frozenset(change.columns) if isinstance(change, Update) else frozenset({"*"})
            for key in keys_of(change):
                place = (change.table, key)
                mine[place] = mine.get(place, frozenset()) | columns
    later = connection.execute(  # what was done and taken back since leaves nothing; `turned` was done before
        "SELECT e.command, e.changes, t.id AS turned FROM events e JOIN commands c ON c.id = e.command"
        " LEFT JOIN commands t ON t.id = c.target AND t.undone = c.id"
        " WHERE e.seq > (SELECT min(seq) FROM events WHERE command = ?1) AND c.undone IS NULL"
        " AND e.command NOT IN (SELECT value FROM json_each(?2)) AND coalesce(t.id, 0) < ?1 ORDER BY e.seq",
        (min(targets), chosen),
    )
    relying: set[int] = set()
    since: set[int] = set()
    for row in later:
        changes = [change for change in decode(row["changes"]) if not _only_names(change)]
        since.update(*map(_moved, changes))
        if row["turned"] is None and _overlaps(mine, changes):
            relying.add(row["command"])
    return relying | (_resting(connection, mine) - targets), since


def _only_names(change: Change) -> bool:
    """Whether a change leaves its rows as they were: it says that they were cleaned (`store.record.redact`)."""
    return isinstance(change, Update) and change.before == change.after


def _moved(change: Change) -> list[int]:
    """The memories of which a change says whether they may be live beside others."""
    if change.table == "tombstones" and not isinstance(change, Update):
        place = change.columns.index("memory")
        return [int(row[place] or 0) for row in change.rows]
    if change.table != "memories" or (isinstance(change, Update) and _STANDING.isdisjoint(change.columns)):
        return []
    return memories_of(change)


def _overlaps(mine: _Places, changes: list[Change]) -> bool:
    for change in changes:
        columns = frozenset(change.columns) if isinstance(change, Update) else frozenset({"*"})
        for key in keys_of(change):
            own = mine.get((change.table, key))
            if own is not None and (own & columns or "*" in own or "*" in columns):
                return True
        if isinstance(change, Update) and "superseded_by" in change.columns:
            successor = change.after[change.columns.index("superseded_by")]
            if "*" in mine.get(("memories", (successor,)), ()):
                return True
        if isinstance(change, Insert):  # new tags, evidence or versions of a memory that would go
            for memory in memories_of(change):
                if "*" in mine.get(("memories", (memory,)), ()):
                    return True
    return False


def _resting(connection: sqlite3.Connection, mine: _Places) -> set[int]:
    """Other commands whose quotes cite messages that would be hidden."""
    places = [key for table, key in mine if table == "segments"]
    found: set[int] = set()
    for conversation, batch in places:
        rows = connection.execute(
            "SELECT v.id, v.memory FROM messages m JOIN evidence v ON v.message = m.id"
            " JOIN memories n ON n.id = v.memory AND n.life <> 'purged' WHERE m.conversation = ? AND m.batch = ?",
            (conversation, batch),
        )
        for evidence, memory in rows.fetchall():
            if ("evidence", (evidence,)) not in mine:
                found |= _inserted_by(connection, int(memory), int(evidence))
    return found


def _inserted_by(connection: sqlite3.Connection, memory: int, evidence: int) -> set[int]:
    """The command that gave a memory a quote."""
    events = connection.execute(
        "SELECT e.command, e.changes FROM touched t JOIN events e ON e.seq = t.seq WHERE t.memory = ?", (memory,)
    )
    return {
        int(event["command"])
        for event in events
        for change in decode(event["changes"])
        if isinstance(change, Insert) and change.table == "evidence" and (evidence,) in keys_of(change)
    }
