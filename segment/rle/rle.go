// Package rle reads and writes the run lengths in which COCO, Datumaro and CVAT
// keep masks.
//
// A mask of some width and height becomes one list of runs that alternate
// between background and foreground and begin with background, a run of
// length 0 when the first pixel is foreground. COCO goes through the pixels of
// the whole image column by column, CVAT through those of a box row by row;
// both lists have the same form, [Counts].
package rle

import (
	"errors"
	"fmt"
	"image"
	"strconv"
)

// ErrFormat is the cause of every error about run lengths that can't be read.
var ErrFormat = errors.New("the run lengths are damaged")

// Counts are lengths of runs that alternate between background and foreground,
// background first. Only the first can be 0, and their sum is the number of
// pixels.
type Counts []int

// Builder makes Counts of the runs of foreground, given in order. The zero value
// is ready.
type Builder struct {
	counts Counts
	end    int // of the last run
}

// Add says that the length pixels from number start on are foreground; start is
// not before the end of the run before. Runs that touch become one.
func (b *Builder) Add(start, length int) {
	switch {
	case length == 0:
		return
	case start < b.end:
		panic(fmt.Sprintf("rle: a run starts at %d, the one before ends at %d", start, b.end))
	case start == b.end && len(b.counts) > 0:
		b.counts[len(b.counts)-1] += length
	default:
		b.counts = append(b.counts, start-b.end, length)
	}
	b.end = start + length
}

// Counts returns the runs of a mask of so many pixels. The builder is spent.
func (b *Builder) Counts(pixels int) Counts {
	if b.end < pixels {
		b.counts = append(b.counts, pixels-b.end)
	}
	return b.counts
}

// Check brings runs of any origin into the form of Counts: lengths are from 0,
// their sum is pixels, and what zero lengths divide is joined. It works in
// counts itself.
func Check(counts []int, pixels int) (Counts, error) {
	c := collector{counts: counts[:0], left: pixels}
	for _, n := range counts {
		if err := c.add(n); err != nil {
			return nil, err
		}
	}
	return c.all()
}

// collector makes Counts of run lengths that come from outside.
type collector struct {
	counts Counts
	left   int  // pixels that no run has covered
	read   int  // runs
	join   bool // the next run goes on where the last one in counts ended
}

func (c *collector) add(n int) error {
	if n < 0 || n > c.left {
		return fmt.Errorf("%w: run %d has length %d, and %d pixels are left", ErrFormat, c.read, n, c.left)
	}
	c.left -= n
	c.read++
	switch {
	case c.join:
		c.counts[len(c.counts)-1] += n
		c.join = false
	case n == 0 && len(c.counts) > 0:
		c.join = true
	default:
		c.counts = append(c.counts, n)
	}
	return nil
}

func (c *collector) all() (Counts, error) {
	if c.left > 0 {
		return nil, fmt.Errorf("%w: %d pixels are not covered", ErrFormat, c.left)
	}
	return c.counts, nil
}

// Area is the number of foreground pixels.
func (c Counts) Area() int {
	area := 0
	for i := 1; i < len(c); i += 2 {
		area += c[i]
	}
	return area
}

// runs goes through the foreground: start and length of each run.
func (c Counts) runs() func(yield func(start, length int) bool) {
	return func(yield func(start, length int) bool) {
		at := 0
		for i, n := range c {
			if i%2 == 1 && !yield(at, n) {
				return
			}
			at += n
		}
	}
}

// PaintColumns sets the foreground of a mask that is gone through column by
// column to value. pixels is width × height, row-major.
func PaintColumns[T any](c Counts, pixels []T, width, height int, value T) {
	for start, length := range c.runs() {
		x, y := start/height, start%height
		for range length {
			pixels[y*width+x] = value
			if y++; y == height {
				x, y = x+1, 0
			}
		}
	}
}

// PaintRows sets the foreground of a mask that is gone through row by row inside
// box to value. pixels is row-major with rows of the given width, and holds box.
func (c Counts) PaintRows(pixels []uint8, width int, box image.Rectangle, value uint8) {
	for start, length := range c.runs() {
		x, y := start%box.Dx(), start/box.Dx()
		for range length {
			pixels[(box.Min.Y+y)*width+box.Min.X+x] = value
			if x++; x == box.Dx() {
				x, y = 0, y+1
			}
		}
	}
}

// AppendList appends the lengths as decimal numbers with separators between them.
func (c Counts) AppendList(dst []byte, separator string) []byte {
	for i, n := range c {
		if i > 0 {
			dst = append(dst, separator...)
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return dst
}
