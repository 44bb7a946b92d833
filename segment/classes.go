package segment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"collie/segment/palette"
)

// Void is the pixel and superpixel value of 'undecided'. Classes run from 0 to
// MaxClasses-1, so that every class and Void fit one byte.
const (
	Void       = 255
	MaxClasses = 255
)

// Class is one thing that a superpixel can be. ID names it in evidence, labels
// and hypotheses for as long as the project lives, whatever its place in the
// list; in a new project the two are the same. The first class of the list is
// the background and is clicked like any other.
type Class struct {
	ID    uint8 // 0..254
	Name  string
	Color string // #rrggbb, lower case
}

// DefaultClasses are the classes of a project whose maker named none.
func DefaultClasses() []Class {
	return []Class{{0, "background", PaletteColor(0)}, {1, "object", PaletteColor(1)}}
}

var colorPattern = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// NormalizeClasses checks a list of classes and returns it in stored form:
// names trimmed, colours in lower case, missing colours those of the palette that
// no other class has. It leaves the ids as they are.
func NormalizeClasses(classes []Class) ([]Class, error) {
	if len(classes) == 0 {
		return nil, Errorf(Invalid, "A project needs at least one class. Nothing was changed.")
	}
	if len(classes) > MaxClasses {
		return nil, Errorf(Invalid, "A project can have up to %d classes; the list has %d. Nothing was changed.", MaxClasses, len(classes))
	}
	seen := make(map[string]bool, len(classes))
	out := make([]Class, len(classes))
	taken := make(map[string]bool, len(classes))
	for _, c := range classes {
		taken[strings.ToLower(c.Color)] = true
	}
	for i, c := range classes {
		name, err := CleanName(fmt.Sprintf("class name %.40q", c.Name), c.Name)
		if err != nil {
			return nil, NothingChanged(err)
		}
		if seen[Folded(name)] {
			return nil, Errorf(Invalid, "Two classes are called %q (upper and lower case count as the same). Class names must differ. Nothing was changed.", name)
		}
		seen[Folded(name)] = true
		color := strings.ToLower(c.Color)
		if color == "" {
			color = freeColor(i, taken)
			taken[color] = true
		}
		if !colorPattern.MatchString(color) {
			return nil, Errorf(Invalid, "The colour %q of class %q is not of the form #rrggbb, for example #2f9e8f. Nothing was changed.", c.Color, name)
		}
		out[i] = Class{ID: c.ID, Name: name, Color: color}
	}
	return out, nil
}

var colors = sync.OnceValue(func() []string { return palette.Colors(MaxClasses) })

// Palette returns a colour, #rrggbb, for each place in a list of classes: all
// differ, the first ones most. The caller must not change it.
func Palette() []string { return colors() }

// PaletteColor is the colour of class index i, 0 to [MaxClasses] − 1, when nobody
// chose one.
func PaletteColor(i int) string { return colors()[i] }

// freeColor is the colour of class index i, or the first of the palette that is
// not taken.
func freeColor(i int, taken map[string]bool) string {
	for _, color := range append([]string{PaletteColor(i)}, colors()...) {
		if !taken[color] {
			return color
		}
	}
	return PaletteColor(i)
}

// DeletedClass is a class that is no longer in the project's list. Evidence
// that names it is not rewritten but read as if it named Target, so a deletion
// takes effect in all images at once and can be undone.
type DeletedClass struct {
	Class
	Target  uint8 // id of its replacement, or Void
	Deleted time.Time
}

// Restorable reports whether the class can still be restored.
func (c *DeletedClass) Restorable(at time.Time) bool {
	return at.Before(c.Deleted.AddDate(0, 0, TrashDays))
}

// ClassTable maps each class id, and Void, to what it currently means.
type ClassTable [256]uint8

// Through maps each label through the table, in place, and returns the same
// slice.
func (t *ClassTable) Through(labels []uint8) []uint8 {
	for i, l := range labels {
		labels[i] = t[l]
	}
	return labels
}

// Resolve returns a table of class ids: classes of the list map to themselves,
// deleted ones to their replacement, through any number of deletions, and
// everything else to Void.
func (p *Project) Resolve() *ClassTable {
	return p.table(func(i int) uint8 { return p.Classes[i].ID })
}

// Former returns the ids that a class of the list stands for besides its own, those of
// the deleted classes that it has replaced; nil for none.
func (t *ClassTable) Former(class int) (ids []uint8) {
	for id, to := range t[:Void] {
		if int(to) == class && id != class {
			ids = append(ids, uint8(id))
		}
	}
	return ids
}

// Positions returns a table from class ids to indices in the list, with deleted
// classes resolved, and Void for everything else. Exports write these indices
// instead of ids.
func (p *Project) Positions() *ClassTable {
	return p.table(func(i int) uint8 { return uint8(i) })
}

// Index returns the index of the class with the given id in the list, or -1.
func (p *Project) Index(id uint8) int {
	if i := p.Positions()[id]; i != Void {
		return int(i)
	}
	return -1
}

// table maps the classes of the list by their places there, deleted ones to what their
// targets become, and everything else to Void. The target of a deletion was in the list
// at that time, so it can only have been deleted later: going from the last deletion to
// the first, each finds its target done.
func (p *Project) table(to func(place int) uint8) *ClassTable {
	table := new(ClassTable)
	for i := range table {
		table[i] = Void
	}
	for i, c := range p.Classes {
		table[c.ID] = to(i)
	}
	for _, c := range slices.Backward(p.Deleted) {
		table[c.ID] = table[c.Target]
	}
	return table
}

// Seen returns the record with its progress in terms of the current classes. A
// deletion doesn't change the records of images.
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

// CheckDeleted returns an Error when the class with the given id is not in the
// trash.
func (p *Project) CheckDeleted(id int) error {
	if p.deleted(id) {
		return nil
	}
	return Errorf(Invalid, "Class %d is not in the trash. Nothing was changed.", id)
}

// CheckRestorable returns an Error when the class with the given id is not in the trash, or
// another one has taken its name.
func (p *Project) CheckRestorable(id int) error {
	if err := p.CheckDeleted(id); err != nil {
		return err
	}
	gone := p.Deleted[slices.IndexFunc(p.Deleted, func(c DeletedClass) bool { return int(c.ID) == id })]
	for _, c := range p.Classes {
		if Folded(c.Name) == Folded(gone.Name) {
			return Errorf(Invalid, "The project has another class %q by now. Rename that one, then restore this one. Nothing was changed.", c.Name)
		}
	}
	return nil
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
// can still name deleted ones.
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
	return 0, Errorf(Invalid, "A project has room for %d classes, and deleted ones keep their places, so not all of these fit. Rename or restore classes instead of deleting them and adding new ones. Nothing was changed.", MaxClasses)
}
