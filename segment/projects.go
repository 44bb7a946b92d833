package segment

import (
	"context"
	"strings"

	"collie/segment/access"
)

// EditProject changes a project's name and its classes: renames, recolours,
// reorders, adds, deletes and restores them. Evidence stays as it is; what
// becomes of deleted classes shows in all images at once. A click that arrives
// at the same moment as the deletion of its class goes the way of the class.
func (w *Workspace) EditProject(ctx context.Context, id string, edit ProjectEdit) (Project, error) {
	return w.editProject(ctx, id, func(*Project) ProjectEdit { return edit })
}

// RestoreClass puts a deleted class back at the end of the list; what named it
// before the deletion names it again.
func (w *Workspace) RestoreClass(ctx context.Context, projectID string, class uint8) (Project, error) {
	return w.editProject(ctx, projectID, func(p *Project) ProjectEdit {
		var edit ProjectEdit
		for _, c := range p.Classes {
			edit.Classes = append(edit.Classes, ClassEdit{Class: c})
		}
		edit.Classes = append(edit.Classes, ClassEdit{Class: Class{ID: class}})
		return edit
	})
}

// ReplaceClasses makes the given classes the list. Those that the project has
// by the same name, upper and lower case alike, stay what they are; the others
// of its list are deleted, which is a Conflict while labels use one. Base is
// that of [ProjectEdit].
func (w *Workspace) ReplaceClasses(ctx context.Context, projectID string, classes, base []Class) (Project, error) {
	return w.editProject(ctx, projectID, func(p *Project) ProjectEdit {
		edit := ProjectEdit{Base: base}
		for _, c := range classes {
			c.ID = Void
			for _, had := range p.Classes {
				if strings.EqualFold(had.Name, c.Name) {
					c.ID = had.ID
				}
			}
			edit.Classes = append(edit.Classes, ClassEdit{Class: c, New: c.ID == Void})
		}
		return edit
	})
}

// editProject carries out what make makes of the present project.
func (w *Workspace) editProject(ctx context.Context, id string, make func(*Project) ProjectEdit) (Project, error) {
	if err := w.May(ctx, access.Manage); err != nil {
		return Project{}, err
	}
	w.edits.Lock()
	defer w.edits.Unlock()
	before, err := w.store.Project(ctx, id)
	if err != nil {
		return Project{}, err
	}
	edit, p := make(&before), before
	if len(edit.Base) > 0 && !before.listed(edit.Base) {
		return Project{}, Errorf(Conflict, "The classes have been changed by someone else meanwhile. Nothing was changed: make the change again on the present list.").Because(&ClassesMovedOn{before})
	}
	if len(edit.Classes) > 0 || len(edit.Remap) > 0 {
		if p, err = before.withClasses(edit, now()); err != nil {
			return Project{}, err
		}
		if err := w.unused(ctx, &before, p.Deleted, edit.Remap); err != nil {
			return Project{}, err
		}
	}
	if edit.Name != "" {
		if p.Name, err = CleanName("project name", edit.Name); err != nil {
			return Project{}, err
		}
	}
	if err := w.store.UpdateProject(ctx, p); err != nil {
		return Project{}, err
	}
	if !sameClasses(&before, &p) {
		w.classesChanged(context.WithoutCancel(ctx), p.ID)
	}
	return p, nil
}
