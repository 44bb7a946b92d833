package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/storage/row"
)

// Members lists the members of a project by name.
func (s *Store) Members(ctx context.Context, projectID string) ([]segment.Member, error) {
	if _, err := s.Project(ctx, projectID); err != nil {
		return nil, err
	}
	return all(ctx, s, row.ScanMember, "listing the members", `SELECT users.id, users.name, member.role, member.since
		FROM member JOIN project ON project.number = member.project JOIN users ON users.number = member."user"
		WHERE project.id = $1 AND users.removed_at IS NULL ORDER BY lower(users.name)`, projectID)
}

// SetMember sets or removes a user's role in a project.
func (s *Store) SetMember(ctx context.Context, projectID, name string, role access.Role, by string) (segment.Member, error) {
	m := segment.Member{Role: role}
	err := s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var project, user, since int64
		// Changes of one project's members wait for each other, so that two owners can't both go, or each demote the other.
		if err := tx.QueryRow(ctx, "SELECT number FROM project WHERE id = $1 AND trashed_at IS NULL FOR NO KEY UPDATE", projectID).Scan(&project); err != nil {
			return row.ReadError("project", err)
		}
		if err := tx.QueryRow(ctx, "SELECT number, id, name FROM users WHERE lower(name) = lower($1) AND removed_at IS NULL FOR SHARE", name).Scan(&user, &m.User, &m.Name); err != nil {
			return row.ReadError("user", err)
		}
		if by != "" {
			var last, owns bool
			if err := tx.QueryRow(ctx, `SELECT count(*) = 1 AND max(member."user") = $1, coalesce(bool_or(users.id = $3), false) FROM member JOIN users ON users.number = member."user"
				WHERE member.project = $2 AND member.role = 'owner' AND users.removed_at IS NULL`, user, project, by).Scan(&last, &owns); err != nil {
				return row.ReadError("owner", err)
			}
			if err := row.OwnerMay(owns, last && role != access.Owner); err != nil {
				return err
			}
		}
		if role == access.Nobody {
			if err := tx.QueryRow(ctx, `DELETE FROM member WHERE project = $1 AND "user" = $2 RETURNING "user"`, project, user).Scan(&user); err != nil {
				return row.ReadError("member", err)
			}
			return nil
		}
		if err := tx.QueryRow(ctx, `INSERT INTO member (project, "user", role, since) VALUES ($1, $2, $3, `+now+`) ON CONFLICT (project, "user")
			DO UPDATE SET role = excluded.role, since = CASE member.role WHEN excluded.role THEN member.since ELSE excluded.since END RETURNING since`,
			project, user, role.String()).Scan(&since); err != nil {
			return row.ReadError("member", err)
		}
		m.Since = row.Moment(since)
		return nil
	})
	s.userChanged(m.User)
	return m, err
}

// RoleIn is the role that a user has in a project, also in one in the trash.
func (s *Store) RoleIn(ctx context.Context, projectID, userID string) (access.Role, error) {
	names, err := all(ctx, s, row.Text, "reading the role", `SELECT member.role FROM member JOIN project ON project.number = member.project JOIN users ON users.number = member."user"
		WHERE project.id = $1 AND users.id = $2 AND users.removed_at IS NULL`, projectID, userID)
	if err != nil || len(names) == 0 {
		return access.Nobody, err
	}
	return row.ProjectRole(names[0]), nil
}

// RolesOf returns the roles of a user by the ids of the projects.
func (s *Store) RolesOf(ctx context.Context, userID string) (map[string]access.Role, error) {
	return byID(ctx, s, row.ScanRole, "listing the roles", `SELECT project.id, member.role FROM users JOIN member ON member."user" = users.number
		JOIN project ON project.number = member.project WHERE users.id = $1 AND users.removed_at IS NULL`, userID)
}
