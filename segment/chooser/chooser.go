// Package chooser has small neural networks that tell which of several things is meant,
// given their features: which labelling after a first gesture, [Extents], and after a later
// click, [Corrections]; and which class at a superpixel, [Stack].
package chooser

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"

	"collie/crf"
)

// Chooser is a neural network with one hidden layer that tells which of several
// labellings is probably the best, or which of several classes the right one. It sees the
// features of each together with those of the first, which is what the evidence says.
// Immutable once made.
type Chooser struct {
	Mean, Scale []float64 // standardize the features
	Units       []Unit
}

// Unit is a hidden one: Weight·max(0, Bias + Own·f + First·g), with the standardized
// features f of a labelling and g of the first.
type Unit struct {
	Bias, Weight float64
	Own, First   []float64
}

// farthest a standardized feature can be from 0.
const farthest = 6

// Standardized returns features as the units see them.
func (c *Chooser) Standardized(f []float64) []float64 {
	return c.standardized(make([]float64, len(f)), f)
}

// standardized is Standardized in the memory z.
func (c *Chooser) standardized(z, f []float64) []float64 {
	for j, v := range f {
		z[j] = min(max((v-c.Mean[j])/c.Scale[j], -farthest), farthest)
	}
	return z
}

// Chances returns the probability that each labelling is the best, given the features
// of all.
func (c *Chooser) Chances(all [][]float64) []float64 { return c.ChancesIn(&Room{}, all) }

// Room is memory that ChancesIn uses again.
type Room struct{ out, seen, standardized []float64 }

// ChancesIn is Chances whose result is valid until the room is used again.
func (c *Chooser) ChancesIn(room *Room, all [][]float64) []float64 {
	*room = Room{sized(room.out, len(all)), sized(room.seen, len(c.Units)), sized(room.standardized, len(c.Mean))}
	out, seen := room.out, room.seen // what the units see of the first
	first := c.standardized(room.standardized, all[0])
	for u := range c.Units {
		seen[u] = c.Units[u].Bias + Dot(c.Units[u].First, first)
	}
	top := math.Inf(-1)
	for i, f := range all {
		out[i] = c.score(seen, c.standardized(room.standardized, f))
		top = max(top, out[i])
	}
	sum := 0.0
	for i, score := range out {
		out[i] = crf.Exp(score - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// score sums up the units, which have seen the first labelling, for the standardized
// features of one. Four units at a time are faster, as their sums don't wait for each other.
func (c *Chooser) score(seen, own []float64) (sum float64) {
	units := c.Units
	for ; len(units) >= 4; units, seen = units[4:], seen[4:] {
		f, g, h, i := units[0].Own[:len(own)], units[1].Own[:len(own)], units[2].Own[:len(own)], units[3].Own[:len(own)]
		p, q, r, s := 0.0, 0.0, 0.0, 0.0
		for j, v := range own {
			p += float64(v * f[j])
			q += float64(v * g[j])
			r += float64(v * h[j])
			s += float64(v * i[j])
		}
		for u, product := range [4]float64{p, q, r, s} {
			sum += float64(units[u].Weight * max(0, seen[u]+product))
		}
	}
	for u := range units {
		sum += float64(units[u].Weight * max(0, seen[u]+Dot(units[u].Own, own)))
	}
	return sum
}

// sized returns memory for n numbers, that of s if it has room.
func sized(s []float64, n int) []float64 { return slices.Grow(s[:0], n)[:n] }

// Order returns the order in which labellings are shown, given the features of all and
// the IoUs of all pairs, row-major: the best first, then each next one by the expected
// gain of the best one shown. O(labellings³).
func (c *Chooser) Order(all [][]float64, overlaps []float64) []int {
	return InOrder(c.Chances(all), overlaps, len(all))
}

// InOrder returns the first count of n masks in the order in which they are shown:
// the best one, then each next one by the expected gain of the best one shown.
// chance is what each is proportional to being meant, and iou their overlaps.
func InOrder(chance, iou []float64, count int) []int {
	n := len(chance)
	best := make([]float64, n) // IoU of each with the best one shown
	shown := make([]bool, n)
	order := make([]int, 0, min(count, n))
	for range min(count, n) {
		at, most := -1, -1.0
		for i := range n {
			if shown[i] {
				continue
			}
			gain := 0.0
			for j, b := range best {
				gain += float64(chance[j] * max(0, iou[i*n+j]-b))
			}
			if gain > most {
				at, most = i, gain
			}
		}
		shown[at] = true
		order = append(order, at)
		for j := range best {
			best[j] = max(best[j], iou[at*n+j])
		}
	}
	return order
}

// Dot is the sum of the products of two lists of the same length.
func Dot(f, g []float64) (sum float64) {
	g = g[:len(f)]
	for j, v := range f {
		sum += float64(v * g[j])
	}
	return sum
}

// Number identifies a chooser: the first 8 bytes of the SHA-256 of its numbers.
func (c *Chooser) Number() string {
	hash := sha256.New()
	add := func(numbers ...float64) {
		if err := binary.Write(hash, binary.LittleEndian, numbers); err != nil {
			panic(err) // a hash takes all numbers
		}
	}
	add(c.Mean...)
	add(c.Scale...)
	for _, u := range c.Units {
		add(u.Bias, u.Weight)
		add(u.Own...)
		add(u.First...)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
