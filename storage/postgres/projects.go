package postgres

import (
	"context"

	"collie/segment"
	"collie/storage/row"
)

// CreateProject stores a new project.
func (s *Store) CreateProject(ctx context.Context, p segment.Project) error {
	classes, deleted, err := row.Classes(&p)
	if err != nil {
		return err
	}
	return createError("project", s.change(ctx, "", "INSERT INTO project (id, name, classes, deleted_classes, rest, learning, created) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		p.ID, p.Name, classes, deleted, p.Rest.String(), !p.Unaided, p.Created.UnixMilli()))
}

// createError turns the error of an insert into the caller's.
func createError(what string, err error) error {
	if code(err) == uniqueViolation {
		return row.Taken(what, err)
	}
	return err
}

// Project returns a project.
func (s *Store) Project(ctx context.Context, id string) (segment.Project, error) {
	return one(ctx, s, row.ScanProject, row.SelectProjects+"AND id = $1", id)
}

// Projects lists the projects that are not in the trash, newest first.
func (s *Store) Projects(ctx context.Context) ([]segment.Project, error) {
	return row.Readable(all(ctx, s, row.Damageable(row.ScanProject), "listing the projects", row.SelectProjects+"ORDER BY number DESC"))
}

// Overviews lists the projects with totals of their images.
func (s *Store) Overviews(ctx context.Context, name string) ([]segment.Overview, error) {
	return row.Readable(all(ctx, s, row.Damageable(row.ScanOverview), "listing the projects", row.SelectOverviews("$1"), name))
}

// UpdateProject stores a project's name, classes and settings.
func (s *Store) UpdateProject(ctx context.Context, p segment.Project) error {
	classes, deleted, err := row.Classes(&p)
	if err != nil {
		return err
	}
	err = s.change(ctx, "project", `UPDATE project SET name = $3, classes = $4, deleted_classes = $5, rest = $6, learning = $7, revision = revision + 1
		WHERE id = $1 AND revision = $2 AND trashed_at IS NULL`,
		p.ID, p.Revision, p.Name, classes, deleted, p.Rest.String(), !p.Unaided)
	if err == nil {
		s.hint(segment.ImageChanged, "")
	}
	if segment.KindOf(err) != segment.NotFound {
		return err
	}
	if _, err := s.Project(ctx, p.ID); err != nil {
		return err
	}
	return row.Outdated()
}
