CREATE TABLE checks (                -- prompts that the person keeps, to see that recall still answers them
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    query TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE TABLE expected (              -- what must be given for one (wanted 1), or must not (0)
    check_id INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    wanted INTEGER NOT NULL,
    PRIMARY KEY (check_id, memory)
) WITHOUT ROWID;
