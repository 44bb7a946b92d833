package segment

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// DeletedClass is a class that is no longer in the project's list. Evidence
// that names it stays as it is and is read as if it named Target, so a deletion
// takes effect in all images at once and can be taken back.
type DeletedClass struct {
	Class
	Target  uint8 // id of the class in its place, or Void
	Deleted time.Time
}

// Restorable reports whether the class can still be restored.
func (c *DeletedClass) Restorable(at time.Time) bool {
	return at.Before(c.Deleted.AddDate(0, 0, TrashDays))
}

// ClassTable says for each class id, and for Void, what it stands for at
// present.
type ClassTable [256]uint8

// Through replaces each label by what it stands for, in place, and returns the
// same slice.
func (t *ClassTable) Through(labels []uint8) []uint8 {
	for i, l := range labels {
		labels[i] = t[l]
	}
	return labels
}

// Resolve returns what each class id stands for: a class of the list itself,
// a deleted one the class in its place, through as many deletions as there
// were, and anything else Void.
func (p *Project) Resolve() *ClassTable {
	table := p.blank()
	for _, c := range p.Classes {
		table[c.ID] = c.ID
	}
	p.follow(table)
	return table
}

// Positions returns for each class id the place of its class in the list, from
// 0, with deleted ones resolved, and Void for anything else: what exports write
// instead of ids.
func (p *Project) Positions() *ClassTable {
	table := p.blank()
	for i, c := range p.Classes {
		table[c.ID] = uint8(i)
	}
	p.follow(table)
	return table
}

// Index returns the place of the class with the given id in the list, from 0,
// or -1 when it stands for none.
func (p *Project) Index(id uint8) int {
	if i := p.Positions()[id]; i != Void {
		return int(i)
	}
	return -1
}

func (p *Project) blank() *ClassTable {
	table := new(ClassTable)
	for i := range table {
		table[i] = Void
	}
	return table
}

// follow gives deleted classes what the table has for those in their place. The
// target of a deletion was in the list then, so it can only have been deleted
// later: from the last deletion to the first each finds its target done.
func (p *Project) follow(table *ClassTable) {
	for _, c := range slices.Backward(p.Deleted) {
		table[c.ID] = table[c.Target]
	}
}

// Seen returns the record with its progress as the present classes show it. A
// deletion does not write to the records of images.
func (p *Project) Seen(im Image) Image {
	if len(p.Deleted) > 0 {
		im.Resolve(p.Resolve(), im.Width*im.Height)
	}
	return im
}

// Class returns the class of the list with the given id.
func (p *Project) Class(id int) (Class, bool) {
	i := slices.IndexFunc(p.Classes, func(c Class) bool { return int(c.ID) == id })
	if i < 0 {
		return Class{}, false
	}
	return p.Classes[i], true
}

// deleted reports whether the class with the given id is a deleted one.
func (p *Project) deleted(id int) bool {
	return slices.ContainsFunc(p.Deleted, func(c DeletedClass) bool { return int(c.ID) == id })
}

// CheckClass returns an Error when the list has no class with the given id.
func (p *Project) CheckClass(id int) error {
	if _, ok := p.Class(id); ok {
		return nil
	}
	if p.deleted(id) {
		return Errorf(Invalid, "Class %d has been deleted; this project has classes %s. Nothing was changed.", id, p.ids())
	}
	return Errorf(Invalid, "Class %d does not exist: this project has classes %s. Nothing was changed.", id, p.ids())
}

// ids lists the ids of the classes, for people: "0 to 3, 7".
func (p *Project) ids() string {
	all := make([]int, len(p.Classes))
	for i, c := range p.Classes {
		all[i] = int(c.ID)
	}
	slices.Sort(all)
	var parts []string
	for i := 0; i < len(all); {
		last := i
		for last+1 < len(all) && all[last+1] == all[last]+1 {
			last++
		}
		if last == i {
			parts = append(parts, fmt.Sprint(all[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %d", all[i], all[last]))
		}
		i = last + 1
	}
	return strings.Join(parts, ", ")
}

// freeID returns the lowest id that no class of the project ever had: evidence
// may still name those that were deleted.
func (p *Project) freeID() (uint8, error) {
	var taken [MaxClasses]bool
	for _, c := range p.Classes {
		taken[c.ID] = true
	}
	for _, c := range p.Deleted {
		taken[c.ID] = true
	}
	if i := slices.Index(taken[:], false); i >= 0 {
		return uint8(i), nil
	}
	return 0, Errorf(Invalid, "The project has had %d classes including deleted ones, which is the limit. Restore a deleted class and rename it instead. Nothing was changed.", MaxClasses)
}
