package wire

import (
	"maps"
	"slices"

	"collie/segment"
)

// Constraints are an image's boxes, exclusions and locked classes.
type Constraints struct {
	Boxes    []Box      `json:"boxes,omitempty"`
	Excluded []Excluded `json:"excluded,omitempty"`
	Locked   []int      `json:"locked,omitempty" doc:"ids of classes"`
	Objects  []Objects  `json:"objects,omitempty" doc:"objects that instance events and imports have told apart, by class"`
}

// Box is a rectangle around the object of a class.
type Box struct {
	Class int        `json:"class" doc:"id of the class"`
	Box   [4]float64 `json:"box" doc:"left, top, right, bottom, in pixels of the upright image"`
}

// Objects are the objects of a class that are told apart, however many there are:
// an import can bring thousands, and every state has them.
type Objects struct {
	Class  int        `json:"class" doc:"id of the class"`
	Ranges [][2]int32 `json:"ranges" doc:"first and last number of each range of numbers, ascending"`
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
	out.Objects = objectsOf(c.Objects)
	return out
}

// objectsOf lists the objects that marks name, by class and number.
func objectsOf(marks []segment.ObjectMark) []Objects {
	numbers := map[uint8][]int32{}
	for _, m := range marks {
		numbers[m.Class] = append(numbers[m.Class], m.Number)
	}
	var out []Objects
	for _, class := range slices.Sorted(maps.Keys(numbers)) {
		list := numbers[class]
		slices.Sort(list)
		var ranges [][2]int32
		for _, n := range list {
			if last := len(ranges) - 1; last >= 0 && n <= ranges[last][1]+1 {
				ranges[last][1] = n
			} else {
				ranges = append(ranges, [2]int32{n, n})
			}
		}
		out = append(out, Objects{int(class), ranges})
	}
	return out
}
