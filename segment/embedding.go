package segment

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// Embedding is what a network of somebody else's says of an image: a point for
// each cell, and how much the distance of two points counts. The points of an
// image can be compared with each other only. Immutable.
type Embedding struct {
	// Values are the coordinates of the cells, cells × Dims row-major: v means
	// (v-128)·Scale. Without any, the event changes only how much those count
	// that are there.
	Values []uint8
	Dims   int
	Scale  float64

	Borders Likelihood // of the two sides of a border; zero when it counts for nothing
	Pairs   Likelihood // of any two superpixels
	Learnt  int        // finished images that the two were learned from
}

// Likelihood is the logarithm of how much more probable a distance of two points
// is within a class than between two: Bias + Slope·distance. Slope is not
// positive.
type Likelihood struct{ Bias, Slope float64 }

// Limits of embeddings.
const (
	MaxEmbeddingDims = 16   // of an event's points
	mostLikelihood   = 1000 // absolute bias and slope
)

// Counts reports whether distances count for anything.
func (e *Embedding) Counts() bool {
	return e != nil && (e.Borders != Likelihood{} || e.Pairs != Likelihood{})
}

// Same reports whether two embeddings, which can be nil, are equal.
func (e *Embedding) Same(other *Embedding) bool {
	if e == nil || other == nil {
		return e == other
	}
	return slices.Equal(e.Values, other.Values) && e.Dims == other.Dims && e.Scale == other.Scale && e.WeighedLike(other) && e.Learnt == other.Learnt
}

// WeighedLike reports whether distances count as much as in another embedding.
func (e *Embedding) WeighedLike(other *Embedding) bool {
	return e.Borders == other.Borders && e.Pairs == other.Pairs
}

// Weighed returns the points of e with the weights of another embedding.
func (e *Embedding) Weighed(by *Embedding) *Embedding {
	out := *e
	out.Borders, out.Pairs, out.Learnt = by.Borders, by.Pairs, by.Learnt
	return &out
}

// Fits reports whether the embedding has points for so many cells, or only says
// how much those count that are there.
func (e *Embedding) Fits(cells int) bool {
	if e == nil || e.Learnt < 0 || !e.Borders.valid() || !e.Pairs.valid() {
		return false
	}
	if len(e.Values) == 0 {
		return e.Dims == 0 && e.Scale == 0
	}
	return e.Dims > 0 && e.Dims <= MaxEmbeddingDims && len(e.Values) == cells*e.Dims && e.Scale > 0 && e.Scale <= 1
}

func (l Likelihood) valid() bool {
	return math.Abs(l.Bias) <= mostLikelihood && l.Slope <= 0 && l.Slope >= -mostLikelihood
}

// MarshalBinary encodes the embedding: a version byte, the number of
// coordinates, the scale, bias and slope of borders and of pairs as IEEE 754 in
// eight bytes each, little-endian, the images learned from as unsigned LEB128,
// then the values.
func (e *Embedding) MarshalBinary() ([]byte, error) {
	b := []byte{embeddingVersion, byte(e.Dims)}
	for _, v := range [5]float64{e.Scale, e.Borders.Bias, e.Borders.Slope, e.Pairs.Bias, e.Pairs.Slope} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return append(binary.AppendUvarint(b, uint64(e.Learnt)), e.Values...), nil
}

// UnmarshalBinary decodes what MarshalBinary wrote. It checks the form; see Fits
// for the rest. After an error e is unchanged.
func (e *Embedding) UnmarshalBinary(b []byte) error {
	const fixed = 2 + 5*8
	if len(b) < fixed || b[0] != embeddingVersion {
		return errors.New("segment: decode embedding: unknown version or too short")
	}
	out := Embedding{Dims: int(b[1])}
	for i, v := range [5]*float64{&out.Scale, &out.Borders.Bias, &out.Borders.Slope, &out.Pairs.Bias, &out.Pairs.Slope} {
		*v = math.Float64frombits(binary.LittleEndian.Uint64(b[2+8*i:]))
	}
	learnt, n := binary.Uvarint(b[fixed:])
	if n <= 0 || learnt > math.MaxInt32 {
		return errors.New("segment: decode embedding: the number of images is damaged")
	}
	out.Learnt = int(learnt)
	if values := b[fixed+n:]; len(values) > 0 {
		out.Values = values
	}
	*e = out
	return nil
}

const embeddingVersion = 1
