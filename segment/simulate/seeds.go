package simulate

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"collie/herding"
	"collie/segment"
)

// Seeds are the paper's clicks: round(fraction·n) of the n regions, at least
// one, are drawn at random among those that are not wholly void, and each gets
// its majority class; the others are segment.Void. The draw depends on the
// image's name and the number of the draw alone, and a larger fraction of the
// same draw holds the smaller ones.
func Seeds(majority []uint8, fraction float64, name string, draw uint64) []uint8 {
	var pool []int
	clicks := make([]uint8, len(majority))
	for i, class := range majority {
		clicks[i] = segment.Void
		if class != segment.Void {
			pool = append(pool, i)
		}
	}
	rng := rand.New(rand.NewPCG(draw, Hash(name)))
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	count := max(1, int(math.Round(fraction*float64(len(majority)))))
	for _, i := range pool[:min(count, len(pool))] {
		clicks[i] = majority[i]
	}
	return clicks
}

// Hash is a number that depends on a name alone, to seed what is drawn for an image.
func Hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Clicks are clicks in the terms of a model: Classes are those clicked,
// ascending, and Fixed[i] is the place of the clicked class of region i among
// them or -1.
type Clicks struct {
	Fixed   []int16
	Classes []uint8
	Guess   *herding.Prior // how a first guess draws the walker, or nil

	// Shown is what the person saw when clicking superpixel Last, a class or
	// segment.Void each; nil when that does not matter.
	Shown []uint8
	Last  int
}

// InPlay numbers the clicked classes; with all > 0 the classes 0 to all-1 are
// in play, clicked or not.
func InPlay(clicks []uint8, all int) Clicks {
	var seen [256]bool
	for _, c := range clicks {
		seen[c] = c != segment.Void
	}
	for c := range all {
		seen[c] = true
	}
	var place [256]int16
	out := Clicks{Fixed: make([]int16, len(clicks))}
	for c, s := range seen {
		if s {
			place[c] = int16(len(out.Classes))
			out.Classes = append(out.Classes, uint8(c))
		}
	}
	for i, c := range clicks {
		out.Fixed[i] = -1
		if c != segment.Void {
			out.Fixed[i] = place[c]
		}
	}
	return out
}

// Name gives labels, which are places among the classes in play, their classes.
func (c Clicks) Name(labels []uint8) []uint8 {
	out := make([]uint8, len(labels))
	for i, l := range labels {
		out[i] = c.Classes[l]
	}
	return out
}
