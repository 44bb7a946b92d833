package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"collie/segment"
)

// class is a segment.Class as it is stored.
type class struct {
	Name  string `json:"name"`
	Color string `json:"color"`
}

func encodeClasses(classes []segment.Class) (string, error) {
	out := make([]class, len(classes))
	for i, c := range classes {
		out[i] = class(c)
	}
	b, err := json.Marshal(out)
	return string(b), err
}

func decodeClasses(text string) ([]segment.Class, error) {
	var in []class
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, err
	}
	out := make([]segment.Class, len(in))
	for i, c := range in {
		out[i] = segment.Class(c)
	}
	return out, nil
}

// CreateProject stores a new project.
func (s *Store) CreateProject(ctx context.Context, p segment.Project) error {
	classes, err := encodeClasses(p.Classes)
	if err != nil {
		return err
	}
	return s.writer.write(ctx, func(w *writer) error {
		return createError("project", w.exec("INSERT INTO project (id, name, classes, created) VALUES (?, ?, ?, ?)",
			p.ID, p.Name, classes, p.Created.UnixMilli()))
	})
}

const selectProject = "SELECT id, name, classes, created FROM project WHERE trashed_at IS NULL "

// Project returns a project.
func (s *Store) Project(ctx context.Context, id string) (segment.Project, error) {
	return scanProject(s.reads.QueryRowContext(ctx, selectProject+"AND id = ?", id))
}

// Projects lists the projects that are not in the trash, newest first.
func (s *Store) Projects(ctx context.Context) ([]segment.Project, error) {
	rows, err := s.reads.QueryContext(ctx, selectProject+"ORDER BY created DESC, number DESC")
	if err != nil {
		return nil, fmt.Errorf("listing the projects: %w", err)
	}
	defer rows.Close()
	var projects []segment.Project
	for rows.Next() {
		p, err := scanProject(rows)
		if err != nil {
			return nil, err
		}
		projects = append(projects, p)
	}
	return projects, rows.Err()
}

func scanProject(row scanner) (segment.Project, error) {
	var p segment.Project
	var classes string
	var created int64
	if err := row.Scan(&p.ID, &p.Name, &classes, &created); err != nil {
		return segment.Project{}, readError("project", err)
	}
	var err error
	if p.Classes, err = decodeClasses(classes); err != nil {
		return segment.Project{}, fmt.Errorf("classes of project %s: %w", p.ID, err)
	}
	p.Created = time.UnixMilli(created).UTC()
	return p, nil
}

// UpdateProject stores a project's name and classes.
func (s *Store) UpdateProject(ctx context.Context, p segment.Project) error {
	classes, err := encodeClasses(p.Classes)
	if err != nil {
		return err
	}
	return s.writer.write(ctx, func(w *writer) error {
		var number int64
		if err := w.row("UPDATE project SET name = ?, classes = ? WHERE id = ? AND trashed_at IS NULL RETURNING number",
			p.Name, classes, p.ID).Scan(&number); err != nil {
			return readError("project", err)
		}
		return nil
	})
}
