package sqlite

import (
	"context"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/storage/row"
)

// Members lists the members of a project by name.
func (s *Store) Members(ctx context.Context, projectID string) ([]segment.Member, error) {
	if _, err := s.Project(ctx, projectID); err != nil {
		return nil, err
	}
	return all(ctx, s.reads, row.ScanMember, "listing the members", `SELECT user.id, user.name, member.role, member.since
		FROM member JOIN project ON project.number = member.project JOIN user ON user.number = member.user
		WHERE project.id = ? AND user.removed_at IS NULL ORDER BY user.name`, projectID)
}

// SetMember sets or removes a user's role in a project.
func (s *Store) SetMember(ctx context.Context, projectID, name string, role access.Role, by string) (segment.Member, error) {
	m := segment.Member{Role: role}
	err := s.writer.write(ctx, func(w *writer) error {
		var project, user int64
		if err := w.row("SELECT number FROM project WHERE id = ? AND trashed_at IS NULL", projectID).Scan(&project); err != nil {
			return row.ReadError("project", err)
		}
		if err := w.row("SELECT number, id, name FROM user WHERE name = ? AND removed_at IS NULL", name).Scan(&user, &m.User, &m.Name); err != nil {
			return row.ReadError("user", err)
		}
		if by != "" {
			var last, owns bool
			if err := w.row(`SELECT count(*) = 1 AND max(member.user) = ?, total(user.id = ?) > 0 FROM member JOIN user ON user.number = member.user
				WHERE member.project = ? AND member.role = 'owner' AND user.removed_at IS NULL`, user, by, project).Scan(&last, &owns); err != nil {
				return row.ReadError("owner", err)
			}
			if err := row.OwnerMay(owns, last && role != access.Owner); err != nil {
				return err
			}
		}
		if role != access.Nobody {
			var since int64
			if err := w.row(`INSERT INTO member (project, user, role, since) VALUES (?, ?, ?, ?) ON CONFLICT (project, user)
				DO UPDATE SET role = excluded.role, since = CASE role WHEN excluded.role THEN since ELSE excluded.since END RETURNING since`,
				project, user, role.String(), time.Now().UnixMilli()).Scan(&since); err != nil {
				return row.ReadError("member", err)
			}
			m.Since = row.Moment(since)
			return nil
		}
		return w.changeOne("member", "DELETE FROM member WHERE project = ? AND user = ?", project, user)
	})
	return m, err
}

// RoleIn is the role that a user has in a project, also in one in the trash.
func (s *Store) RoleIn(ctx context.Context, projectID, userID string) (access.Role, error) {
	names, err := all(ctx, s.reads, row.Text, "reading the role", `SELECT member.role FROM member JOIN project ON project.number = member.project JOIN user ON user.number = member.user
		WHERE project.id = ? AND user.id = ? AND user.removed_at IS NULL`, projectID, userID)
	if err != nil || len(names) == 0 {
		return access.Nobody, err
	}
	return row.ProjectRole(names[0]), nil
}

// RolesOf returns the roles of a user by the ids of the projects.
func (s *Store) RolesOf(ctx context.Context, userID string) (map[string]access.Role, error) {
	return byID(ctx, s.reads, row.ScanRole, "listing the roles", `SELECT project.id, member.role FROM user JOIN member ON member.user = user.number
		JOIN project ON project.number = member.project WHERE user.id = ? AND user.removed_at IS NULL`, userID)
}
