-- What nobody clicks: the id of a class, 'undecided', 'undecided-first' or, as
-- before there was a choice, 'nothing'.
ALTER TABLE project ADD COLUMN rest TEXT NOT NULL DEFAULT 'nothing';
