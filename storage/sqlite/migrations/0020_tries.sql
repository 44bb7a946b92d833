-- Tries to sign in, until they stop counting; see accounts.Tries. What a key says is
-- stored as its hash only: it has in it what was typed as a name.
CREATE TABLE try (
    key     TEXT NOT NULL, -- SHA-256
    expires INTEGER NOT NULL,
    PRIMARY KEY (key, expires)
) STRICT, WITHOUT ROWID;

CREATE INDEX try_by_expiry ON try (expires);
