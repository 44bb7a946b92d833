package sqlite

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
	return s.writer.write(ctx, func(w *writer) error {
		return createError("project", w.exec("INSERT INTO project (id, name, classes, deleted_classes, rest, learning, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
			p.ID, p.Name, classes, deleted, p.Rest.String(), !p.Unaided, p.Created.UnixMilli()))
	})
}

// Project returns a project.
func (s *Store) Project(ctx context.Context, id string) (segment.Project, error) {
	return row.ScanProject(s.reads.row(ctx, row.SelectProjects+"AND id = ?", id))
}

// Projects lists the projects that are not in the trash, newest first.
func (s *Store) Projects(ctx context.Context) ([]segment.Project, error) {
	return row.Readable(all(ctx, s.reads, row.Damageable(row.ScanProject), "listing the projects", row.SelectProjects+"ORDER BY number DESC"))
}

// Overviews lists the projects with totals of their images.
func (s *Store) Overviews(ctx context.Context, name string) ([]segment.Overview, error) {
	return row.Readable(all(ctx, s.reads, row.Damageable(row.ScanOverview), "listing the projects", row.SelectOverviews("?"), name))
}

// UpdateProject stores a project's name, classes and settings.
func (s *Store) UpdateProject(ctx context.Context, p segment.Project) error {
	classes, deleted, err := row.Classes(&p)
	if err != nil {
		return err
	}
	return s.writer.write(ctx, func(w *writer) error {
		var number int64
		var revision int
		if err := w.row("SELECT number, revision FROM project WHERE id = ? AND trashed_at IS NULL", p.ID).Scan(&number, &revision); err != nil {
			return row.ReadError("project", err)
		}
		if revision != p.Revision {
			return row.Outdated()
		}
		return w.exec("UPDATE project SET name = ?, classes = ?, deleted_classes = ?, rest = ?, learning = ?, revision = revision + 1 WHERE number = ?",
			p.Name, classes, deleted, p.Rest.String(), !p.Unaided, number)
	})
}
