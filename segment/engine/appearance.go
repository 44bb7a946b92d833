package engine

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
// neighbours.
func (m *Model) appearance(fixed []int16, k int) *herding.Prior {
	a := newAlike(len(fixed), k)
	for c, f := range fixed {
		if f >= 0 {
			a.add(m.looks(), c, int(f))
		}
	}
	return m.jumps(fixed, a)
}

// alike sums the likeness of each superpixel to the clicks: of each of k
// classes, superpixels × k, and of all.
type alike struct {
	k        int
	of, each []float64
}

func newAlike(n, k int) *alike { return &alike{k, make([]float64, n*k), make([]float64, n)} }

// add counts superpixel c as clicked with a class.
func (a *alike) add(looks []look, c, class int) {
	for i, f := range looks {
		d2 := 0.0
		for axis, v := range looks[c] {
			d2 += float64((f[axis] - v) * (f[axis] - v))
		}
		if d2 > leastAlike {
			continue
		}
		v := crf.Exp(-d2 / 2)
		a.of[i*a.k+class] += v
		a.each[i] += v
	}
}

// jumps turns likenesses into conductances of the superpixels without a click.
func (m *Model) jumps(fixed []int16, a *alike) *herding.Prior {
	prior := &herding.Prior{Weight: make([]float64, len(fixed)), Share: make([]float64, len(fixed)*a.k)}
	for i, sum := range a.each {
		if fixed[i] >= 0 || sum == 0 {
			continue
		}
		share := prior.Share[i*a.k : (i+1)*a.k]
		for l, v := range a.of[i*a.k : (i+1)*a.k] {
			share[l] = v / sum
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
