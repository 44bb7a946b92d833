package affinity

import (
	"slices"

	"collie/crf"
	"collie/superpixels"
)

// Field is a model's predictions for a scene. It is immutable and safe for
// concurrent use.
type Field struct {
	scene *Scene
	model *Model
	edges []float64 // log odds
	costs []float64 // -ln of the probability of one class
	more  Evidence  // or nil
}

// Evidence is what else says whether two parties are of one class: it is added to
// their log odds. Regions of the field and, with Cells, parts of them have the
// numbers that Cells gives them.
type Evidence interface {
	Border(a, b int32) float64 // of the two sides of a border
	Pair(a, b int32) float64   // of any two
}

// With returns the field with more evidence. Paths are those without it.
func (f *Field) With(more Evidence) *Field {
	out := *f
	out.more, out.edges = more, slices.Clone(f.edges)
	for i := range out.edges {
		e := &f.scene.graph.Edges[i]
		out.edges[i] = clamped(f.edges[i] + more.Border(e.A, e.B))
	}
	return &out
}

// pair is the log odds of two parties by the model and by whatever else is known.
func (f *Field) pair(a, b int32, features []float32) float32 {
	odds := f.model.Pair.Logit(features)
	if f.more == nil {
		return odds
	}
	return float32(clamped(float64(odds) + f.more.Pair(a, b)))
}

func clamped(logit float64) float64 { return min(max(logit, -mostLogit), mostLogit) }

// Field applies the model to a graph that knows its Merges.
func (m *Model) Field(g *superpixels.Graph) *Field {
	f := &Field{scene: NewScene(g), model: m, edges: make([]float64, len(g.Edges))}
	features := make([]float32, len(EdgeFeatures))
	transport := m.Edge.costly().transport
	for i := range f.edges {
		f.scene.edgeOf(features, i, transport)
		f.edges[i] = float64(m.Edge.Logit(features))
	}
	f.costs = Costs(f.edges)
	f.scene = f.scene.withoutEdges()
	return f
}

// Costs are those of borders with the given log odds, -ln of the probability
// that both sides are of one class.
func Costs(logits []float64) []float64 {
	costs := make([]float64, len(logits))
	for i, l := range logits {
		costs[i] = crf.Log(1 + crf.Exp(-l))
	}
	return costs
}

// Edges returns the log odds that the regions of each edge are of one class,
// from -mostLogit to mostLogit. They are shared.
func (f *Field) Edges() []float64 { return f.edges }

// Pairs returns the log odds that region i and each other one are of one class;
// with itself they are mostLogit. The caller owns the slice.
func (f *Field) Pairs(i int) []float32 {
	out := make([]float32, len(f.scene.regions))
	f.scene.pairs(i, f.costs, f.model.Pair.costly(), func(j int, features []float32) { out[j] = f.pair(int32(i), int32(j), features) })
	out[i] = mostLogit
	return out
}

// Cells extends a field to parts of its regions, so that some of them can be
// divided. The log odds depend on the two parties alone, whatever else is divided;
// paths are those between the regions that parts are in. A party is a region of the
// field or, with the number Part(cell), a region of a finer graph. What was computed
// is kept for further calls. Not for concurrent use.
type Cells struct {
	field    *Field
	graph    *superpixels.Graph
	of       []int32 // region of each cell
	borders  borders
	looks    []*appearance // of the cells; nil for those that weren't needed
	features []float32     // scratch
	pairs    pairing       // scratch

	similarity func(odds float32) float64

	routes  routes           // scratch
	paths   *Kept[[]int32]   // last edges of those from some regions
	columns *Kept[[]float64] // similarities of a party and others, by place
	most    int              // similarities in them
	parties []int32          // by place: regions first, then cells in the order in which they are first asked for
	places  []int32          // of the cells, -1 for one that wasn't asked for
}

// Cells extends the field to the regions of a finer graph; cell i is in region
// of[i] of the field's. similarity is what follows from the log odds that two
// parties are of one class. At most so many similarities are kept, and paths that
// take half of their memory.
func (f *Field) Cells(g *superpixels.Graph, of []int32, similarity func(odds float32) float64, most int) *Cells {
	c := &Cells{
		field: f, graph: g, of: of, similarity: similarity, borders: bordersOf(g), looks: make([]*appearance, len(g.Regions)),
		features: make([]float32, max(len(EdgeFeatures), len(PairFeatures))),
		paths:    NewKept[[]int32](most / len(f.scene.regions)), columns: NewKept[[]float64](1), most: most,
		places: slices.Repeat([]int32{-1}, len(g.Regions)),
	}
	for region := range f.scene.regions {
		c.parties = append(c.parties, int32(region))
	}
	return c
}

// Forget drops what is kept of similarities and paths, which further calls compute again.
func (c *Cells) Forget() {
	c.columns.Clear()
	c.paths.Clear()
}

// Bytes is how much memory what Forget would drop takes, roughly.
func (c *Cells) Bytes() int {
	return 9*c.columns.Len()*len(c.parties) + 4*c.paths.Len()*len(c.field.scene.regions)
}

// Part is the party that a cell is.
func (c *Cells) Part(cell int32) int32 { return int32(len(c.field.scene.regions)) + cell }

// party returns the party of the given number.
func (c *Cells) party(number int32) party {
	s := c.field.scene
	n := int32(len(s.regions))
	if number < n {
		return s.party(number)
	}
	cell := number - n
	look, region := c.look(number)
	return party{
		appearance: look, region: region, part: true, id: cell,
		graph: c.graph, of: c.of, borders: c.borders.of(cell),
	}
}

// look returns what a party of the given number looks like, and the region that it
// is or is part of.
func (c *Cells) look(number int32) (look *appearance, region int32) {
	s := c.field.scene
	cell := number - int32(len(s.regions))
	if cell < 0 {
		return &s.regions[number], number
	}
	if c.looks[cell] == nil {
		c.looks[cell] = &appearances(c.graph.Regions[cell : cell+1])[0]
	}
	return c.looks[cell], c.of[cell]
}

// Edge returns the log odds that the two parties a and b of a border are of one
// class.
func (c *Cells) Edge(e *superpixels.Edge, a, b int32) float64 {
	s := c.field.scene
	p, q := c.party(a), c.party(b)
	s.edge(c.features, e, handMade(e), p.histograms(q.appearance), &p, &q, c.field.model.Edge.costly().transport)
	odds := float64(c.field.model.Edge.Logit(c.features[:len(EdgeFeatures)]))
	if c.field.more != nil {
		odds = clamped(odds + c.field.more.Border(a, b))
	}
	return odds
}

// Places returns where the similarities to parties are kept, for Similarities and
// Sum.At.
func (c *Cells) Places(parties []int32) []int32 {
	out := make([]int32, len(parties))
	for i, party := range parties {
		out[i] = c.place(party)
	}
	return out
}

// Similarities returns the similarities of a party and those at some places. It
// uses the memory of dst if that has room.
func (c *Cells) Similarities(dst []float64, party int32, places []int32) []float64 {
	column := c.column(party)
	out := slices.Grow(dst[:0], len(places))[:len(places)]
	for i, place := range places {
		out[i] = column[place]
	}
	return out
}

// column returns the similarities of a party and those at all places. Some of them may
// not be asked for any more, but to find out which would take as long as computing
// them, because each click needs the columns of all others.
func (c *Cells) column(party int32) []float64 {
	column, _ := c.columns.Get(party)
	known, count := len(column), len(c.parties)
	if known == count {
		return column
	}
	if cap(column) < count { // append would leave more room, in each of many columns
		column = append(make([]float64, 0, count+count/8), column...)
	}
	look, region := c.look(party)
	c.pairs.start(c.field.scene, region, look, c.field.model.Pair.costly())
	c.routes.start(region, c.pathsFrom(region))
	for _, other := range c.parties[known:] {
		column = append(column, c.pair(party, other))
	}
	c.columns.Limit(c.most / count)
	c.columns.Put(party, column)
	return column
}

// pair computes the similarity of two parties; c.pairs and c.routes are those of the
// first.
func (c *Cells) pair(party, other int32) float64 {
	if other == party {
		return c.similarity(mostLogit)
	}
	look, region := c.look(other)
	c.pairs.to(c.features, region, look, c.pairs.merged(region))
	c.routes.to(c.field.scene, region, c.field.costs).write(c.features[beforePath:])
	return c.similarity(c.field.pair(party, other, c.features[:len(PairFeatures)]))
}

// pathsFrom returns the last edges of the cheapest ways from a region.
func (c *Cells) pathsFrom(region int32) []int32 {
	last, ok := c.paths.Get(region)
	if !ok {
		_, last = c.field.scene.cheapest(int(region), c.field.costs)
		c.paths.Put(region, last)
	}
	return last
}

// place is that of a party in a column.
func (c *Cells) place(party int32) int32 {
	cell := party - int32(len(c.field.scene.regions))
	if cell < 0 {
		return party
	}
	if c.places[cell] < 0 {
		c.places[cell] = int32(len(c.parties))
		c.parties = append(c.parties, party)
	}
	return c.places[cell]
}
