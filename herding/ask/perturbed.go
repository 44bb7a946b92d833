package ask

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"collie/crf"
	"collie/herding"
	"collie/herding/sample"
)

// Perturbed ranks nodes by how much their answer is expected to lower an upper
// bound of the entropy of perturbed maxima (Maji, Hazan and Jaakkola 2014, 'Active
// Boundary Annotation using Random MAP Perturbations'):
//
//	U = E_γ[Σ_i γ_i(x^γ_i)],  x^γ = argmax E(x) + Σ_i γ_i(x_i),
//
// with zero-mean Gumbel noise γ. Its terms are near 0 where noise doesn't change a
// decision. Nodes are screened by the sum of the terms at them and their
// neighbours; for the first few, U is computed after each answer, with the same
// noise. U bounds the entropy of the maxima, not that of exp(E). All clicks cost
// the same here; the paper has borders drawn.
type Perturbed struct {
	Confirm int // nodes whose answers are computed; 0 = 10, those after them keep the order of the screening
	Seed    uint64
}

// perturbations is how many maxima Rank draws.
const perturbations = 40

// Rank returns the limit (0 = all) first nodes; the gains of those that are
// confirmed are in nats. 40·(1 + Confirm·labels) maximisations.
func (q Perturbed) Rank(ctx context.Context, p *herding.Problem, limit int) ([]herding.Candidate, error) {
	return q.rank(ctx, p, limit, perturbations)
}

func (q Perturbed) rank(ctx context.Context, p *herding.Problem, limit, samples int) ([]herding.Candidate, error) {
	confirm := cmp.Or(q.Confirm, 10)
	if confirm < 0 {
		return nil, fmt.Errorf("%w: %d nodes to confirm, want numbers from 0, where 0 means 10", herding.ErrRange, confirm)
	}
	b, err := NewBound(ctx, p, samples, q.Seed)
	if err != nil {
		return nil, err
	}
	near := slices.Clone(b.Terms)
	for _, e := range p.Model.Edges {
		near[e.A] += b.Terms[e.B]
		near[e.B] += b.Terms[e.A]
	}
	var ranked []herding.Candidate
	for i, v := range near {
		if p.Model.Fixed == nil || p.Model.Fixed[i] < 0 {
			ranked = append(ranked, herding.Candidate{Node: i, Gain: v})
		}
	}
	best(ranked)
	sure := ranked[:min(confirm, len(ranked))]
	for n, c := range sure {
		if sure[n].Gain, err = b.gain(ctx, c.Node); err != nil {
			return nil, err
		}
	}
	best(sure)
	return first(ranked, limit), nil
}

// Bound is the estimate of U from samples.
type Bound struct {
	U     float64
	Terms []float64 // of each node; clamped ones have 0
	Share []float64 // of the perturbed maxima that give a node a label, nodes×labels row-major

	model  *crf.Model
	solver crf.Options
	noise  [][]float64
	maxima [][]uint8
}

// NewBound draws perturbed maxima, at least one. The standard error of U is
// about √(1.6·nodes/samples). One maximisation per sample.
func NewBound(ctx context.Context, p *herding.Problem, samples int, seed uint64) (*Bound, error) {
	if err := p.Ready(); err != nil {
		return nil, err
	}
	if samples < 1 {
		return nil, fmt.Errorf("%w: %d samples, want numbers from 1", herding.ErrRange, samples)
	}
	m := *p.Model
	b := &Bound{model: &m, solver: p.Solver, Terms: make([]float64, m.Nodes), Share: make([]float64, len(m.Unary))}
	if m.Fixed == nil {
		m.Fixed = slices.Repeat([]int16{-1}, m.Nodes)
	}
	rng := rand.NewPCG(seed, 0)
	for range samples {
		noise := make([]float64, len(m.Unary))
		for at := range noise {
			noise[at] = sample.Gumbel(rng)
		}
		b.noise = append(b.noise, noise)
	}
	maxima, err := b.maximise(ctx, m.Fixed)
	if err != nil {
		return nil, err
	}
	b.maxima = maxima
	for s, x := range maxima {
		for i, l := range x {
			b.Share[i*m.Labels+int(l)] += 1 / float64(samples)
			if m.Fixed[i] < 0 {
				b.Terms[i] += b.noise[s][i*m.Labels+int(l)] / float64(samples)
			}
		}
	}
	for _, v := range b.Terms {
		b.U += v
	}
	return b, nil
}

// maximise finds the maximum under each noise, with the given clamps.
func (b *Bound) maximise(ctx context.Context, fixed []int16) ([][]uint8, error) {
	m := *b.model
	m.Fixed, m.Unary = fixed, make([]float64, len(b.model.Unary))
	solver := crf.NewSolver(&m, b.solver)
	var out [][]uint8
	var last []uint8
	for s, noise := range b.noise {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for at, v := range b.model.Unary {
			m.Unary[at] = v + noise[at]
		}
		if b.maxima != nil {
			last = b.maxima[s]
		}
		last = slices.Clone(solver.Solve(last).Labels)
		out = append(out, last)
	}
	return out, nil
}

// gain is U less the expected U after the answer at a node.
func (b *Bound) gain(ctx context.Context, node int) (float64, error) {
	k := b.model.Labels
	expected, mass := 0.0, 0.0
	fixed := slices.Clone(b.model.Fixed)
	for l, share := range b.Share[node*k : (node+1)*k] {
		if share < leastProbable {
			continue
		}
		fixed[node] = int16(l)
		maxima, err := b.maximise(ctx, fixed)
		if err != nil {
			return 0, err
		}
		u := 0.0
		for s, x := range maxima {
			for i, l := range x {
				if fixed[i] < 0 {
					u += b.noise[s][i*k+int(l)] / float64(len(maxima))
				}
			}
		}
		expected += float64(share * u)
		mass += share
	}
	return b.U - expected/mass, nil
}
