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
    created_at INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    expires_at INTEGER,
    later_until INTEGER,
    superseded_by INTEGER,
    seq INTEGER NOT NULL DEFAULT 0   -- of the last event that touched it; not part of its state
);
CREATE INDEX memories_by_age ON memories (owner, life, created_at, id);
CREATE INDEX memories_by_key ON memories (content_key);
CREATE UNIQUE INDEX memories_by_external_id ON memories (owner, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX memories_by_session ON memories (session, ordinal) WHERE session IS NOT NULL;
CREATE TABLE evidence (
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
