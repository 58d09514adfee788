ALTER TABLE memories ADD COLUMN given TEXT NOT NULL DEFAULT 'relevant';  -- always, relevant or never: when models get it
CREATE INDEX memories_standing ON memories (owner, scope) WHERE given = 'always' AND life = 'live';
