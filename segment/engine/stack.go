package engine

import (
	"math"
	"slices"

	"collie/crf"
	"collie/segment/chooser"
)

// The walker knows borders and similarities to clicks, but not what all clicks say together:
// that a class with few of them is small, or that a superpixel has the colours of what is
// probably that class everywhere. So a second model corrects it, a small neural network that
// sees the walker's probabilities among its features (stacked generalization, Wolpert 1992,
// doi:10.1016/S0893-6080(05)80023-1). It was learned where each class in play was clicked
// and nothing but clicks counted. It is asked there, and where regions were picked besides.

// StackFeatures are the features of a class at a superpixel; p is the walker's probability
// of the class there. Means over superpixels are weighted by area. Clicks are counted as by
// Model.marks.
type StackFeatures [stackFeatureCount]float64

const (
	ownOdds       = iota // log odds of p
	ownDoubt             // entropy of all classes' p
	besideP              // mean p of the neighbours, weighted by the Potts weights of the borders
	regionP              // mean p in the region of the division, or of the image
	massP                // mean p in the image
	logMassP             // log of the latter
	alikeShare           // part of the similarity to all clicks that is to those of the class, small without any
	alikeAll             // log of the sum of similarities to all clicks
	alikeOwn             // log of the same to those of the class
	clickShare           // part of the clicks that are of the class
	massOfClick          // log (massP / clickShare)
	clickCountAll        // log of the number of clicks
	nearestOwn           // log of the distance to the nearest click of the class, in parts of the image's mean side
	nearestRest          // log of the same to the nearest one of another class, less nearestOwn
	colourOwn            // mean log likelihood of the colours where the class probably is, less the mean of all classes
	areaOwn              // log of the superpixel's part of the image
	stackFeatureCount
)

// What keeps logarithms finite.
const (
	leastOdds       = 1e-3 // added to p and to 1 - p
	leastSimilarity = 1e-4
	leastMass       = 0.01
	leastDistance   = 0.01
)

// stacker corrects the walker's probabilities.
type stacker struct {
	*Model
	mu    []float64 // the walker's probabilities, superpixels × k
	alike *alike
	fixed []int16
	k     int

	beside, nearest, colour []float64       // superpixels × k, as the features
	region                  []float64       // regions × k
	everywhere              []StackFeatures // of each class, with what is the same at all superpixels
}

// stacker returns what corrects the walker's probabilities mu; nil where a class in play has
// no click, or where it would take long.
func (m *Model) stacker(mu []float64, a *alike, fixed []int16, k int) *stacker {
	if isHeavy(fixed, k) {
		return nil
	}
	clicks, all := make([]float64, k), 0.0
	for class := range m.marks(fixed) {
		clicks[class]++
		all++
	}
	if slices.Contains(clicks, 0) {
		return nil
	}
	s := &stacker{Model: m, mu: mu, alike: a, fixed: fixed, k: k, everywhere: make([]StackFeatures, k)}
	s.beside, s.nearest, s.colour = s.ofNeighbours(), s.toClicks(), s.ofColours()
	mass, region := s.ofRegions()
	s.region = region
	for l, n := range clicks {
		share := n / all
		s.everywhere[l] = StackFeatures{
			massP: mass[l], logMassP: crf.Log(mass[l] + leastMass),
			clickShare: share, massOfClick: crf.Log((mass[l] + leastMass) / (share + leastMass)), clickCountAll: crf.Log(all),
		}
	}
	return s
}

// ofNeighbours returns besideP.
func (s *stacker) ofNeighbours() []float64 {
	out, total := make([]float64, len(s.mu)), make([]float64, len(s.shares))
	k := s.k
	for _, e := range s.borders().weights {
		total[e.A] += e.W
		total[e.B] += e.W
		a, b := int(e.A)*k, int(e.B)*k
		for l := range k {
			out[a+l] += float64(e.W * s.mu[b+l])
			out[b+l] += float64(e.W * s.mu[a+l])
		}
	}
	for i, t := range total {
		if t > 0 {
			for l := range k {
				out[i*k+l] /= t
			}
		}
	}
	return out
}

// ofRegions returns massP and regionP.
func (s *stacker) ofRegions() (mass, region []float64) {
	k := s.k
	mass = s.masses(make([]int32, len(s.shares)), 1)
	if s.regions == nil {
		return mass, mass
	}
	n := int(slices.Max(s.regions)) + 1
	region = s.masses(s.regions, n)
	areas := make([]float64, n)
	for i, r := range s.regions {
		areas[r] += s.shares[i]
	}
	for r, area := range areas {
		for l := range k {
			region[r*k+l] /= area
		}
	}
	return mass, region
}

// masses sums up area times p in n parts of the image: parts × k.
func (s *stacker) masses(part []int32, n int) []float64 {
	out := make([]float64, n*s.k)
	for i, r := range part {
		for l, p := range s.mu[i*s.k : (i+1)*s.k] {
			out[int(r)*s.k+l] += float64(s.shares[i] * p)
		}
	}
	return out
}

// toClicks returns nearestOwn.
func (s *stacker) toClicks() []float64 {
	k, whole := s.k, float64(s.size.X*s.size.Y)
	out := slices.Repeat([]float64{2 * whole}, len(s.mu))
	for j, f := range s.fixed {
		if f < 0 {
			continue
		}
		for i := range s.shares {
			out[i*k+int(f)] = min(out[i*k+int(f)], s.square(i, j))
		}
	}
	for at, square := range out {
		out[at] = crf.Log(math.Sqrt(square/whole) + leastDistance)
	}
	return out
}

// ofColours returns colourOwn.
func (s *stacker) ofColours() []float64 {
	k, palettes := s.k, s.palettes()
	tallies := make([]tally, k)
	for i, of := range palettes {
		for l, p := range s.mu[i*k : (i+1)*k] {
			tallies[l].add(of, float64(s.shares[i]*p))
		}
	}
	logs := make([][colourBins]float64, k)
	for bin := range colourBins {
		mean := 0.0
		for l := range logs {
			logs[l][bin] = crf.Log(tallies[l].share(bin))
			mean += logs[l][bin] / float64(k)
		}
		for l := range logs {
			logs[l][bin] -= mean
		}
	}
	out := make([]float64, len(s.mu))
	for l := range logs {
		meansOf(out[l:], k, palettes, &logs[l])
	}
	return out
}

// describe writes the features of the classes at a superpixel.
func (s *stacker) describe(i int, rows []StackFeatures) {
	k := s.k
	p, region := s.mu[i*k:(i+1)*k], s.region
	if s.regions != nil {
		region = region[int(s.regions[i])*k:]
	}
	doubt := 0.0
	near, next := math.Inf(1), math.Inf(1) // the least and the second of nearestOwn
	for l, v := range p {
		doubt -= float64(v * crf.Log(v+smaller))
		if d := s.nearest[i*k+l]; d < near {
			near, next = d, near
		} else {
			next = min(next, d)
		}
	}
	all, area := crf.Log(s.alike.each[i]+leastSimilarity), crf.Log(s.shares[i])
	for l, v := range p {
		at := i*k + l
		own, other := s.nearest[at], near
		if own == near {
			other = next
		}
		f := &rows[l]
		*f = s.everywhere[l]
		f[ownOdds], f[ownDoubt], f[areaOwn] = crf.Log((v+leastOdds)/(1-v+leastOdds)), doubt, area
		f[besideP], f[regionP], f[colourOwn] = s.beside[at], region[l], s.colour[at]
		f[alikeShare], f[alikeAll], f[alikeOwn] = s.alike.of[at]/(s.alike.each[i]+s.Doubtful), all, crf.Log(s.alike.of[at]+leastSimilarity)
		f[nearestOwn], f[nearestRest] = own, other-own
	}
}

// each visits the superpixels without a click, with the walker's probabilities and the
// features of the classes, its favourite first: it and the first class have changed places
// among the rows, which are used again.
func (s *stacker) each(visit func(superpixel, favourite int, p []float64, rows [][]float64)) {
	features, rows := make([]StackFeatures, s.k), make([][]float64, s.k)
	for i, f := range s.fixed {
		if f >= 0 {
			continue
		}
		s.describe(i, features)
		p := s.mu[i*s.k : (i+1)*s.k]
		favourite := slices.Index(p, slices.Max(p))
		for l := range features {
			rows[l] = features[l][:]
		}
		rows[0], rows[favourite] = rows[favourite], rows[0]
		visit(i, favourite, p, rows)
	}
}

// correct overwrites the walker's probabilities with those of a chooser.
func (s *stacker) correct(c *chooser.Chooser) {
	var room chooser.Room
	s.each(func(_, favourite int, p []float64, rows [][]float64) {
		copy(p, c.ChancesIn(&room, rows))
		p[0], p[favourite] = p[favourite], p[0]
	})
}

// StackSees visits what the stack sees after some clicks, fixed and k as in Problem: each
// superpixel without a click, with the walker's probabilities and the features of the
// classes, its favourite first: it and the first class have changed places among the rows,
// which are used again. It visits nothing where the stack is not asked. Used to train it.
func (m *Model) StackSees(fixed []int16, k int, visit func(superpixel, favourite int, p []float64, rows [][]float64)) error {
	a := m.affinities().clicks(fixed, k).all()
	mu, err := m.marginals(a, fixed, k, nil)
	if err != nil {
		return err
	}
	if s := m.stacker(mu, a, fixed, k); s != nil {
		s.each(visit)
	}
	return nil
}
