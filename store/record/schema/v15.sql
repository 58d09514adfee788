-- A check may be of a project: recall answers it as in a session there. NULL: memories of all projects.
ALTER TABLE checks ADD COLUMN project TEXT;
