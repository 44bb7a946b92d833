// Package sample renders Collie's sample image: a still life that looks like a
// photograph, made by the program itself, so that a person can try Collie
// before finding an image of their own, and so that the repository holds no
// picture whose licence anyone must ask about.
//
// The scene is fruit, a bowl and a napkin on a wooden table by a window. Solids
// are signed distance functions met by sphere tracing; light is a window with
// soft shadows, ambient light with contact shadows and colour lent from
// neighbour to neighbour; wood, peel, glaze and linen are layered noise; a lens
// and a film give depth of field, a slight softness, vignetting and grain.
package sample

import (
	"image"
	"runtime"
	"sync"
	"sync/atomic"
)

// Width and Height are the size of the sample image in pixels.
const (
	Width  = 960
	Height = 640
)

// The classes of the scene, by index.
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

// Classes names the classes of [Truth], by index.
var Classes = []string{"background", "table", "cloth", "bowl", "apple", "orange", "pear", "jug"}

// Render makes the sample image: [Width] by [Height], opaque, the same bytes
// for any number of processors (another processor family may round the odd
// pixel differently). It takes about 0.35 s on two cores; the caller owns the
// result.
func Render() *image.NRGBA {
	exposure := make([]vec, Width*Height)
	rows(func(y int) {
		for x := range Width {
			exposure[y*Width+x] = lightAt(x, y)
		}
	})
	return develop(exposure)
}

// Truth returns the class of every pixel of [Render], row by row: Width*Height
// indices into [Classes]. A pixel on a border has the class that covers the
// largest part of it. The caller owns the result.
func Truth() []uint8 {
	class := make([]uint8, Width*Height)
	rows(func(y int) {
		for x := range Width {
			class[y*Width+x] = classAt(x, y)
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
			for y := int(next.Add(1)) - 1; y < Height; y = int(next.Add(1)) - 1 {
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
