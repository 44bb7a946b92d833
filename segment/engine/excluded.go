package engine

import (
	"slices"

	"collie/crf"
	"collie/herding"
	"collie/segment"
)

// ruledOut returns, per superpixel, which of k classes in play it is not, nil where it
// can be any: those that it is excluded from, and outside a box that of the box, unless
// it leaves the box or is the rest. Clicked superpixels are what they are clicked as.
// index is indexOf(the classes in play), and rest the index of the rest or -1.
func (e *Evidence) ruledOut(index *[256]int16, k, rest int) [][]bool {
	out := make([][]bool, len(e.Clicks))
	rule := func(i int, class uint8) {
		if l := index[class]; l >= 0 && e.Clicks[i] == segment.Void {
			if out[i] == nil {
				out[i] = make([]bool, k)
			}
			out[i][l] = true
		}
	}
	for _, x := range e.Excluded {
		rule(x.Superpixel, x.Class)
	}
	for _, b := range e.Boxes {
		if int(index[b.Class]) == rest || e.leaves(b) {
			continue
		}
		for i, outside := range b.Outside {
			if outside {
				rule(i, b.Class)
			}
		}
	}
	return out
}

// emptied reports whether exclusions leave a superpixel without a class in play.
func (e *Evidence) emptied(classes []int, rest int) bool {
	if len(e.Excluded) == 0 { // boxes alone leave the rest
		return false
	}
	index := indexOf(classes)
	return slices.ContainsFunc(e.ruledOut(&index, len(classes), rest), func(not []bool) bool {
		return not != nil && !slices.Contains(not, false)
	})
}

// leaves reports whether something outside a box is clicked or picked as its class.
func (e *Evidence) leaves(b Box) bool {
	for i, outside := range b.Outside {
		if outside && (e.Clicks[i] == b.Class || e.Holds != nil && e.Holds.Labels[i] == b.Class) {
			return true
		}
	}
	return false
}

// exclude makes classes that superpixels are not impossible there: their probability
// is distributed over the other classes in play, in proportion.
func (e *Evidence) exclude(p *herding.Problem, index *[256]int16, rest int) error {
	if len(e.Excluded) == 0 && len(e.Boxes) == 0 {
		return nil
	}
	k := p.Model.Labels
	for i, out := range e.ruledOut(index, k, rest) {
		mu, theta := p.UnaryMoments[i*k:(i+1)*k], p.Model.Unary[i*k:(i+1)*k]
		sum, left := 0.0, 0
		for l, x := range out {
			if x {
				mu[l] = 0
			} else {
				sum += mu[l]
				left++
			}
		}
		for l, x := range out {
			switch {
			case x:
				theta[l] = crf.Log(herding.Floor) + herding.Impossible
			case sum > 0:
				mu[l] /= sum
				theta[l] = crf.Log(max(mu[l], herding.Floor))
			default:
				mu[l] = 1 / float64(left)
				theta[l] = crf.Log(mu[l])
			}
		}
	}
	return sumUp(p)
}

// sumUp makes the area moments of a problem, those that it has, again from its unary
// moments.
func sumUp(p *herding.Problem) (err error) {
	k := p.Model.Labels
	if p.AreaMoments != nil {
		if p.AreaMoments, err = herding.AreaMoments(p.UnaryMoments, k, p.Area); err != nil {
			return err
		}
	}
	for n, r := range p.Regions {
		moments, err := herding.NewRegionMoments(p.UnaryMoments, k, p.Area, r.Group)
		if err != nil {
			return err
		}
		p.Regions[n].Moments = moments.Moments
	}
	return nil
}
