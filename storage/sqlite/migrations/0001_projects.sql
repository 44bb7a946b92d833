-- Times are Unix milliseconds, UTC. Rows refer to each other by number, which
-- is never reused; the outside knows only the random id.

CREATE TABLE project (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    classes    TEXT NOT NULL, -- JSON [{"name": …, "color": …}, …]; the index is the class
    created    INTEGER NOT NULL,
    trashed_at INTEGER        -- NULL: not in the trash
) STRICT;

CREATE TABLE image (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (number),
    name    TEXT NOT NULL,
    format  TEXT NOT NULL,
    width   INTEGER NOT NULL,
    height  INTEGER NOT NULL,
    regions INTEGER NOT NULL,
    bytes   INTEGER NOT NULL,
    created INTEGER NOT NULL,
    seq     INTEGER NOT NULL DEFAULT 0, -- length of the evidence log
    clicks  INTEGER NOT NULL DEFAULT 0,
    decided REAL NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX image_by_project ON image (project, number);

CREATE TABLE event (
    number      INTEGER PRIMARY KEY,
    image       INTEGER NOT NULL REFERENCES image (number),
    seq         INTEGER NOT NULL CHECK (seq > 0),
    id          TEXT NOT NULL, -- made by the client
    kind        TEXT NOT NULL,
    superpixels BLOB,          -- differences as signed varints
    points      BLOB,          -- x, y, … as little-endian doubles
    class       INTEGER NOT NULL,
    rank        INTEGER,       -- rank, digest and labels: of the pick
    digest      TEXT,
    labels      BLOB,          -- a byte per superpixel
    created     INTEGER NOT NULL,
    UNIQUE (image, seq),
    UNIQUE (image, id)
) STRICT;
