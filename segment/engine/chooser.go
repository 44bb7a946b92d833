package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"collie/crf"
)

// Chooser is a neural network with one hidden layer that tells which of several
// corrections is probably the best. It sees each together with the first, which is
// what the evidence says. Immutable once made.
type Chooser struct {
	Mean, Scale CorrectionFeatures // standardize the features
	Units       []Unit
}

// Unit is a hidden one: Weight·max(0, Bias + Own·f + First·g), with the standardized
// features f of a correction and g of the first.
type Unit struct {
	Bias, Weight float64
	Own, First   CorrectionFeatures
}

// farthest a standardized feature can be from 0.
const farthest = 6

// Standardized returns features as the units see them.
func (c *Chooser) Standardized(f *CorrectionFeatures) (z CorrectionFeatures) {
	for j, v := range f {
		z[j] = min(max((v-c.Mean[j])/c.Scale[j], -farthest), farthest)
	}
	return z
}

// Chances returns, for each of some corrections, the probability that it is the best.
func (c *Chooser) Chances(all []Correction) []float64 {
	out := make([]float64, len(all))
	first := c.Standardized(&all[0].Features)
	seen := make([]float64, len(c.Units)) // what the units see of the first
	for u := range c.Units {
		seen[u] = c.Units[u].Bias + c.Units[u].First.Dot(&first)
	}
	top := math.Inf(-1)
	for i := range all {
		own := c.Standardized(&all[i].Features)
		for u := range c.Units {
			unit := &c.Units[u]
			out[i] += float64(unit.Weight * max(0, seen[u]+unit.Own.Dot(&own)))
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

// Dot is the sum of the products with other features.
func (f *CorrectionFeatures) Dot(g *CorrectionFeatures) (sum float64) {
	for j, v := range f {
		sum += float64(v * g[j])
	}
	return sum
}

// Number identifies a chooser: the first 8 bytes of the SHA-256 of its numbers.
func (c *Chooser) Number() string {
	hash := sha256.New()
	if err := binary.Write(hash, binary.LittleEndian, [2]CorrectionFeatures{c.Mean, c.Scale}); err != nil {
		panic(err) // a hash takes all numbers
	}
	if err := binary.Write(hash, binary.LittleEndian, c.Units); err != nil {
		panic(err)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
