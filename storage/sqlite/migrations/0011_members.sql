-- Who has which role in which project.
CREATE TABLE member (
    project INTEGER NOT NULL REFERENCES project (number) ON DELETE CASCADE,
    user    INTEGER NOT NULL REFERENCES user (number),
    role    TEXT NOT NULL CHECK (role IN ('viewer', 'reviewer', 'annotator', 'owner')),
    since   INTEGER NOT NULL,
    PRIMARY KEY (project, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX member_by_user ON member (user);

-- So far a role counted in all projects: viewers and annotators keep it in those
-- that exist, admins need none.
INSERT INTO member (project, user, role, since)
    SELECT project.number, user.number, user.role, user.created FROM project, user
    WHERE user.role <> 'admin' AND user.removed_at IS NULL;

-- On the server somebody is an admin or not.
ALTER TABLE user ADD COLUMN admin INTEGER NOT NULL DEFAULT 0;
UPDATE user SET admin = (role = 'admin');
ALTER TABLE user DROP COLUMN role;
