-- Name of the user who is to work on the image; '' for nobody.
ALTER TABLE image ADD COLUMN assignee TEXT NOT NULL DEFAULT '';
