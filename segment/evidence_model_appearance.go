package segment

import (
	"collie/crf"
	"collie/herding"
	"collie/superpixels"
)

// appearance is the part of the evidence that does not come across borders:
// from each superpixel the walker may jump to the clicks, to each in proportion
// to the likeness exp(-d²/2·Alike²) with d the distance of the mean colours.
// With the sum S of all likenesses the conductance of the jumps together is
// Jump·S/(S+Doubtful), so what looks like nothing clicked keeps to its
// neighbours. The estimate is made anew from the clicks of the moment.
func (p Parameters) appearance(g *superpixels.Graph, fixed []int16, k int) *herding.Prior {
	if p.Jump <= 0 {
		return nil
	}
	prior := &herding.Prior{Weight: make([]float64, len(fixed)), Share: make([]float64, len(fixed)*k)}
	looks := make([][3]float64, len(g.Regions))
	var clicks []int
	for i, r := range g.Regions {
		looks[i] = look(r)
		if fixed[i] >= 0 {
			clicks = append(clicks, i)
		}
	}
	scale := -0.5 / (p.Alike * p.Alike)
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
			alike := crf.Exp(scale * d2)
			share[fixed[c]] += alike
			sum += alike
		}
		if sum < leastLikeness {
			clear(share)
			continue
		}
		for l := range share {
			share[l] /= sum
		}
		prior.Weight[i] = p.Jump * sum / (sum + p.Doubtful)
	}
	return prior
}

// leastLikeness is the sum of likenesses below which there is none.
const leastLikeness = 1e-12

// look is the mean colour of a region, with the chroma weight of ΔE.
func look(r superpixels.Region) [3]float64 {
	const chroma = 1.8 // √3.2 in round numbers
	return [3]float64{float64(r.Mean[0]), float64(chroma * float64(r.Mean[1])), float64(chroma * float64(r.Mean[2]))}
}
