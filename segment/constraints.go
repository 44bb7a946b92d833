package segment

import "slices"

// Constraints are the boxes, exclusions, locks and objects of an image. The zero
// value has none. Immutable.
type Constraints struct {
	Boxes    []Box        // at most one per class, by class
	Excluded []Exclusion  // by cell, then class
	Locked   []uint8      // ids of classes, ascending
	Objects  []ObjectMark // by cell, at most one for each
	Drawn    *Drawn       // nil without any
}

// ObjectMark says that a cell belongs to one object of a class. It counts while
// the cell has the class.
type ObjectMark struct {
	Cell   int32
	Class  uint8 // id
	Number int32 // of the object among those of its class, from 1
}

// MaxObjects is the highest number of an object.
const MaxObjects = 1<<16 - 1

// Box is a rectangle around the object of a class.
type Box struct {
	Class    uint8      // id
	Min, Max [2]float64 // corners in pixels of the image, Min above and left of Max
}

// Exclusion says that a cell doesn't have a class.
type Exclusion struct {
	Cell  int32
	Class uint8 // id
}

// IsLocked reports whether the class is locked.
func (c *Constraints) IsLocked(class uint8) bool {
	_, locked := slices.BinarySearch(c.Locked, class)
	return locked
}

// Through returns the constraints with classes mapped through the table. Those
// of classes without a replacement are left out, and of two boxes that get the
// same class only the earlier class's is kept.
func (c *Constraints) Through(table *ClassTable) Constraints {
	var out Constraints
	for _, b := range c.Boxes {
		b.Class = table[b.Class]
		if b.Class != Void && !slices.ContainsFunc(out.Boxes, func(o Box) bool { return o.Class == b.Class }) {
			out.Boxes = append(out.Boxes, b)
		}
	}
	for _, x := range c.Excluded {
		if x.Class = table[x.Class]; x.Class != Void {
			out.Excluded = append(out.Excluded, x)
		}
	}
	for _, o := range c.Objects {
		if o.Class, o.Number = table.object(o.Class, o.Number); o.Class != Void {
			out.Objects = append(out.Objects, o)
		}
	}
	out.Drawn = c.Drawn.through(table)
	for _, l := range c.Locked {
		if l = table[l]; l != Void {
			out.Locked = append(out.Locked, l)
		}
	}
	slices.Sort(out.Locked)
	out.Locked = slices.Compact(out.Locked)
	return out
}
