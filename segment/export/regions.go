package export

import (
	"image"

	"collie/disjoint"
	"collie/segment"
	"collie/segment/mask"
	"collie/segment/rle"
)

// region is a connected component of pixels of one class and one object.
type region struct {
	class  uint8
	object int32 // that the person has told apart, or -1
	area   int
	box    image.Rectangle
}

// partition is a mask and its regions, in the raster order of their first
// pixels.
type partition struct {
	mask.Mask
	ids     []int32 // region of each pixel, -1 where it is undecided
	regions []region
}

// divide finds the regions of a mask: two passes over the pixels, 4 bytes of
// memory for each. objects has the object of each pixel, or -1; it can be nil.
func divide(m mask.Mask, objects []int32) *partition {
	one := func(i, j int) bool {
		return m.Pixels[i] == m.Pixels[j] && (objects == nil || objects[i] == objects[j])
	}
	p := &partition{Mask: m, ids: make([]int32, len(m.Pixels))}
	var lowest disjoint.Sets // of provisional ids that are known to be one region; the lowest id represents them
	for i, l := range m.Pixels {
		left := i%m.Width > 0 && one(i, i-1)
		above := i >= m.Width && one(i, i-m.Width)
		switch {
		case l == segment.Void:
			p.ids[i] = -1
		case left && above:
			a, b := lowest.Find(p.ids[i-1]), lowest.Find(p.ids[i-m.Width])
			lowest.Join(max(a, b), min(a, b))
			p.ids[i] = min(a, b)
		case left:
			p.ids[i] = p.ids[i-1]
		case above:
			p.ids[i] = p.ids[i-m.Width]
		default:
			p.ids[i] = lowest.Add()
		}
	}
	// A region's lowest provisional id is that of its first pixel.
	final := make([]int32, len(lowest))
	for i := range lowest {
		if root := lowest.Find(int32(i)); root < int32(i) {
			final[i] = final[root]
		} else {
			final[i] = int32(len(p.regions))
			p.regions = append(p.regions, region{})
		}
	}
	for y := range m.Height {
		for x := range m.Width {
			i := y*m.Width + x
			if p.ids[i] < 0 {
				continue
			}
			p.ids[i] = final[p.ids[i]]
			r := &p.regions[p.ids[i]]
			if r.area == 0 {
				r.class, r.object, r.box = m.Pixels[i], -1, image.Rect(x, y, x+1, y+1)
				if objects != nil {
					r.object = objects[i]
				}
			}
			r.area++
			r.box.Min.X, r.box.Max.X, r.box.Max.Y = min(r.box.Min.X, x), max(r.box.Max.X, x+1), y+1
		}
	}
	return p
}

// object is what a format writes as one object: a region, all regions of an
// object that a person has told apart, or all regions of a class.
type object struct {
	region
	parts []int32 // regions
}

// objects returns the objects in the order of their first pixels, or one per
// class in order of classes, without class 0 unless background is set. of is the
// object of each region, or -1.
func (p *partition) objects(perClass, background bool) (list []object, of []int32) {
	of = make([]int32, len(p.regions))
	var byClass [256][]int32
	told := map[int32]int32{} // place in the list of each object that was told apart
	for i, r := range p.regions {
		of[i] = -1
		switch {
		case r.class == 0 && !background:
		case perClass:
			byClass[r.class] = append(byClass[r.class], int32(i))
		default:
			if at, known := told[r.object]; known {
				o := &list[at]
				of[i], o.area, o.box, o.parts = at, o.area+r.area, o.box.Union(r.box), append(o.parts, int32(i))
				continue
			}
			of[i] = int32(len(list))
			list = append(list, object{region: r, parts: []int32{int32(i)}})
			if r.object >= 0 {
				told[r.object] = of[i]
			}
		}
	}
	for _, parts := range byClass {
		if len(parts) == 0 {
			continue
		}
		o := object{region: p.regions[parts[0]], parts: parts}
		for _, i := range parts {
			of[i] = int32(len(list))
			o.box = o.box.Union(p.regions[i].box)
		}
		o.area = 0
		for _, i := range parts {
			o.area += p.regions[i].area
		}
		list = append(list, o)
	}
	return list, of
}

// columns returns each object's runs along the columns of the whole image.
func (p *partition) columns(n int, of []int32) []rle.Counts {
	builders := make([]rle.Builder, n)
	for x := range p.Width {
		for y := 0; y < p.Height; {
			id, start := p.ids[y*p.Width+x], y
			for y++; y < p.Height && p.ids[y*p.Width+x] == id; y++ {
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

// rows returns each object's runs along the rows of its box.
func (p *partition) rows(list []object, of []int32) []rle.Counts {
	builders := make([]rle.Builder, len(list))
	for y := range p.Height {
		for x := 0; x < p.Width; {
			id, start := p.ids[y*p.Width+x], x
			for x++; x < p.Width && p.ids[y*p.Width+x] == id; x++ {
			}
			if id >= 0 && of[id] >= 0 {
				box := list[of[id]].box
				builders[of[id]].Add((y-box.Min.Y)*box.Dx()+start-box.Min.X, x-start)
			}
		}
	}
	counts := make([]rle.Counts, len(list))
	for i := range builders {
		counts[i] = builders[i].Counts(list[i].box.Dx() * list[i].box.Dy())
	}
	return counts
}
