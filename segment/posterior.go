package segment

import (
	"collie/crf"
	"collie/herding"
	"collie/superpixels"
)

// Parameters say how a superpixel graph and the clicks on it become a
// conditional random field and the moments that Herding follows: harmonic
// moments, the probabilities of a random walker that stops at the clicks.
type Parameters struct {
	Method    string  `json:"method"`
	Beta      float64 `json:"beta"`       // conductance of a border is exp(-Beta·ΔE/100) + Floor
	Floor     float64 `json:"floor"`      // lets evidence reach everything
	Potts     float64 `json:"potts"`      // weight of a border is Potts·exp(-Decay·ΔE/100)
	Decay     float64 `json:"decay"`      //
	RateUnary float64 `json:"rate_unary"` // Herding's step on the unaries
	RateArea  float64 `json:"rate_area"`  // Herding's step on the classes' shares of the area
}

// DefaultParameters are those of every sequence.
var DefaultParameters = Parameters{
	Method: "herding-harmonic",
	Beta:   30, Floor: 1e-4,
	Potts: 1, Decay: 10,
	RateUnary: 0.5, RateArea: 0.1,
}

// problem builds the Herding problem of an image with at least two clicked
// classes: fixed holds, per superpixel, the place of the clicked class among
// the k classes in play, or -1.
func (p Parameters) problem(g *superpixels.Graph, fixed []int16, k int) (*herding.Problem, error) {
	n := len(g.Regions)
	conductances := make([]crf.Edge, len(g.Edges))
	weights := make([]crf.Edge, len(g.Edges))
	for i, e := range g.Edges {
		d := float64(e.DeltaE) / 100
		conductances[i] = crf.Edge{A: e.A, B: e.B, W: crf.Exp(-p.Beta*d) + p.Floor}
		weights[i] = crf.Edge{A: e.A, B: e.B, W: p.Potts * crf.Exp(-p.Decay*d)}
	}
	walker, err := herding.NewHarmonic(n, conductances)
	if err != nil {
		return nil, err
	}
	marginals, err := walker.Solve(nil, k, fixed, nil)
	if err != nil {
		return nil, err
	}
	area := make([]float64, n)
	for i, r := range g.Regions {
		area[i] = float64(r.Area)
	}
	return herding.Posterior(marginals, k, fixed, weights, herding.PosteriorOptions{
		EtaUnary: p.RateUnary, EtaArea: p.RateArea, Area: area,
	})
}
