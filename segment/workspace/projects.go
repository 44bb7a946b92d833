package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// CreateProject creates a project, by default with DefaultClasses and
// DefaultRest. Each class's id becomes its index in the list.
func (w *Workspace) CreateProject(ctx context.Context, name string, classes []segment.Class, rest *segment.Rest) (segment.Project, error) {
	if err := w.May(ctx, access.Administer); err != nil {
		return segment.Project{}, err
	}
	if len(classes) == 0 {
		classes = segment.DefaultClasses()
	}
	name, err := segment.CleanName("project name", name)
	if err != nil {
		return segment.Project{}, segment.NothingChanged(err)
	}
	if classes, err = segment.NormalizeClasses(classes); err != nil {
		return segment.Project{}, err
	}
	for i := range classes {
		classes[i].ID = uint8(i)
	}
	p := segment.Project{ID: segment.NewID(), Name: name, Classes: classes, Rest: segment.DefaultRest(classes), Created: segment.Now()}
	if rest != nil {
		if p.Rest, err = p.RestAt(*rest); err != nil {
			return segment.Project{}, err
		}
	}
	return p, w.store.CreateProject(audit.Note(ctx, audit.New(ctx, audit.ProjectCreated, p.ID, p.Name)), p)
}

// Project returns a project.
func (w *Workspace) Project(ctx context.Context, id string) (segment.Project, error) {
	return w.projectFor(ctx, id, access.Read)
}

// projectFor returns a project in which the principal of ctx can do a.
func (w *Workspace) projectFor(ctx context.Context, id string, a access.Action) (segment.Project, error) {
	if err := w.MayIn(ctx, id, a); err != nil {
		return segment.Project{}, err
	}
	return w.store.Project(ctx, id)
}

// Projects lists the projects that the principal of ctx can read and that are not
// in the trash, newest first.
func (w *Workspace) Projects(ctx context.Context) ([]segment.Project, error) {
	can, err := w.own(ctx, access.Read)
	if err != nil {
		return nil, err
	}
	list, err := w.store.Projects(ctx)
	return slices.DeleteFunc(list, func(p segment.Project) bool { return !can(p.ID) }), w.readable(err)
}

// readable notes in the log that a list of projects lacks what can't be read, which is no
// reason to show nobody the rest. Other errors it returns.
func (w *Workspace) readable(err error) error {
	if segment.KindOf(err) != segment.Damaged {
		return err
	}
	w.log.Error("left out of a list of projects", "error", err)
	return nil
}

// Overviews is Projects with a summary of their images.
func (w *Workspace) Overviews(ctx context.Context) ([]segment.Overview, error) {
	can, err := w.own(ctx, access.Read)
	if err != nil {
		return nil, err
	}
	p, _ := access.From(ctx)
	list, err := w.store.Overviews(ctx, p.Name)
	if err := w.readable(err); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(o segment.Overview) bool { return !can(o.ID) })
	there := list[:0]
	for _, o := range list {
		var err error
		if len(o.Deleted) > 0 { // records still count deleted classes
			var done int
			if done, err = w.countDone(ctx, o.Project); err == nil {
				o.Done = done
			}
			err = w.readable(err)
		}
		switch {
		case segment.KindOf(err) == segment.NotFound: // it has just gone to the trash
			continue
		case err != nil:
			return nil, err
		}
		there = append(there, o)
	}
	return there, nil
}

// countDone counts the images of a project that are done.
func (w *Workspace) countDone(ctx context.Context, p segment.Project) (done int, err error) {
	for im, err := range segment.EachImage(ctx, p.ID, w.store.ImagesAfter) {
		if err != nil {
			return 0, err
		}
		if im = p.Seen(im); im.Status() == segment.StatusDone {
			done++
		}
	}
	return done, nil
}

// EditProject changes a project's name and its classes: renames, recolours,
// reorders, adds, deletes and restores them. Evidence is not rewritten; all
// images show the replacements of deleted classes at once. A click that arrives
// while its class is being deleted counts as the replacement.
func (w *Workspace) EditProject(ctx context.Context, id string, edit segment.ProjectEdit) (segment.Project, error) {
	return w.editProject(ctx, id, func(*segment.Project) (segment.ProjectEdit, error) { return edit, nil })
}

// RestoreClass puts a deleted class back at the end of the list; its labels
// count as this class again.
func (w *Workspace) RestoreClass(ctx context.Context, projectID string, class uint8) (segment.Project, error) {
	return w.editProject(ctx, projectID, func(p *segment.Project) (segment.ProjectEdit, error) {
		var edit segment.ProjectEdit
		for _, c := range p.Classes {
			edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c})
		}
		edit.Classes = append(edit.Classes, segment.ClassEdit{Class: segment.Class{ID: class}})
		return edit, p.CheckRestorable(int(class))
	})
}

// ReplaceClasses replaces the list with the given classes. Classes with the
// same name, see [segment.Folded], keep their ids; the others are deleted, which is a
// Conflict while labels use one. renamed has, by id, the new names of classes that keep
// their ids under another name. base is as in [segment.ProjectEdit].
func (w *Workspace) ReplaceClasses(ctx context.Context, projectID string, classes []segment.Class, renamed map[uint8]string, base []segment.Class) (segment.Project, error) {
	return w.editProject(ctx, projectID, func(p *segment.Project) (segment.ProjectEdit, error) {
		edit := segment.ProjectEdit{Base: base}
		for _, c := range classes {
			c.ID = segment.Void
			for _, had := range p.Classes {
				if segment.Folded(cmp.Or(renamed[had.ID], had.Name)) == segment.Folded(c.Name) {
					c.ID = had.ID
				}
			}
			edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c, New: c.ID == segment.Void})
		}
		return edit, nil
	})
}

// editTries is how often an edit is made again when another process has changed
// the project in between.
const editTries = 5

// editProject carries out the edit that make returns for the current project.
func (w *Workspace) editProject(ctx context.Context, id string, make func(*segment.Project) (segment.ProjectEdit, error)) (segment.Project, error) {
	if err := w.MayIn(ctx, id, access.Manage); err != nil {
		return segment.Project{}, err
	}
	before, p, err := w.saveEdit(ctx, id, make)
	if err != nil {
		return segment.Project{}, err
	}
	// An image can be busy; edits of other projects don't wait for it.
	if !segment.SameForPages(&before, &p) {
		w.classesChanged(context.WithoutCancel(ctx), p.ID)
	}
	if p.Unaided && !before.Unaided {
		_ = w.learner.Retract(context.WithoutCancel(ctx), p.ID) // what it leaves goes when it is opened
	}
	return p, nil
}

// saveEdit stores an edit and returns the project before and after it.
func (w *Workspace) saveEdit(ctx context.Context, id string, make func(*segment.Project) (segment.ProjectEdit, error)) (before, p segment.Project, err error) {
	w.edits.Lock()
	defer w.edits.Unlock()
	for tries := 1; ; tries++ {
		if before, err = w.store.Project(ctx, id); err != nil {
			return before, p, err
		}
		edit, err := make(&before)
		if err != nil {
			return before, p, err
		}
		if p, err = w.edited(ctx, before, edit); err != nil {
			return before, p, err
		}
		changes := differences(before, p)
		if changes == "" { // nor is there anything for the audit log
			return before, before, nil
		}
		err = w.store.UpdateProject(audit.Note(ctx, audit.New(ctx, audit.ProjectEdited, p.ID, changes)), p)
		if segment.KindOf(err) == segment.Conflict && tries < editTries {
			continue
		}
		p.Revision++
		return before, p, err
	}
}

// edited returns the project after an edit.
func (w *Workspace) edited(ctx context.Context, before segment.Project, edit segment.ProjectEdit) (p segment.Project, err error) {
	p = before
	if len(edit.Base) > 0 && !before.HasList(edit.Base) {
		return segment.Project{}, segment.Errorf(segment.Conflict, "Someone else has changed the classes in the meantime. Nothing was changed: repeat your change on the current list.").Because(&segment.ClassesMovedOn{Project: before})
	}
	if len(edit.Classes) > 0 || len(edit.Remap) > 0 {
		if p, err = before.WithClasses(edit, segment.Now()); err != nil {
			return segment.Project{}, err
		}
		if err := w.unused(ctx, &before, p.Deleted, edit.Remap); err != nil {
			return segment.Project{}, err
		}
	}
	if edit.Name != "" {
		if p.Name, err = segment.CleanName("project name", edit.Name); err != nil {
			return segment.Project{}, segment.NothingChanged(err)
		}
	}
	switch {
	case edit.Rest == nil && before.Rest == segment.DefaultRest(before.Classes):
		p.Rest = segment.DefaultRest(p.Classes) // follows the names until somebody chooses
	case edit.Rest != nil:
		if p.Rest, err = p.RestAt(*edit.Rest); err != nil {
			return segment.Project{}, err
		}
	}
	if edit.Unaided != nil {
		p.Unaided = *edit.Unaided
	}
	return p, nil
}

// classesChanged brings the images of the project that are open up to date.
func (w *Workspace) classesChanged(ctx context.Context, projectID string) {
	for _, k := range w.open.ready(0) {
		if k.Annotation().Image().ProjectID == projectID {
			_ = k.Refresh(ctx) // an image that can't read its project now reads it at its next event
		}
	}
}

// differences names what of a project has changed.
func differences(before, after segment.Project) string {
	var what []string
	for _, part := range []struct {
		name    string
		changed bool
	}{
		{"name: " + after.Name, before.Name != after.Name},
		{"classes: " + classDifferences(&before, &after), !segment.SameClasses(&before, &after)},
		{"rest: " + after.Rest.String(), before.Rest != after.Rest},
		{fmt.Sprintf("learning: %t", !after.Unaided), before.Unaided != after.Unaided},
	} {
		if part.changed {
			what = append(what, part.name)
		}
	}
	return strings.Join(what, "; ")
}

// classDifferences says which classes an edit has renamed, recoloured, deleted, and what
// their labels became, added and restored, or that only their order is new.
func classDifferences(before, after *segment.Project) string {
	var what []string
	said := func(format string, names ...any) { what = append(what, fmt.Sprintf(format, names...)) }
	table := after.Resolve()
	for _, c := range before.Classes {
		now, stays := after.Class(int(c.ID))
		became, labelled := after.Class(int(table[c.ID]))
		switch {
		case !stays && labelled:
			said("deleted %q, whose labels became %q", c.Name, became.Name)
		case !stays:
			said("deleted %q, whose labels became undecided", c.Name)
		case now.Name != c.Name:
			said("renamed %q to %q", c.Name, now.Name)
		case now.Color != c.Color:
			said("recoloured %q", c.Name)
		}
	}
	for _, c := range after.Classes {
		_, known := before.Class(int(c.ID))
		switch {
		case known:
		case before.CheckDeleted(int(c.ID)) == nil:
			said("restored %q", c.Name)
		default:
			said("added %q", c.Name)
		}
	}
	if len(what) == 0 {
		return "order"
	}
	return listed(what, func(text string) string { return text })
}

// ClassesInUse is the cause of the Conflict when an edit deletes classes that
// images use without a replacement.
type ClassesInUse struct {
	Images map[uint8]int // by class id, how many images use it
}

func (e *ClassesInUse) Error() string { return fmt.Sprintf("classes in use: %v", e.Images) }

// unused returns a Conflict if an image uses one of the newly deleted classes
// and remap has no replacement for it.
func (w *Workspace) unused(ctx context.Context, before *segment.Project, deleted []segment.DeletedClass, remap map[uint8]uint8) error {
	var open []segment.Class
	for _, c := range deleted {
		_, listed := before.Class(int(c.ID))
		if _, mapped := remap[c.ID]; listed && !mapped {
			open = append(open, c.Class)
		}
	}
	if len(open) == 0 {
		return nil
	}
	used, err := w.classUse(ctx, before)
	if err != nil {
		return err
	}
	inUse := &ClassesInUse{Images: map[uint8]int{}}
	var names []string
	for _, c := range open {
		if n := used[c.ID]; n > 0 {
			inUse.Images[c.ID] = n
			names = append(names, fmt.Sprintf("%q (in %s)", c.Name, segment.Counted(n, "image")))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return segment.Errorf(segment.Conflict, "Labels use %s. Choose a replacement: another class, or 255 for undecided. Nothing was changed.", strings.Join(names, ", ")).Because(inUse)
}

// classUse counts, for each class of the list, the images whose labelling has
// it. Image records list their classes; images with older records, which don't,
// are opened.
func (w *Workspace) classUse(ctx context.Context, p *segment.Project) (*[segment.MaxClasses]int, error) {
	var counts [segment.MaxClasses]int
	table := p.Resolve()
	for im, err := range segment.EachImage(ctx, p.ID, w.store.ImagesAfter) {
		if err != nil {
			return nil, err
		}
		classes := im.Classes
		if im.Seq > 0 && classes == nil {
			a, err := w.Visit(ctx, im.ID)
			if segment.KindOf(err) == segment.NotFound { // it has just gone to the trash
				continue
			}
			if err != nil {
				return nil, err
			}
			classes = a.Classes()
			a.Close()
		}
		var here [256]bool
		for _, c := range classes {
			here[table[c.ID]] = true
		}
		for id := range counts {
			if here[id] {
				counts[id]++
			}
		}
	}
	return &counts, nil
}
