-- Repairs of a pixels event: per class its id (a byte), the number of its runs
-- (varint) and for each run the distance from the end of the one before (signed
-- varint) and its length (varint).
ALTER TABLE event ADD COLUMN repairs BLOB;
-- The event to which a restore event goes back; NULL with other events.
ALTER TABLE event ADD COLUMN back_to INTEGER;
-- Who made the event, where known.
ALTER TABLE event ADD COLUMN author TEXT NOT NULL DEFAULT '';
