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

const selectProject = "SELECT " + row.ProjectColumns + " FROM project WHERE trashed_at IS NULL "

// Project returns a project.
func (s *Store) Project(ctx context.Context, id string) (segment.Project, error) {
	return row.ScanProject(s.reads.row(ctx, selectProject+"AND id = ?", id))
}

// Projects lists the projects that are not in the trash, newest first.
func (s *Store) Projects(ctx context.Context) ([]segment.Project, error) {
	return all(ctx, s.reads, row.ScanProject, "listing the projects", selectProject+"ORDER BY number DESC")
}

// Overviews lists the projects with totals of their images.
func (s *Store) Overviews(ctx context.Context) ([]segment.Overview, error) {
	return all(ctx, s.reads, row.ScanOverview, "listing the projects", "SELECT "+row.ProjectColumns+`,
			count(image.number), count(CASE WHEN seq > 0 AND (decided >= 1 OR left_void > 0 AND decided * width * height + left_void >= width * height - 0.5) THEN 1 END),
			coalesce((SELECT id FROM image AS cover WHERE cover.project = project.number AND cover.trashed_at IS NULL ORDER BY cover.number LIMIT 1), '')
		FROM project LEFT JOIN image ON image.project = project.number AND image.trashed_at IS NULL
		WHERE project.trashed_at IS NULL GROUP BY project.number ORDER BY project.number DESC`)
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
