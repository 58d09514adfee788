-- Memories to be compared are found by an index, not by reading all: each live one has a row, with rules '' until it is
-- compared, or if its text, life or scope has changed since.
DELETE FROM compared WHERE memory NOT IN (SELECT id FROM memories WHERE life = 'live');
INSERT OR IGNORE INTO compared (memory, key, rules) SELECT id, '', '' FROM memories WHERE life = 'live';
UPDATE compared SET rules = '' WHERE key <> (SELECT content_key FROM memories WHERE id = memory);
CREATE INDEX compared_by_rules ON compared (rules);
