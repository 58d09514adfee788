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
