package learn

import (
	"context"
	"math"

	"collie/crf"
	"collie/segment"
	"collie/segment/affinity"
	"collie/segment/engine"
	"collie/segment/schedule"
	"collie/segment/simulate"
	"collie/superpixels"
)

// Embedded is a finished image with an embedding, at its default granularity.
type Embedded struct {
	Graph     *superpixels.Graph
	Labels    []uint8 // class per superpixel, or segment.Void
	Embedding *engine.Embedding
}

// Weigh learns from finished images, the latest last, how much the distances of
// embeddings count: the result has no points. Two likelihoods, of the borders and
// of pairs, are fitted on top of the log odds that superpixels have without
// embeddings. A simulated annotator then works on the latest images without them,
// and with several multiples of the likelihoods, each image with those learned
// from the other half of the images. Embeddings count for nothing unless that
// saves enough actions, and while there are too few images.
func Weigh(ctx context.Context, images []Embedded, p engine.Parameters) (*segment.Embedding, error) {
	off := &segment.Embedding{Learnt: len(images)}
	if len(images) < FewestExamples || p.Affinities == nil {
		return off, nil
	}
	images = images[max(0, len(images)-maxEmbedded):]
	borders, pairs := make([][]comparison, len(images)), make([][]comparison, len(images))
	for i := range images {
		if err := schedule.Pause(ctx); err != nil {
			return nil, err
		}
		borders[i], pairs[i] = images[i].comparisons(p.Affinities)
	}
	// Images with even numbers are tried with what odd ones teach.
	half := func(all [][]comparison, odd int) (out [][]comparison) {
		for i, c := range all {
			if i%2 == odd {
				out = append(out, c)
			}
		}
		return out
	}
	var learned [2]segment.Embedding
	for odd := range learned {
		learned[1-odd] = segment.Embedding{Borders: likelihood(half(borders, odd)), Pairs: likelihood(half(pairs, odd))}
	}
	tried := images[max(0, len(images)-maxEmbeddedTrials):]
	work := func(multiple float64) ([]int, error) {
		actions := make([]int, len(tried))
		for i := range tried {
			l := learned[(len(images)-len(tried)+i)%2]
			var err error
			if actions[i], err = tried[i].work(ctx, p.Affinities, times(l.Borders, multiple), times(l.Pairs, multiple)); err != nil {
				return nil, err
			}
		}
		return actions, nil
	}
	without, err := work(0)
	if err != nil {
		return nil, err
	}
	best, most := 0.0, 0
	for _, multiple := range multiples {
		with, err := work(multiple)
		if err != nil {
			return nil, err
		}
		if saved, ok := saves(without, with); ok && saved > most {
			most, best = saved, multiple
		}
	}
	if best == 0 {
		return off, nil
	}
	off.Borders, off.Pairs = times(likelihood(borders), best), times(likelihood(pairs), best)
	return off, nil
}

const (
	maxEmbedded       = 40 // images, the latest
	maxEmbeddedTrials = 20 // of them that the annotator works on
	compared          = 12 // superpixels of an image that are compared with all others
)

// multiples of the likelihoods that are tried. The log odds without embeddings
// and the distances know some of the same, hence less than one; what the engine
// expects of log odds is set for other evidence, hence more.
var multiples = []float64{0.5, 1, 2}

// saves returns how many actions are saved on the same images, and whether that is
// enough: a share of all, and hardly by chance.
func saves(without, with []int) (saved int, enough bool) {
	all, squares := 0, 0
	for i := range without {
		d := without[i] - with[i]
		all += without[i]
		saved += d
		squares += d * d
	}
	share := worthwhile
	if len(without) < maxTrials {
		share = worthwhileEarly
	}
	n := float64(len(without))
	mean := float64(saved) / n
	deviation := math.Sqrt(max(float64(squares)/n-float64(mean*mean), 0) / n)
	return saved, float64(saved) > (1-share)*float64(all) && mean > hardlyByChance*deviation
}

// hardlyByChance is how many standard errors a saving must have: of embeddings
// that are of no use one in twenty would.
const hardlyByChance = 1.65

func times(l segment.Likelihood, multiple float64) segment.Likelihood {
	return segment.Likelihood{Bias: l.Bias * multiple, Slope: l.Slope * multiple}
}

// comparison is what is known of two superpixels: the log odds that they are of
// one class, the distance of their points, and whether they are.
type comparison struct {
	odds, distance float64
	same           bool
}

// comparisons are those of an image's borders and of some pairs.
func (e *Embedded) comparisons(m *affinity.Model) (borders, pairs []comparison) {
	f := m.Field(e.Graph)
	compare := func(a, b int32, odds float64) (c comparison, ok bool) {
		la, lb := e.Labels[a], e.Labels[b]
		return comparison{odds, e.Embedding.Distance(a, b), la == lb}, la != segment.Void && lb != segment.Void
	}
	for i, odds := range f.Edges() {
		if c, ok := compare(e.Graph.Edges[i].A, e.Graph.Edges[i].B, odds); ok {
			borders = append(borders, c)
		}
	}
	n := len(e.Labels)
	for at := range min(compared, n) {
		a := (2*at + 1) * n / (2 * min(compared, n))
		for b, odds := range f.Pairs(a) {
			if b == a {
				continue
			}
			if c, ok := compare(int32(a), int32(b), float64(odds)); ok {
				pairs = append(pairs, c)
			}
		}
	}
	return borders, pairs
}

// likelihood fits what distances add to the log odds: the logistic regression of
// being of one class on the distance, beside the odds, less that without it. The
// second takes away that these images have more or fewer classes than those that
// the odds were learned from. All images count the same.
func likelihood(images [][]comparison) segment.Likelihood {
	prior, _ := logistic(images, false)
	bias, slope := logistic(images, true)
	if slope >= 0 {
		return segment.Likelihood{}
	}
	return segment.Likelihood{Bias: bias - prior, Slope: slope}
}

// Newton's method for two numbers.
const (
	newtonSteps = 25
	longestStep = 4
	ridge       = 1e-4 // on both, so that perfect embeddings have finite ones
)

// logistic fits σ(odds + bias + slope·distance).
func logistic(images [][]comparison, withSlope bool) (bias, slope float64) {
	for range newtonSteps {
		gb, gs := -float64(ridge*bias), -float64(ridge*slope)
		hbb, hbs, hss := ridge, 0.0, ridge
		for _, image := range images {
			share := 1 / float64(len(image)*len(images))
			for _, c := range image {
				p := 1 / (1 + crf.Exp(-(c.odds + bias + float64(slope*c.distance))))
				is := 0.0
				if c.same {
					is = 1
				}
				g, h := float64(share*(is-p)), float64(share*p*(1-p))
				gb += g
				gs += float64(g * c.distance)
				hbb += h
				hbs += float64(h * c.distance)
				hss += float64(h * c.distance * c.distance)
			}
		}
		if !withSlope {
			bias += bounded(gb / hbb)
			continue
		}
		det := float64(hbb*hss) - float64(hbs*hbs)
		bias += bounded((float64(hss*gb) - float64(hbs*gs)) / det)
		slope += bounded((float64(hbb*gs) - float64(hbs*gb)) / det)
	}
	return bias, slope
}

func bounded(step float64) float64 { return min(max(step, -longestStep), longestStep) }

// work is what the simulated annotator does on the image.
func (e *Embedded) work(ctx context.Context, m *affinity.Model, borders, pairs segment.Likelihood) (int, error) {
	areas := make([]int32, len(e.Graph.Regions))
	for i := range areas {
		areas[i] = int32(e.Graph.Regions[i].Area)
	}
	scene := &simulate.Scene{Graph: e.Graph, Embedding: e.Embedding.Weighed(borders, pairs), Affinities: m}
	return toil(ctx, scene, truthOf(areas, e.Labels, nil))
}
