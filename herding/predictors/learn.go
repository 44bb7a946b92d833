package predictors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"collie/crf"
	"collie/herding"
)

// ErrExamples: there is nothing to learn from.
var ErrExamples = errors.New("predictors: too few examples")

// Example is a problem whose labelling is known.
type Example struct {
	Problem *herding.Problem
	Group   []int32 // region of each node, from 0
	// Truth is a label of each node; Unknown where it is not a label of the problem.
	Truth []uint8
}

// Unknown nodes cost nothing and may have any label.
const Unknown = 255

// Options of Learn; the zero value is the default.
type Options struct {
	Rounds  int     // of assignment and training, at most; 0 = 6
	Epochs  int     // of training in a round; 0 = 20
	Step    float64 // of the first epoch, in parts of the gradient's norm; 0 = 0.3
	Towards float64 // strength of the pull towards Plain; 0 = 0.01
}

// Learn learns several predictors. The objective is
//
//	Towards/2·Σ_m ‖w_m - Plain‖² + mean over the examples of min_m H_m,
//
// H_m being the structured hinge of predictor m, per node: the most that a
// labelling's energy and loss, the area that it gets wrong, are above the
// energy of the truth. Only the best predictor of an example pays for it. The
// first predictors are chosen greedily from a pool; then each example goes to
// its cheapest predictor and each predictor learns from its own by averaged
// subgradients, as long as that lowers the objective. It returns the objective
// of each round, which never rises. With one predictor it is plain training.
//
// It costs a maximisation per example, predictor and epoch.
func Learn(ctx context.Context, examples []Example, predictors int, o Options) ([]Weights, []float64, error) {
	if predictors < 1 || len(examples) < predictors {
		return nil, nil, fmt.Errorf("%w: %d predictors from %d examples, want 1 up to the number of examples", ErrExamples, predictors, len(examples))
	}
	t := &trainer{ctx: ctx, o: Options{cmp.Or(o.Rounds, 6), cmp.Or(o.Epochs, 20), cmp.Or(o.Step, 0.3), cmp.Or(o.Towards, 0.01)}}
	for i, e := range examples {
		l, err := newLesson(e)
		if err != nil {
			return nil, nil, fmt.Errorf("example %d: %w", i, err)
		}
		t.lessons = append(t.lessons, l)
	}
	return t.learn(predictors)
}

// lesson is an example at work.
type lesson struct {
	*features
	truth [count]float64 // its features
	loss  []float64      // nodes × labels: what the labels cost, per node of mean area
	known []uint8        // the truth, the problem's best label where it is not known
}

func newLesson(e Example) (*lesson, error) {
	f, err := newFeatures(e.Problem, e.Group)
	if err != nil {
		return nil, err
	}
	m := e.Problem.Model
	if len(e.Truth) != m.Nodes {
		return nil, fmt.Errorf("%w: the truth of %d nodes, need %d", herding.ErrShape, len(e.Truth), m.Nodes)
	}
	l := &lesson{features: f, loss: make([]float64, len(m.Unary)), known: slices.Clone(e.Truth)}
	best := crf.NewSolver(m, e.Problem.Solver).Solve(nil).Labels
	for i, a := range e.Problem.Shares() {
		switch y := e.Truth[i]; {
		case m.Fixed != nil && m.Fixed[i] >= 0:
			l.known[i] = uint8(m.Fixed[i])
		case y == Unknown:
			l.known[i] = best[i]
		case int(y) >= m.Labels:
			return nil, fmt.Errorf("%w: node %d has the true label %d, want 0 to %d and %d for unknown", herding.ErrRange, i, y, m.Labels-1, Unknown)
		default:
			for label := range m.Labels {
				if label != int(y) {
					l.loss[i*m.Labels+label] = float64(a * float64(m.Nodes))
				}
			}
		}
	}
	l.truth = l.of(l.known)
	return l, nil
}

// hinge of a predictor, per node, and its subgradient.
func (l *lesson) hinge(w Weights) (value float64, gradient [count]float64) {
	m := l.model(w)
	for i, v := range l.loss {
		m.Unary[i] += v
	}
	// What the maximiser misses would lower the hinge; it is at least 0, by the
	// truth itself.
	x := crf.NewSolver(m, l.p.Solver).Solve(l.known).Labels
	n := float64(m.Nodes)
	value = (m.Energy(x) - m.Energy(l.known)) / n
	if value <= 0 {
		return 0, gradient
	}
	sums := l.of(x)
	for i := range gradient {
		gradient[i] = (sums[i] - l.truth[i]) / n
	}
	return value, gradient
}

type trainer struct {
	ctx     context.Context
	o       Options
	lessons []*lesson
}

// pool of the first predictors.
func pool() []Weights {
	out := []Weights{Plain}
	for _, factor := range []float64{0.1, 0.3, 3, 10} {
		out = append(out, Weights{1, 0, 0, factor, factor}, Weights{1, 0, 0, factor, 1}, Weights{1, 0, 0, 1, factor})
	}
	for _, v := range []float64{0.1, 0.3, 1} {
		out = append(out, Weights{1, v, 0, 1, 1}, Weights{1, 0, v, 1, 1}, Weights{1, 0, -v, 1, 1})
	}
	return out
}

func (t *trainer) learn(predictors int) ([]Weights, []float64, error) {
	first := pool()
	hinges := make([][]float64, 0, len(first)) // of them, per lesson
	for _, w := range first {
		each, err := t.hinges(w)
		if err != nil {
			return nil, nil, err
		}
		hinges = append(hinges, each)
	}
	var ws []Weights
	var costs [][]float64 // of the predictors, per lesson
	for range predictors {
		best, least := 0, 0.0
		for i, each := range hinges {
			if cost := t.objective(append(slices.Clone(ws), first[i]), append(slices.Clone(costs), each)); i == 0 || cost < least {
				best, least = i, cost
			}
		}
		ws, costs = append(ws, first[best]), append(costs, hinges[best])
	}
	objectives := []float64{t.objective(ws, costs)}
	for range t.o.Rounds {
		for m := range ws {
			w, err := t.retrain(ws[m], t.own(m, costs))
			if err != nil {
				return nil, nil, err
			}
			each, err := t.hinges(w)
			if err != nil {
				return nil, nil, err
			}
			nextW, nextCosts := slices.Clone(ws), slices.Clone(costs)
			nextW[m], nextCosts[m] = w, each
			if t.objective(nextW, nextCosts) < t.objective(ws, costs) {
				ws, costs = nextW, nextCosts
			}
		}
		now := t.objective(ws, costs)
		last := objectives[len(objectives)-1]
		objectives = append(objectives, now)
		if last-now < 1e-4*last {
			break
		}
	}
	return ws, objectives, nil
}

func (t *trainer) hinges(w Weights) ([]float64, error) {
	out := make([]float64, len(t.lessons))
	for i, l := range t.lessons {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		out[i], _ = l.hinge(w)
	}
	return out, nil
}

func (t *trainer) objective(ws []Weights, costs [][]float64) float64 {
	sum := 0.0
	for i := range t.lessons {
		least := costs[0][i]
		for _, each := range costs[1:] {
			least = min(least, each[i])
		}
		sum += least
	}
	sum /= float64(len(t.lessons))
	plain := Plain.vector()
	for _, w := range ws {
		for i, v := range w.vector() {
			sum += float64(t.o.Towards / 2 * float64((v-plain[i])*(v-plain[i])))
		}
	}
	return sum
}

// own are the lessons that predictor m is the cheapest for; with fewer than three
// it gets those that are served worst.
func (t *trainer) own(m int, costs [][]float64) (own []*lesson) {
	least := make([]float64, len(t.lessons))
	order := make([]int, len(t.lessons))
	for i := range t.lessons {
		order[i] = i
		least[i] = costs[0][i]
		for _, each := range costs[1:] {
			least[i] = min(least[i], each[i])
		}
		if costs[m][i] == least[i] {
			own = append(own, t.lessons[i])
		}
	}
	if len(own) >= 3 {
		return own
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(least[b], least[a]) })
	own = nil
	for _, i := range order[:max(1, len(order)/10)] {
		own = append(own, t.lessons[i])
	}
	return own
}

// retrain follows the subgradient of the lessons' mean hinge and returns the
// average over the second half of the epochs.
func (t *trainer) retrain(w Weights, own []*lesson) (Weights, error) {
	v, plain := w.vector(), Plain.vector()
	var mean [count]float64
	averaged := 0
	for epoch := range t.o.Epochs {
		var gradient [count]float64
		for i := range gradient {
			gradient[i] = float64(t.o.Towards * (v[i] - plain[i]))
		}
		for _, l := range own {
			if err := t.ctx.Err(); err != nil {
				return Weights{}, err
			}
			_, g := l.hinge(weightsOf(v))
			for i := range gradient {
				gradient[i] += g[i] / float64(len(own))
			}
		}
		step := t.o.Step / float64(1+epoch)
		for i := range v {
			v[i] -= float64(step * gradient[i])
			if i != 2 {
				v[i] = max(v[i], 0)
			}
		}
		if epoch >= t.o.Epochs/2 {
			for i := range mean {
				mean[i] += v[i]
			}
			averaged++
		}
	}
	for i := range mean {
		mean[i] /= float64(max(averaged, 1))
	}
	return weightsOf(mean), nil
}
