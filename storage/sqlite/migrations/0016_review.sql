-- The status by hand: '' for none, todo, progress, done, approved or rejected.
ALTER TABLE image ADD COLUMN review TEXT NOT NULL DEFAULT '';
ALTER TABLE image ADD COLUMN review_comment TEXT NOT NULL DEFAULT '';
ALTER TABLE image ADD COLUMN review_by TEXT NOT NULL DEFAULT ''; -- name of the user
ALTER TABLE image ADD COLUMN review_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE image ADD COLUMN review_seq INTEGER NOT NULL DEFAULT 0; -- events that the image had
-- How many pixels the last import left undecided.
ALTER TABLE image ADD COLUMN left_void INTEGER NOT NULL DEFAULT 0;
