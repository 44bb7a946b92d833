package workspace

import (
	"context"
	"slices"

	"collie/segment"
)

// ReplaceClasses replaces the list with the given classes. Classes with the
// same name, see [segment.Folded], keep their ids; the others are deleted, which is a
// Conflict while labels use one. In a project without evidence a list can have as many
// classes as a project, whatever it had before. base is as in [segment.ProjectEdit].
func (w *Workspace) ReplaceClasses(ctx context.Context, projectID string, classes, base []segment.Class) (segment.Project, error) {
	return w.editProject(ctx, projectID, func(p *segment.Project) (segment.ProjectEdit, error) {
		edit := segment.ProjectEdit{Base: base}
		for _, c := range classes {
			c.ID = segment.Void
			for _, had := range p.Classes {
				if segment.Folded(had.Name) == segment.Folded(c.Name) {
					c.ID = had.ID
				}
			}
			edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c, New: c.ID == segment.Void})
		}
		return edit, w.reuse(ctx, p, &edit)
	})
}

// reuse gives new classes in the list of an edit, for which there are too few ids, those
// of classes that the list leaves out and of deleted ones. It does so only while the
// project has no evidence, which would then mean other classes, not even undone or in the
// trash. If the rest is a class that the list leaves out, it becomes undecided, not the
// class that gets the id.
func (w *Workspace) reuse(ctx context.Context, p *segment.Project, edit *segment.ProjectEdit) error {
	list := edit.Classes
	var stays [segment.MaxClasses]bool
	added := 0
	for _, e := range list {
		if e.New {
			added++
		} else {
			stays[e.ID] = true
		}
	}
	if len(p.Classes)+len(p.Deleted)+added <= segment.MaxClasses {
		return nil
	}
	fresh, err := w.untouched(ctx, p.ID)
	if err != nil || !fresh {
		return err
	}
	if rest := p.PresentRest(); p.Rest != segment.DefaultRest(p.Classes) && p.Rest.Mode == segment.RestClass {
		place := slices.IndexFunc(list, func(e segment.ClassEdit) bool { return !e.New && e.ID == rest.Class })
		if rest.Mode == segment.RestClass && place >= 0 {
			edit.Rest = &segment.Rest{Mode: segment.RestClass, Class: uint8(place)}
		} else {
			edit.Rest = &segment.Rest{Mode: segment.RestUndecided}
		}
	}
	var ids []uint8
	for _, c := range p.Classes {
		if !stays[c.ID] {
			ids = append(ids, c.ID)
		}
	}
	for _, c := range p.Deleted {
		if c.Restorable(segment.Now()) {
			ids = append(ids, c.ID)
		}
	}
	for i := range list {
		if list[i].New && len(ids) > 0 {
			list[i].ID, list[i].New, ids = ids[0], false, ids[1:]
		}
	}
	return nil
}

// untouched reports whether no image of a project has evidence and none is in the trash.
func (w *Workspace) untouched(ctx context.Context, projectID string) (bool, error) {
	items, err := w.store.Trash(ctx)
	if err != nil || slices.ContainsFunc(items, func(item segment.TrashItem) bool { return item.ProjectID == projectID }) {
		return false, err
	}
	for im, err := range segment.EachImage(ctx, projectID, w.store.ImagesAfter) {
		if err != nil || im.Seq > 0 {
			return false, err
		}
	}
	return true, nil
}
