package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

// Affinities are what a project has learned about which superpixels of its images belong
// together. Immutable.
type Affinities struct {
	Model  []byte // as package segment/affinity encodes it; one that it can't read counts for nothing
	Learnt int    // finished images that the model was learned from
}

// MaxAffinities is the largest number of bytes of a model.
const MaxAffinities = 64 << 10

// Same reports whether two of them, which can be nil, are equal.
func (a *Affinities) Same(other *Affinities) bool {
	if a == nil || other == nil {
		return a == other
	}
	return bytes.Equal(a.Model, other.Model) && a.Learnt == other.Learnt
}

// Valid reports whether they can be those of an event.
func (a *Affinities) Valid() bool {
	return len(a.Model) > 0 && len(a.Model) <= MaxAffinities && a.Learnt >= 0
}

// MarshalBinary encodes the affinities: the images learned from as unsigned LEB128, then
// the model.
func (a *Affinities) MarshalBinary() ([]byte, error) {
	return append(binary.AppendUvarint(nil, uint64(a.Learnt)), a.Model...), nil
}

// UnmarshalBinary decodes what MarshalBinary wrote. After an error a is unchanged.
func (a *Affinities) UnmarshalBinary(b []byte) error {
	learnt, n := binary.Uvarint(b)
	if n <= 0 || learnt > math.MaxInt32 {
		return errors.New("segment: decode affinities: the number of images is damaged")
	}
	*a = Affinities{b[n:], int(learnt)}
	return nil
}
