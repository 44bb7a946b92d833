package herding

import (
	"fmt"
	"math"
	"slices"

	"collie/crf"
)

// The settings of the paper's experiments on semantic segmentation:
// a and b of the sigmoid that maps classifier scores to probabilities, the
// weight and the decay of the edges, and the Herding rates of unaries and edges.
const (
	SigmoidOffset    = -7.0
	SigmoidSlope     = 15.0
	SemanticWeight   = 0.08
	SemanticDecay    = 10.0
	SemanticEtaUnary = 0.75
	SemanticEtaPair  = 0.25
)

// SemanticFloor of probabilities in logarithms.
const SemanticFloor = 1e-6

// SemanticUnaries maps classifier scores, nodes×labels row-major, to unaries of
// the same shape: θ_i(l) = log max(p_i(l), SemanticFloor), where p_i(l) is the
// sigmoid 1/(1+exp(-(a+b·s_i(l)))) divided by its sum over the labels. The
// paper's a and b are SigmoidOffset and SigmoidSlope, for scores from 0 to 1.
//
// The paper defines unaries as -log p and maximises; the sign is a slip,
// probable labels have to gain. Sigmoids are added up as logarithms, so
// scores of any size give finite unaries. Scores that are not finite are
// ErrRange, a length that is not a multiple of labels is ErrShape. O(n·k),
// deterministic.
func SemanticUnaries(scores []float64, labels int, a, b float64) ([]float64, error) {
	if labels < 1 || labels > crf.MaxLabels || len(scores)%labels != 0 {
		return nil, fmt.Errorf("%w: %d scores for %d labels, want 1 to %d labels and one score for each at every node",
			ErrShape, len(scores), labels, crf.MaxLabels)
	}
	lowest := crf.Log(SemanticFloor)
	theta := make([]float64, len(scores))
	for at := 0; at < len(scores); at += labels {
		row := theta[at : at+labels]
		for l, s := range scores[at : at+labels] {
			z := a + float64(b*s)
			if math.IsNaN(z) || math.IsInf(z, 0) {
				return nil, fmt.Errorf("%w: score of node %d and label %d is %v, which a = %v and b = %v map to %v",
					ErrRange, at/labels, l, s, a, b, z)
			}
			row[l] = min(z, 0) - crf.Log(1+crf.Exp(-math.Abs(z))) // log of the sigmoid
		}
		top, sum := slices.Max(row), 0.0
		for _, v := range row {
			sum += crf.Exp(v - top)
		}
		whole := top + crf.Log(sum)
		for l, v := range row {
			row[l] = max(v-whole, lowest)
		}
	}
	return theta, nil
}

// SemanticEdge is the weight C = 0.08·exp(-10·d) of an edge whose ends have
// mean colours at the distance d, 0 for equal ones and 1 for black and white.
func SemanticEdge(d float64) float64 {
	return float64(SemanticWeight * crf.Exp(-float64(SemanticDecay*d)))
}

// Semantic is the problem of the paper's experiments on semantic segmentation:
// the model's unaries are those of SemanticUnaries, their softmax – the probabilities that
// they were made from – are the unary moments, the edges weigh SemanticEdge and
// have the moments of a reading of section 4, and both are updated with the
// paper's rates of 0.75 and 0.25. Hypothesis 0 is the most probable labelling.
//
// Clicks may be on top of it, as the model's Fixed: they are clamped, and no
// hypothesis contradicts them. SimilarityBeforeWeight accepts edges up to
// SemanticWeight. The problem shares the model. Errors are those of the model
// and of PairMoments.
func Semantic(m *crf.Model, reading Reading) (*Problem, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	pair, err := PairMoments(m.Edges, reading, SemanticWeight)
	if err != nil {
		return nil, err
	}
	return &Problem{
		Model:        m,
		UnaryMoments: SoftmaxMoments(m.Unary, m.Labels), EtaUnary: SemanticEtaUnary,
		PairMoments: pair, EtaPair: SemanticEtaPair,
	}, nil
}
