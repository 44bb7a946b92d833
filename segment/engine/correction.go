package engine

import (
	"math"
	"slices"

	"collie/crf"
)

// correction turns x, the most probable labelling, into one that corrects what
// was shown when the clicks at superpixels since were made. The more clicks there
// are, the fewer errors are left and the more it takes to change what was shown,
// see Firm. People click in the middle of what is wrong, so a change with a click
// only at its fringe is not what they mean: if somewhere the change is deeper than
// Deepest times as deep as at the click (Several times with more than two classes,
// where a new class takes its area from all others), it is made again with
// everything fixed that is more than Within times the depth at the click away from
// it. And a correction is local: of the change only the parts remain that are
// joined to a click, with what was undecided before.
//
// x, shown and model hold indices of the classes in play; -1 in shown is any other class. x may be
// changed and is returned.
func (m *Model) correction(model *crf.Model, x []uint8, shown []int16, since []int32) []uint8 {
	if m.Firm > 0 {
		x = m.firmed(model, x, shown)
	}
	deepest := m.Deepest
	if model.Labels > 2 && m.Several > 0 {
		deepest = m.Several
	}
	if meant := m.meant(x, shown, since, deepest); meant != nil {
		local := *model
		local.Fixed = slices.Clone(model.Fixed)
		for i := range x {
			if local.Fixed[i] < 0 && shown[i] >= 0 && !meant[i] {
				local.Fixed[i] = shown[i]
			}
		}
		x = mostProbable(&local, x)
	}
	joined := make([]bool, len(x))
	for _, click := range since {
		if joined[click] {
			continue
		}
		part, _ := m.joined([]int32{click}, changed(x, shown))
		for _, i := range part {
			joined[i] = true
		}
	}
	for i, s := range shown {
		if s >= 0 && !joined[i] && model.Fixed[i] < 0 {
			x[i] = uint8(s)
		}
	}
	return x
}

// The first few clicks say what is meant, and those after firmest add no more. A
// stroke counts as a click on each superpixel.
const few, firmest = 4, 10

// firmed is x made again with Firm for each click after the first few added to the
// unaries of what was shown.
func (m *Model) firmed(model *crf.Model, x []uint8, shown []int16) []uint8 {
	clicks := 0
	for _, f := range model.Fixed {
		if f >= 0 {
			clicks++
		}
	}
	if clicks <= few {
		return x
	}
	more := float64(m.Firm * float64(min(clicks, firmest)-few))
	firm := *model
	firm.Unary = slices.Clone(model.Unary)
	for i, s := range shown {
		if s >= 0 {
			firm.Unary[i*model.Labels+int(s)] += more
		}
	}
	return mostProbable(&firm, x)
}

// mostProbable returns the most probable labelling of a model, or one at least as
// probable as x. Neither is changed.
func mostProbable(model *crf.Model, x []uint8) []uint8 {
	return crf.NewSolver(model, crf.Options{Sweeps: firstSweeps}).Solve(x).Labels
}

// changed tells which superpixels differ between x and shown.
func changed(x []uint8, shown []int16) func(int32) bool {
	return func(i int32) bool { return int16(x[i]) != shown[i] }
}

// meant says which superpixels the clicks at since may change, nil when the change
// from shown to x need not be made again because nowhere it is more than deepest
// times as deep as at the click.
func (m *Model) meant(x []uint8, shown []int16, since []int32, deepest float64) []bool {
	meant := make([]bool, len(x))
	again := false
	changed := changed(x, shown)
	known := make([]*change, len(x)) // of changed superpixels
	for _, click := range since {
		c := known[click]
		if c == nil {
			c = m.change(click, changed)
			if changed(click) {
				for _, i := range c.part {
					known[i] = c
				}
			}
		}
		depth := m.depth(click, c.rim)
		if c.deepest <= deepest*depth {
			for _, i := range c.part {
				meant[i] = true
			}
			continue
		}
		again = true
		for i := range x {
			meant[i] = meant[i] || m.apart(i, int(click)) <= m.Within*depth
		}
	}
	if !again {
		return nil
	}
	return meant
}

// change is a part of a labelling that changes as a whole.
type change struct {
	part, rim []int32
	deepest   float64 // largest depth
}

// change returns the change that a click belongs to, itself included.
func (m *Model) change(click int32, changed func(int32) bool) *change {
	c := &change{}
	c.part, c.rim = m.joined([]int32{click}, changed)
	for _, i := range c.part {
		c.deepest = max(c.deepest, m.depth(i, c.rim))
	}
	return c
}

// joined returns the given superpixels with all that paths of changed ones join to
// them, and the rim: the others that touch these.
func (m *Model) joined(superpixels []int32, changed func(int32) bool) (part, rim []int32) {
	seen := make([]bool, len(m.shares))
	for _, i := range superpixels {
		if !seen[i] {
			seen[i] = true
			part = append(part, i)
		}
	}
	for at := 0; at < len(part); at++ {
		for _, j := range m.around()[part[at]] {
			switch {
			case seen[j]:
				continue
			case changed(j):
				part = append(part, j)
			default:
				rim = append(rim, j)
			}
			seen[j] = true
		}
	}
	return part, rim
}

// depth is the distance in pixels from a superpixel to the nearest one of the rim
// around it, or to the image's border.
func (m *Model) depth(i int32, rim []int32) float64 {
	c := m.centres[i]
	d := min(c[0], c[1], float32(m.size.X)-c[0], float32(m.size.Y)-c[1])
	nearest := float64(d) * float64(d)
	for _, j := range rim {
		nearest = min(nearest, m.square(int(i), int(j)))
	}
	return math.Sqrt(nearest)
}

// square is the squared distance between the centroids of two superpixels in pixels.
func (m *Model) square(i, j int) float64 {
	a, b := m.centres[i], m.centres[j]
	dx, dy := float64(a[0]-b[0]), float64(a[1]-b[1])
	return float64(dx*dx) + float64(dy*dy)
}

func (m *Model) apart(i, j int) float64 { return math.Sqrt(m.square(i, j)) }
