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
CREATE TRIGGER buried_words_changed AFTER UPDATE OF text ON memories
WHEN EXISTS (SELECT 1 FROM tombstones WHERE memory = NEW.id) BEGIN
    DELETE FROM burials WHERE memory = NEW.id;
    INSERT OR IGNORE INTO unread_burials (memory) VALUES (NEW.id);
END;
CREATE TRIGGER buried_words_purged AFTER UPDATE OF life ON memories WHEN NEW.life = 'purged' BEGIN
    DELETE FROM burials WHERE memory = NEW.id;
    DELETE FROM unread_burials WHERE memory = NEW.id;
END;
CREATE TABLE asked (                 -- passages of the person's turns that ask for something to be forgotten
    message INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    seen INTEGER NOT NULL DEFAULT 0,  -- whether the person was shown what is meant
    PRIMARY KEY (message, start, end)
) WITHOUT ROWID;
