-- Sessions in columns of their own. Those of before end: users sign in again.
DROP TABLE session;

CREATE TABLE session (
    token      TEXT PRIMARY KEY, -- SHA-256 of the token, in hexadecimal digits
    user       TEXT NOT NULL,    -- id
    generation INTEGER NOT NULL, -- of the user when they signed in
    expires    INTEGER NOT NULL, -- unless the session is used before
    ends       INTEGER NOT NULL  -- in any case
) STRICT, WITHOUT ROWID;

CREATE INDEX session_by_expiry ON session (expires);
