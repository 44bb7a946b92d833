package simulate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"collie/crf"
	"collie/herding"
	"collie/segment"
	"collie/segment/affinity"
	"collie/segment/engine"
	"collie/superpixels"
)

// Scene is an image as the methods see it. RGB holds the mean colour of each
// region, 0 to 1; only the paper's methods look at it. Guess, which can be nil,
// is the first guess of the image; only Collie's own sequence and the random
// walker look at it.
type Scene struct {
	Graph  *superpixels.Graph
	RGB    [][3]float64
	Coarse []int32 // region of each superpixel in a coarse division, nil without one
	Guess  *engine.Guess

	// Embedding, which can be nil, is known to the model.
	Embedding *engine.Embedding

	// Affinities are those of the model; nil for the usual ones.
	Affinities *affinity.Model

	once  sync.Once
	model *engine.Model
}

// Model is the product's evidence model of the scene, made when it is first asked
// for.
func (s *Scene) Model() *engine.Model {
	s.once.Do(func() {
		s.model = engine.NewModel(s.Graph, engine.DefaultParameters.With(s.Affinities)).Divide(s.Coarse).Embed(s.Embedding)
	})
	return s.model
}

// Prepare makes what the methods on the product's model share for some clicks of
// several classes, so that the first of them isn't timed for it.
func (s *Scene) Prepare(clicks Clicks) error {
	_, err := s.Model().Marginals(clicks.Fixed, len(clicks.Classes), clicks.Guess)
	return err
}

// Clicks puts clicks, a class or segment.Void per region, in terms of the scene's
// model and its first guess.
func (s *Scene) Clicks(clicks []uint8) Clicks {
	classes, fixed, pull := s.Model().Terms(engine.Evidence{Clicks: clicks, Guess: s.Guess})
	out := Clicks{Fixed: fixed, Guess: pull}
	for _, class := range classes {
		out.Classes = append(out.Classes, uint8(class))
	}
	return out
}

// Method turns clicks into hypotheses. Package herding/methods has more ways to do that,
// which know of models alone. The zero value of all but Name is the
// paper's choice.
type Method struct {
	Name    string // one of Methods
	Reading herding.Reading
	Solver  crf.Method // TRWS, nearly exact, or LBP, as in the paper; used by the paper's methods
	Lambda  float64    // of divmbest; 0 = 0.15
	Rate    float64    // η_p of herding-paper; 0 = 0.25
	// Rest is what is not clicked, for herding-harmonic; the others don't know it.
	Rest segment.Rest
}

// Methods are the names that a Method can have: the most probable labelling of
// the paper's model, divMbest and Herding on it; Collie's own sequence; and two
// simple ones on the same evidence, the random walker's single answer and
// random shifts of the classes.
var Methods = []string{"map", "divmbest", "herding-paper", "herding-harmonic", "random-walker", "label-bias"}

// Single reports whether the method has one answer, whatever the count.
func (m Method) Single() bool { return m.Name == "map" || m.Name == "random-walker" }

// PaperWeight is that of the paper's interactive edges: C = PaperWeight·exp(-d).
const PaperWeight = 0.15

// Hypotheses makes count hypotheses from at least one click, one class per
// region each; methods with a single answer and clicks of a single class give
// one.
func (m Method) Hypotheses(ctx context.Context, s *Scene, clicks Clicks, count int) ([][]uint8, error) {
	k := len(clicks.Classes)
	if m.Name == "herding-harmonic" && m.Rest.Mode != segment.RestNothing {
		return m.product(ctx, s, clicks, count)
	}
	if k == 1 {
		return [][]uint8{clicks.Name(make([]uint8, len(clicks.Fixed)))}, nil
	}
	var problem *herding.Problem
	var err error
	switch m.Name {
	case "map":
		problem, count = &herding.Problem{Model: Paper(s, clicks)}, 1
	case "divmbest":
		problem = herding.DivMBest(Paper(s, clicks), cmp.Or(m.Lambda, 0.15))
	case "herding-paper":
		if problem, err = herding.Paper(Paper(s, clicks), m.Reading, PaperWeight); err != nil {
			return nil, err
		}
		if m.Rate > 0 {
			problem.EtaPair = m.Rate
		}
	case "herding-harmonic":
		m := s.Model()
		if problem, err = m.Problem(clicks.Fixed, k, clicks.Guess); err != nil {
			return nil, err
		}
		return collect(ctx, m.Source(problem), clicks, count)
	case "random-walker":
		p, err := s.Model().Marginals(clicks.Fixed, k, clicks.Guess)
		if err != nil {
			return nil, err
		}
		return [][]uint8{clicks.Name(herding.RandomWalker(p, k))}, nil
	case "label-bias":
		problem, err = s.Model().Problem(clicks.Fixed, k, clicks.Guess)
		if err != nil {
			return nil, err
		}
		return collect(ctx, &herding.LabelBias{Model: problem.Model, Seed: 1}, clicks, count)
	default:
		return nil, fmt.Errorf("simulate: no method is called %q; known are %v", m.Name, Methods)
	}
	problem.Solver.Method = m.Solver
	if m.Solver == crf.Auto {
		problem.Solver.Method = crf.TRWS
	}
	return collect(ctx, problem, clicks, count)
}

// product is the sequence of the product where a project has a rest.
func (m Method) product(ctx context.Context, s *Scene, clicks Clicks, count int) ([][]uint8, error) {
	e := engine.Evidence{Clicks: make([]uint8, len(clicks.Fixed)), Rest: m.Rest, Guess: s.Guess, Shown: clicks.Shown, Since: []int32{int32(clicks.Last)}}
	for i, f := range clicks.Fixed {
		e.Clicks[i] = segment.Void
		if f >= 0 {
			e.Clicks[i] = clicks.Classes[f]
		}
	}
	return firstOf(ctx, engine.NewSequence(s.Model(), e, 0), count)
}

// firstOf returns the labels of the first hypotheses of a sequence.
func firstOf(ctx context.Context, sequence *engine.Sequence, count int) (out [][]uint8, err error) {
	for rank := range min(count, sequence.Len()) {
		h, err := sequence.At(ctx, rank)
		if err != nil {
			return nil, err
		}
		out = append(out, h.Labels)
	}
	return out, nil
}

func collect(ctx context.Context, from herding.Source, clicks Clicks, count int) ([][]uint8, error) {
	out := make([][]uint8, 0, count)
	for h, err := range from.Run(ctx, count) {
		if err != nil {
			return nil, err
		}
		out = append(out, clicks.Name(h.Labels))
	}
	return out, nil
}

// Paper is the model of the paper's interactive experiment: no unaries but the
// clicks, edges of C = 0.15·exp(-d) with d the distance of the mean colours.
func Paper(s *Scene, clicks Clicks) *crf.Model {
	edges := make([]crf.Edge, len(s.Graph.Edges))
	for i, e := range s.Graph.Edges {
		edges[i] = crf.Edge{A: e.A, B: e.B, W: PaperWeight * crf.Exp(-s.Distance(e))}
	}
	k := len(clicks.Classes)
	return &crf.Model{
		Nodes: len(clicks.Fixed), Labels: k, Unary: make([]float64, len(clicks.Fixed)*k),
		Fixed: clicks.Fixed, Edges: edges,
	}
}

// Semantic is the model of the paper's semantic experiment, still without unaries:
// edges weigh herding.SemanticEdge.
func Semantic(s *Scene, classes int) *crf.Model {
	edges := make([]crf.Edge, len(s.Graph.Edges))
	for i, e := range s.Graph.Edges {
		edges[i] = crf.Edge{A: e.A, B: e.B, W: herding.SemanticEdge(s.Distance(e))}
	}
	return &crf.Model{Nodes: len(s.Graph.Regions), Labels: classes, Edges: edges}
}

// Distance is that of the mean colours of an edge's ends, 1 between black and
// white.
func (s *Scene) Distance(e superpixels.Edge) float64 {
	d2 := 0.0
	for c, v := range s.RGB[e.A] {
		v -= s.RGB[e.B][c]
		d2 += float64(v * v)
	}
	return math.Sqrt(d2 / 3)
}
