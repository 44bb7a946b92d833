-- Deleted classes: JSON [{"id": …, "name": …, "color": …, "target": …, "deleted": milliseconds}, …].
-- The classes of the list have an "id", too; without one it is their place.
ALTER TABLE project ADD COLUMN deleted_classes TEXT NOT NULL DEFAULT '[]';
-- What each class has of the image: a byte 1, then id (a byte), pixels and clicks (varints);
-- NULL where not known.
ALTER TABLE image ADD COLUMN classes BLOB;
