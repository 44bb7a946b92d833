package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Digest identifies a hypothesis: the first 8 bytes of the SHA-256 of its
// energy (IEEE 754, little-endian) and its labels. The engine is deterministic,
// so the same evidence gives the same digests anywhere.
type Digest [8]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

func digestOf(energy float64, labels []uint8) Digest {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(labels)), math.Float64bits(energy))
	sum := sha256.Sum256(append(b, labels...))
	return Digest(sum[:8])
}

// Hypothesis is one class per superpixel for the whole image. It is immutable.
type Hypothesis struct {
	Rank   int // position in the sequence, from 0
	Labels []uint8
	Energy float64 // higher is better
	Digest Digest
}
