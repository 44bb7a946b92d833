-- Accounts at OpenID providers with which users sign in.
CREATE TABLE identity (
    issuer  TEXT NOT NULL,
    subject TEXT NOT NULL,
    user    INTEGER NOT NULL REFERENCES user (number),
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identity_by_user ON identity (user);

-- The API token that an entry's action was done with, empty for people.
ALTER TABLE audit ADD COLUMN token TEXT NOT NULL DEFAULT '';      -- id
ALTER TABLE audit ADD COLUMN token_name TEXT NOT NULL DEFAULT ''; -- at that time
