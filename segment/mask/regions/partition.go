// Package regions divides a mask into its connected regions, joins these into
// objects, and traces their outlines.
package regions

import (
	"cmp"
	"image"
	"iter"
	"slices"

	"collie/disjoint"
	"collie/segment"
	"collie/segment/mask"
	"collie/segment/rle"
	"collie/superpixels"
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
	Runs    *superpixels.Runs // the region of each pixel, -1 where it is undecided
	Regions []Region
}

// IDs returns the region of each pixel of row y, or -1, in ids, which has the
// length of a row.
func (p *Partition) IDs(y int, ids []int32) []int32 {
	row := y * p.Width
	for run := range p.Runs.Between(row, row+p.Width) {
		for x := run.Start - row; x < run.End-row; x++ {
			ids[x] = int32(run.Region)
		}
	}
	return ids
}

// stretch is a run of pixels of one class and one object in a row. It begins where
// the one before ends.
type stretch struct{ end, id int32 }

// label is what the pixels of a region have in common.
type label struct {
	class  uint8
	object int32
}

// Divide finds the regions of a mask: one pass over the pixels, and union-find over
// their runs. objects has the object of each pixel, or -1; it can be nil.
func Divide(m mask.Mask, objects *superpixels.Runs) *Partition {
	var lowest disjoint.Sets // of provisional ids that are known to be one region; the lowest id represents them
	var labels []label       // by provisional id
	var all []stretch
	above := []stretch{{int32(m.Width), -1}}
	for y := range m.Height {
		first, over := len(all), above
		start := int32(0)
		for end, l := range stretches(m, objects, y) {
			id := int32(-1)
			for over[0].end <= start {
				over = over[1:]
			}
			if l.class != segment.Void {
				for i := 0; ; i++ {
					if other := over[i].id; other >= 0 && labels[other] == l {
						other = lowest.Find(other)
						if id >= 0 {
							lowest.Join(max(id, other), min(id, other))
							other = min(id, other)
						}
						id = other
					}
					if over[i].end >= end {
						break
					}
				}
				if id < 0 {
					id, labels = lowest.Add(), append(labels, l)
				}
			}
			all = append(all, stretch{end, id})
			start = end
		}
		above = all[first:]
	}
	// A region's lowest provisional id is that of its first pixel.
	p := &Partition{Mask: m}
	final := make([]int32, len(lowest))
	for i, l := range labels {
		if root := lowest.Find(int32(i)); root < int32(i) {
			final[i] = final[root]
		} else {
			final[i] = int32(len(p.Regions))
			p.Regions = append(p.Regions, Region{Class: l.class, Object: l.object})
		}
	}
	p.Runs = superpixels.NewRuns(m.Width, m.Height, len(p.Regions), func(yield func(superpixels.Run) bool) {
		x, y := 0, 0
		for _, s := range all {
			run := superpixels.Run{Start: y*m.Width + x, End: y*m.Width + int(s.end), Region: -1}
			if s.id >= 0 {
				run.Region = int(final[s.id])
				r := &p.Regions[run.Region]
				r.Area += int(s.end) - x
				r.Box = r.Box.Union(image.Rect(x, y, int(s.end), y+1))
			}
			if !yield(run) {
				return
			}
			if x = int(s.end); x == m.Width {
				x, y = 0, y+1
			}
		}
	})
	return p
}

// stretches gives the ends of the longest stretches of one label in row y.
func stretches(m mask.Mask, objects *superpixels.Runs, y int) iter.Seq2[int32, label] {
	return func(yield func(int32, label) bool) {
		row, start := m.Row(y), y*m.Width
		if objects == nil {
			split(row, 0, m.Width, -1, yield)
			return
		}
		for run := range objects.Between(start, start+m.Width) {
			if !split(row, run.Start-start, run.End-start, int32(run.Region), yield) {
				return
			}
		}
	}
}

// split gives the ends of the stretches of one class between two columns.
func split(row []uint8, from, to int, object int32, yield func(int32, label) bool) bool {
	for x := from; x < to; {
		class := row[x]
		for x++; x < to && row[x] == class; x++ {
		}
		if !yield(int32(x), label{class, object}) {
			return false
		}
	}
	return true
}

// Object is what a format writes as one object: a region, all regions of an
// object that a person has told apart, or all regions of a class.
type Object struct {
	Region
	Parts []int32 // regions
}

// Which says which regions become objects, and how.
type Which struct {
	PerClass   bool // one for all regions of a class, in order of classes
	Background bool // those of class 0, too
}

// Objects returns the objects in the order of their first pixels, or of classes. of is
// the object of each region, or -1.
func (p *Partition) Objects(which Which) (list []Object, of []int32) {
	of = make([]int32, len(p.Regions))
	places := map[int32]int32{} // in the list, by class or by what somebody has told apart
	for i, r := range p.Regions {
		key := r.Object
		if which.PerClass {
			key = int32(r.Class)
		}
		at, known := places[key]
		switch {
		case r.Class == 0 && !which.Background:
			at = -1
		case known:
			o := &list[at]
			o.Area, o.Box, o.Parts = o.Area+r.Area, o.Box.Union(r.Box), append(o.Parts, int32(i))
		default:
			at = int32(len(list))
			list = append(list, Object{Region: r, Parts: []int32{int32(i)}})
			if key >= 0 {
				places[key] = at
			}
		}
		of[i] = at
	}
	if which.PerClass {
		slices.SortFunc(list, func(a, b Object) int { return cmp.Compare(a.Class, b.Class) })
		for at, o := range list {
			for _, i := range o.Parts {
				of[i] = int32(at)
			}
		}
	}
	return list, of
}

// Columns returns each object's runs along the columns of the whole image.
func (p *Partition) Columns(n int, of []int32) []rle.Counts {
	builders := make([]rle.Builder, n)
	const strip = 64 // columns at a time
	ids := make([]int32, strip*p.Height)
	for left := 0; left < p.Width; left += strip {
		right := min(left+strip, p.Width)
		for y := range p.Height {
			start := y*p.Width + left
			for run := range p.Runs.Between(start, y*p.Width+right) {
				for at := run.Start - start; at < run.End-start; at++ {
					ids[at*p.Height+y] = int32(run.Region)
				}
			}
		}
		for x := left; x < right; x++ {
			column := ids[(x-left)*p.Height:][:p.Height]
			for y := 0; y < p.Height; {
				id, start := column[y], y
				for y++; y < p.Height && column[y] == id; y++ {
				}
				if id >= 0 && of[id] >= 0 {
					builders[of[id]].Add(x*p.Height+start, y-start)
				}
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
		row := y * p.Width
		for run := range p.Runs.Between(row, row+p.Width) {
			if id := run.Region; id >= 0 && of[id] >= 0 {
				box := list[of[id]].Box
				builders[of[id]].Add((y-box.Min.Y)*box.Dx()+run.Start-row-box.Min.X, run.End-run.Start)
			}
		}
	}
	counts := make([]rle.Counts, len(list))
	for i := range builders {
		counts[i] = builders[i].Counts(list[i].Box.Dx() * list[i].Box.Dy())
	}
	return counts
}
