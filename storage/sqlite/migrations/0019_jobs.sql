-- Work in the background; see package job.
CREATE TABLE job (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    kind        TEXT NOT NULL,
    arguments   BLOB NOT NULL,
    owner       TEXT NOT NULL, -- id of a user, or empty
    state       TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'ended')),
    done        INTEGER NOT NULL DEFAULT 0,
    total       INTEGER NOT NULL DEFAULT 0,
    attempt     INTEGER NOT NULL DEFAULT 0,  -- how often it was started
    node        TEXT NOT NULL DEFAULT '',    -- the server that started it last
    lease_until INTEGER NOT NULL DEFAULT 0,  -- while it runs; afterwards when it ended
    result      BLOB,
    created     INTEGER NOT NULL
) STRICT;

CREATE INDEX job_to_do ON job (number) WHERE state <> 'ended';
