package herding

import (
	"math"
	"math/rand/v2"

	"collie/crf"
)

// scene is a synthetic picture: a triangulated grid of superpixels over a
// dozen Voronoi regions of one colour each, with noise; a part of the
// superpixels is clicked with the class of its region.
type scene struct {
	n, k         int
	truth        []uint8
	clicks       []int16
	area         []float64
	conductances []crf.Edge // exp(-30·d) + 1e-4
	potts        []crf.Edge // exp(-10·d)
}

func newScene(n, k int, clicked float64, seed uint64) *scene {
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	type point [2]float64
	type colour [3]float64
	centres := make([]point, max(12, k))
	colours := make([]colour, len(centres))
	for r := range centres {
		centres[r] = point{rng.Float64(), rng.Float64()}
		colours[r] = colour{rng.Float64(), rng.Float64() / 2, rng.Float64() / 2}
	}
	s := &scene{n: n, k: k, truth: make([]uint8, n), clicks: make([]int16, n), area: make([]float64, n)}
	side := int(math.Sqrt(float64(n)))
	of := make([]colour, n)
	for i := range n {
		p := point{float64(i%side) / float64(side), float64(i/side) / float64(side)}
		nearest, least := 0, math.Inf(1)
		for r, c := range centres {
			if d := float64((p[0]-c[0])*(p[0]-c[0])) + float64((p[1]-c[1])*(p[1]-c[1])); d < least {
				nearest, least = r, d
			}
		}
		s.truth[i] = uint8(nearest % k)
		s.clicks[i] = -1
		if rng.Float64() < clicked {
			s.clicks[i] = int16(s.truth[i])
		}
		s.area[i] = 0.5 + rng.Float64()
		for c, v := range colours[nearest] {
			of[i][c] = v + float64(0.08*(rng.Float64()-0.5))
		}
	}
	for i := range n {
		for _, j := range []int{i + 1, i + side, i + side + 1} {
			if j >= n || j%side == 0 && j != i+side {
				continue
			}
			d := 0.0
			for c := range of[i] {
				d += float64((of[i][c] - of[j][c]) * (of[i][c] - of[j][c]))
			}
			d = math.Sqrt(d)
			s.conductances = append(s.conductances, crf.Edge{A: int32(i), B: int32(j), W: crf.Exp(float64(-30*d)) + 1e-4})
			s.potts = append(s.potts, crf.Edge{A: int32(i), B: int32(j), W: crf.Exp(float64(-10 * d))})
		}
	}
	return s
}
