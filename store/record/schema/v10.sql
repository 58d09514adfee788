CREATE TABLE projects (              -- names of projects, by keyed hashes of what tells them apart; not state
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    ident TEXT NOT NULL,
    label TEXT NOT NULL,             -- as in memories.project, memories.scope and conversations.project
    UNIQUE (owner, ident)
);
