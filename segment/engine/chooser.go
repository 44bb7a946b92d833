package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"collie/crf"
)

// Chooser is a neural network with one hidden layer that tells which of several
// labellings is probably the best. It sees the features of each together with those
// of the first, which is what the evidence says. Immutable once made.
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
	z := make([]float64, len(f))
	for j, v := range f {
		z[j] = min(max((v-c.Mean[j])/c.Scale[j], -farthest), farthest)
	}
	return z
}

// Chances returns the probability that each labelling is the best, given the features
// of all.
func (c *Chooser) Chances(all [][]float64) []float64 {
	out := make([]float64, len(all))
	first := c.Standardized(all[0])
	seen := make([]float64, len(c.Units)) // what the units see of the first
	for u := range c.Units {
		seen[u] = c.Units[u].Bias + Dot(c.Units[u].First, first)
	}
	top := math.Inf(-1)
	for i, f := range all {
		own := c.Standardized(f)
		for u := range c.Units {
			unit := &c.Units[u]
			out[i] += float64(unit.Weight * max(0, seen[u]+Dot(unit.Own, own)))
		}
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

// Order returns the order in which labellings are shown, given the features of all and
// the IoUs of all pairs, row-major: the best first, then each next one by the expected
// gain of the best one shown. O(labellings³).
func (c *Chooser) Order(all [][]float64, overlaps []float64) []int {
	return inOrder(c.Chances(all), overlaps, len(all))
}

// Dot is the sum of the products of two lists of the same length.
func Dot(f, g []float64) (sum float64) {
	g = g[:len(f)]
	for j, v := range f {
		sum += float64(v * g[j])
	}
	return sum
}

// number identifies a chooser: the first 8 bytes of the SHA-256 of its numbers.
func (c *Chooser) number() string {
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
