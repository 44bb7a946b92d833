-- Expected share of the image's area that is wrong, by the alternatives of some
-- state of its evidence; NULL where none were made.
ALTER TABLE image ADD COLUMN doubt REAL;
