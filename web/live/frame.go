package live

import (
	"encoding/binary"
	"fmt"
	"math"

	"collie/segment/engine"
)

// HypothesisFrame is the binary message that carries one hypothesis. All
// numbers are little-endian:
//
//	offset 0  uint8    version, 1
//	       1  3 bytes  zero
//	       4  uint32   run
//	       8  uint32   seq of the evidence it was made for
//	      12  uint32   rank, from 0
//	      16  uint32   N, the number of superpixels
//	      20  4 bytes  zero
//	      24  float64  energy, higher is better
//	      32  8 bytes  digest
//	      40  N bytes  class id per superpixel
type HypothesisFrame struct {
	Run, Seq, Rank uint32
	Energy         float64
	Digest         engine.Digest
	Labels         []uint8
}

const (
	frameVersion = 1
	frameHeader  = 40
)

// frameOf encodes a hypothesis of a run.
func frameOf(run uint32, seq int, h engine.Hypothesis) ([]byte, error) {
	frame := HypothesisFrame{Run: run, Seq: uint32(seq), Rank: uint32(h.Rank), Energy: h.Energy, Digest: h.Digest, Labels: h.Labels}
	return frame.AppendBinary(make([]byte, 0, frameHeader+len(h.Labels)))
}

// AppendBinary appends the frame's bytes to b.
func (f *HypothesisFrame) AppendBinary(b []byte) ([]byte, error) {
	le := binary.LittleEndian
	b = append(b, frameVersion, 0, 0, 0)
	b = le.AppendUint32(b, f.Run)
	b = le.AppendUint32(b, f.Seq)
	b = le.AppendUint32(b, f.Rank)
	b = le.AppendUint32(b, uint32(len(f.Labels)))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, math.Float64bits(f.Energy))
	b = append(b, f.Digest[:]...)
	return append(b, f.Labels...), nil
}

// UnmarshalBinary reads a frame; Labels aliases b.
func (f *HypothesisFrame) UnmarshalBinary(b []byte) error {
	if len(b) < frameHeader {
		return fmt.Errorf("hypothesis frame of %d bytes is shorter than its header of %d", len(b), frameHeader)
	}
	if b[0] != frameVersion {
		return fmt.Errorf("hypothesis frame has version %d, want %d", b[0], frameVersion)
	}
	le := binary.LittleEndian
	if n := le.Uint32(b[16:]); int64(n) != int64(len(b)-frameHeader) {
		return fmt.Errorf("hypothesis frame says %d superpixels and holds %d", n, len(b)-frameHeader)
	}
	f.Run, f.Seq, f.Rank = le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:])
	f.Energy = math.Float64frombits(le.Uint64(b[24:]))
	copy(f.Digest[:], b[32:])
	f.Labels = b[frameHeader:]
	return nil
}
