// Package regions divides a mask into its connected regions, joins these into
// objects, and traces their outlines.
package regions

import (
	"image"

	"collie/disjoint"
	"collie/segment"
	"collie/segment/mask"
	"collie/segment/rle"
)

// Region is a connected component of pixels of one class and one object.
type Region struct {
	Class  uint8
	Object int32 // that the person has told apart, or -1
	Area   int   // pixels
	Box    image.Rectangle
}

// Partition is a mask and its regions, in the raster order of their first
// pixels.
type Partition struct {
	mask.Mask
	IDs     []int32 // region of each pixel, -1 where it is undecided
	Regions []Region
}

// Divide finds the regions of a mask: two passes over the pixels, 4 bytes of
// memory for each. objects has the object of each pixel, or -1; it can be nil.
func Divide(m mask.Mask, objects []int32) *Partition {
	one := func(i, j int) bool {
		return m.Pixels[i] == m.Pixels[j] && (objects == nil || objects[i] == objects[j])
	}
	p := &Partition{Mask: m, IDs: make([]int32, len(m.Pixels))}
	var lowest disjoint.Sets // of provisional ids that are known to be one region; the lowest id represents them
	for i, l := range m.Pixels {
		left := i%m.Width > 0 && one(i, i-1)
		above := i >= m.Width && one(i, i-m.Width)
		switch {
		case l == segment.Void:
			p.IDs[i] = -1
		case left && above:
			a, b := lowest.Find(p.IDs[i-1]), lowest.Find(p.IDs[i-m.Width])
			lowest.Join(max(a, b), min(a, b))
			p.IDs[i] = min(a, b)
		case left:
			p.IDs[i] = p.IDs[i-1]
		case above:
			p.IDs[i] = p.IDs[i-m.Width]
		default:
			p.IDs[i] = lowest.Add()
		}
	}
	// A region's lowest provisional id is that of its first pixel.
	final := make([]int32, len(lowest))
	for i := range lowest {
		if root := lowest.Find(int32(i)); root < int32(i) {
			final[i] = final[root]
		} else {
			final[i] = int32(len(p.Regions))
			p.Regions = append(p.Regions, Region{})
		}
	}
	for y := range m.Height {
		for x := range m.Width {
			i := y*m.Width + x
			if p.IDs[i] < 0 {
				continue
			}
			p.IDs[i] = final[p.IDs[i]]
			r := &p.Regions[p.IDs[i]]
			if r.Area == 0 {
				r.Class, r.Object, r.Box = m.Pixels[i], -1, image.Rect(x, y, x+1, y+1)
				if objects != nil {
					r.Object = objects[i]
				}
			}
			r.Area++
			r.Box.Min.X, r.Box.Max.X, r.Box.Max.Y = min(r.Box.Min.X, x), max(r.Box.Max.X, x+1), y+1
		}
	}
	return p
}

// Object is what a format writes as one object: a region, all regions of an
// object that a person has told apart, or all regions of a class.
type Object struct {
	Region
	Parts []int32 // regions
}

// Objects returns the objects in the order of their first pixels, or one per
// class in order of classes, without class 0 unless background is set. of is the
// object of each region, or -1.
func (p *Partition) Objects(perClass, background bool) (list []Object, of []int32) {
	of = make([]int32, len(p.Regions))
	var byClass [256][]int32
	told := map[int32]int32{} // place in the list of each object that was told apart
	for i, r := range p.Regions {
		of[i] = -1
		switch {
		case r.Class == 0 && !background:
		case perClass:
			byClass[r.Class] = append(byClass[r.Class], int32(i))
		default:
			if at, known := told[r.Object]; known {
				o := &list[at]
				of[i], o.Area, o.Box, o.Parts = at, o.Area+r.Area, o.Box.Union(r.Box), append(o.Parts, int32(i))
				continue
			}
			of[i] = int32(len(list))
			list = append(list, Object{Region: r, Parts: []int32{int32(i)}})
			if r.Object >= 0 {
				told[r.Object] = of[i]
			}
		}
	}
	for _, parts := range byClass {
		if len(parts) == 0 {
			continue
		}
		o := Object{Region: p.Regions[parts[0]], Parts: parts}
		for _, i := range parts {
			of[i] = int32(len(list))
			o.Box = o.Box.Union(p.Regions[i].Box)
		}
		o.Area = 0
		for _, i := range parts {
			o.Area += p.Regions[i].Area
		}
		list = append(list, o)
	}
	return list, of
}

// Columns returns each object's runs along the columns of the whole image.
func (p *Partition) Columns(n int, of []int32) []rle.Counts {
	builders := make([]rle.Builder, n)
	for x := range p.Width {
		for y := 0; y < p.Height; {
			id, start := p.IDs[y*p.Width+x], y
			for y++; y < p.Height && p.IDs[y*p.Width+x] == id; y++ {
			}
			if id >= 0 && of[id] >= 0 {
				builders[of[id]].Add(x*p.Height+start, y-start)
			}
		}
	}
	counts := make([]rle.Counts, n)
	for i := range builders {
		counts[i] = builders[i].Counts(p.Width * p.Height)
	}
	return counts
}

// Rows returns each object's runs along the rows of its box.
func (p *Partition) Rows(list []Object, of []int32) []rle.Counts {
	builders := make([]rle.Builder, len(list))
	for y := range p.Height {
		for x := 0; x < p.Width; {
			id, start := p.IDs[y*p.Width+x], x
			for x++; x < p.Width && p.IDs[y*p.Width+x] == id; x++ {
			}
			if id >= 0 && of[id] >= 0 {
				box := list[of[id]].Box
				builders[of[id]].Add((y-box.Min.Y)*box.Dx()+start-box.Min.X, x-start)
			}
		}
	}
	counts := make([]rle.Counts, len(list))
	for i := range builders {
		counts[i] = builders[i].Counts(list[i].Box.Dx() * list[i].Box.Dy())
	}
	return counts
}
