-- Numbers of objects that are told apart: of an event about one, and of each
-- cell in an import. Differences as signed varints.
ALTER TABLE event ADD COLUMN instances BLOB;
