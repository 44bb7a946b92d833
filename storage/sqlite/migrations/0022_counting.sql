-- With the time of the trash, so that a project's images are counted without reading
-- their records.
DROP INDEX image_by_project;
CREATE INDEX image_by_project ON image (project, trashed_at, number);
