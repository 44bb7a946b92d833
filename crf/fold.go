package crf

// Folded is a model without its clamped nodes: their edges are part of the
// unaries of their free neighbours, and parallel edges are one. It is for
// methods that change labels one by one. It holds the model's values at the
// time of folding.
type Folded struct {
	Labels   int
	Free     []int32     // free node -> node of the model, ascending
	Theta    []float64   // free nodes × labels
	Start    []int32     // the neighbours of free node i are Arcs[Start[i]:Start[i+1]]
	Arcs     []Neighbour // ascending by To within a node
	Constant float64     // energy of the clamped nodes

	all []uint8 // labels of all nodes; those of the clamped ones are set
}

// Neighbour is the other end of an edge, as seen from a free node.
type Neighbour struct {
	To   int32 // free node
	Edge int32 // number of the edge, the same from both ends
	W    float64
}

// Fold folds a valid model. O(nodes·labels + edges·log edges).
func Fold(m *Model) *Folded {
	g := newGraph(m)
	g.load(m)
	f := &Folded{
		Labels: m.Labels, Free: g.free, Theta: g.theta, Start: g.start, Constant: g.constant,
		Arcs: make([]Neighbour, len(g.arcs)), all: make([]uint8, m.Nodes),
	}
	for n, a := range g.arcs {
		f.Arcs[n] = Neighbour{a.to, a.edge, g.w[a.edge]}
	}
	for i, l := range m.Fixed {
		if l >= 0 {
			f.all[i] = uint8(l)
		}
	}
	return f
}

// Row is the unaries of free node i, shared with f.
func (f *Folded) Row(i int) []float64 { return f.Theta[i*f.Labels : (i+1)*f.Labels] }

// Around lists the neighbours of free node i, shared with f.
func (f *Folded) Around(i int) []Neighbour { return f.Arcs[f.Start[i]:f.Start[i+1]] }

// Local scores the labels of free node i, given the labels x of the free nodes.
func (f *Folded) Local(i int, x []uint8, score []float64) {
	copy(score, f.Row(i))
	for _, a := range f.Around(i) {
		score[x[a.To]] += a.W
	}
}

// Pick returns the labels of the free nodes of a labelling of all.
func (f *Folded) Pick(x []uint8) []uint8 {
	out := make([]uint8, len(f.Free))
	for i, node := range f.Free {
		out[i] = x[node]
	}
	return out
}

// Whole returns the labelling of all nodes in which the free ones have labels x.
func (f *Folded) Whole(x []uint8) []uint8 {
	out := make([]uint8, len(f.all))
	copy(out, f.all)
	for i, node := range f.Free {
		out[node] = x[i]
	}
	return out
}
