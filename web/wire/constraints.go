package wire

import (
	"cmp"
	"maps"
	"slices"

	"collie/segment"
)

// Constraints are an image's boxes, exclusions and locked classes.
type Constraints struct {
	Boxes    []Box      `json:"boxes,omitempty"`
	Excluded []Excluded `json:"excluded,omitempty"`
	Locked   []int      `json:"locked,omitempty" doc:"ids of classes"`
	Objects  []Object   `json:"objects,omitempty" doc:"objects that instance events have told apart"`
}

// Box is a rectangle around the object of a class.
type Box struct {
	Class int        `json:"class" doc:"id of the class"`
	Box   [4]float64 `json:"box" doc:"left, top, right, bottom, in pixels of the upright image"`
}

// Object is one of several objects of a class.
type Object struct {
	Class  int `json:"class" doc:"id of the class"`
	Number int `json:"number"`
}

// Excluded lists superpixels that don't have a class.
type Excluded struct {
	Class       int     `json:"class" doc:"id of the class"`
	Superpixels []int32 `json:"superpixels"`
}

// ConstraintsOf converts constraints to JSON, nil for none; parent is the
// superpixel of each cell.
func ConstraintsOf(c segment.Constraints, parent []int32) *Constraints {
	if len(c.Boxes)+len(c.Excluded)+len(c.Locked)+len(c.Objects) == 0 {
		return nil
	}
	out := new(Constraints)
	for _, b := range c.Boxes {
		out.Boxes = append(out.Boxes, Box{int(b.Class), [4]float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]}})
	}
	byClass := map[uint8][]int32{}
	for _, x := range c.Excluded {
		byClass[x.Class] = append(byClass[x.Class], parent[x.Cell])
	}
	for _, class := range slices.Sorted(maps.Keys(byClass)) {
		list := byClass[class]
		slices.Sort(list)
		out.Excluded = append(out.Excluded, Excluded{int(class), slices.Compact(list)})
	}
	for _, l := range c.Locked {
		out.Locked = append(out.Locked, int(l))
	}
	for _, m := range c.Objects {
		out.Objects = append(out.Objects, Object{int(m.Class), int(m.Number)})
	}
	slices.SortFunc(out.Objects, func(a, b Object) int { return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Number, b.Number)) })
	out.Objects = slices.Compact(out.Objects)
	return out
}
