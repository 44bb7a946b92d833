package engine

import (
	"math"
	"slices"

	"collie/crf"
)

// correction turns x, the most probable labelling, into one that corrects what
// was shown when the clicks at superpixels since were made. People click in the
// middle of what is wrong, so a change with a click only at its fringe is not
// what they mean: if somewhere the change is deeper than Deepest times as deep
// as at the click, it is made again with everything fixed that is more than
// Within times the depth at the click away from it. And a correction is local:
// of the change only the parts remain that are joined to a click, with what was
// undecided before.
//
// x, shown and model hold indices of the classes in play; -1 in shown is any other class. x may be
// changed and is returned.
func (m *Model) correction(model *crf.Model, x []uint8, shown []int16, since []int32) []uint8 {
	if meant := m.meant(x, shown, since); meant != nil {
		local := *model
		local.Fixed = slices.Clone(model.Fixed)
		for i := range x {
			if local.Fixed[i] < 0 && shown[i] >= 0 && !meant[i] {
				local.Fixed[i] = shown[i]
			}
		}
		solver := crf.NewSolver(&local, crf.Options{Sweeps: firstSweeps})
		x = slices.Clone(solver.Solve(x).Labels)
	}
	joined := make([]bool, len(x))
	for _, click := range since {
		if joined[click] {
			continue
		}
		part, _, _ := m.change(x, shown, int(click))
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

// meant says which superpixels the clicks at since may change, nil when the change
// from shown to x need not be made again.
func (m *Model) meant(x []uint8, shown []int16, since []int32) []bool {
	meant := make([]bool, len(x))
	again := false
	for _, click := range since {
		part, depth, deepest := m.change(x, shown, int(click))
		if deepest <= m.Deepest*depth {
			for _, i := range part {
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

// change returns the superpixels that differ between x and shown and are joined
// to superpixel last by such, itself included, and how deep the change is at
// last and where it is deepest: the distance in pixels to the nearest
// superpixel around it, or to the image's border.
func (m *Model) change(x []uint8, shown []int16, last int) (part []int32, depth, deepest float64) {
	const (
		inside = 1 + iota
		around
	)
	side := make([]uint8, len(x))
	side[last] = inside
	part = []int32{int32(last)}
	var rim []int32
	for at := 0; at < len(part); at++ {
		for _, j := range m.around()[part[at]] {
			switch {
			case side[j] != 0:
			case int16(x[j]) != shown[j]:
				side[j] = inside
				part = append(part, j)
			default:
				side[j] = around
				rim = append(rim, j)
			}
		}
	}
	at := func(i int) float64 {
		c := m.centres[i]
		d := min(c[0], c[1], float32(m.size.X)-c[0], float32(m.size.Y)-c[1])
		nearest := float64(d) * float64(d)
		for _, j := range rim {
			nearest = min(nearest, m.square(i, int(j)))
		}
		return math.Sqrt(nearest)
	}
	depth = at(last)
	deepest = depth
	for _, i := range part {
		deepest = max(deepest, at(int(i)))
	}
	return part, depth, deepest
}

// square is the squared distance between the centroids of two superpixels in pixels.
func (m *Model) square(i, j int) float64 {
	a, b := m.centres[i], m.centres[j]
	dx, dy := float64(a[0]-b[0]), float64(a[1]-b[1])
	return float64(dx*dx) + float64(dy*dy)
}

func (m *Model) apart(i, j int) float64 { return math.Sqrt(m.square(i, j)) }
