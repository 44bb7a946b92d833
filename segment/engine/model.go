// Package engine turns evidence into hypotheses: it builds a Herding problem
// from a superpixel graph, the clicks on it and a first guess. Its solutions
// are the deterministic sequence of labellings that people choose from.
package engine

import (
	"image"
	"slices"
	"sync"

	"collie/crf"
	"collie/herding"
	"collie/herding/diverse"
	"collie/segment/affinity"
	"collie/segment/chooser"
	"collie/superpixels"
)

// Parameters say how a superpixel graph and the clicks on it become a
// conditional random field and the moments that Herding follows: harmonic
// moments, the probabilities of a random walker that stops at the clicks.
//
// The walker crosses a border with a conductance. At every superpixel it can
// also jump to a click that looks similar, see appearance, and to other
// evidence for a class there: the first guess, the rest, a box, a pick. With
// Affinities, conductances and similarities follow from the log odds z that two
// superpixels are of one class:
//
//	conductance = min(exp(Odds·z + Offset) · length^Length, Most · that of HandMade) + Floor,
//	similarity    = min(1, exp(Steep·(z - Sure))).
//
// Most is for images that are nothing like those that the affinities were
// learned from. Without Affinities, formulas that were set by hand are used:
//
//	conductance = length^Length · (texture+½)^Texture / ((contour+½)^Contour · (ΔE+½)^Colour) · exp(-Pattern·χ²) + Floor,
//	similarity    = exp(-½d²),
//
// with χ² the distance of the two texture histograms, so a contour counts in
// relation to the texture around it, and d the distance between their features.
type Parameters struct {
	Method     string          `json:"method"`
	Affinities *affinity.Model `json:"-"`
	Number     string          `json:"affinities,omitempty"` // of Affinities

	Length float64 `json:"length"` // exponent of a border's length
	Floor  float64 `json:"floor"`  // lets evidence reach everything

	Odds   float64 `json:"odds,omitempty"` // of learned affinities
	Offset float64 `json:"offset,omitempty"`
	Most   float64 `json:"most,omitempty"`
	Steep  float64 `json:"steep,omitempty"`
	Sure   float64 `json:"sure,omitempty"`

	Texture float64 `json:"texture,omitempty"` // of those set by hand
	Contour float64 `json:"contour,omitempty"`
	Colour  float64 `json:"colour,omitempty"`
	Pattern float64 `json:"pattern,omitempty"`
	Alike   float64 `json:"alike,omitempty"` // distance of appearance, in ΔE, at which similarity falls to e^-½
	Reach   float64 `json:"reach,omitempty"` // the same in the image, in parts of its diagonal

	Jump     float64 `json:"jump"`     // largest conductance towards clicks that look alike
	Doubtful float64 `json:"doubtful"` // sum of similarities at which half of Jump is given
	Rest     float64 `json:"rest"`     // the same towards the rest, at the image's border
	Outside  float64 `json:"outside"`  // the same outside a box, where nothing is guessed
	Inside   float64 `json:"inside"`   // the same inside a box, towards its class
	Clicked  float64 `json:"clicked"`  // the same once something is clicked
	Beside   float64 `json:"beside"`   // the same right beside a click
	Hold     float64 `json:"hold"`     // the same towards the class of a pick

	First   *chooser.Chooser `json:"-"`                 // of extents; nil: a first click means what the evidence says
	Extents string           `json:"extents,omitempty"` // number of First

	Chooser     *chooser.Chooser `json:"-"`                     // of corrections; nil: they are what the evidence says
	Corrections string           `json:"corrections,omitempty"` // number of Chooser

	Stack   *chooser.Chooser `json:"-"`               // corrects the walker, see stacker; nil: nothing does
	Stacked string           `json:"stack,omitempty"` // number of Stack

	// Local lets a superpixel that clicks divide keep the affinities between all
	// others as they are. Older sequences have it false.
	Local bool `json:"local,omitempty"`

	Potts     float64 `json:"potts"`      // weight of a border is Potts·c/(c+Weak), c its conductance
	Weak      float64 `json:"weak"`       //
	RateUnary float64 `json:"rate_unary"` // Herding's step on the unaries
	RateArea  float64 `json:"rate_area"`  // Herding's step on the classes' shares of the area

	RateRegion float64 `json:"rate_region"` // the same within each region of the division

	// Pool is how many of Herding's hypotheses the first ones are chosen from,
	// together with forced regions, see diverse.Strip, and Steps how many steps of
	// Herding one of them takes at most. Older records have no steps: Herding took up
	// to eight, each with message passing before the cuts.
	Pool  int `json:"pool,omitempty"`
	Steps int `json:"steps,omitempty"`
}

// DefaultParameters are those of every sequence, unless the server is given
// another model or an experiment sets them before it starts.
var DefaultParameters = Learned(affinity.Default())

// Learned returns the parameters for learned affinities.
func Learned(m *affinity.Model) Parameters {
	p := HandMade.With(m)
	p.Texture, p.Contour, p.Colour, p.Pattern, p.Alike, p.Reach = 0, 0, 0, 0, 0, 0
	p.Length, p.Odds, p.Offset, p.Most, p.Steep, p.Sure = 0.8, 2.6, -14, 10, 4, 3
	p.Jump, p.Doubtful, p.Rest = 4e-3, 15e-3, 3e-2
	p.RateUnary, p.RateArea = 0.6, 2
	p.Stack, p.Stacked = &chooser.Stack, chooser.Stack.Number()
	p.Local = true
	return p
}

// With returns the parameters with other affinities; nil leaves those that there are.
func (p Parameters) With(m *affinity.Model) Parameters {
	if m != nil {
		p.Affinities, p.Number = m, m.Number()
	}
	return p
}

// HandMade are the parameters without learned affinities. Graphs without Merges,
// as they were stored before there were learned affinities, get these.
var HandMade = Parameters{
	Method: "herding-harmonic",
	Length: 1, Texture: 2.9, Contour: 3, Colour: 1.8, Pattern: 2, Floor: 4e-6,
	Jump: 3e-3, Alike: 6, Reach: 0.15, Doubtful: 0.065,
	Rest: 1e-2, Outside: 0.3, Inside: 3e-2, Clicked: 1e-3, Beside: 1e-2, Hold: 1e-2,
	First: &chooser.Extents, Extents: chooser.Extents.Number(),
	Chooser: &chooser.Corrections, Corrections: chooser.Corrections.Number(),
	Potts: 1, Weak: 0.01,
	RateUnary: 0.2, RateArea: 1, RateRegion: 1, Pool: 20, Steps: 3,
}

// Model is the evidence model of one superpixel graph: clicks go in, Herding
// problems come out. What all clicks share is made once, when it is first
// needed. Safe for concurrent use.
type Model struct {
	Parameters
	size    image.Point // of the image
	shares  []float64   // part of the whole area that each superpixel has
	regions []int32     // region of each superpixel, nil without a division
	rim     []bool      // superpixels at the image's border
	centres [][2]float32
	bounds  []image.Rectangle
	colours []colours
	borders func() borders
	around  func() [][]int32 // neighbours of each superpixel
	// shells tells for a superpixel the regions of the merge hierarchy around it,
	// see superpixels.Hierarchy.Shells; nil without a hierarchy.
	shells func(superpixel int) []int32

	whole     *whole     // of an undivided cut that ModelOf was given
	embedding *Embedding // or nil

	affinities   func() affinities
	conductances func() []crf.Edge

	mu     sync.Mutex // guards the walker, which works on memory of its own
	walker func() (*herding.Harmonic, error)
}

// borders describes the edges of the graph.
type borders struct {
	weights []crf.Edge // Potts edges
	length  []float32  // pixel sides
	odds    []float32  // log odds that two classes meet there
}

// affinities are what an image says of its superpixels before any click.
type affinities interface {
	// conductances are those of the borders.
	conductances() []crf.Edge
	// similarity of each superpixel and a given one, 0..1. It may use the memory of
	// room; the slice is shared and valid until room is used again.
	similarity(i int, room []float64) []float64
	// clicks begins to sum the similarities to all clicks, in the order of their
	// superpixels. fixed and k are as in Problem.
	clicks(fixed []int16, k int) *comparison
}

// NewModel returns the model of a graph, which must not change any more. A graph
// without Merges gets the parameters HandMade.
func NewModel(g *superpixels.Graph, p Parameters) *Model {
	if g.Merges == nil && p.Affinities != nil {
		p = HandMade
	}
	m := describe(g, p)
	m.affinities = sync.OnceValue(func() affinities {
		if p.Affinities == nil {
			return newHandMade(g, &p)
		}
		return newLearned(g, &p, m.embedding)
	})
	m.conductances = sync.OnceValue(func() []crf.Edge { return m.affinities().conductances() })
	m.borders = sync.OnceValue(func() borders { return p.borders(m.conductances(), g) })
	m.walker = sync.OnceValues(func() (*herding.Harmonic, error) {
		return herding.NewHarmonic(len(g.Regions), m.conductances())
	})
	return m
}

// describe returns a model without affinities and what follows from them: the positions,
// bounds and colours of the superpixels.
func describe(g *superpixels.Graph, p Parameters) *Model {
	m := &Model{Parameters: p, shares: g.Shares()}
	m.around = sync.OnceValue(func() [][]int32 { return neighbours(len(m.shares), m.borders().weights) })
	n := len(g.Regions)
	m.centres, m.bounds, m.colours, m.rim = make([][2]float32, n), make([]image.Rectangle, n), make([]colours, n), make([]bool, n)
	for i := range g.Regions {
		b := g.Regions[i].Bounds.Rect()
		m.size.X, m.size.Y = max(m.size.X, b.Max.X), max(m.size.Y, b.Max.Y)
		m.centres[i], m.bounds[i], m.colours[i] = g.Regions[i].Centroid, b, g.Regions[i].Colours
	}
	for i, b := range m.bounds {
		m.rim[i] = b.Min.X == 0 || b.Min.Y == 0 || b.Max.X == m.size.X || b.Max.Y == m.size.Y
	}
	return m
}

// ModelOf returns the model of a cut of a hierarchy, whose finest regions cells
// describes, with the division and the shells that the hierarchy has. Divided
// returns those of its divisions.
func ModelOf(h *superpixels.Hierarchy, cells *superpixels.Graph, cut *superpixels.Cut, p Parameters) *Model {
	g := cells.Coarsen(cut.Parent, cut.N)
	m := NewModel(g, p).Divide(h.LevelOf(cut, Regions(cut.N)))
	m.shells = func(superpixel int) []int32 { return h.Shells(cut, superpixel) }
	m.whole = newWhole(h, cells, cut, g)
	if m.Local {
		alone := m.affinities
		m.affinities = sync.OnceValue(func() affinities { return &undivided{alone().(*learned), m} })
	}
	return m
}

// Prepare computes what all clicks share, which otherwise the first one waits for.
func (m *Model) Prepare() {
	m.borders()
	m.walker() // its error comes again with the first hypothesis
	if m.whole != nil && m.Local {
		m.whole.mu.Lock()
		defer m.whole.mu.Unlock()
		m.cells()
	}
}

// Regions is how many regions a number of superpixels is divided into, see Divide.
func Regions(superpixels int) int { return min(superpixels, max(2, superpixels/60)) }

// Divide lets hypotheses meet the area moments of regions, too: of[i] is the
// region of superpixel i in a coarse division of the image, a level of the
// superpixel hierarchy with about Regions of them. Then whole parts of the image
// change their class together. It returns m and comes before everything else.
func (m *Model) Divide(of []int32) *Model {
	m.regions = of
	return m
}

// Problem builds the Herding problem of an image with at least two classes in
// play: fixed holds, per superpixel, the index of the clicked class among the k
// classes in play, or -1. pull, which may be nil, draws the walker of each
// superpixel towards classes.
func (m *Model) Problem(fixed []int16, k int, pull *herding.Prior) (*herding.Problem, error) {
	return m.problem(m.affinities().clicks(fixed, k).all(), fixed, k, pull, pull == nil)
}

// problem is Problem with what the comparison with the clicks says. The stack corrects the
// walker if it is asked.
func (m *Model) problem(a *alike, fixed []int16, k int, pull *herding.Prior, askStack bool) (*herding.Problem, error) {
	marginals, err := m.marginals(a, fixed, k, pull)
	if err != nil {
		return nil, err
	}
	if m.Stack != nil && askStack {
		if s := m.stacker(marginals, a, fixed, k); s != nil {
			s.correct(m.Stack)
		}
	}
	options := herding.PosteriorOptions{EtaUnary: m.RateUnary, EtaArea: m.RateArea, Area: m.shares}
	if m.regions != nil {
		options.Regions, options.EtaRegion = m.regions, m.RateRegion
	}
	problem, err := herding.Posterior(marginals, k, fixed, m.borders().weights, options)
	if err != nil {
		return nil, err
	}
	problem.Solver.Sweeps, problem.Later = firstSweeps, crf.Options{Method: crf.Cuts, Cycles: 1}
	return problem, nil
}

// Source is the sequence of a problem that the model made: Herding, and where
// the image is divided forced regions among its hypotheses.
func (m *Model) Source(p *herding.Problem) herding.Source {
	if m.regions == nil {
		return p
	}
	return m.strip(p)
}

func (m *Model) strip(p *herding.Problem) *diverse.Strip {
	return &diverse.Strip{Problem: p, Group: m.regions, Pool: m.Pool, Steps: m.Steps}
}

// start is the first state of Source.
func (m *Model) start(p *herding.Problem) (herding.Stepper, error) {
	if m.regions == nil {
		return herding.NewSequence(p)
	}
	return m.strip(p).Start()
}

// firstSweeps of message passing are enough where unaries are dense: tree moves
// finish the rest sooner than further sweeps would.
const firstSweeps = 10

// Marginals returns the probabilities of the k classes in play at each
// superpixel, row-major, for clicks and a pull as in Problem. The cost is that of a
// sparse factorisation and of superpixels × clicks similarities.
func (m *Model) Marginals(fixed []int16, k int, pull *herding.Prior) ([]float64, error) {
	return m.marginals(m.affinities().clicks(fixed, k).all(), fixed, k, pull)
}

func (m *Model) marginals(a *alike, fixed []int16, k int, pull *herding.Prior) ([]float64, error) {
	prior := m.jumps(fixed, a)
	join(prior, pull, k)
	m.mu.Lock()
	defer m.mu.Unlock()
	walker, err := m.walker()
	if err != nil {
		return nil, err
	}
	return walker.Solve(nil, k, fixed, prior)
}

// borders weighs the edges of a graph.
func (p *Parameters) borders(conductances []crf.Edge, g *superpixels.Graph) borders {
	b := p.weigh(conductances, g)
	b.odds = make([]float32, len(g.Edges))
	for i := range g.Edges {
		b.odds[i] = contourOdds(&g.Edges[i])
	}
	return b
}

// weigh is borders without the odds.
func (p *Parameters) weigh(conductances []crf.Edge, g *superpixels.Graph) borders {
	b := borders{weights: slices.Clone(conductances), length: make([]float32, len(g.Edges))}
	for i := range g.Edges {
		w := &b.weights[i].W
		*w = p.Potts * *w / (*w + p.Weak)
		b.length[i] = float32(g.Edges[i].Length)
	}
	return b
}

// contourOdds are the log odds that two classes meet at an edge, by a logistic
// regression on 481,000 borders of PASCAL VOC.
func contourOdds(e *superpixels.Edge) float32 {
	return float32(float64(1.10*crf.Log(float64(e.Contour)+0.5)) + float64(0.71*crf.Log(float64(e.DeltaE)+0.5)) -
		float64(1.06*crf.Log(float64(e.Texture)+0.5)) - 5.43)
}

func neighbours(n int, edges []crf.Edge) [][]int32 {
	degree := make([]int32, n)
	for _, e := range edges {
		degree[e.A]++
		degree[e.B]++
	}
	out, room := make([][]int32, n), make([]int32, 2*len(edges))
	for i, d := range degree {
		out[i], room = room[:0:d], room[d:]
	}
	for _, e := range edges {
		out[e.A] = append(out[e.A], e.B)
		out[e.B] = append(out[e.B], e.A)
	}
	return out
}
