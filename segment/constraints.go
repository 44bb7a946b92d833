package segment

import "slices"

// Constraints are what a person has said of an image beside clicks and picks.
// The zero value is nothing. Immutable.
type Constraints struct {
	Boxes    []Box       // at most one per class, by class
	Excluded []Exclusion // by cell, then class
	Locked   []uint8     // ids of classes, ascending
}

// Box says that the object of a class lies inside a rectangle.
type Box struct {
	Class    uint8      // id
	Min, Max [2]float64 // corners in pixels of the image, Min above and left of Max
}

// Exclusion says that a cell is not of a class.
type Exclusion struct {
	Cell  int32
	Class uint8 // id
}

// IsLocked reports whether what the class has is not painted over.
func (c *Constraints) IsLocked(class uint8) bool {
	_, locked := slices.BinarySearch(c.Locked, class)
	return locked
}

// Through returns the constraints with each class as the table has it. What is
// said of a class that stands for none is left out, and of two boxes that come to
// have one class the later class's is.
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
	for _, l := range c.Locked {
		if l = table[l]; l != Void {
			out.Locked = append(out.Locked, l)
		}
	}
	slices.Sort(out.Locked)
	out.Locked = slices.Compact(out.Locked)
	return out
}
