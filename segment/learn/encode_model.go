package learn

import (
	"encoding/binary"
	"fmt"
	"math"

	"collie/segment"
	"collie/segment/affinity"
)

const (
	modelMagic   = "CLMD"
	modelVersion = 8
	oldVersion   = 2       // and later ones: for other features, choices or gates, or without affinities or what is saved
	maxModel     = 1 << 30 // largest number of a model
	maxID        = 256     // bytes of an image's id
	maxEarly     = 1 << 20 // images
	maxTreeNodes = 1 << 22
)

// MarshalBinary encodes the model: magic "CLMD", version 8 (one byte), then
// numbers as unsigned LEB128, except for real ones, which are IEEE 754 in eight
// bytes, little-endian. Trees come node by node, the feature (one more, 0 for a
// leaf), then the threshold and the left child, or the leaf's votes.
func (m *Model) MarshalBinary() ([]byte, error) {
	w := writer{b: append([]byte(modelMagic), modelVersion)}
	w.number(m.Number)
	for _, list := range [2][]string{m.Images, m.Early} {
		w.number(len(list))
		for _, id := range list {
			w.bytes([]byte(id))
		}
	}
	w.choice(m.Choice)
	w.choice(m.Imported)
	w.real(m.Saved)
	var own []byte
	if m.Affinities != nil {
		own, _ = m.Affinities.MarshalBinary() // which always succeeds
	}
	w.bytes(own)
	w.number(len(m.tried))
	for _, t := range m.tried {
		w.bytes([]byte(t.image))
		w.bytes(t.classes)
		w.gates(t.gates)
		w.bytes(t.shares)
	}
	if m.classifier == nil {
		w.bytes(nil)
		return w.b, nil
	}
	w.bytes(m.classes)
	w.gates(m.gates)
	w.real(m.exponent)
	for _, f := range m.forests {
		w.forest(f)
	}
	return w.b, nil
}

type writer struct{ b []byte }

func (w *writer) number(v int)   { w.b = binary.AppendUvarint(w.b, uint64(v)) }
func (w *writer) real(v float64) { w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(v)) }

func (w *writer) bytes(b []byte) {
	w.number(len(b))
	w.b = append(w.b, b...)
}

func (w *writer) choice(c Choice) {
	w.real(c.Strength)
	w.real(c.Exponent)
	w.real(c.Proof)
	w.real(c.Patience)
}

func (w *writer) gates(thresholds []float64) {
	for _, v := range thresholds {
		w.real(v)
	}
}

func (w *writer) forest(f *forest) {
	for i := range f.trees {
		t := &f.trees[i]
		w.number(len(t.nodes))
		for _, n := range t.nodes {
			if n.feature == noFeature {
				w.number(0)
				votes := t.votes[n.left:][:int(n.threshold)+1]
				w.number(len(votes))
				for _, v := range votes {
					w.b = append(w.b, v.class, v.share)
				}
				continue
			}
			w.number(int(n.feature) + 1)
			w.b = append(w.b, n.threshold)
			w.number(int(n.left))
		}
	}
}

// UnmarshalBinary decodes what MarshalBinary wrote. Invalid bytes give an error
// and leave m unchanged; a decoded model is safe to use, and memory is
// proportional to len(data). Of versions 2 to 7 only the number is
// read, so that the model is trained again and guesses by the old one are
// recognised as such.
func (m *Model) UnmarshalBinary(data []byte) error {
	d, err := readModel(data)
	if err != nil {
		return fmt.Errorf("learn: decode model: %w", err)
	}
	*m = *d
	return nil
}

func readModel(data []byte) (*Model, error) {
	for version := byte(oldVersion); version < modelVersion; version++ {
		if r, err := newReader(data, modelMagic, version); err == nil {
			m := &Model{Number: r.number(1, maxModel)}
			return m, r.err
		}
	}
	r, err := newReader(data, modelMagic, modelVersion)
	if err != nil {
		return nil, err
	}
	m := &Model{Number: r.number(1, maxModel)}
	m.Images, m.Early = r.ids(MaxExamples), r.ids(maxEarly)
	m.Choice, m.Imported, m.Saved = r.choice(), r.choice(), r.real(0, 1)
	if own := r.bytes(r.number(0, segment.MaxAffinities)); len(own) > 0 && r.err == nil {
		m.Affinities = new(affinity.Model)
		r.err = m.Affinities.UnmarshalBinary(own)
	}
	for range r.number(0, maxTrials) {
		t := trial{image: string(r.bytes(r.number(0, maxID)))}
		if t.classes = r.classes(); len(t.classes) == 0 && r.err == nil {
			r.err = fmt.Errorf("a trial without classes")
		}
		t.gates = r.gates(len(t.classes))
		t.shares = r.bytes(r.number(0, math.MaxInt32))
		m.tried = append(m.tried, t)
	}
	c := &classifier{classes: r.classes()}
	k := len(c.classes)
	if k == 0 {
		if r.err == nil && m.Choice != Off {
			r.err = fmt.Errorf("a choice without classes")
		}
		return m, r.end()
	}
	m.gates = r.gates(k)
	c.exponent = r.real(leastExponent, mostExponent)
	for stage := range c.forests {
		columns := Count
		if stage > 0 {
			columns += contextViews * min(k, contextClasses)
		}
		c.forests[stage] = r.forest(columns, k)
	}
	m.classifier = c
	return m, r.end()
}

// ids reads a list of at most most ids.
func (r *reader) ids(most int) (ids []string) {
	for range r.number(0, most) {
		if r.err != nil {
			return nil
		}
		ids = append(ids, string(r.bytes(r.number(0, maxID))))
	}
	return ids
}

func (r *reader) choice() Choice {
	return Choice{r.real(0, segment.MaxStrength), r.real(0, segment.MaxExponent), r.real(0, 1), r.real(0, segment.MaxPatience)}
}

// real reads a real number from low to high.
func (r *reader) real(low, high float64) float64 {
	b := r.bytes(8)
	if b == nil {
		return low
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if !(v >= low && v <= high) {
		r.err = fmt.Errorf("number %v, want %v to %v", v, low, high)
		return low
	}
	return v
}

// classes reads a list of distinct ids.
func (r *reader) classes() []uint8 {
	ids := r.bytes(r.number(0, 255))
	var seen [256]bool
	for _, id := range ids {
		if seen[id] && r.err == nil {
			r.err = fmt.Errorf("class %d appears twice", id)
		}
		seen[id] = true
	}
	return ids
}

func (r *reader) gates(classes int) (thresholds []float64) {
	for range classes {
		thresholds = append(thresholds, r.real(0, 1))
	}
	return thresholds
}

func (r *reader) forest(columns, classes int) *forest {
	f := &forest{columns: columns, classes: classes, trees: make([]tree, trees)}
	for i := range f.trees {
		r.tree(&f.trees[i], columns, classes)
	}
	return f
}

// tree reads a tree. Children come after their parent, so every path down ends.
func (r *reader) tree(t *tree, columns, classes int) {
	nodes := r.number(1, maxTreeNodes)
	for i := range nodes {
		if r.err != nil {
			return
		}
		feature := r.number(0, columns)
		if feature > 0 {
			threshold := r.bytes(1)
			left := r.number(i+1, nodes-2)
			if r.err == nil {
				t.nodes = append(t.nodes, node{left: uint32(left), feature: uint16(feature - 1), threshold: threshold[0]})
			}
			continue
		}
		n := r.number(1, 255)
		votes := r.bytes(2 * n)
		t.nodes = append(t.nodes, node{left: uint32(len(t.votes)), feature: noFeature, threshold: uint8(n - 1)})
		for at := 0; at+1 < len(votes); at += 2 {
			if int(votes[at]) >= classes {
				r.err = fmt.Errorf("vote for class %d of %d", votes[at], classes)
				return
			}
			t.votes = append(t.votes, vote{votes[at], votes[at+1]})
		}
	}
}
