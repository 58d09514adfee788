ALTER TABLE alerts ADD COLUMN settled_by INTEGER;  -- the command; who and when stand there
