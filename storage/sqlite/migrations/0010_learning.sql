-- 0: the project makes no first guesses from what it has learnt.
ALTER TABLE project ADD COLUMN learning INTEGER NOT NULL DEFAULT 1;
-- 1: nothing but first guesses of the project has happened to the image.
ALTER TABLE image ADD COLUMN guessed INTEGER NOT NULL DEFAULT 0;
