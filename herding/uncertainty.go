package herding

import (
	"cmp"
	"slices"

	"collie/crf"
)

// What follows reads a set of hypotheses as M equally likely samples, each a
// slice of n labels below k. For Herding their means are the moments; for
// DivMBest they measure disagreement and are not calibrated.

// Marginals is the share q_i(l) of the hypotheses that give node i label l,
// n×labels row-major.
func Marginals(hypotheses [][]uint8, labels int) []float64 {
	if len(hypotheses) == 0 {
		return nil
	}
	q := make([]float64, len(hypotheses[0])*labels)
	for _, x := range hypotheses {
		for i, l := range x {
			q[i*labels+int(l)]++
		}
	}
	for i := range q {
		q[i] /= float64(len(hypotheses))
	}
	return q
}

// Entropy of each row of q (n×labels row-major) in nats.
func Entropy(q []float64, labels int) []float64 {
	h := make([]float64, len(q)/labels)
	for i := range h {
		for _, p := range q[i*labels : (i+1)*labels] {
			if p > 0 {
				h[i] -= float64(p * crf.Log(p))
			}
		}
	}
	return h
}

// Mode is the label most hypotheses give each node; ties go to the label that
// comes first in the sequence. Nil without hypotheses.
func Mode(hypotheses [][]uint8) []uint8 {
	if len(hypotheses) == 0 {
		return nil
	}
	x := make([]uint8, len(hypotheses[0]))
	for i := range x {
		var votes [256]int
		for _, h := range hypotheses {
			votes[h[i]]++
		}
		x[i] = hypotheses[0][i]
		for _, h := range hypotheses {
			if votes[h[i]] > votes[x[i]] {
				x[i] = h[i]
			}
		}
	}
	return x
}

// ExpectedWrongArea is U = Σ_i area_i·(1 - max_l q_i(l)): the area that the
// most likely labels get wrong if q (n×labels row-major) is right.
func ExpectedWrongArea(q []float64, labels int, area []float64) float64 {
	u := 0.0
	for i, a := range area {
		u += float64(a * (1 - slices.Max(q[i*labels:(i+1)*labels])))
	}
	return u
}

// Candidate is a node worth asking for.
type Candidate struct {
	Node int
	// Gain is the fall of the expected wrong area that its label brings,
	// averaged over the hypotheses: U - Σ_l q_i(l)·U(hypotheses with x_i = l).
	Gain float64
}

// NextClicks ranks the limit (0 = 200) nodes of highest area-free entropy by
// their gain, best first; nodes all hypotheses agree on are left out. The cost
// is limit·n·(M + d·k) with k labels, where the M hypotheses differ in at most d labels
// at a node.
func NextClicks(hypotheses [][]uint8, labels int, area []float64, limit int) []Candidate {
	if len(hypotheses) == 0 {
		return nil
	}
	if limit == 0 {
		limit = 200
	}
	q := Marginals(hypotheses, labels)
	entropy := Entropy(q, labels)
	var nodes []int
	for i, h := range entropy {
		if h > 0 {
			nodes = append(nodes, i)
		}
	}
	slices.SortStableFunc(nodes, func(i, j int) int { return cmp.Compare(entropy[j], entropy[i]) })
	nodes = nodes[:min(limit, len(nodes))]
	u := ExpectedWrongArea(q, labels, area)
	votes := newBallot(len(area), labels)
	out := make([]Candidate, 0, len(nodes))
	for _, i := range nodes {
		gain := u
		for l := range labels {
			if q[i*labels+l] > 0 {
				gain -= float64(q[i*labels+l] * votes.wrongArea(hypotheses, i, uint8(l), area))
			}
		}
		out = append(out, Candidate{i, gain})
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(b.Gain, a.Gain) })
	return out
}

// ballot counts labels per node.
type ballot struct {
	labels int
	count  []int32
}

func newBallot(n, labels int) *ballot { return &ballot{labels, make([]int32, n*labels)} }

// wrongArea is U over the hypotheses that give a node a label.
func (b *ballot) wrongArea(hypotheses [][]uint8, node int, label uint8, area []float64) float64 {
	clear(b.count)
	count, labels := b.count, b.labels // once, not after each vote again
	cast := 0
	for _, x := range hypotheses {
		if x[node] != label {
			continue
		}
		cast++
		node := 0
		for _, l := range x {
			count[node+int(l)]++
			node += labels
		}
	}
	u := 0.0
	for i, a := range area {
		top := int32(0)
		for _, c := range b.count[i*b.labels : (i+1)*b.labels] {
			top = max(top, c) // slices.Max takes longer
		}
		u += float64(a * (1 - float64(top)/float64(cast)))
	}
	return u
}
