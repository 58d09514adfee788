"""The record's tables, and the numbered steps that lead an older record to them.

A migration is a pair (version, SQL) and is never changed once released (`store.record.migrations` takes the steps).
"""

# Parts of the memories table that several migrations repeat.
_COLUMNS = """\
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
"""
_INDEXES = """\
CREATE INDEX memories_by_age ON memories (owner, life, created_at, id);
CREATE INDEX memories_by_key ON memories (content_key);
CREATE UNIQUE INDEX memories_by_external_id ON memories (owner, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX memories_by_session ON memories (session, ordinal) WHERE session IS NOT NULL;
"""
_INBOX = """\
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
"""
_TRIGGERS = """\
CREATE TRIGGER buried_words_changed AFTER UPDATE OF text ON memories
WHEN EXISTS (SELECT 1 FROM tombstones WHERE memory = NEW.id) BEGIN
    DELETE FROM burials WHERE memory = NEW.id;
    INSERT OR IGNORE INTO unread_burials (memory) VALUES (NEW.id);
END;
CREATE TRIGGER buried_words_purged AFTER UPDATE OF life ON memories WHEN NEW.life = 'purged' BEGIN
    DELETE FROM burials WHERE memory = NEW.id;
    DELETE FROM unread_burials WHERE memory = NEW.id;
END;
"""

V1 = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE commands (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    owner TEXT NOT NULL,
    actor TEXT NOT NULL,
    verb TEXT NOT NULL,
    summary TEXT NOT NULL DEFAULT '',
    memories INTEGER NOT NULL DEFAULT 0,  -- how many it touched; counting them from events takes a scan
    target INTEGER,              -- what an undo or redo took back
    undone INTEGER,              -- the command that took this one back
    undoable INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX commands_undone ON commands (undone) WHERE undone IS NOT NULL;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    command INTEGER NOT NULL REFERENCES commands (id),
    changes BLOB NOT NULL
);
CREATE INDEX events_by_command ON events (command);
CREATE TABLE touched (memory INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (memory, seq)) WITHOUT ROWID;

CREATE TABLE conversations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    ident BLOB NOT NULL UNIQUE,
    source TEXT NOT NULL,
    external_id TEXT,
    title TEXT,
    created_at INTEGER,
    project TEXT,
    agent INTEGER NOT NULL
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation INTEGER NOT NULL REFERENCES conversations (id),
    batch INTEGER NOT NULL REFERENCES commands (id),
    ordinal INTEGER NOT NULL,
    ident BLOB NOT NULL UNIQUE,
    role TEXT NOT NULL,
    channel TEXT NOT NULL,
    text TEXT NOT NULL,
    external_id TEXT,
    created_at INTEGER,
    active INTEGER NOT NULL,
    hidden INTEGER NOT NULL
);
CREATE INDEX messages_by_external_id ON messages (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX messages_in_order ON messages (conversation);  -- and by id, which is the order they came in
CREATE TABLE segments (              -- which batch's part of a conversation is visible
    conversation INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    PRIMARY KEY (conversation, batch)
) WITHOUT ROWID;
CREATE TABLE distilled (             -- up to which message a conversation has been distilled, by whom
    conversation INTEGER NOT NULL,
    distiller TEXT NOT NULL,
    upto INTEGER NOT NULL,
    PRIMARY KEY (conversation, distiller)
) WITHOUT ROWID;
CREATE TABLE refusals (
    message INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    distiller TEXT NOT NULL,
    reason TEXT NOT NULL,
    kind TEXT,
    confidence REAL,
    PRIMARY KEY (message, start, end, distiller)
) WITHOUT ROWID;
CREATE TABLE files (
    owner TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest BLOB NOT NULL,
    conversations INTEGER NOT NULL,
    PRIMARY KEY (owner, path)
) WITHOUT ROWID;

CREATE TABLE memories (
{_COLUMNS}    created_at INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    expires_at INTEGER,
    later_until INTEGER,
    superseded_by INTEGER,
    seq INTEGER NOT NULL DEFAULT 0   -- of the last event that touched it; not part of its state
);
{_INDEXES}CREATE TABLE evidence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL,
    message INTEGER,
    quote TEXT NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    reference TEXT,              -- these four only where the message is not in this store
    source TEXT,
    title TEXT,
    said_at INTEGER
);
CREATE INDEX evidence_of_memory ON evidence (memory);
CREATE INDEX evidence_in_message ON evidence (message) WHERE message IS NOT NULL;
CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL,
    text TEXT NOT NULL,
    content_key TEXT,
    at INTEGER NOT NULL,
    merged_from INTEGER
);
CREATE INDEX versions_of_memory ON versions (memory);
CREATE INDEX versions_by_key ON versions (content_key) WHERE content_key IS NOT NULL;
CREATE TABLE tags (memory INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (memory, tag)) WITHOUT ROWID;
CREATE TABLE tombstones (            -- what must not come back; the key is a keyed hash
    owner TEXT NOT NULL,
    content_key TEXT NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (owner, content_key, memory)
) WITHOUT ROWID;
CREATE TABLE alerts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    a INTEGER NOT NULL,
    b INTEGER NOT NULL,
    relation TEXT NOT NULL,
    score REAL NOT NULL,
    reasons TEXT NOT NULL,
    settled TEXT,
    UNIQUE (a, b)
);
CREATE INDEX alerts_of_newer ON alerts (b);

CREATE TABLE uses (memory INTEGER PRIMARY KEY, times INTEGER NOT NULL, last_at INTEGER NOT NULL);
CREATE TABLE spaces (id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL,
    space INTEGER NOT NULL REFERENCES spaces (id),
    vector BLOB NOT NULL
);
CREATE UNIQUE INDEX vectors_of_memory ON vectors (space, memory);
CREATE TABLE unembedded (            -- what has no vector yet, so that finding it does not take a scan
    space INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (space, memory)
) WITHOUT ROWID;
"""

V2 = f"""
-- The inbox, what matters most last (store.filter.MATTERS), so that its first page and its count take no scan.
{_INBOX}"""

V3 = """
-- What work in the background needs. None of it is journaled or state: undoing what a sweep made must not make the
-- sweep do it again, and a purge erases what holds words.
CREATE TABLE leases (                -- who is at an item, so that two processes never do one twice
    item TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE swept (                 -- how far a sweep has come with a conversation; when it ran last, under item 0
    sweep TEXT NOT NULL,
    item INTEGER NOT NULL,
    upto INTEGER NOT NULL,
    PRIMARY KEY (sweep, item)
) WITHOUT ROWID;
CREATE TABLE failures (              -- what a model could not do; done again when the person asks
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    sweep TEXT NOT NULL,
    item INTEGER NOT NULL,
    first INTEGER NOT NULL,          -- messages of a conversation, 0 for another item
    last INTEGER NOT NULL,
    reason TEXT NOT NULL,
    reply TEXT NOT NULL,
    model TEXT NOT NULL,
    tries INTEGER NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (sweep, item, first)
);
CREATE TABLE replies (               -- what a model answered, by a hash of all that was asked
    key BLOB PRIMARY KEY,
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    reply TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE TABLE judgments (             -- a model's opinion of an alert; it closes nothing
    alert INTEGER NOT NULL,
    judge TEXT NOT NULL,
    relation TEXT NOT NULL,
    reasons TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (alert, judge)
) WITHOUT ROWID;
CREATE TABLE wordings (              -- how a distiller would put a memory; taken by the person only
    memory INTEGER NOT NULL,
    distiller TEXT NOT NULL,
    text TEXT NOT NULL,
    command INTEGER NOT NULL,        -- with which it came; taken back, it is not shown
    at INTEGER NOT NULL,
    PRIMARY KEY (memory, distiller)
) WITHOUT ROWID;
CREATE TABLE recalls (               -- what was recalled together
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    ident TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    memories TEXT NOT NULL
);
CREATE TABLE turns (                 -- and what was said then, until it has been scored
    recall INTEGER PRIMARY KEY,
    text TEXT NOT NULL
);
CREATE TABLE warmth (memory INTEGER PRIMARY KEY, value REAL NOT NULL, at INTEGER NOT NULL);
"""

V4 = """
-- A finding says who judged, and which texts: it stands for as long as the memories say that. For other texts it may be
-- found again, and how it was settled for these is kept. Columns have constant defaults, as have the rows of a journal
-- that knew none of them.
ALTER TABLE alerts ADD COLUMN judge TEXT NOT NULL DEFAULT '';     -- "rules/2", or a model and its prompt
ALTER TABLE alerts ADD COLUMN cosine REAL;
ALTER TABLE alerts ADD COLUMN a_key TEXT;                         -- content keys; NULL where nobody knows any more
ALTER TABLE alerts ADD COLUMN b_key TEXT;
ALTER TABLE alerts ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alerts ADD COLUMN later_until INTEGER;
ALTER TABLE alerts ADD COLUMN former TEXT NOT NULL DEFAULT '[]';  -- [how, a_key, b_key] of every earlier settlement
CREATE INDEX alerts_unsettled ON alerts (score DESC, id) WHERE settled IS NULL;
CREATE TABLE compared (              -- which text of a memory was compared with the others, by which rules; not state
    memory INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    rules TEXT NOT NULL
);
CREATE TABLE stated (                -- what it states of whom, as keyed hashes; with one in common, compared
    memory INTEGER NOT NULL,
    mark INTEGER NOT NULL,
    PRIMARY KEY (memory, mark)
) WITHOUT ROWID;
CREATE INDEX stated_by_mark ON stated (mark, memory);
"""

V5 = """
CREATE TABLE checks (                -- prompts that the person keeps, to see that recall still answers them
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    query TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE TABLE expected (              -- what must be given for one (wanted 1), or must not (0)
    check_id INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    wanted INTEGER NOT NULL,
    PRIMARY KEY (check_id, memory)
) WITHOUT ROWID;
"""

V6 = f"""
-- Neither is state.
CREATE TABLE burials (               -- words of what was let go, as keyed hashes, by which it is known again
    mark INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (mark, memory)
) WITHOUT ROWID;
CREATE INDEX burials_of_memory ON burials (memory);
CREATE TABLE unread_burials (memory INTEGER PRIMARY KEY);  -- whose words are to be read (anew), or dropped
CREATE INDEX tombstones_of_memory ON tombstones (memory);
-- Followed here and not by the program: an app of the version before, which knows none of it, may still be open.
CREATE TRIGGER tombstone_came AFTER INSERT ON tombstones BEGIN
    INSERT OR IGNORE INTO unread_burials (memory) VALUES (NEW.memory);
END;
CREATE TRIGGER tombstone_went AFTER DELETE ON tombstones BEGIN
    DELETE FROM burials WHERE memory = OLD.memory;
    INSERT OR IGNORE INTO unread_burials (memory) VALUES (OLD.memory);
END;
{_TRIGGERS}CREATE TABLE asked (                 -- passages of the person's turns that ask for something to be forgotten
    message INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    seen INTEGER NOT NULL DEFAULT 0,  -- whether the person was shown what is meant
    PRIMARY KEY (message, start, end)
) WITHOUT ROWID;
"""

V7 = f"""
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
{_COLUMNS}    created_at INTEGER,          -- when it was said; NULL where nobody knows
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
{_INDEXES}{_INBOX}{_TRIGGERS}"""

V8 = """
-- A run of a sweep's rules that the person started: plain undo takes it back, though the rules decided.
ALTER TABLE commands ADD COLUMN manual INTEGER NOT NULL DEFAULT 0 CHECK (manual IN (0, 1));
CREATE TABLE progress (              -- how far a process is with a sweep, for others to see; not state
    sweep TEXT NOT NULL,
    holder TEXT NOT NULL,
    process INTEGER NOT NULL,
    host TEXT NOT NULL,
    since INTEGER NOT NULL,
    seen INTEGER NOT NULL,           -- last sign of life
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (sweep, holder)
) WITHOUT ROWID;
"""

V9 = """
ALTER TABLE alerts ADD COLUMN settled_by INTEGER;  -- the command; who and when stand there
"""

MIGRATIONS: tuple[tuple[int, str], ...] = tuple(enumerate((V1, V2, V3, V4, V5, V6, V7, V8, V9), 1))
NEWEST = MIGRATIONS[-1][0]
