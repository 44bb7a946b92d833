-- API tokens: programs that send the secret act for the user within the scope.
CREATE TABLE token (
    id      TEXT PRIMARY KEY,
    hash    TEXT NOT NULL UNIQUE, -- SHA-256 of the secret, in hexadecimal digits
    user    INTEGER NOT NULL REFERENCES user (number),
    name    TEXT NOT NULL,
    scope   TEXT NOT NULL CHECK (scope IN ('metrics', 'read', 'annotate', 'admin')),
    created INTEGER NOT NULL,
    expires INTEGER, -- NULL: never
    used    INTEGER  -- last; NULL: never
) STRICT, WITHOUT ROWID;

CREATE INDEX token_by_user ON token (user);
