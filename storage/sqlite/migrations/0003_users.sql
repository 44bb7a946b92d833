-- Who may sign in to a server that asks for it.
CREATE TABLE user (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL COLLATE NOCASE,
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'annotator', 'admin')),
    password   TEXT NOT NULL,              -- argon2id hash in the PHC string format
    generation INTEGER NOT NULL DEFAULT 0, -- sessions of an older one have ended
    created    INTEGER NOT NULL,
    removed_at INTEGER                     -- NULL: can sign in
) STRICT;

CREATE UNIQUE INDEX user_by_name ON user (name) WHERE removed_at IS NULL;

CREATE TABLE session (
    token   TEXT PRIMARY KEY, -- the token's hash
    data    BLOB NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX session_by_expiry ON session (expires);
