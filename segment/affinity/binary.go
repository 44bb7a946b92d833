package affinity

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
)

const binaryVersion = 1

// names identifies the features of this version of the program.
func names() uint32 {
	h := fnv.New32a()
	for _, p := range new(Model).parts() {
		for _, f := range p.features {
			h.Write([]byte(f.Name + "\n"))
		}
	}
	return h.Sum32()
}

// numbers are all of a model, in the order of its encoding.
func (m *Model) numbers() (out []*float32) {
	for _, p := range m.parts() {
		out = append(out, &p.Bias)
		for f := range p.Terms {
			t := &p.Terms[f]
			out = append(out, &t.Linear, &t.Log, &t.Low, &t.High)
		}
	}
	return out
}

// MarshalBinary encodes the model without notes in 1.6 KB: a version byte, a hash of the
// names of the features, then the numbers that Encode writes as IEEE 754 in four bytes
// each; all little-endian.
func (m *Model) MarshalBinary() ([]byte, error) {
	b := binary.LittleEndian.AppendUint32([]byte{binaryVersion}, names())
	for _, v := range m.numbers() {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(*v))
	}
	return b, nil
}

// UnmarshalBinary decodes what MarshalBinary wrote. Numbers that Decode would refuse and
// features of another version give an error, after which m is unchanged.
func (m *Model) UnmarshalBinary(b []byte) error {
	out := &Model{}
	for _, p := range out.parts() {
		p.Terms = make([]Term, len(p.features))
	}
	all := out.numbers()
	if len(b) != 5+4*len(all) || b[0] != binaryVersion || binary.LittleEndian.Uint32(b[1:]) != names() {
		return errors.New("affinity: decode model: it is damaged or has features of another version")
	}
	for i, v := range all {
		*v = math.Float32frombits(binary.LittleEndian.Uint32(b[5+4*i:]))
		if !(math.Abs(float64(*v)) <= mostWeight) {
			return errors.New("affinity: decode model: a number is too large")
		}
	}
	for _, p := range out.parts() {
		for _, t := range p.Terms {
			if t.Low > t.High {
				return errors.New("affinity: decode model: a least value is above the largest")
			}
		}
	}
	*m = *out
	return nil
}
