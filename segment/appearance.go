package segment

import (
	"math"

	"collie/crf"
	"collie/herding"
	"collie/superpixels"
)

// appearance is the part of the evidence that does not come across borders:
// from each superpixel the walker may jump to the clicks, to each in proportion
// to the likeness exp(-½d²) with d the distance of their looks. With the sum S
// of all likenesses the conductance of the jumps together is
// Jump·S/(S+Doubtful), so what looks like nothing clicked keeps to its
// neighbours. It is made anew from the clicks of the moment.
func (m *Model) appearance(fixed []int16, k int) *herding.Prior {
	prior := &herding.Prior{Weight: make([]float64, len(fixed)), Share: make([]float64, len(fixed)*k)}
	looks := m.looks()
	var clicks []int
	for i, f := range fixed {
		if f >= 0 {
			clicks = append(clicks, i)
		}
	}
	for i, f := range looks {
		if fixed[i] >= 0 {
			continue
		}
		share := prior.Share[i*k : (i+1)*k]
		sum := 0.0
		for _, c := range clicks {
			d2 := 0.0
			for axis, v := range looks[c] {
				d2 += float64((f[axis] - v) * (f[axis] - v))
			}
			if d2 > leastAlike {
				continue
			}
			alike := crf.Exp(-d2 / 2)
			share[fixed[c]] += alike
			sum += alike
		}
		if sum == 0 {
			continue
		}
		for l := range share {
			share[l] /= sum
		}
		prior.Weight[i] = m.Jump * sum / (sum + m.Doubtful)
	}
	return prior
}

// leastAlike is the squared distance from which on two looks have nothing in
// common: e^-20 is far below Doubtful.
const leastAlike = 40

// look is what a superpixel is compared by.
type look [8]float64

// looks are the means and standard deviations of L, a and b and the places of
// the superpixels, in units in which the likeness falls to e^-½ at distance 1.
func (p Parameters) looks(g *superpixels.Graph) []look {
	const (
		chroma = 1.8 // weight of a and b against L, √3.2 as in ΔE
		spread = 1.5 // weight of the deviations against the means
	)
	var width, height int
	for _, r := range g.Regions {
		width, height = max(width, r.Bounds.Max.X), max(height, r.Bounds.Max.Y)
	}
	place := 1 / (p.Reach * math.Sqrt(float64(width*width+height*height)))
	colour := 1 / p.Alike
	out := make([]look, len(g.Regions))
	for i, r := range g.Regions {
		deviation := func(variance float32) float64 { return math.Sqrt(max(0, float64(variance))) }
		out[i] = look{
			colour * float64(r.Mean[0]), chroma * colour * float64(r.Mean[1]), chroma * colour * float64(r.Mean[2]),
			spread * colour * deviation(r.Cov[0]), spread * chroma * colour * deviation(r.Cov[3]), spread * chroma * colour * deviation(r.Cov[5]),
			place * float64(r.Centroid[0]), place * float64(r.Centroid[1]),
		}
	}
	return out
}
