-- When the image was moved to the trash by itself; NULL: it was not.
ALTER TABLE image ADD COLUMN trashed_at INTEGER;
