package engine

import (
	"math"
	"slices"

	"collie/crf"
	"collie/segment"
)

// correction turns x, the most probable labelling, into one that corrects what
// was shown when the clicks at superpixels since were made. People click in the
// middle of what is wrong, so a change with a click only at its fringe is not
// what they mean: if somewhere the change is deeper than Deepest times as deep
// as at the click, it is made again with everything fixed that is more than
// Within times the depth at the click away from it. And a correction is local:
// of the change only the parts remain that are joined to a click, with what was
// undecided before. Large parts of what was shown several times stay, too, see
// trusted.
//
// x, shown and model hold indices of the classes in play; -1 in shown is any other class. x may be
// changed and is returned. seen is how often people saw what is shown.
func (m *Model) correction(model *crf.Model, x []uint8, shown []int16, since []int32, seen *seen) []uint8 {
	if meant := m.meant(x, shown, since); meant != nil {
		x = again(model, x, shown, meant)
	}
	if trusted := m.trusted(x, shown, since, seen); trusted != nil {
		x = again(model, x, shown, trusted)
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

// again maximises from x, with what can't change fixed as shown.
func again(model *crf.Model, x []uint8, shown []int16, may []bool) []uint8 {
	local := *model
	local.Fixed = slices.Clone(model.Fixed)
	for i := range x {
		if local.Fixed[i] < 0 && shown[i] >= 0 && !may[i] {
			local.Fixed[i] = shown[i]
		}
	}
	solver := crf.NewSolver(&local, crf.Options{Sweeps: firstSweeps})
	return slices.Clone(solver.Solve(x).Labels)
}

// seen is how often people saw what is shown and corrected something else.
type seen struct {
	gestures []int   // of each class in play
	lasted   []uint8 // see Evidence
}

// trusted says which superpixels the clicks at since can change, nil when the
// change from shown to x can stay. People correct the largest error first, so
// what they have seen t times is mostly right. For a superpixel t is how many
// labellings in a row showed its class, but at most the number of gestures of
// this class and of the click's. From the class that is shown at the click a
// change can take superpixels with Σ share·t² ≤ Trust, where share is the part of
// that class's area that a superpixel has. Where it takes more, only what is Near
// the click can change.
func (m *Model) trusted(x []uint8, shown []int16, since []int32, seen *seen) []bool {
	if m.Trust == 0 || seen.lasted == nil {
		return nil
	}
	area := make([]float64, len(seen.gestures)) // of the classes, as shown
	for i, s := range shown {
		if s >= 0 {
			area[s] += m.shares[i]
		}
	}
	near := m.Near * math.Sqrt(float64(m.size.X)*float64(m.size.Y))
	may := make([]bool, len(x))
	large := false
	for _, click := range since {
		part, _ := m.joined([]int32{click}, changed(x, shown))
		if from := shown[click]; from >= 0 && from != int16(x[click]) {
			most := seen.gestures[from] + seen.gestures[x[click]]
			taken := 0.0
			for _, i := range part {
				if shown[i] == from {
					t := float64(min(1+int(seen.lasted[i]), most))
					taken += float64(m.shares[i] * t * t)
				}
			}
			if taken > m.Trust*area[from] {
				large = true
				for i := range x {
					may[i] = may[i] || m.apart(i, int(click)) <= near
				}
				continue
			}
		}
		for _, i := range part {
			may[i] = true
		}
	}
	if !large {
		return nil
	}
	return may
}

// gestures counts, for each class in play, those that have clicked superpixels; a
// stroke is one.
func (e *Evidence) gestures(index *[256]int16, classes int) []int {
	type gesture struct {
		class uint8
		when  int
	}
	seen := map[gesture]bool{}
	count := make([]int, classes)
	for i, class := range e.Clicks {
		if class == segment.Void {
			continue
		}
		g := gesture{class, -1 - i}
		if e.Holds != nil && e.Holds.Clicked[i] > 0 {
			g.when = e.Holds.Clicked[i]
		}
		if !seen[g] {
			seen[g] = true
			count[index[class]]++
		}
	}
	return count
}

// changed tells which superpixels differ between x and shown.
func changed(x []uint8, shown []int16) func(int32) bool {
	return func(i int32) bool { return int16(x[i]) != shown[i] }
}

// meant says which superpixels the clicks at since may change, nil when the change
// from shown to x need not be made again.
func (m *Model) meant(x []uint8, shown []int16, since []int32) []bool {
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
		if c.deepest <= m.Deepest*depth {
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
