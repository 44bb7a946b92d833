package main

import (
	"image"
	"runtime"
	"sync"
	"sync/atomic"
)

// width and height are the size of the picture in pixels.
const (
	width  = 960
	height = 640
)

// The classes of the scene, by index: those of sample.Classes.
const (
	classBackground uint8 = iota
	classTable
	classCloth
	classBowl
	classApple
	classOrange
	classPear
	classJug
)

// render makes the picture: opaque, the same bytes for any number of
// processors. Another processor family, which may fuse multiplications with
// additions, may round the odd pixel differently. It takes about 0.35 s on two
// cores; the caller owns the result.
func render() *image.NRGBA {
	exposure := make([]vec, width*height)
	rows(func(y int) {
		for x := range width {
			exposure[y*width+x] = lightAt(x, y)
		}
	})
	return develop(exposure)
}

// groundTruth returns the class of every pixel of the picture, row by row: an index
// into sample.Classes. A pixel on a border has the class that covers the
// largest part of it. The caller owns the result.
func groundTruth() []uint8 {
	class := make([]uint8, width*height)
	rows(func(y int) {
		for x := range width {
			class[y*width+x] = classAt(x, y)
		}
	})
	return class
}

// rows calls do for every row of the image, on all processors. Rows do not
// depend on each other, so the result does not depend on who takes which.
func rows(do func(y int)) {
	var next atomic.Int32
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for y := int(next.Add(1)) - 1; y < height; y = int(next.Add(1)) - 1 {
				do(y)
			}
		})
	}
	group.Wait()
}

// lightAt returns the light that arrives at pixel (x, y).
func lightAt(x, y int) vec {
	d := ray(x, y)
	var seen sight
	seen.look(d)
	var c vec
	left := 1.0
	for _, h := range seen.list[:seen.n] {
		cover := h.cover * left
		c = c.add(h.solid.shade(eye.add(d.mul(h.t)), d).mul(cover))
		left -= cover
		if left < 0.004 {
			return c
		}
	}
	return c.add(room(d).mul(left))
}

// classAt returns the class that covers most of pixel (x, y).
func classAt(x, y int) uint8 {
	d := ray(x, y)
	var seen sight
	seen.look(d)
	var share [classJug + 1]float64
	left := 1.0
	for _, h := range seen.list[:seen.n] {
		share[h.solid.class] += h.cover * left
		left -= h.cover * left
	}
	share[roomClass(d)] += left
	best := 0
	for i, s := range share {
		if s > share[best] {
			best = i
		}
	}
	return uint8(best)
}
