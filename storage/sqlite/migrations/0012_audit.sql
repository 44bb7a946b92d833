-- Who did what. Rows are added, and removed when they are old; see package audit.
CREATE TABLE audit (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    user    TEXT NOT NULL, -- id, or empty
    name    TEXT NOT NULL, -- of the user at that time
    address TEXT NOT NULL,
    action  TEXT NOT NULL,
    about   TEXT NOT NULL,
    detail  TEXT NOT NULL
) STRICT;

CREATE INDEX audit_failures ON audit (number) WHERE action = 'session.refused';

CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log never change');
END;

CREATE TRIGGER audit_keeps BEFORE DELETE ON audit
WHEN OLD.action <> 'session.refused' AND OLD.at > (SELECT max(at) FROM audit) - 400 * 86400000
BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are kept for 400 days');
END;
