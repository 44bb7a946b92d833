package timeline

import (
	"image"
	"math"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// smallBox is the number of superpixels up to which those of a box are divided.
const smallBox = 40

// Shown is a labelling that clicks correct: a hypothesis that the person looked
// at when making the first of them, or the last one that was accepted as a whole.
// Immutable.
type Shown struct {
	Seq    int     // number of events when it was shown
	Labels []uint8 // class as the evidence names it, or Void, per cell

	rank   int
	digest string
}

// Is reports whether it is the hypothesis of a rank and a digest.
func (s *Shown) Is(rank int, digest string) bool {
	return s != nil && digest != "" && s.rank == rank && s.digest == digest
}

// Shown returns what clicks correct and the superpixels of Cut that have been
// clicked since, ascending; nil when there is nothing.
func (t *Timeline) Shown() (shown *Shown, since []int32) {
	if t.shown == nil {
		return nil, nil
	}
	for cell, e := range t.evidence {
		if e.clicked != segment.Void && int(e.clickedAt) > t.shown.Seq {
			since = append(since, t.cut.Parent[cell])
		}
	}
	slices.Sort(since)
	return t.shown, slices.Compact(since)
}

// Beside returns, per superpixel of Cut without a click, the class of the clicks in
// the other parts of the same superpixel of Base; Void where there are none or
// they are of several classes. The slice is the caller's.
func (t *Timeline) Beside() []uint8 {
	class := slices.Repeat([]uint8{segment.Void}, t.base.N)
	several := make([]bool, t.base.N)
	for cell, e := range t.evidence {
		if of, c := t.base.Parent[cell], e.clicked; c != segment.Void {
			several[of] = several[of] || class[of] != segment.Void && class[of] != c
			class[of] = c
		}
	}
	beside := slices.Repeat([]uint8{segment.Void}, t.cut.N)
	clicks := t.Clicks()
	for cell, s := range t.cut.Parent {
		if of := t.base.Parent[cell]; clicks[s] == segment.Void && !several[of] {
			beside[s] = class[of]
		}
	}
	return beside
}

// Focus lets clicks and boxes divide superpixels; graph is that of the cells. It
// comes before all events and returns t.
func (t *Timeline) Focus(graph *superpixels.Graph) *Timeline {
	t.graph = graph
	return t
}

// click carries out a click. It is a point and labels the cell there; the
// superpixel around it and those beside that one are divided, and the model
// decides what goes with the cell. Until then the labelling has the class in the
// whole superpixel, unless that holds several labels already or clicks of other
// classes in other cells. A superpixel that was labelled as a whole, not clicked,
// is labelled again.
func (t *Timeline) click(e *segment.Event) step {
	var cells []int32 // that change
	var clicked []int32
	for _, p := range e.Points {
		clicked = append(clicked, t.cellAt(p))
		cells = append(cells, t.Clicked(p)...)
	}
	slices.Sort(cells)
	cells = slices.Compact(cells)
	s := t.overwrite(cells, true)
	for _, cell := range cells {
		t.evidence[cell] = evidence{clicked: segment.Void, accepted: uint8(e.Class), clickedAt: int32(e.Seq)}
	}
	for _, cell := range clicked {
		t.evidence[cell].clicked, t.evidence[cell].accepted = uint8(e.Class), segment.Void
	}
	t.readmit(e, cells)
	if e.Pick != nil {
		t.shown = t.look(e)
	}
	if t.graph != nil {
		for _, cell := range clicked {
			t.divide(t.base.Around(t.graph, cell))
		}
	}
	return s
}

// Clicked returns the cells that a click at a point of the image would write. They
// are shared.
func (t *Timeline) Clicked(p [2]float64) []int32 {
	cell := t.cellAt(p)
	if all := t.In(t.base.Parent[cell]); t.agree(all, cell) {
		return all
	}
	return []int32{cell}
}

// agree reports whether the cells of a superpixel have one label, and no click but
// at the cell that is clicked now, or clicks all over.
func (t *Timeline) agree(cells []int32, now int32) bool {
	clicks := 0
	for _, cell := range cells {
		if t.evidence[cell].label() != t.evidence[cells[0]].label() {
			return false
		}
		if t.evidence[cell].clicked != segment.Void && cell != now {
			clicks++
		}
	}
	return clicks == 0 || clicks == len(cells)-1 && t.evidence[now].clicked != segment.Void
}

// look returns what a person looked at who made e: the labels of its pick.
func (t *Timeline) look(e *segment.Event) *Shown {
	s := &Shown{Seq: e.Seq, Labels: make([]uint8, len(t.cut.Parent)), rank: e.Pick.Rank, digest: e.Pick.Digest}
	if e.Kind == segment.Click {
		s.Seq-- // it corrects the state before
	}
	for cell, of := range t.cut.Parent {
		s.Labels[cell] = e.Pick.Labels[of]
	}
	return s
}

// divide divides superpixels of the base into cells.
func (t *Timeline) divide(base []int32) {
	if cut := t.cut.Divide(base); cut.N > t.cut.N {
		t.cut = cut
	}
}

// inside are the superpixels of the base that a box meets when they are few.
func (t *Timeline) inside(b segment.Box) []int32 {
	if t.graph == nil {
		return nil
	}
	met := t.base.Within(t.graph, Bounds(b))
	if len(met) > smallBox {
		return nil
	}
	return met
}

// Bounds are the whole pixels that a box reaches into.
func Bounds(b segment.Box) image.Rectangle {
	return image.Rect(int(math.Floor(b.Min[0])), int(math.Floor(b.Min[1])), int(math.Ceil(b.Max[0])), int(math.Ceil(b.Max[1])))
}

// cellAt is the cell under a point of the image.
func (t *Timeline) cellAt(p [2]float64) int32 { return int32(t.cells.At(int(p[0]), int(p[1]))) }

// checkPoints validates the points of a click.
func (t *Timeline) checkPoints(e *segment.Event) error {
	if len(e.Points) == 0 || len(e.Points) > maxClickPoints {
		return segment.Errorf(segment.Invalid, "A fine label needs 1 to %d points; this one has %d. Nothing was changed.", maxClickPoints, len(e.Points))
	}
	return t.inImage(e.Points)
}

// inImage returns an error for a point outside the image.
func (t *Timeline) inImage(points [][2]float64) error {
	for _, p := range points {
		if !(p[0] >= 0 && p[0] < float64(t.cells.Width) && p[1] >= 0 && p[1] < float64(t.cells.Height)) {
			return segment.Errorf(segment.Invalid, "The point (%g, %g) is outside the image, which is %d×%d pixels. Nothing was changed.", p[0], p[1], t.cells.Width, t.cells.Height)
		}
	}
	return nil
}

// maxClickPoints is how many points one click can have: each divides superpixels.
const maxClickPoints = 16
