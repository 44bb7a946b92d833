package engine

import (
	"math"
	"slices"
	"testing"

	"collie/herding"
	"collie/segment"
	"collie/segment/schedule"
)

// The stack corrects the walker where clicks and picks are all the evidence, and each class
// has a click.
func TestWhereTheStackIsAsked(t *testing.T) {
	_, g := patchwork(240, 160, 400)
	n := len(g.Regions)
	picked, pickedAnew := newHolds(n), newHolds(n)
	picked.pick(1, slices.Repeat([]uint8{1}, n), 100, 101)
	pickedAnew.pick(1, slices.Repeat([]uint8{7}, n), 100, 101)
	plain := clicksOn(n, map[int]uint8{0: 0, n - 1: 1, 210: 1})
	beside := clicksOn(n, map[int]uint8{1: 0})
	many := clicksOn(n, nil)
	for i := range segment.MaxClasses {
		many[i] = uint8(i)
	}
	for name, c := range map[string]struct {
		e     Evidence
		asked bool
	}{
		"clicks":                           {Evidence{Clicks: plain}, true},
		"clicks that correct":              {Evidence{Clicks: plain, Shown: slices.Repeat([]uint8{0}, n), Since: []int32{210}}, true},
		"clicks and what is beside them":   {Evidence{Clicks: plain, Beside: beside, Holds: newHolds(n)}, true},
		"a rest":                           {Evidence{Clicks: plain, Rest: segment.Rest{Mode: segment.RestClass}}, false},
		"a box":                            {Evidence{Clicks: plain, Boxes: []Box{{Class: 1, Outside: make([]bool, n)}}}, false},
		"clicks and picks":                 {Evidence{Clicks: plain, Holds: picked}, true},
		"picks of a class without a click": {Evidence{Clicks: plain, Holds: pickedAnew}, false},
		"a guess":                          {Evidence{Clicks: plain, Guess: guessOfFirst(n, 0.9)}, false},
		"a guess that says nothing":        {Evidence{Clicks: plain, Guess: guessOfFirst(n, 0)}, true},
		"more than is computed in a while": {Evidence{Clicks: many}, false},
	} {
		made := func(p Parameters) *herding.Problem {
			problem, err := NewSequence(NewModel(g, p), c.e, 0).problem(t.Context(), schedule.First)
			if err != nil {
				t.Fatal(name, err)
			}
			return problem
		}
		with, without := made(DefaultParameters), made(alone(DefaultParameters))
		if got := !slices.Equal(with.UnaryMoments, without.UnaryMoments); got != c.asked {
			t.Errorf("%s: asked: %v", name, got)
		}
		for i, f := range with.Model.Fixed {
			sum := 0.0
			for l, p := range with.UnaryMoments[i*with.Model.Labels : (i+1)*with.Model.Labels] {
				if sum += p; p < 0 || f >= 0 && p != without.UnaryMoments[i*with.Model.Labels+l] {
					t.Fatalf("%s: superpixel %d, class %d: %v", name, i, l, p)
				}
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("%s: the probabilities of superpixel %d sum to %v", name, i, sum)
			}
		}
	}
}

// alone are parameters without a stack.
func alone(p Parameters) Parameters {
	p.Stack, p.Stacked = nil, ""
	return p
}

// guessOfFirst guesses the first of two classes everywhere, with the given probability.
func guessOfFirst(n int, p float64) *Guess {
	return &Guess{Classes: []uint8{0, 1}, Shares: slices.Repeat([]float64{p, 0}, n), Strength: ImportStrength, Exponent: 1}
}

// The numbers of classes mean nothing: with others the probabilities are the same.
func TestStackOfRenamedClasses(t *testing.T) {
	_, g := patchwork(240, 160, 150)
	n := len(g.Regions)
	m := NewModel(g, DefaultParameters)
	m.Divide(slices.Repeat([]int32{0, 1, 2}, n)[:n])
	fixed, renamed, name := unclicked(n), unclicked(n), []int16{2, 0, 1}
	for at := range 9 {
		i := at * n / 9
		fixed[i] = int16(at * at % 3)
		renamed[i] = name[fixed[i]]
	}
	fixed[n-1], renamed[n-1] = 2, name[2]
	p, err := m.Problem(fixed, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := m.Problem(renamed, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for l, to := range name {
			if a, b := p.UnaryMoments[3*i+l], q.UnaryMoments[3*i+int(to)]; math.Abs(a-b) > 1e-6 {
				t.Fatalf("superpixel %d, class %d: %v, renamed %v", i, l, a, b)
			}
		}
	}
}

// Features are what their comments say.
func TestStackFeatures(t *testing.T) {
	_, g := patchwork(240, 160, 60)
	m, n, k := NewModel(g, DefaultParameters), len(g.Regions), 2
	m.Divide(slices.Concat(slices.Repeat([]int32{0}, n/4), slices.Repeat([]int32{1}, n-n/4)))
	fixed := unclicked(n)
	beside := m.around()[0][0]
	fixed[0], fixed[beside], fixed[n-2], fixed[n-1] = 0, 0, 0, 1
	if slices.Contains(m.around()[n-2], 0) || slices.Contains(m.around()[n-2], beside) {
		t.Fatal("all clicks of a class are side by side")
	}
	a := m.affinities().clicks(fixed, k).all()
	mu, err := m.marginals(a, fixed, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	visited := 0
	err = m.StackSees(fixed, k, func(i, favourite int, p []float64, rows [][]float64) {
		visited++
		if other := 1 - favourite; fixed[i] >= 0 || p[favourite] < p[other] || !slices.Equal(p, mu[2*i:2*i+2]) {
			t.Fatalf("superpixel %d with probabilities %v, favourite %d", i, p, favourite)
		}
		for l := range k {
			f, other := rows[l], 1-l
			if favourite == 1 {
				f = rows[other]
			}
			mean := func(of func(j int) (weight float64)) float64 {
				sum, weights := 0.0, 0.0
				for j := range n {
					w := of(j)
					sum += w * mu[2*j+l]
					weights += w
				}
				return sum / weights
			}
			near := [2]float64{math.Inf(1), math.Inf(1)}
			for j, c := range fixed {
				if c >= 0 {
					near[c] = min(near[c], math.Sqrt(m.square(i, j)))
				}
			}
			side := math.Sqrt(float64(m.size.X * m.size.Y))
			distance := func(c int) float64 { return math.Log(near[c]/side + 0.01) }
			doubt := -p[0]*math.Log(p[0]+1e-6) - p[1]*math.Log(p[1]+1e-6)
			share, mass := []float64{2. / 3, 1. / 3}[l], mean(func(j int) float64 { return m.shares[j] })
			neighbours := mean(func(j int) (w float64) {
				for _, e := range m.borders().weights {
					if int(e.A)+int(e.B) == i+j && (int(e.A) == i || int(e.A) == j) {
						w += e.W
					}
				}
				return w
			})
			region := mean(func(j int) float64 {
				if m.regions[j] != m.regions[i] {
					return 0
				}
				return m.shares[j]
			})
			colour := 0.0
			for c, bins := range m.colours[i] {
				for bin, part := range bins {
					likelihood := func(class int) float64 {
						sum, area := 0.0, 0.0
						for j := range n {
							w := m.shares[j] * mu[2*j+class]
							area += w
							sum += w * float64(m.colours[j][c][bin]) / 255
						}
						return math.Log(0.01 + sum/area)
					}
					colour += float64(part) / 255 * (likelihood(l) - likelihood(other)) / 2
				}
			}
			all, own := a.of[2*i]+a.of[2*i+1], a.of[2*i+l]
			for at, want := range map[int]float64{
				ownOdds: math.Log((p[l] + 1e-3) / (p[other] + 1e-3)), ownDoubt: doubt, besideP: neighbours, regionP: region,
				massP: mass, logMassP: math.Log(mass + 0.01), alikeShare: own / (all + m.Doubtful), alikeAll: math.Log(all + 1e-4), alikeOwn: math.Log(own + 1e-4),
				clickShare: share, massOfClick: math.Log((mass + 0.01) / (share + 0.01)), clickCountAll: math.Log(3),
				nearestOwn: distance(l), nearestRest: distance(other) - distance(l), areaOwn: math.Log(m.shares[i]), colourOwn: colour,
			} {
				if math.Abs(f[at]-want) > 1e-6 {
					t.Errorf("superpixel %d, class %d, feature %d: %v, want %v", i, l, at, f[at], want)
				}
			}
		}
	})
	if err != nil || visited != n-4 {
		t.Errorf("%d superpixels of %d were visited, %v", visited, n, err)
	}
}
