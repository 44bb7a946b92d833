package timeline

import (
	"iter"
	"math/bits"

	"collie/segment"
	"collie/superpixels"
)

// SpreadObjects gives each pixel the place of its object among the list's, or
// -1: that of its cell, or, where a repair has given the pixel its class, that
// of the nearest pixel in the same connected region. pixels is the labelling.
// O(pixels).
func SpreadObjects(cells *superpixels.Runs, pixels []uint8, list []Object, of []int32) *superpixels.Runs {
	own := superpixels.NewRuns(cells.Width, cells.Height, len(list), func(yield func(superpixels.Run) bool) {
		for run := range cells.All() {
			for start, end := run.Start, 0; start < run.End; start = end {
				end = run.End
				object := of[run.Region]
				if object >= 0 {
					object, end = within(pixels, start, end, object, list[object].Class)
				}
				if !yield(superpixels.Run{Start: start, End: end, Region: int(object)}) {
					return
				}
			}
		}
	})
	return fill(own, pixels, list)
}

// within returns the object, if the pixel at start has its class, or else -1, and
// where that ends.
func within(pixels []uint8, start, end int, object int32, class uint8) (int32, int) {
	has := pixels[start] == class
	if !has {
		object = -1
	}
	for p := start + 1; p < end; p++ {
		if (pixels[p] == class) != has {
			return object, p
		}
	}
	return object, end
}

// fill gives pixels without an object that of the nearest pixel in their region. It
// keeps a number for each pixel of a marked class without an object, and none for
// the others.
func fill(own *superpixels.Runs, pixels []uint8, list []Object) *superpixels.Runs {
	marked := classesOf(list)
	lacking := newSubset(len(pixels), func(yield func(int) bool) {
		for run := range own.All() {
			for p := run.Start; p < run.End && run.Region < 0; p++ {
				if marked[pixels[p]] && !yield(p) {
					return
				}
			}
		}
	})
	if lacking.n == 0 {
		return own
	}
	f := flood{lacking: lacking, pixels: pixels, width: int32(own.Width)}
	for run := range own.All() {
		for p := run.Start; p < run.End && run.Region >= 0; p++ {
			f.spread(int32(p), int32(run.Region)+1)
		}
	}
	if f.met == nil { // no repair joins what cells leave apart
		return own
	}
	f.run()
	return superpixels.NewRuns(own.Width, own.Height, own.N, func(yield func(superpixels.Run) bool) {
		for run := range own.All() {
			if run.Region >= 0 {
				if !yield(run) {
					return
				}
				continue
			}
			for p := run.Start; p < run.End; p++ {
				r := superpixels.Run{Start: p, End: p + 1, Region: -1}
				if lacking.has(int32(p)) {
					r.Region = int(f.met[lacking.place(int32(p))]) - 1
				}
				if !yield(r) {
					return
				}
			}
		}
	})
}

// flood spreads objects to pixels that lack one, all by a pixel at a time.
type flood struct {
	lacking subset
	pixels  []uint8
	width   int32

	met []int32 // the object of each lacking pixel, from 1, or 0; nil before the first
	// Pixels as far from an object as each other, and the next further ones: one list
	// grows from the front, the other from the back.
	queue    []int32
	level, n int // of the list that grows: its number and length
}

// run spreads what has been met until nothing is left.
func (f *flood) run() {
	for f.n > 0 {
		reached := f.n
		f.level, f.n = f.level+1, 0
		for i := range reached {
			p := *f.slot(f.level-1, i)
			f.spread(p, f.met[f.lacking.place(p)])
		}
	}
}

// spread gives an object of a pixel to those above, left, right and below.
func (f *flood) spread(p, object int32) {
	x := p % f.width
	if p >= f.width {
		f.give(p-f.width, p, object)
	}
	if x > 0 {
		f.give(p-1, p, object)
	}
	if x < f.width-1 {
		f.give(p+1, p, object)
	}
	if p < int32(len(f.pixels))-f.width {
		f.give(p+f.width, p, object)
	}
}

// give gives an object to a pixel, unless that has one or isn't of the same class.
func (f *flood) give(p, from, object int32) {
	if !f.lacking.has(p) || f.pixels[p] != f.pixels[from] {
		return
	}
	if f.met == nil {
		f.met, f.queue = make([]int32, f.lacking.n), make([]int32, f.lacking.n)
	}
	if met := &f.met[f.lacking.place(p)]; *met == 0 {
		*met = object
		*f.slot(f.level, f.n) = p
		f.n++
	}
}

// slot is where the i-th pixel of a level is.
func (f *flood) slot(level, i int) *int32 {
	if level%2 == 0 {
		return &f.queue[i]
	}
	return &f.queue[len(f.queue)-1-i]
}

// classesOf says which classes have objects.
func classesOf(list []Object) (has [256]bool) {
	for _, o := range list {
		has[o.Class] = true
	}
	return has
}

// subset is some of the pixels, numbered in order: a bit for each pixel of the
// image and, for each 64 of them, how many are in the subset before.
type subset struct {
	n      int
	bits   []uint64
	before []int32
}

// newSubset returns the subset of the pixels that are given in order.
func newSubset(pixels int, chosen iter.Seq[int]) subset {
	s := subset{bits: make([]uint64, (pixels+63)/64), before: make([]int32, (pixels+63)/64)}
	for p := range chosen {
		s.bits[p/64] |= 1 << (p % 64)
	}
	for i, word := range s.bits {
		s.before[i] = int32(s.n)
		s.n += bits.OnesCount64(word)
	}
	return s
}

func (s *subset) has(p int32) bool { return s.bits[p/64]>>(p%64)&1 == 1 }

// place returns the number of a pixel in the subset.
func (s *subset) place(p int32) int32 {
	return s.before[p/64] + int32(bits.OnesCount64(s.bits[p/64]&(1<<(p%64)-1)))
}

// Extent bounds what telling objects apart takes.
type Extent struct {
	Runs   int // of pixels of one class and one object, cut at the ends of rows, before any are filled
	Filled int // pixels that can get an object from others
}

// ExtentOf bounds what [SpreadObjects], [Draw] and what divides their result take, before
// there are any pixels. O(runs of the cells).
func ExtentOf(cells *superpixels.Runs, labels []uint8, repairs []segment.Repair, list []Object, of []int32, drawn *segment.Drawn) Extent {
	e := Extent{Runs: cells.Height}
	if drawn != nil {
		for _, o := range drawn.Objects {
			e.Runs += len(o.Runs) // as those of repairs
		}
	}
	marked := classesOf(list)
	for _, r := range repairs {
		e.Runs += len(r.Runs) // each run of a repair ends one and begins another
		for i := 1; i < len(r.Runs) && marked[r.Class]; i += 2 {
			e.Filled += int(r.Runs[i])
		}
	}
	last := -1
	for run := range cells.All() {
		if last < 0 || labels[run.Region] != labels[last] || of[run.Region] != of[last] {
			e.Runs++
		}
		last = run.Region
		if len(repairs) > 0 && of[run.Region] < 0 && marked[labels[run.Region]] {
			e.Filled += run.End - run.Start
		}
	}
	return e
}
