package learn

import (
	"context"
	"slices"

	"collie/segment/affinity"
	"collie/segment/engine"
	"collie/segment/simulate"
)

// Model is a project's model. Immutable; safe for concurrent use.
type Model struct {
	Number int      // counts the project's models, including this one
	Images []string // ids of the images it has learned from, in the order in which they were finished
	Early  []string // ids of finished images before these, too many to learn from
	Choice Choice

	// Saved is the share of the actions that guesses of this strength save a simulated
	// annotator on images that the model had not learned from; 0 without guesses.
	Saved float64

	// Imported is the strength of imported scores; Off while too few finished
	// images have had any.
	Imported Choice

	// Affinities are the project's own; nil while the usual ones are about as good.
	Affinities *affinity.Model

	*classifier           // nil when there was too little to learn
	gates       []float64 // per class
	tried       []trial   // latest last
}

// trial is the prediction for an image before it was learned from, for all
// classes of the model at that time.
type trial struct {
	image   string
	classes []uint8
	gates   []float64
	shares  []uint8 // superpixels × classes; 255 means 1
}

// maxTrials is how many of the latest trials the choice of strength uses.
const maxTrials = 12

// Train learns from finished images, in the order in which they were finished.
// before is the project's previous model, or nil. The strength is chosen by its
// predictions for images that it has not seen, as these are the guesses that
// people were given. usual are the affinities of images that the project knows nothing
// about, nil for formulas set by hand, besides which a project has none of its own.
// A model without a guess to give is not an error.
// O(superpixels · log) time and about 600 bytes per superpixel; ctx can stop
// it.
func Train(ctx context.Context, examples []Example, before *Model, usual *affinity.Model) (*Model, error) {
	m := &Model{Number: 1}
	if before != nil {
		m.Number = before.Number + 1
	}
	examples = latest(examples, MaxExamples, maxRows)
	for _, e := range examples {
		m.Images = append(m.Images, e.ID)
	}
	m.tried = before.tryOn(examples)
	var err error
	if m.Imported, err = chooseImported(ctx, examples); err != nil {
		return nil, err
	}
	if len(examples) < FewestExamples {
		return m, nil
	}
	own, err := relate(ctx, examples, usual, before != nil && before.Affinities != nil)
	if err != nil {
		return nil, err
	}
	m.Affinities = own.all
	c, said, err := classify(ctx, examples)
	if c == nil || err != nil {
		return m, err
	}
	m.classifier = c
	m.gates = gate(examples, c.classes)
	attempts, err := m.attempts(examples, said, own.unseen)
	if err != nil {
		return nil, err
	}
	m.Choice, m.Saved, err = choose(ctx, attempts)
	return m, err
}

// latest drops the oldest examples if there are more than most, or than mostRows
// superpixels of all.
func latest(examples []Example, most, mostRows int) []Example {
	rows := 0
	for i := len(examples) - 1; i >= 0; i-- {
		rows += examples[i].Features.N
		if rows > mostRows || len(examples)-i > most {
			return examples[i+1:]
		}
	}
	return examples
}

// tryOn returns the model's trials that are still among the examples, and its
// predictions for examples that are new to it.
func (m *Model) tryOn(examples []Example) []trial {
	if m == nil {
		return nil
	}
	byImage := map[string]trial{}
	for _, t := range m.tried {
		byImage[t.image] = t
	}
	var out []trial
	for _, e := range examples[max(0, len(examples)-maxTrials):] {
		t, ok := byImage[e.ID]
		if !ok && m.classifier != nil && !slices.Contains(m.Images, e.ID) {
			t, ok = trial{e.ID, m.classes, m.gates, toBytes(m.predict(e.Features))}, true
		}
		if ok && len(t.shares) == e.Features.N*len(t.classes) {
			out = append(out, t)
		}
	}
	return out
}

// attempts returns the latest examples with their predictions, by the model of
// that time or else out-of-bag by this one, and with affinities that have not seen them,
// by image.
func (m *Model) attempts(examples []Example, said [][]float32, unseen map[string]*affinity.Model) ([]attempt, error) {
	byImage := map[string]trial{}
	for _, t := range m.tried {
		byImage[t.image] = t
	}
	var out []attempt
	for i := max(0, len(examples)-maxTrials); i < len(examples); i++ {
		e := &examples[i]
		t, ok := byImage[e.ID]
		if !ok {
			t = trial{e.ID, m.classes, m.gates, toBytes(said[i])}
		}
		graph, err := e.Graph()
		if err != nil {
			return nil, err
		}
		out = append(out, attempt{scene: &simulate.Scene{Graph: graph, Affinities: unseen[e.ID]}, truth: truthOf(e.Features.Area, e.Labels, t.classes), guess: func(c Choice) *engine.Guess {
			return t.guess(e.Features, c)
		}})
	}
	return out, nil
}

func (t *trial) guess(f *Features, c Choice) *engine.Guess {
	p := make([]float32, len(t.shares))
	for i, v := range t.shares {
		p[i] = float32(v) / 255
	}
	return c.guess(f, p, t.classes, t.gates)
}

func (c Choice) guess(f *Features, p []float32, classes []uint8, gates []float64) *engine.Guess {
	g := guess(f, p, classes, gates)
	c.weigh(g)
	return g
}

// weigh makes a guess count as much as chosen.
func (c Choice) weigh(g *engine.Guess) {
	g.Strength, g.Exponent, g.Proof, g.Patience = c.Strength, c.Exponent, c.Proof, c.Patience
}

// Guess returns the first guess of an image, or nil if the model makes none.
func (m *Model) Guess(f *Features) *engine.Guess {
	if !m.Guesses() {
		return nil
	}
	return m.Choice.guess(f, m.predict(f), m.classes, m.gates)
}

// Guesses reports whether the model's guesses are expected to save work.
func (m *Model) Guesses() bool { return m.classifier != nil && m.Choice != Off }

// toBytes turns probabilities into bytes, 255 for 1.
func toBytes(p []float32) []uint8 {
	out := make([]uint8, len(p))
	for i, v := range p {
		out[i] = byteOf(v)
	}
	return out
}

// Finished returns how many finished images the model was trained with; 0 for
// nil.
func (m *Model) Finished() int {
	if m == nil {
		return 0
	}
	return len(m.Images) + len(m.Early)
}

// Due reports whether to train again with the given number of finished images;
// m can be nil.
func (m *Model) Due(finished int) bool {
	before := m.Finished()
	return finished >= FewestExamples && (finished-before >= max(2, before/10) || finished < before/2)
}
