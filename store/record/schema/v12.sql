-- What several devices of one person need to agree (`store.record.sync`). None of it is journaled or state.
ALTER TABLE devices ADD COLUMN name TEXT NOT NULL DEFAULT '';  -- as the person calls it
CREATE TABLE sync_memories (         -- who wrote a memory under which number, and its first values with which event
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    number INTEGER NOT NULL,
    writer INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    UNIQUE (device, number)
);
CREATE INDEX sync_memories_by_number ON sync_memories (number);
CREATE TABLE sync_commands (         -- commands of other devices
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    number INTEGER NOT NULL,
    folded INTEGER NOT NULL,         -- from segments of the present space, which hold it already
    UNIQUE (device, number)
);
CREATE TABLE sync_alerts (
    id INTEGER PRIMARY KEY,
    a INTEGER NOT NULL,
    b INTEGER NOT NULL,
    writer INTEGER NOT NULL,
    clock INTEGER NOT NULL
);
CREATE INDEX sync_alerts_of ON sync_alerts (a, b);
CREATE TABLE sync_values (           -- writes that no later one knew of: of a column, or that added a row
    sort INTEGER NOT NULL,
    item INTEGER NOT NULL,
    field TEXT NOT NULL,
    device INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    person INTEGER NOT NULL,
    value TEXT,                      -- JSON
    PRIMARY KEY (sort, item, field, device, clock)
) WITHOUT ROWID;
CREATE TABLE sync_decided (          -- the last decision of a person on each device
    sort INTEGER NOT NULL,
    item INTEGER NOT NULL,
    device INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    PRIMARY KEY (sort, item, device)
) WITHOUT ROWID;
CREATE TABLE sync_seen (device INTEGER PRIMARY KEY, clock INTEGER NOT NULL);
CREATE TABLE sync_marks (            -- what was known of other devices when events up to this one were written
    upto INTEGER PRIMARY KEY,
    seen TEXT NOT NULL
);
CREATE TABLE sync_chains (           -- how far the segments of a device were read, or written
    device INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    digest TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0,      -- of this device only: events and messages that its segments hold
    message INTEGER NOT NULL DEFAULT 0,
    vector INTEGER NOT NULL DEFAULT 0,
    erasure INTEGER NOT NULL DEFAULT 0,  -- last command that erased words before the generation began
    seen TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE sync_claims (           -- own imports of messages that another device had imported before
    message INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL
);
CREATE TABLE sync_uses (             -- recalls of a memory on each device that the others were told of
    memory INTEGER NOT NULL,
    device INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (memory, device)
) WITHOUT ROWID;
CREATE TABLE sync_pending (          -- folded memories whose consequences are to be drawn
    memory INTEGER PRIMARY KEY,
    kept INTEGER NOT NULL DEFAULT 0      -- deleted elsewhere, but decided on here
);
