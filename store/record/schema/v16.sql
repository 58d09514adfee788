-- What segments hold of a request to forget: 0 nothing, 1 the request, 2 also that the person saw its matches. Not state.
ALTER TABLE asked ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
