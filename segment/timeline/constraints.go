package timeline

import (
	"cmp"
	"slices"

	"collie/segment"
)

// Constraints returns the boxes, exclusions and locks, with the class ids used
// in the evidence. It is shared and immutable.
func (t *Timeline) Constraints() *segment.Constraints { return t.constraints }

// constrain carries out an event that changes the constraints and returns the
// previous ones.
func (t *Timeline) constrain(e *segment.Event) step {
	s := t.newStep()
	next, class := *t.constraints, uint8(e.Class)
	switch e.Kind {
	case segment.Outline:
		next.Boxes = lacking(next.Boxes, func(b segment.Box) bool { return e.Names(b.Class) })
		if len(e.Points) == 2 {
			next.Boxes = append(slices.Clone(next.Boxes), boxOf(class, e.Points))
			slices.SortFunc(next.Boxes, func(a, b segment.Box) int { return cmp.Compare(a.Class, b.Class) })
			t.divide(t.inside(boxOf(class, e.Points)))
		}
		t.shown = nil
	case segment.Exclude:
		all := slices.Clone(next.Excluded)
		for _, cell := range t.touched(e) {
			all = append(all, segment.Exclusion{Cell: cell, Class: class})
		}
		slices.SortFunc(all, compareExclusions)
		next.Excluded = slices.Compact(all)
		t.shown = nil
	case segment.Instance:
		var marks []segment.ObjectMark
		for _, p := range e.Points {
			marks = append(marks, segment.ObjectMark{Cell: t.cellAt(p), Class: class, Number: e.Instances[0]})
		}
		next.Objects = marked(next.Objects, marks)
	case segment.Lock:
		if !next.IsLocked(class) {
			next.Locked = append(slices.Clone(next.Locked), class)
			slices.Sort(next.Locked)
		}
	case segment.Unlock:
		next.Locked = lacking(next.Locked, e.Names)
	}
	t.constraints = &next
	return s
}

func compareExclusions(a, b segment.Exclusion) int {
	return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Class, b.Class))
}

// marked returns marks of objects with others put over them, the last of each
// cell; number 0 removes one. It changes neither list.
func marked(below, above []segment.ObjectMark) []segment.ObjectMark {
	all := slices.Concat(below, above)
	slices.SortStableFunc(all, func(a, b segment.ObjectMark) int { return cmp.Compare(a.Cell, b.Cell) })
	var out []segment.ObjectMark
	for i, m := range all {
		if (i+1 == len(all) || all[i+1].Cell != m.Cell) && m.Number > 0 {
			out = append(out, m)
		}
	}
	return out
}

// lacking returns a list without some of its entries, or itself if it has none of
// them: each step keeps a list that differs from the one before.
func lacking[T any](list []T, gone func(T) bool) []T {
	if !slices.ContainsFunc(list, gone) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), gone)
}

// boxOf returns the rectangle with two opposite corners.
func boxOf(class uint8, corners [][2]float64) segment.Box {
	a, b := corners[0], corners[1]
	return segment.Box{
		Class: class,
		Min:   [2]float64{min(a[0], b[0]), min(a[1], b[1])}, Max: [2]float64{max(a[0], b[0]), max(a[1], b[1])},
	}
}

// readmit removes what a label or clear contradicts: a label exclusions of its
// class and marks of other classes' objects, a clear all of both there.
func (t *Timeline) readmit(e *segment.Event, cells []int32) {
	if len(t.constraints.Excluded) == 0 && len(t.constraints.Objects) == 0 {
		return
	}
	written := make(map[int32]bool, len(cells))
	for _, cell := range cells {
		written[cell] = true
	}
	next := *t.constraints
	next.Excluded = lacking(next.Excluded, func(x segment.Exclusion) bool {
		return written[x.Cell] && (e.Kind == segment.Clear || e.Names(x.Class))
	})
	next.Objects = lacking(next.Objects, func(m segment.ObjectMark) bool {
		return written[m.Cell] && (e.Kind == segment.Clear || !e.Names(m.Class))
	})
	t.constraints = &next
}

// checkInstance validates an event that tells objects apart.
func (t *Timeline) checkInstance(e *segment.Event) error {
	if len(e.Points) == 0 {
		return segment.Errorf(segment.Invalid, "An instance event needs at least one point of the object. Nothing was changed.")
	}
	if len(e.Instances) != 1 || e.Instances[0] < 0 || e.Instances[0] > segment.MaxObjects {
		return segment.Errorf(segment.Invalid, "The number of an object must be from 1 to %d, or 0 to forget which object the points belong to. Nothing was changed.", segment.MaxObjects)
	}
	return t.inImage(e.Points)
}

// checkBox validates the corners of a box event.
func (t *Timeline) checkBox(e *segment.Event) error {
	if len(e.Points) == 0 {
		return nil
	}
	if len(e.Points) != 2 {
		return segment.Errorf(segment.Invalid, "A box needs two opposite corners, or no points to remove it; this one has %s. Nothing was changed.", segment.Counted(len(e.Points), "point"))
	}
	w, h := float64(t.cells.Width), float64(t.cells.Height)
	for _, p := range e.Points {
		if !(p[0] >= 0 && p[0] <= w && p[1] >= 0 && p[1] <= h) {
			return segment.Errorf(segment.Invalid, "The corner (%g, %g) of the box is outside the image, which is %g×%g pixels. Nothing was changed.", p[0], p[1], w, h)
		}
	}
	if b := boxOf(0, e.Points); b.Max[0]-b.Min[0] < 1 || b.Max[1]-b.Min[1] < 1 {
		return segment.Errorf(segment.Invalid, "The box is smaller than a pixel. Nothing was changed.")
	}
	return nil
}
