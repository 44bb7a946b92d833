package assistant

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/timeline"
	"collie/superpixels"
)

const width, height = 120, 80

// photograph is a picture of two discs on a slowly varying ground.
func photograph() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{uint8(60 + x/2), uint8(80 + y/3), 60, 255}
			if (x-35)*(x-35)+(y-40)*(y-40) < 500 {
				c = color.NRGBA{230, 210, uint8(2 * y), 255}
			}
			if (x-90)*(x-90)+(y-30)*(y-30) < 300 {
				c = color.NRGBA{40, uint8(60 + x), 200, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// person is somebody who works on an image; only the log is kept.
type person struct {
	*Assistant
	cells *superpixels.Runs
	*timeline.Timeline
	log []segment.Event
}

func newPerson(t testing.TB) *person {
	h, g := superpixels.Divide(photograph(), 160)
	p := &person{Assistant: &Assistant{Hierarchy: h, Cells: g, Parameters: engine.DefaultParameters}, cells: h.Runs()}
	p.Timeline = p.Assistant.Timeline(p.cells, 40)
	return p
}

var project = &segment.Project{Classes: []segment.Class{{ID: 0}, {ID: 1}, {ID: 2}}}

// act adds an event.
func (p *person) act(e segment.Event) {
	e.ID = fmt.Sprint(len(p.log))
	p.log = append(p.log, e)
	p.Apply(e)
}

// look returns the first hypotheses of the current state.
func (p *person) look(t failer, count int) (out []engine.Hypothesis) {
	s := p.Sequence(p.Timeline, p.Model(p.Cut(), Known{}), project.Resolve(), segment.Rest{Mode: segment.RestClass})
	for rank := range min(count, s.Len()) {
		h, err := s.At(t.Context(), rank)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, h)
	}
	return out
}

type failer interface {
	testing.TB
}

// again is the same person after the server has read the log back.
func (p *person) again() *person {
	q := &person{Assistant: p.Assistant, cells: p.cells, log: p.log}
	q.Timeline = q.Assistant.Timeline(p.cells, 40)
	for _, e := range p.log {
		q.Apply(e)
	}
	return q
}

func click(class, x, y int) segment.Event {
	return segment.Event{Kind: segment.Click, Class: class, Points: [][2]float64{{float64(x), float64(y)}}}
}

func pick(h engine.Hypothesis) *segment.Pick {
	return &segment.Pick{Rank: h.Rank, Digest: h.Digest.String(), Labels: h.Labels}
}

// Over any history no hypothesis contradicts a click or an exclusion, what was picked changes only
// where a path of changed superpixels joins it to a later click, and reading the
// log back gives the same bytes.
func TestHypothesesKeepWhatWasSaid(t *testing.T) {
	made := newPerson(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := made.again()
		var seen []engine.Hypothesis
		for range rapid.IntRange(1, 14).Draw(rt, "events") {
			p.act(drawEvent(rt, p, seen))
			seen = p.look(t, 4)
			for _, h := range seen {
				p.checkClicks(rt, h.Labels)
				p.checkExcluded(rt, h.Labels)
				p.checkPicks(rt, h.Labels)
			}
		}
		q := p.again()
		for rank, h := range q.look(t, 4) {
			if h.Digest != seen[rank].Digest {
				rt.Fatalf("hypothesis %d has digest %s, and %s after the log was read back", rank, seen[rank].Digest, h.Digest)
			}
		}
	})
}

// drawEvent draws what somebody who sees the given hypotheses does next.
func drawEvent(rt *rapid.T, p *person, seen []engine.Hypothesis) segment.Event {
	kinds := []segment.EventKind{segment.Click, segment.Click, segment.Click, segment.Label, segment.Clear, segment.Exclude, segment.Granularity, segment.Restore, segment.Outline}
	if len(seen) > 0 {
		kinds = append(kinds, segment.Accept, segment.Accept, segment.Accept)
	}
	for _, kind := range []segment.EventKind{segment.Undo, segment.Redo} {
		if p.Possible(kind) == nil {
			kinds = append(kinds, kind)
		}
	}
	e := segment.Event{Kind: rapid.SampledFrom(kinds).Draw(rt, "kind"), Class: rapid.IntRange(0, 2).Draw(rt, "class")}
	shown := func() engine.Hypothesis { return seen[rapid.IntRange(0, len(seen)-1).Draw(rt, "rank")] }
	switch e.Kind {
	case segment.Click:
		e = click(e.Class, rapid.IntRange(0, width-1).Draw(rt, "x"), rapid.IntRange(0, height-1).Draw(rt, "y"))
		if len(seen) > 0 && rapid.Bool().Draw(rt, "shown") {
			e.Pick = pick(shown())
		}
	case segment.Label, segment.Clear, segment.Exclude:
		e.Superpixels = []int32{rapid.Int32Range(0, int32(p.Base().N-1)).Draw(rt, "superpixel")}
	case segment.Granularity:
		e.Regions = rapid.IntRange(20, 60).Draw(rt, "regions")
	case segment.Restore:
		e.To = rapid.IntRange(0, p.Seq()).Draw(rt, "to")
	case segment.Outline:
		e.Points = [][2]float64{{20, 10}, {float64(rapid.IntRange(30, width).Draw(rt, "right")), 60}}
	case segment.Accept:
		e.Pick = pick(shown())
		if rapid.Bool().Draw(rt, "region") {
			e.Superpixels = rapid.SliceOfN(rapid.Int32Range(0, int32(p.Cut().N-1)), 1, 9).Draw(rt, "superpixels")
		}
	}
	return e
}

func (p *person) checkClicks(rt *rapid.T, labels []uint8) {
	for s, c := range p.Clicks() {
		if c != segment.Void && labels[s] != c {
			rt.Fatalf("superpixel %d was clicked as %d and is %d", s, c, labels[s])
		}
	}
}

func (p *person) checkExcluded(rt *rapid.T, labels []uint8) {
	for _, x := range p.Constraints().Excluded {
		if s := p.Cut().Parent[x.Cell]; p.Clicks()[s] == segment.Void && labels[s] == x.Class {
			rt.Fatalf("superpixel %d is said not to be of class %d, which it is", s, x.Class)
		}
	}
}

// checkPicks looks for the path from each superpixel whose class differs from the
// picked one.
func (p *person) checkPicks(rt *rapid.T, labels []uint8) {
	clicked, picked := p.Times()
	was := p.Labelling()
	excluded := map[[2]int]bool{}
	for _, x := range p.Constraints().Excluded {
		excluded[[2]int{int(p.Cut().Parent[x.Cell]), int(x.Class)}] = true
	}
	held := func(s int) bool {
		return picked[s] > 0 && picked[s] >= clicked[s] && was[s] != segment.Void && !excluded[[2]int{s, int(was[s])}]
	}
	beside := make([][]int32, p.Cut().N)
	for _, e := range p.Assistant.Cells.Edges {
		if a, b := p.Cut().Parent[e.A], p.Cut().Parent[e.B]; a != b {
			beside[a], beside[b] = append(beside[a], b), append(beside[b], a)
		}
	}
	for start := range labels {
		if !held(start) || labels[start] == was[start] {
			continue
		}
		way, met, joined := []int{start}, map[int]bool{start: true}, false
		for at := 0; at < len(way); at++ {
			for _, next := range beside[way[at]] {
				n := int(next)
				joined = joined || clicked[n] > picked[start]
				if !met[n] && held(n) && labels[n] != was[n] {
					met[n] = true
					way = append(way, n)
				}
			}
		}
		if !joined {
			rt.Fatalf("superpixel %d was picked as %d by event %d, is %d, and nothing joins it to a later click", start, was[start], picked[start], labels[start])
		}
	}
}

// A click divides the superpixel that it is in and those beside it into cells; what
// was numbered before keeps its number, and a box does so where it is small.
func TestClicksDivide(t *testing.T) {
	p := newPerson(t)
	base := p.Cut()
	p.act(click(1, 35, 40))
	cut := p.Cut()
	cell := p.cells.Map().At(35, 40)
	if cut.N <= base.N || cut.N > base.N+60 || p.Base() != base {
		t.Fatalf("%d superpixels of %d", cut.N, base.N)
	}
	members := make([]int, cut.N)
	for c, s := range cut.Parent {
		members[s]++
		if int(s) < base.N && base.Parent[c] != s {
			t.Errorf("cell %d was in superpixel %d and is in %d", c, base.Parent[c], s)
		}
	}
	if s := cut.Parent[cell]; members[s] != 1 || p.Clicks()[s] != 1 {
		t.Errorf("the click's superpixel has %d cells and class %d", members[s], p.Clicks()[s])
	}
	around := base.Around(p.Assistant.Cells, int32(cell))
	for c, s := range base.Parent {
		if slices.Contains(around, s) && members[cut.Parent[c]] != 1 {
			t.Errorf("cell %d near the click is in a superpixel of %d", c, members[cut.Parent[c]])
		}
		if !slices.Contains(around, s) && cut.Parent[c] != s {
			t.Errorf("cell %d far from the click has left its superpixel", c)
		}
	}
	p.act(segment.Event{Kind: segment.Undo})
	if p.Cut() != base {
		t.Error("undo leaves superpixels divided")
	}
	p.act(segment.Event{Kind: segment.Outline, Class: 1, Points: [][2]float64{{10, 10}, {30, 30}}})
	if p.Cut().N <= base.N {
		t.Error("a small box divides nothing")
	}
	p.act(segment.Event{Kind: segment.Undo})
	p.act(segment.Event{Kind: segment.Outline, Class: 1, Points: [][2]float64{{0, 0}, {width, height}}})
	if p.Cut().N != base.N && base.N > 40 {
		t.Error("a large box divides superpixels")
	}
}

// Each of two boxes speaks for its own class, and both leave the rest outside.
func TestBoxesOfTwoClasses(t *testing.T) {
	p := newPerson(t)
	p.act(segment.Event{Kind: segment.Outline, Class: 1, Points: [][2]float64{{12, 18}, {58, 63}}})
	p.act(segment.Event{Kind: segment.Outline, Class: 2, Points: [][2]float64{{72, 12}, {108, 48}}})
	labels := p.look(t, 1)[0].Labels
	for at, want := range map[[2]int]uint8{{35, 40}: 1, {90, 30}: 2, {5, 5}: 0, {65, 75}: 0} {
		if got := labels[p.Cut().Parent[p.cells.Map().At(at[0], at[1])]]; got != want {
			t.Errorf("class %d at %v, want %d", got, at, want)
		}
	}
}

// A click labels the whole superpixel until it contradicts another.
func TestWhatAClickLabels(t *testing.T) {
	p := newPerson(t)
	labels := func() (all map[uint8]int) {
		all = map[uint8]int{}
		at := p.Base().Parent[p.cells.Map().At(35, 40)]
		for c := range p.Base().Parent {
			if p.Base().Parent[c] == at {
				all[p.Timeline.Cells()[c]]++
			}
		}
		return all
	}
	p.act(click(1, 35, 40))
	if got := labels(); len(got) != 1 || got[1] == 0 {
		t.Errorf("after a click the cells have %v", got)
	}
	whole := labels()[1]
	p.act(click(2, 35, 40))
	if got := labels(); got[2] != whole {
		t.Errorf("after another class at the same point the cells have %v", got)
	}
	// Another cell of the same superpixel.
	at := p.Base().Parent[p.cells.Map().At(35, 40)]
	m := p.cells.Map()
	for i, c := range m.Labels {
		if p.Base().Parent[c] == at && int(c) != m.At(35, 40) {
			p.act(click(0, i%width, i/width))
			break
		}
	}
	if got := labels(); got[0] != 1 || got[2] != whole-1 {
		t.Errorf("after a click that contradicts it the cells have %v, want 1 of class 0 and %d of class 2", got, whole-1)
	}
	if beside := p.Beside(); slices.ContainsFunc(beside, func(c uint8) bool { return c != segment.Void }) {
		t.Error("a superpixel with clicks of two classes speaks for one of them")
	}
}

// Once a whole labelling is accepted all hypotheses are that one, until a click.
func TestSettled(t *testing.T) {
	p := newPerson(t)
	p.act(click(1, 35, 40))
	cards := p.look(t, 3)
	p.act(segment.Event{Kind: segment.Accept, Pick: pick(cards[1])})
	different := func() (n int) {
		for _, h := range p.look(t, 20) {
			if !slices.Equal(h.Labels, cards[1].Labels) {
				n++
			}
		}
		return n
	}
	settled := func() bool {
		return p.Sequence(p.Timeline, p.Model(p.Cut(), Known{}), project.Resolve(), segment.Rest{Mode: segment.RestClass}).Settled()
	}
	if n := different(); n > 0 || !settled() {
		t.Fatalf("%d hypotheses differ from the one that was accepted; settled: %v", n, settled())
	}
	p.act(click(1, 90, 30))
	if different() == 0 || settled() {
		t.Error("another click changes nothing")
	}
}
