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
