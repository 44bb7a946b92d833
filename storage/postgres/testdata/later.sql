-- What the next release might add to the tables.
ALTER TABLE project ADD COLUMN IF NOT EXISTS later text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE image ADD COLUMN IF NOT EXISTS later bigint;
ALTER TABLE event ADD COLUMN IF NOT EXISTS later bytea;
CREATE TABLE IF NOT EXISTS later (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
