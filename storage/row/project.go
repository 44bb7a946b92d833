package row

import (
	"encoding/json"
	"fmt"

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

// Classes returns the columns classes and deleted_classes of a project.
func Classes(p *segment.Project) (classes, deleted string, err error) {
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
			Class: segment.Class{ID: *c.ID, Name: c.Name, Color: c.Color}, Target: c.Target, Deleted: Moment(c.Deleted),
		})
	}
	return nil
}

// SelectProjects begins a query whose rows ScanProject reads.
const SelectProjects = "SELECT " + projectColumns + " FROM project WHERE trashed_at IS NULL "

const projectColumns = "project.id, project.name, project.classes, deleted_classes, rest, learning, project.created, revision"

// ScanProject reads a project.
func ScanProject(row Scanner) (segment.Project, error) { return scanProject(row) }

// scanProject reads a row that begins with the columns of a project.
func scanProject(row Scanner, more ...any) (segment.Project, error) {
	var p segment.Project
	var classes, deleted, rest string
	var learning bool
	var created int64
	if err := row.Scan(append([]any{&p.ID, &p.Name, &classes, &deleted, &rest, &learning, &created, &p.Revision}, more...)...); err != nil {
		return segment.Project{}, ReadError("project", err)
	}
	if err := decodeClasses(classes, deleted, &p); err != nil {
		return segment.Project{}, damaged("project", p.ID, p.Name, fmt.Errorf("classes: %w", err))
	}
	if err := p.Rest.UnmarshalText([]byte(rest)); err != nil {
		return segment.Project{}, damaged("project", p.ID, p.Name, fmt.Errorf("rest: %w", err))
	}
	p.Unaided = !learning
	p.Created = Moment(created)
	return p, nil
}

// imageDone tells, in SQL, whether an image is done by its progress.
const imageDone = "seq > 0 AND (decided >= 1 OR left_void > 0 AND decided * width * height + left_void >= width * height - 0.5)"

// SelectOverviews selects what ScanOverview reads of all projects, newest first. The
// query's parameter, as the database writes it, is the name of who asks.
func SelectOverviews(parameter string) string {
	return "SELECT " + projectColumns + `,
		count(image.number), count(CASE WHEN ` + imageDone + ` THEN 1 END),
		count(CASE WHEN assignee <> '' AND assignee = ` + parameter + ` AND (review IN ('todo', 'progress', 'rejected') OR review = '' AND NOT (` + imageDone + `)) THEN 1 END),
		coalesce((SELECT id FROM image AS cover WHERE cover.project = project.number AND cover.trashed_at IS NULL ORDER BY cover.number LIMIT 1), '')
	FROM project LEFT JOIN image ON image.project = project.number AND image.trashed_at IS NULL
	WHERE project.trashed_at IS NULL GROUP BY project.number ORDER BY project.number DESC`
}

// ScanOverview reads a row that has the columns of a project, how many images
// there are, how many of them are done and how many wait for who asks, and the id of the
// first.
func ScanOverview(row Scanner) (o segment.Overview, err error) {
	o.Project, err = scanProject(row, &o.Images, &o.Done, &o.Own, &o.Cover)
	return o, err
}

// Outdated is the error for a change made from a project's record that has changed
// since.
func Outdated() error {
	return segment.Errorf(segment.Conflict, "Someone else has changed the project in the meantime. Nothing was changed: look at it again and repeat your change.")
}

// SelectTrash lists what was moved to the trash directly, as ScanTrash reads it. An
// image whose project is also in the trash is listed only if it was moved there
// first.
const SelectTrash = `SELECT 'project' AS kind, id, name, id AS project, name AS project_name,
		(SELECT count(*) FROM image WHERE image.project = project.number) AS images, trashed_at
	FROM project WHERE trashed_at IS NOT NULL
	UNION ALL
	SELECT 'image', image.id, image.name, project.id, project.name, 1, image.trashed_at
	FROM image JOIN project ON project.number = image.project WHERE image.trashed_at IS NOT NULL`

// ScanTrash reads an item of the trash.
func ScanTrash(row Scanner) (segment.TrashItem, error) {
	var item segment.TrashItem
	var trashed int64
	err := row.Scan(&item.Kind, &item.ID, &item.Name, &item.ProjectID, &item.ProjectName, &item.Images, &trashed)
	if err != nil {
		return item, ReadError("project or image in the trash", err)
	}
	item.Trashed = Moment(trashed)
	return item, nil
}

// HiddenProject is the error for an image that can't be restored alone.
func HiddenProject(name string) error {
	return segment.Errorf(segment.Conflict, "The image's project, %q, is in the trash too; restore that first. Nothing was changed.", name)
}
