-- Events of other devices come into the journal with clocks of this one; these are their own, by which devices name them.
CREATE TABLE sync_clocks (seq INTEGER PRIMARY KEY, clock INTEGER NOT NULL);
