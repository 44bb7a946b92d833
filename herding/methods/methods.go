// Package methods makes every source of labellings by its name.
package methods

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"collie/herding"
	"collie/herding/diverse"
	"collie/herding/mbest"
	"collie/herding/predictors"
	"collie/herding/sample"
)

// ErrUnknown: no method has that name.
var ErrUnknown = errors.New("methods: unknown method")

// Method describes a way to several labellings.
type Method struct {
	Name string
	Help string
	// Answers says how far a labelling is what the method defines: exact, as
	// good as the maximiser, forced, greedy, climbed or sampled.
	Answers string
	// Joint methods make all labellings together, so that the first m of a
	// longer run are not the run of m. All others have that property.
	Joint  bool
	Random bool // another seed may give other labellings
	// Marginals are needed, and areas, which the paper's interactive model
	// doesn't have.
	Marginals bool

	source func(p *herding.Problem, o Options) (herding.Source, error)
}

// Options of a method; zero means the method's default, and what a method
// doesn't know it ignores.
type Options struct {
	Seed        uint64
	Strength    float64 // of diversity or of a bias
	Temperature float64 // of samples and of noise per node
	Overlap     float64 // area in which labellings have to differ
	Depth       int     // nodes that change together
	Candidates  int     // tried

	// Regions are cuts of the superpixel hierarchy, the region of each node
	// numbered from 0; the methods that share noise among regions need one.
	Regions [][]int32
}

func (o Options) check() error {
	for _, v := range []struct {
		name  string
		value float64
		most  float64
	}{{"strength", o.Strength, 1e6}, {"temperature", o.Temperature, 1e6}, {"overlap", o.Overlap, 1}} {
		if !(v.value >= 0 && v.value <= v.most) {
			return fmt.Errorf("%w: %s %v, want numbers from 0 to %g", herding.ErrRange, v.name, v.value, v.most)
		}
	}
	if o.Depth < 0 || o.Depth > 3 {
		return fmt.Errorf("%w: depth %d, want 0 to 3", herding.ErrRange, o.Depth)
	}
	if o.Candidates < 0 || o.Candidates > math.MaxInt32 {
		return fmt.Errorf("%w: %d candidates, want numbers from 0", herding.ErrRange, o.Candidates)
	}
	return nil
}

// group returns the first division into regions; without any the error says what they
// are for, and which other method needs none.
func (o Options) group(what, instead string) ([]int32, error) {
	if len(o.Regions) == 0 {
		return nil, fmt.Errorf("%w: no regions %s, give Options.Regions or use %s", herding.ErrShape, what, instead)
	}
	return o.Regions[0], nil
}

// All lists the methods.
func All() []Method { return all }

// Names are those of All.
func Names() []string {
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}

// Find returns the method of a name, or ErrUnknown.
func Find(name string) (Method, error) {
	if i := slices.IndexFunc(all, func(m Method) bool { return m.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Method{}, fmt.Errorf("%w %q; known are %s", ErrUnknown, name, strings.Join(Names(), ", "))
}

// New makes a source by the name of its method. The problem holds what a method
// may look at: the model, the marginals (UnaryMoments), the areas. It is only
// read. The error says which method wants what, and what could be used instead.
func New(name string, p *herding.Problem, o Options) (herding.Source, error) {
	m, err := Find(name)
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := p.Ready(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s, err := m.source(p, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return named{name, s}, nil
}

var all = []Method{
	{
		Name: "map", Answers: "maximiser", Help: "the best labelling found, alone",
		source: func(p *herding.Problem, _ Options) (herding.Source, error) { return best{p}, nil },
	},
	{
		Name: "herding", Answers: "maximiser", Help: "the problem's own sequence, towards its moments",
		source: func(p *herding.Problem, _ Options) (herding.Source, error) { return p, nil },
	},
	{
		Name: "herding-regions", Answers: "maximiser", Marginals: true, Help: "the same, with area moments in every region where the problem has none",
		source: regional,
	},
	{
		Name: "label-bias", Answers: "maximiser", Random: true, Help: "random shifts of whole classes, standard deviation strength (0.7)",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &herding.LabelBias{Model: p.Model, Spread: o.Strength, Seed: o.Seed, Solver: p.Solver}, nil
		},
	},
	{
		Name: "divmbest", Answers: "greedy", Help: "away from each labelling found, λ = strength (0.15)",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			d := herding.DivMBest(p.Model, cmp.Or(o.Strength, 0.15))
			d.Solver = p.Solver
			return d, nil
		},
	},
	{
		Name: "divmbest-borders", Answers: "greedy", Help: "the same at the borders of each labelling alone",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &diverse.Boundary{Model: p.Model, Solver: p.Solver, Lambda: o.Strength}, nil
		},
	},
	{
		Name: "perturb", Answers: "maximiser", Random: true, Help: "Gumbel noise per superpixel and class, times temperature (1)",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &sample.Perturb{Model: p.Model, Solver: p.Solver, Temperature: cmp.Or(o.Temperature, 1), Seed: o.Seed}, nil
		},
	},
	{
		Name: "hierarchy", Answers: "maximiser", Random: true, Help: "Gumbel noise on regions and the image, times strength (0.7)",
		source: func(p *herding.Problem, o Options) (herding.Source, error) { return hierarchy(p, o) },
	},
	{
		Name: "alternating", Answers: "maximiser", Random: true, Help: "herding-regions, where the problem has areas and marginals, and hierarchy in turn",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			noise, err := hierarchy(p, o)
			if err != nil {
				return nil, err
			}
			if regions, err := regional(p, o); err == nil {
				p = regions.(*herding.Problem)
			}
			return alternating{p, noise}, nil
		},
	},
	{
		Name: "strip", Answers: "maximiser, forced", Marginals: true, Help: "the product's cards, which represent 20 of herding-regions and all of nbest-regions",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			regions, err := regional(p, o)
			if err != nil {
				return nil, err
			}
			group, err := o.group("to force", "herding")
			return &diverse.Strip{Problem: regions.(*herding.Problem), Group: group, Candidates: o.Candidates}, err
		},
	},
	{
		Name: "joint", Answers: "exact for two classes, else climbed", Joint: true, Help: "all together, λ = strength (0.1) for each superpixel that differs",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &diverse.Joint{Model: p.Model, Solver: p.Solver, Lambda: o.Strength}, nil
		},
	},
	{
		Name: "mbest", Answers: "exact on forests and for two classes, else forced", Help: "the M best that differ at all, max-marginals confirmed for candidates (32)",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &mbest.BMMF{Model: p.Model, Solver: p.Solver, Confirm: o.Candidates}, nil
		},
	},
	{
		Name: "mbest-bounded", Answers: "exact where proved, else forced", Help: "the same with bounds by message passing over spanning trees; slow",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &mbest.BMMF{Model: p.Model, Solver: p.Solver, Confirm: o.Candidates, Bounds: true}, nil
		},
	},
	{
		Name: "submodular", Answers: "greedy, forced", Help: "one by one for what is new: a distance, a class, a border between two classes; times strength",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &diverse.Submodular{Model: p.Model, Solver: p.Solver, Marginals: p.UnaryMoments, Area: p.Shares(), Lambda: o.Strength, Radius: o.Overlap}, nil
		},
	},
	{
		Name: "balls", Answers: "greedy, forced", Help: "one by one for labellings within depth (0) changes of none before; times strength (1)",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &diverse.Submodular{Model: p.Model, Solver: p.Solver, Balls: 1, Ball: o.Depth, Lambda: cmp.Or(o.Strength, 1)}, nil
		},
	},
	{
		Name: "modes", Answers: "exact on chains, else climbed", Random: true, Joint: true, Help: "local maxima that changes of up to depth (2) superpixels don't improve",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			from := []herding.Source{p, &herding.LabelBias{Model: p.Model, Seed: o.Seed, Solver: p.Solver}}
			if noise, err := hierarchy(p, o); err == nil {
				from = append(from, noise)
			}
			return &diverse.Modes{Model: p.Model, From: from, Each: o.Candidates, Depth: o.Depth}, nil
		},
	},
	{
		Name: "nbest", Answers: "forced", Joint: true, Help: "the best with one superpixel forced, apart by overlap (0.005) of the area, of candidates (150)",
		source: func(p *herding.Problem, o Options) (herding.Source, error) { return nbest(p, o, nil), nil },
	},
	{
		Name: "nbest-regions", Answers: "forced", Joint: true, Help: "the best with one region forced",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			group, err := o.group("to force", "nbest")
			return nbest(p, o, group), err
		},
	},
	{
		Name: "predictors", Answers: "maximiser", Marginals: true, Help: "the best labelling, those of learned predictors that share the work, then herding",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			if p.UnaryMoments == nil {
				return nil, fmt.Errorf("%w: needs marginals of the nodes; use herding", herding.ErrShape)
			}
			group, err := o.group("for the predictors' features", "herding")
			return &predictors.Source{Problem: p, Group: group}, err
		},
	},
	{
		Name: "gibbs", Answers: "sampled", Random: true, Help: "samples of exp(E/temperature) (1), site by site",
		source: func(p *herding.Problem, o Options) (herding.Source, error) { return chain(p, o, sample.Sites), nil },
	},
	{
		Name: "gibbs-climbed", Answers: "climbed", Random: true, Help: "the same, climbed to modes",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return &diverse.Climbed{Model: p.Model, From: chain(p, o, sample.Sites), Depth: min(o.Depth, 2)}, nil
		},
	},
	{
		Name: "clusters", Answers: "sampled", Random: true, Help: "samples of exp(E/temperature) (1), site by site and by clusters (Swendsen–Wang)",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return chain(p, o, sample.Sites, sample.Clusters), nil
		},
	},
	{
		Name: "swaps", Answers: "sampled", Random: true, Help: "samples of exp(E/temperature) (1), site by site and by swaps of two classes",
		source: func(p *herding.Problem, o Options) (herding.Source, error) {
			return chain(p, o, sample.Sites, sample.Swaps), nil
		},
	},
}

// regionRate and the others of regional were found on training images.
const (
	regionRate      = 1.0
	regionUnaryRate = 0.2
)

// regional is Herding with moments of the areas in each region.
func regional(p *herding.Problem, o Options) (herding.Source, error) {
	if p.UnaryMoments == nil || p.Area == nil {
		return nil, fmt.Errorf("%w: needs marginals and areas of the nodes; use herding", herding.ErrShape)
	}
	if p.Regions != nil {
		return p, nil
	}
	if _, err := o.group("to have moments of", "herding"); err != nil {
		return nil, err
	}
	q := *p
	q.EtaUnary = min(p.EtaUnary, regionUnaryRate)
	q.Regions = nil
	for _, group := range o.Regions {
		m, err := herding.NewRegionMoments(p.UnaryMoments, p.Model.Labels, p.Area, group)
		if err != nil {
			return nil, err
		}
		m.Eta = cmp.Or(o.Strength, regionRate)
		q.Regions = append(q.Regions, m)
	}
	return &q, nil
}

func nbest(p *herding.Problem, o Options, group []int32) *diverse.NBest {
	return &diverse.NBest{Model: p.Model, Solver: p.Solver, Area: p.Shares(), Group: group, Overlap: o.Overlap, Candidates: o.Candidates}
}

func chain(p *herding.Problem, o Options, kernels ...sample.Kernel) *sample.Chain {
	return &sample.Chain{Model: p.Model, Solver: p.Solver, Kernels: kernels, Temperature: o.Temperature, Seed: o.Seed}
}

func hierarchy(p *herding.Problem, o Options) (*sample.Perturb, error) {
	if _, err := o.group("to share noise", "label-bias"); err != nil {
		return nil, err
	}
	strength := cmp.Or(o.Strength, 0.7)
	levels := []sample.Level{{Weight: strength}}
	for _, group := range o.Regions {
		levels = append(levels, sample.Level{Group: group, Weight: strength})
	}
	return &sample.Perturb{Model: p.Model, Solver: p.Solver, Levels: levels, Seed: o.Seed}, nil
}
