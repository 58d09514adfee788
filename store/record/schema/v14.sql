-- Shared projects (`curator.share`): how far the members' segments were read, and which memories they are about. None
-- of it is journaled or state, and none of it holds words of memories.
CREATE TABLE share_members (         -- as the list in the space had them last
    space TEXT NOT NULL,
    place INTEGER NOT NULL,
    member TEXT NOT NULL,            -- public key
    name TEXT NOT NULL,
    validates INTEGER NOT NULL,
    former INTEGER NOT NULL,         -- 1 if removed
    PRIMARY KEY (space, place)
) WITHOUT ROWID;
CREATE TABLE share_chains (          -- how far the segments of a member's device were read, or written
    space TEXT NOT NULL,
    tag TEXT NOT NULL,
    member TEXT NOT NULL,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    digest TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    whole INTEGER NOT NULL,          -- 0 while a generation is being written
    PRIMARY KEY (space, tag)
) WITHOUT ROWID;
CREATE TABLE share_statements (      -- what others said
    space TEXT NOT NULL,
    statement TEXT NOT NULL,
    member TEXT NOT NULL,
    digest TEXT NOT NULL,            -- of its words, kind, tags and end, by which they were validated
    written INTEGER NOT NULL,        -- clock of its writer
    memory INTEGER,                  -- that says so here, if any
    said TEXT,                       -- digest of that memory's text when it came
    withdrawn INTEGER NOT NULL,
    released INTEGER NOT NULL,       -- 1 if a trusted member validated it
    PRIMARY KEY (space, statement)
) WITHOUT ROWID;
CREATE INDEX share_statements_of ON share_statements (memory) WHERE memory IS NOT NULL;
CREATE TABLE share_votes (           -- by which members validated or rejected it
    space TEXT NOT NULL,
    statement TEXT NOT NULL,
    member TEXT NOT NULL,
    digest TEXT NOT NULL,
    verdict TEXT NOT NULL,           -- empty: taken back
    written INTEGER NOT NULL,
    PRIMARY KEY (space, statement, member)
) WITHOUT ROWID;
CREATE TABLE share_sent (            -- what the own segments say, of all devices of this person
    space TEXT NOT NULL,
    item TEXT NOT NULL,              -- the global id of a memory, or a statement that was voted on
    vote INTEGER NOT NULL,
    digest TEXT NOT NULL,            -- empty: withdrawn
    written INTEGER NOT NULL,
    mine INTEGER NOT NULL,           -- 1 if this device said so
    here TEXT NOT NULL,              -- words in the present generation of this device, as a digest; empty: none
    PRIMARY KEY (space, item, vote)
) WITHOUT ROWID;
