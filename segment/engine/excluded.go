package engine

import (
	"collie/crf"
	"collie/herding"
)

// exclude makes excluded classes impossible: their probability is distributed
// over the other classes in play, in proportion. Clicked superpixels keep their
// class.
func (e *Evidence) exclude(p *herding.Problem, index *[256]int16) error {
	if len(e.Excluded) == 0 {
		return nil
	}
	k := p.Model.Labels
	rows := map[int][]bool{}
	for _, x := range e.Excluded {
		l := index[x.Class]
		if l < 0 || p.Model.Fixed[x.Superpixel] >= 0 {
			continue
		}
		if rows[x.Superpixel] == nil {
			rows[x.Superpixel] = make([]bool, k)
		}
		rows[x.Superpixel][l] = true
	}
	for i, excluded := range rows {
		mu, theta := p.UnaryMoments[i*k:(i+1)*k], p.Model.Unary[i*k:(i+1)*k]
		sum, left := 0.0, 0
		for l, x := range excluded {
			if x {
				mu[l] = 0
			} else {
				sum += mu[l]
				left++
			}
		}
		for l, x := range excluded {
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
