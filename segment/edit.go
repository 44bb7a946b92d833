package segment

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ProjectEdit is a change of a project; the zero value changes nothing.
type ProjectEdit struct {
	Name    string      // the new name, unless empty
	Classes []ClassEdit // the new list of classes, in order, unless empty
	Unaided *bool       // whether guessing is off, unless nil
	Rest    *Rest       // what unclicked regions become, unless nil; its Class is an index in the new list, not an id

	// Base is the list that Classes is based on. If the project's list has
	// changed since, the edit is a Conflict caused by ClassesMovedOn, so that
	// it doesn't revert changes by others. Empty names and colours are not
	// compared; without a Base nothing is.
	Base []Class

	// Remap has, for classes missing from the new list, the id of the class
	// that replaces them, or Void. A class that labels use can't be deleted
	// without it.
	Remap map[uint8]uint8

	// ByPosition says to ignore ids: the first entries of Classes rename and
	// recolour the existing classes, and further ones are added. Classes must
	// not be shorter than the current list.
	ByPosition bool
}

// ClassEdit is an entry of a new list of classes.
type ClassEdit struct {
	Class      // an empty name or colour keeps the current one
	New   bool // a new class; ID is ignored and assigned
}

// ClassesMovedOn is the cause of the Conflict when an edit is based on an
// outdated list of classes.
type ClassesMovedOn struct {
	Project Project // the current one
}

func (e *ClassesMovedOn) Error() string {
	return fmt.Sprintf("the classes are %v now", e.Project.Classes)
}

// WithClasses returns the project with the classes of the edit. It doesn't
// check whether deleted classes are in use.
func (p Project) WithClasses(edit ProjectEdit, at time.Time) (Project, error) {
	if len(edit.Classes) == 0 {
		return p, Errorf(Invalid, "The new list of classes is missing: send it with the remap, which says what the labels of classes become that the list leaves out. Nothing was changed.")
	}
	entries := slices.Clone(edit.Classes)
	if edit.ByPosition {
		if len(entries) < len(p.Classes) {
			return p, Errorf(Invalid, "The new list has fewer classes (%d) than the project (%d). A list without ids can rename, recolour and add classes, but not remove any: send the id of every class to keep. Nothing was changed.", len(entries), len(p.Classes))
		}
		for i, c := range p.Classes {
			entries[i].ID, entries[i].New = c.ID, false
		}
		for i := range entries[len(p.Classes):] {
			entries[len(p.Classes)+i].New = true
		}
	}
	out := p
	out.Classes, out.Deleted = nil, slices.Clone(p.Deleted)
	var seen [MaxClasses]bool
	for i, e := range entries {
		if e.New {
			continue
		}
		if e.ID == Void {
			return p, Errorf(Invalid, "The id %d means undecided; ids of classes are 0 to %d. Nothing was changed.", Void, Void-1)
		}
		if seen[e.ID] {
			return p, Errorf(Invalid, "Class %d appears twice in the new list. Nothing was changed.", e.ID)
		}
		seen[e.ID] = true
		had, ok := p.Class(int(e.ID))
		if !ok && !p.deleted(int(e.ID)) {
			return p, p.CheckClass(int(e.ID))
		}
		if !ok {
			var err error
			if had, err = out.restore(e.ID, at); err != nil {
				return p, err
			}
			if slices.ContainsFunc(p.Classes, func(c Class) bool { return c.Color == had.Color }) {
				had.Color = "" // a free one
			}
		}
		if e.Name == "" {
			entries[i].Name = had.Name
		}
		if e.Color == "" {
			entries[i].Color = had.Color
		}
	}
	list := make([]Class, len(entries))
	for i, e := range entries {
		list[i] = e.Class
	}
	list, err := NormalizeClasses(list)
	if err != nil {
		return p, err
	}
	taken := Project{Classes: slices.Clone(p.Classes), Deleted: p.Deleted}
	for i, e := range entries {
		if !e.New {
			continue
		}
		if list[i].ID, err = taken.freeID(); err != nil {
			return p, err
		}
		taken.Classes = append(taken.Classes, list[i])
	}
	out.Classes = list
	err = out.remove(p.Classes, edit.Remap, at)
	return out, err
}

// HasList reports whether the given classes are the project's list; empty names
// and colours match any.
func (p *Project) HasList(classes []Class) bool {
	return slices.EqualFunc(p.Classes, classes, func(has, c Class) bool {
		return has.ID == c.ID && (c.Name == "" || c.Name == has.Name) && (c.Color == "" || strings.EqualFold(c.Color, has.Color))
	})
}

// restore removes a class from the deleted ones; it must be among them.
func (p *Project) restore(id uint8, at time.Time) (Class, error) {
	i := slices.IndexFunc(p.Deleted, func(c DeletedClass) bool { return c.ID == id })
	c := p.Deleted[i]
	if !c.Restorable(at) {
		return Class{}, Errorf(Invalid, "Class %d, %q, was deleted more than %d days ago and can't be restored. Nothing was changed.", id, c.Name, TrashDays)
	}
	p.Deleted = slices.Delete(p.Deleted, i, i+1)
	return c.Class, nil
}

// remove deletes the classes in before that are not in the list any more.
func (p *Project) remove(before []Class, remap map[uint8]uint8, at time.Time) error {
	var gone []DeletedClass
	for _, c := range before {
		if _, stays := p.Class(int(c.ID)); stays {
			continue
		}
		target, ok := remap[c.ID]
		if !ok {
			target = Void
		}
		if _, there := p.Class(int(target)); target != Void && !there {
			return Errorf(Invalid, "Class %d can't replace %q: it is not in the new list. Nothing was changed.", target, c.Name)
		}
		gone = append(gone, DeletedClass{Class: c, Target: target, Deleted: at})
	}
	for _, id := range slices.Sorted(maps.Keys(remap)) {
		if !slices.ContainsFunc(gone, func(c DeletedClass) bool { return c.ID == id }) {
			return Errorf(Invalid, "The remap names class %d, which the new list does not delete. Nothing was changed.", id)
		}
	}
	p.Deleted = append(p.Deleted, gone...)
	return nil
}

// SameClasses reports whether classes and deleted ones are equal.
func SameClasses(a, b *Project) bool {
	return slices.Equal(a.Classes, b.Classes) && slices.Equal(a.Deleted, b.Deleted)
}

// SameForPages reports whether open pages show the same for two states of a project:
// its classes, rest and whether it guesses are equal.
func SameForPages(a, b *Project) bool {
	return SameClasses(a, b) && a.Rest == b.Rest && a.Unaided == b.Unaided
}

// SameLabels reports whether labels mean the same in two states of a project,
// ignoring the names and colours of classes.
func SameLabels(a, b *Project) bool {
	return a.Rest == b.Rest && slices.EqualFunc(a.Classes, b.Classes, func(x, y Class) bool { return x.ID == y.ID }) &&
		slices.EqualFunc(a.Deleted, b.Deleted, func(x, y DeletedClass) bool { return x.ID == y.ID && x.Target == y.Target })
}
