package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"collie/crf"
	"collie/herding"
	"collie/segment/affinity"
	"collie/superpixels"
)

// whole is what the model of an undivided cut keeps for those of its divisions,
// see Divided.
type whole struct {
	hierarchy *superpixels.Hierarchy
	cells     *superpixels.Graph
	cut       *superpixels.Cut
	graph     *superpixels.Graph // of the cut
	order     func() []int32     // in which the cells would be eliminated

	cache      *Cache       // nil: everything is remembered
	remembered atomic.Int64 // bytes of the similarities that were last counted

	mu      sync.Mutex // guards the rest
	parts   *affinity.Cells
	borders map[[2]int32]border // by the parties on both sides, at most three per edge of cells
}

// newWhole returns what a model of a cut keeps; graph is that of the cut.
func newWhole(h *superpixels.Hierarchy, cells *superpixels.Graph, cut *superpixels.Cut, graph *superpixels.Graph) *whole {
	w := &whole{hierarchy: h, cells: cells, cut: cut, graph: graph, borders: map[[2]int32]border{}}
	w.order = sync.OnceValue(func() []int32 {
		edges := make([]crf.Edge, len(cells.Edges))
		for i, e := range cells.Edges {
			edges[i] = crf.Edge{A: e.A, B: e.B}
		}
		return herding.EliminationOrder(len(cells.Regions), edges)
	})
	return w
}

// border is what follows from the parties on both sides of it.
type border struct {
	conductance float64
	odds        float32 // that two classes meet there
}

// Divided returns the model of a cut that Cut.Divide made from the one that m is
// of, for which ModelOf made m. If the parameters are Local its affinities are
// those of m but at borders and for pairs of divided superpixels, and whatever m
// and models of other divisions have computed is not computed again: the cost of
// a click depends on what it divides.
func (m *Model) Divided(cut *superpixels.Cut) *Model {
	w := m.whole
	if cut.N == w.cut.N {
		return m
	}
	if !m.Local {
		return ModelOf(w.hierarchy, w.cells, cut, m.Parameters)
	}
	graph := w.cells.Divided(w.graph, cut)
	d := &division{m: m, cut: cut, cell: graph.Cell}
	out := describe(graph.Graph, m.Parameters)
	d.edges = sync.OnceValue(func() *measured {
		edges := d.measure(graph)
		graph = nil // not needed any more
		return edges
	})
	out.affinities = func() affinities { return d }
	out.borders = func() borders { return d.edges().borders }
	out.walker = sync.OnceValues(func() (*herding.Harmonic, error) {
		walker, err := m.walker()
		if err != nil {
			return nil, err
		}
		return herding.NewHarmonicIn(d.order(walker.Order()), d.conductances())
	})
	out.regions = make([]int32, cut.N)
	copy(out.regions, m.regions)
	for r, cell := range d.cell {
		if cell >= 0 {
			out.regions[r] = m.regions[w.cut.Parent[cell]]
		}
	}
	out.shells = func(superpixel int) []int32 { return w.hierarchy.Shells(cut, superpixel) }
	return out
}

// division has the affinities of the divided superpixels of a model.
type division struct {
	m     *Model // of the undivided ones
	cut   *superpixels.Cut
	cell  []int32 // that each superpixel is, or -1
	edges func() *measured
}

// measured is what a division knows of its superpixels and edges.
type measured struct {
	parties      []int32 // of the superpixels
	places       []int32 // of the parties, see affinity.Cells
	conductances []crf.Edge
	borders
}

func (d *division) measure(g *superpixels.Divided) *measured {
	w, edges := d.m.whole, g.Graph.Edges
	conductances, odds := d.m.conductances(), d.m.borders().odds
	w.mu.Lock()
	defer w.mu.Unlock()
	out := &measured{parties: d.parties(), conductances: make([]crf.Edge, len(edges))}
	out.places = d.m.cells().Places(out.parties)
	ofEdges := make([]float32, len(edges))
	for i, from := range g.From {
		if from >= 0 {
			out.conductances[i], ofEdges[i] = conductances[from], odds[from]
			continue
		}
		e := &edges[i]
		b := d.border(e, out.parties[e.A], out.parties[e.B])
		out.conductances[i], ofEdges[i] = crf.Edge{A: e.A, B: e.B, W: b.conductance}, b.odds
	}
	out.borders = d.m.weigh(out.conductances, g.Graph)
	out.odds = ofEdges
	return out
}

// parties numbers the superpixels as affinity.Cells does. The caller holds the
// lock.
func (d *division) parties() []int32 {
	out := make([]int32, len(d.cell))
	for r, cell := range d.cell {
		if out[r] = int32(r); cell >= 0 {
			out[r] = d.m.cells().Part(cell)
		}
	}
	return out
}

// border is what follows from the border between two parties. The caller holds
// the lock.
func (d *division) border(e *superpixels.Edge, a, b int32) border {
	w := d.m.whole
	key := [2]int32{min(a, b), max(a, b)}
	if known, ok := w.borders[key]; ok {
		return known
	}
	odds := d.m.cells().Edge(e, a, b)
	made := border{d.m.learned(e, odds), contourOdds(e)}
	w.borders[key] = made
	return made
}

// cells are the predictions for parts of superpixels. The caller holds the lock.
func (m *Model) cells() *affinity.Cells {
	if m.whole.parts == nil {
		m.whole.parts = m.affinities().(*undivided).field.Cells(m.whole.cells, m.whole.cut.Parent, m.alike, m.whole.cache.most())
	}
	return m.whole.parts
}

// RememberIn makes a cache bound what m, which is from ModelOf, and its divisions
// remember; nil does not. It returns m and comes before everything else, as Divide.
func (m *Model) RememberIn(c *Cache) *Model {
	m.whole.cache = c
	return m
}

// Remembered is how many bytes the similarities take that m and its divisions
// remember, roughly; m is from ModelOf.
func (m *Model) Remembered() int { return int(m.whole.remembered.Load()) }

// used counts what m remembers when it was just looked up. The caller holds none of its
// locks.
func (m *Model) used() {
	w := m.whole
	w.mu.Lock()
	n := w.parts.Bytes()
	w.mu.Unlock()
	w.remembered.Store(int64(n))
	if w.cache != nil {
		w.cache.use(m, n)
	}
}

// forget drops what m remembers, but not what is being looked up.
func (m *Model) forget() {
	w := m.whole
	w.remembered.Store(0)
	if w.mu.TryLock() {
		defer w.mu.Unlock()
		w.parts.Forget()
	}
}

// undivided has the affinities of a model that can be divided. It and its divisions share
// what they remember.
type undivided struct {
	*learned
	m *Model
}

func (u *undivided) similarity(i int, room []float64) []float64 {
	return u.m.similarity(int32(i), u.places(), room)
}

func (u *undivided) clicks(fixed []int16, k int) *comparison {
	places := u.places()
	return u.m.sums(fixed, k, places, places)
}

// places are those of the superpixels, and their parties: they come first.
func (u *undivided) places() []int32 {
	places := make([]int32, len(u.graph.Regions))
	for i := range places {
		places[i] = int32(i)
	}
	return places
}

// similarity is affinity.Cells.Similarities.
func (m *Model) similarity(party int32, places []int32, room []float64) []float64 {
	defer m.used()
	m.whole.mu.Lock()
	defer m.whole.mu.Unlock()
	return m.cells().Similarities(room, party, places)
}

// sums is affinities.clicks of superpixels that are parties at places. Others can use
// the model while nothing is added.
func (m *Model) sums(fixed []int16, k int, parties, places []int32) *comparison {
	var clicks []affinity.Clicked
	for i, f := range fixed {
		if f >= 0 {
			clicks = append(clicks, affinity.Clicked{Party: parties[i], Label: int(f)})
		}
	}
	m.whole.mu.Lock()
	defer m.whole.mu.Unlock()
	sum := m.cells().Sum(clicks, k)
	add := func(enough func() bool) (left bool) {
		defer m.used()
		m.whole.mu.Lock()
		defer m.whole.mu.Unlock()
		for left = sum.Next(); left && !enough(); left = sum.Next() {
		}
		return left
	}
	return &comparison{add, func() *alike {
		of, each := sum.At(places)
		return &alike{k, of, each}
	}}
}

func (d *division) conductances() []crf.Edge { return d.edges().conductances }

func (d *division) similarity(i int, room []float64) []float64 {
	edges := d.edges()
	return d.m.similarity(edges.parties[i], edges.places, room)
}

func (d *division) clicks(fixed []int16, k int) *comparison {
	edges := d.edges()
	return d.m.sums(fixed, k, edges.parties, edges.places)
}

// order is one in which the superpixels can be eliminated with little fill-in. As
// long as few are divided that is the order of the undivided ones, with the cells of
// each in its place, then that of the cells, with each superpixel in the place of its
// last one.
func (d *division) order(undivided []int32) []int32 {
	w := d.m.whole
	if d.cut.N > 2*w.cut.N {
		return d.byCells()
	}
	parts := make([][]int32, w.cut.N)
	for r := w.cut.N; r < d.cut.N; r++ {
		of := w.cut.Parent[d.cell[r]]
		parts[of] = append(parts[of], int32(r))
	}
	order := make([]int32, 0, d.cut.N)
	for _, r := range undivided {
		order = append(append(order, r), parts[r]...)
	}
	return order
}

func (d *division) byCells() []int32 {
	at, order, placed := d.cut.N, make([]int32, d.cut.N), make([]bool, d.cut.N)
	for _, cell := range slices.Backward(d.m.whole.order()) {
		if r := d.cut.Parent[cell]; !placed[r] {
			placed[r] = true
			at--
			order[at] = r
		}
	}
	return order
}
