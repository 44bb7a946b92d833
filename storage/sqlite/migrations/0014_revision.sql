-- How often a project's record has changed: a change made from an older record is
-- refused, so that two processes can't undo each other's changes.
ALTER TABLE project ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
