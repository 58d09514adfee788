-- Ids that hold outside of this store: who wrote what (`store.record.device`, `store.uids`). A clock for every event.
CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL              -- since when it writes
);
INSERT INTO devices (id, uid, at)    -- what was written before devices were told apart, in every copy of the store
    SELECT 1, substr(id, 1, 8) || '-' || substr(id, 9, 4) || '-8' || substr(id, 13, 3) || '-8000-000000000000', 0
    FROM (SELECT CAST(value AS TEXT) AS id FROM meta WHERE name = 'id');
ALTER TABLE commands ADD COLUMN device INTEGER NOT NULL DEFAULT 1;

CREATE TABLE new_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    command INTEGER NOT NULL REFERENCES commands (id),
    clock INTEGER NOT NULL,
    changes BLOB NOT NULL
);
INSERT INTO new_events               -- as clocks that rise by one where the time of a command does not
    SELECT e.seq, e.command, k.clock, e.changes FROM (
        SELECT f.seq, max(coalesce(c.at, 0) / 1000 * 65536 - f.seq) OVER (ORDER BY f.seq) + f.seq AS clock
        FROM events f LEFT JOIN commands c ON c.id = f.command
    ) k JOIN events e ON e.seq = k.seq ORDER BY e.seq;
DROP TABLE events;
ALTER TABLE new_events RENAME TO events;
CREATE INDEX events_by_command ON events (command);
-- A program of the version before that was open all the time reads this, and its command is not written.
CREATE TRIGGER event_of_an_older_program BEFORE INSERT ON events WHEN NEW.clock IS NULL BEGIN
    SELECT RAISE(ABORT, 'the store is newer than this program, which writes nothing more: close and start it again');
END;

CREATE TABLE new_memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    external_id TEXT,
    text TEXT NOT NULL,
    content_key TEXT NOT NULL,
    kind TEXT NOT NULL,
    tier TEXT NOT NULL,
    origin TEXT NOT NULL,
    review TEXT NOT NULL,
    rank TEXT NOT NULL,
    life TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    confidence REAL NOT NULL,
    user_score INTEGER,
    importance INTEGER NOT NULL,
    scope TEXT NOT NULL,
    project TEXT,
    source TEXT,
    session TEXT,
    ordinal INTEGER,
    subject TEXT,
    relation TEXT,
    object TEXT,
    span TEXT,
    flag TEXT,
    surprise TEXT,
    distiller TEXT,
    created_at INTEGER,          -- when it was said; NULL where nobody knows
    added_at INTEGER NOT NULL,   -- when it was stored
    expires_at INTEGER,
    later_until INTEGER,
    superseded_by INTEGER,
    seq INTEGER NOT NULL DEFAULT 0,  -- of the last event that touched it; not part of its state
    device INTEGER NOT NULL DEFAULT 1  -- that wrote it; journals from before it was known name none
);
INSERT INTO new_memories (
    id, owner, external_id, text, content_key, kind, tier, origin, review, rank, life, pinned, confidence,
    user_score, importance, scope, project, source, session, ordinal, subject, relation, object, span, flag,
    surprise, distiller, created_at, added_at, expires_at, later_until, superseded_by, seq
) SELECT
    id, owner, external_id, text, content_key, kind, tier, origin, review, rank, life, pinned, confidence,
    user_score, importance, scope, project, source, session, ordinal, subject, relation, object, span, flag,
    surprise, distiller, created_at, added_at, expires_at, later_until, superseded_by, seq
FROM memories;
DELETE FROM sqlite_sequence WHERE name = 'new_memories';
INSERT INTO sqlite_sequence SELECT 'new_memories', seq FROM sqlite_sequence WHERE name = 'memories';
DROP TABLE memories;
ALTER TABLE new_memories RENAME TO memories;
CREATE INDEX memories_by_age ON memories (owner, life, created_at, id);
CREATE INDEX memories_by_key ON memories (content_key);
CREATE UNIQUE INDEX memories_by_external_id ON memories (owner, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX memories_by_session ON memories (session, ordinal) WHERE session IS NOT NULL;
CREATE INDEX memories_inbox ON memories (
    owner,
    life,
    review,
    importance + CASE tier WHEN 'core' THEN 3 WHEN 'low' THEN -2 ELSE 0 END
        + 5 * coalesce(json_extract(surprise, '$[1]'), 0) + 2 * coalesce(json_extract(surprise, '$[0]'), 0),
    created_at,
    id,
    origin,
    later_until
) WHERE life = 'live' AND review = 'open';
CREATE TRIGGER buried_words_changed AFTER UPDATE OF text ON memories
WHEN EXISTS (SELECT 1 FROM tombstones WHERE memory = NEW.id) BEGIN
    DELETE FROM burials WHERE memory = NEW.id;
    INSERT OR IGNORE INTO unread_burials (memory) VALUES (NEW.id);
END;
CREATE TRIGGER buried_words_purged AFTER UPDATE OF life ON memories WHEN NEW.life = 'purged' BEGIN
    DELETE FROM burials WHERE memory = NEW.id;
    DELETE FROM unread_burials WHERE memory = NEW.id;
END;
