-- How many superpixels a granularity event asks for; 0 with other events.
ALTER TABLE event ADD COLUMN regions INTEGER NOT NULL DEFAULT 0;
