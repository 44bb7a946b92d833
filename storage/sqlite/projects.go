package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"collie/segment"
)

// class is a segment.Class as it is stored; ID is nil in older records, where
// it equals the position in the list.
type class struct {
	ID    *uint8 `json:"id,omitempty"`
	Name  string `json:"name"`
	Color string `json:"color"`
}

// deletedClass is a segment.DeletedClass as it is stored.
type deletedClass struct {
	class
	Target  uint8 `json:"target"`
	Deleted int64 `json:"deleted"` // milliseconds
}

// encodeClasses returns the columns classes and deleted_classes of a project.
func encodeClasses(p *segment.Project) (classes, deleted string, err error) {
	list := make([]class, len(p.Classes))
	for i, c := range p.Classes {
		list[i] = class{&c.ID, c.Name, c.Color}
	}
	gone := make([]deletedClass, len(p.Deleted))
	for i, c := range p.Deleted {
		gone[i] = deletedClass{class{&c.ID, c.Name, c.Color}, c.Target, c.Deleted.UnixMilli()}
	}
	a, err := json.Marshal(list)
	if err != nil {
		return "", "", err
	}
	b, err := json.Marshal(gone)
	return string(a), string(b), err
}

// decodeClasses reads the two columns into p.
func decodeClasses(classes, deleted string, p *segment.Project) error {
	var list []class
	if err := json.Unmarshal([]byte(classes), &list); err != nil {
		return err
	}
	p.Classes = make([]segment.Class, len(list))
	for i, c := range list {
		if c.ID == nil {
			place := uint8(i)
			c.ID = &place
		}
		p.Classes[i] = segment.Class{ID: *c.ID, Name: c.Name, Color: c.Color}
	}
	var gone []deletedClass
	if err := json.Unmarshal([]byte(deleted), &gone); err != nil {
		return err
	}
	for _, c := range gone {
		if c.ID == nil {
			return errEncoding
		}
		p.Deleted = append(p.Deleted, segment.DeletedClass{
			Class: segment.Class{ID: *c.ID, Name: c.Name, Color: c.Color}, Target: c.Target, Deleted: time.UnixMilli(c.Deleted).UTC(),
		})
	}
	return nil
}

// CreateProject stores a new project.
func (s *Store) CreateProject(ctx context.Context, p segment.Project) error {
	classes, deleted, err := encodeClasses(&p)
	if err != nil {
		return err
	}
	return s.writer.write(ctx, func(w *writer) error {
		return createError("project", w.exec("INSERT INTO project (id, name, classes, deleted_classes, rest, learning, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
			p.ID, p.Name, classes, deleted, p.Rest.String(), !p.Unaided, p.Created.UnixMilli()))
	})
}

const selectProject = "SELECT id, name, classes, deleted_classes, rest, learning, project.created, revision FROM project WHERE trashed_at IS NULL "

// Project returns a project.
func (s *Store) Project(ctx context.Context, id string) (segment.Project, error) {
	return scanProject(s.reads.QueryRowContext(ctx, selectProject+"AND id = ?", id))
}

// Projects lists the projects that are not in the trash, newest first.
func (s *Store) Projects(ctx context.Context) ([]segment.Project, error) {
	scan := func(row scanner) (segment.Project, error) { return scanProject(row) }
	return all(ctx, s.reads, scan, "listing the projects", selectProject+"ORDER BY created DESC, number DESC")
}

// Overviews lists the projects with totals of their images.
func (s *Store) Overviews(ctx context.Context) ([]segment.Overview, error) {
	scan := func(row scanner) (o segment.Overview, err error) {
		o.Project, err = scanProject(row, &o.Images, &o.Done, &o.Cover)
		return o, err
	}
	return all(ctx, s.reads, scan, "listing the projects", `SELECT project.id, project.name, project.classes, deleted_classes, rest, learning, project.created, revision,
			count(image.number), count(CASE WHEN seq > 0 AND (decided >= 1 OR left_void > 0 AND decided * width * height + left_void >= width * height - 0.5) THEN 1 END),
			coalesce((SELECT id FROM image AS cover WHERE cover.project = project.number AND cover.trashed_at IS NULL ORDER BY cover.number LIMIT 1), '')
		FROM project LEFT JOIN image ON image.project = project.number AND image.trashed_at IS NULL
		WHERE project.trashed_at IS NULL GROUP BY project.number ORDER BY project.created DESC, project.number DESC`)
}

// scanProject reads a row that begins with the columns of a project.
func scanProject(row scanner, more ...any) (segment.Project, error) {
	var p segment.Project
	var classes, deleted, rest string
	var learning bool
	var created int64
	if err := row.Scan(append([]any{&p.ID, &p.Name, &classes, &deleted, &rest, &learning, &created, &p.Revision}, more...)...); err != nil {
		return segment.Project{}, readError("project", err)
	}
	if err := decodeClasses(classes, deleted, &p); err != nil {
		return segment.Project{}, fmt.Errorf("classes of project %s: %w", p.ID, err)
	}
	if err := p.Rest.UnmarshalText([]byte(rest)); err != nil {
		return segment.Project{}, fmt.Errorf("rest of project %s: %w", p.ID, err)
	}
	p.Unaided = !learning
	p.Created = time.UnixMilli(created).UTC()
	return p, nil
}

// UpdateProject stores a project's name, classes and settings.
func (s *Store) UpdateProject(ctx context.Context, p segment.Project) error {
	classes, deleted, err := encodeClasses(&p)
	if err != nil {
		return err
	}
	return s.writer.write(ctx, func(w *writer) error {
		var number int64
		var revision int
		if err := w.row("SELECT number, revision FROM project WHERE id = ? AND trashed_at IS NULL", p.ID).Scan(&number, &revision); err != nil {
			return readError("project", err)
		}
		if revision != p.Revision {
			return segment.Errorf(segment.Conflict, "Someone else has changed the project in the meantime. Nothing was changed: look at it again and repeat your change.")
		}
		return w.exec("UPDATE project SET name = ?, classes = ?, deleted_classes = ?, rest = ?, learning = ?, revision = revision + 1 WHERE number = ?",
			p.Name, classes, deleted, p.Rest.String(), !p.Unaided, number)
	})
}
