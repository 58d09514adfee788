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
