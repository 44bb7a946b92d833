package timeline

import (
	"fmt"
	"image"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/superpixels"
)

// focused is the timeline of a strip whose superpixels have the same number of cells
// each, in which clicks divide superpixels.
func focused(n, each int) *Timeline {
	cells := strip(n * each)
	graph := superpixels.Describe(image.NewNRGBA(image.Rect(0, 0, cells.Width, 1)), cells.Map())
	return New(cells, n, func(_ int, labels []uint8) *superpixels.Cut {
		cut := &superpixels.Cut{N: n, Parent: make([]int32, len(labels))}
		for cell := range cut.Parent {
			cut.Parent[cell] = int32(cell / each)
		}
		return cut
	}).Focus(graph)
}

// clickOn is a click with a class on some cells of a strip.
func clickOn(class int, cells ...int) segment.Event {
	e := segment.Event{Kind: segment.Click, Class: class}
	for _, cell := range cells {
		e.Points = append(e.Points, [2]float64{float64(3*cell) + 2.5, 0.5})
	}
	return e
}

// A click labels the superpixel around its cell if that has one label and no click
// elsewhere, or clicks all over, and otherwise the cell.
func TestClicks(t *testing.T) {
	const v = segment.Void
	label := func(class int, superpixel int32) segment.Event {
		return segment.Event{Kind: segment.Label, Class: class, Superpixels: []int32{superpixel}}
	}
	for name, c := range map[string]struct {
		events          []segment.Event
		labels, clicked []uint8 // of the cells of the second of four superpixels
		beside          []uint8 // of its parts, those clicked included
	}{
		"one":                    {[]segment.Event{clickOn(1, 4)}, []uint8{1, 1, 1}, []uint8{v, 1, v}, []uint8{1, v, 1}},
		"again in its cell":      {[]segment.Event{clickOn(1, 4), clickOn(2, 4)}, []uint8{2, 2, 2}, []uint8{v, 2, v}, []uint8{2, v, 2}},
		"beside another class":   {[]segment.Event{clickOn(1, 4), clickOn(2, 5)}, []uint8{1, 1, 2}, []uint8{v, 1, 2}, []uint8{v, v, v}},
		"beside the same class":  {[]segment.Event{clickOn(1, 4), clickOn(1, 5)}, []uint8{1, 1, 1}, []uint8{v, 1, 1}, []uint8{1, v, v}},
		"beside two":             {[]segment.Event{clickOn(1, 4), clickOn(1, 5), clickOn(2, 3)}, []uint8{2, 1, 1}, []uint8{2, 1, 1}, []uint8{v, v, v}},
		"two at once":            {[]segment.Event{clickOn(1, 5, 3)}, []uint8{1, 1, 1}, []uint8{1, v, 1}, []uint8{v, 1, v}},
		"on a whole label":       {[]segment.Event{label(1, 1), clickOn(2, 4)}, []uint8{2, 2, 2}, []uint8{v, 2, v}, []uint8{2, v, 2}},
		"on one of three labels": {[]segment.Event{clickOn(1, 3), clickOn(2, 4), clickOn(0, 5), clickOn(1, 4)}, []uint8{1, 1, 0}, []uint8{1, 1, 0}, []uint8{v, v, v}},
		"undone":                 {[]segment.Event{clickOn(1, 4), clickOn(2, 5), {Kind: segment.Undo}}, []uint8{1, 1, 1}, []uint8{v, 1, v}, []uint8{1, v, 1}},
	} {
		tl := focused(4, 3)
		for i, e := range c.events {
			e.ID = fmt.Sprint(i)
			tl.Apply(e)
		}
		if diff := cmp.Diff(c.labels, tl.Cells()[3:6]); diff != "" {
			t.Errorf("%s: labels (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.clicked, clicked(tl)[3:6]); diff != "" {
			t.Errorf("%s: clicks (-want +got):\n%s", name, diff)
		}
		parts, beside := tl.Cut().Parent[3:6], tl.Beside()
		if diff := cmp.Diff(c.beside, []uint8{beside[parts[0]], beside[parts[1]], beside[parts[2]]}); diff != "" {
			t.Errorf("%s: beside the clicks (-want +got):\n%s", name, diff)
		}
		if others := slices.Concat(tl.Cells()[:3], tl.Cells()[6:]); slices.ContainsFunc(others, func(class uint8) bool { return class != v }) {
			t.Errorf("%s: other superpixels have labels %v", name, others)
		}
	}
}

// A click with several points takes the repairs away once, so that undo brings them
// back.
func TestClickOnRepairs(t *testing.T) {
	tl := focused(4, 3)
	repairs := []segment.Repair{{Class: 5, Runs: []int32{3 * 4, 2}}}
	click := clickOn(1, 3, 7, 3)
	click.ID = "click"
	tl.Apply(segment.Event{ID: "pixels", Kind: segment.Pixels, Repairs: repairs})
	if tl.Apply(click); len(tl.allRuns()) > 0 {
		t.Errorf("%v are left", tl.allRuns())
	}
	tl.Apply(segment.Event{ID: "undo", Kind: segment.Undo})
	if diff := cmp.Diff(repairs, repairsOf(tl.allRuns())); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// Clicks and small boxes divide the superpixels there into cells; those that events
// name stay.
func TestDivision(t *testing.T) {
	box := func(first, last int) segment.Event {
		return segment.Event{Kind: segment.Outline, Points: [][2]float64{{float64(6*last) + 0.5, 0}, {float64(6*first) + 5.5, 1}}}
	}
	for name, c := range map[string]struct {
		event segment.Event
		parts int
	}{
		"a click at the left":     {clickOn(1, 0), 2},
		"a click in the middle":   {clickOn(1, 20), 3},
		"two clicks":              {clickOn(1, 20, 60), 6},
		"a box":                   {box(3, 5), 3},
		"a box on 40 superpixels": {box(0, 39), 40},
		"a box on 41 superpixels": {box(0, 40), 0},
	} {
		tl := focused(45, 2)
		first := tl.Cut()
		c.event.ID = name
		tl.Apply(c.event)
		if got := tl.Cut().N - 45; got != c.parts || tl.Base() != first {
			t.Errorf("%s adds %d parts, want %d", name, got, c.parts)
		}
		if tl.Apply(segment.Event{ID: "undo", Kind: segment.Undo}); tl.Cut() != first {
			t.Errorf("%s: undo leaves %d superpixels of 45", name, tl.Cut().N)
		}
	}
}

// What clicks correct is the last hypothesis that was accepted as a whole or that the
// person looked at when clicking, until an event makes it out of date.
func TestShown(t *testing.T) {
	pick := &segment.Pick{Rank: 3, Digest: "d", Labels: []uint8{0, 1, 2, 3}}
	accept := segment.Event{Kind: segment.Accept, Pick: pick}
	looking := clickOn(1, 0)
	looking.Pick = pick
	for name, c := range map[string]struct {
		events []segment.Event
		seq    int // of what is shown, or -1
		since  []int32
	}{
		"nothing":                       {[]segment.Event{clickOn(1, 0)}, -1, nil},
		"accepted":                      {[]segment.Event{clickOn(0, 0), {Kind: segment.Granularity, Regions: 4}, accept}, 3, nil},
		"accepted and clicked":          {[]segment.Event{accept, clickOn(1, 7), clickOn(1, 1)}, 1, []int32{6, 10}},
		"accepted, and labelled twice":  {[]segment.Event{accept, {Kind: segment.Label, Superpixels: []int32{2, 1}}}, 1, []int32{1, 2}},
		"accepted in part":              {[]segment.Event{{Kind: segment.Accept, Pick: pick, Superpixels: []int32{1}}}, -1, nil},
		"looked at":                     {[]segment.Event{looking}, 0, []int32{0}},
		"looked at after a click":       {[]segment.Event{{Kind: segment.Label, Superpixels: []int32{3}}, looking}, 1, []int32{0}},
		"cleared":                       {[]segment.Event{accept, {Kind: segment.Clear, Superpixels: []int32{3}}}, -1, nil},
		"a box":                         {[]segment.Event{accept, {Kind: segment.Outline, Class: 1}}, -1, nil},
		"an exclusion":                  {[]segment.Event{accept, {Kind: segment.Exclude, Superpixels: []int32{1}}}, -1, nil},
		"other superpixels":             {[]segment.Event{accept, {Kind: segment.Granularity, Regions: 4}}, -1, nil},
		"another guess":                 {[]segment.Event{accept, {Kind: segment.FirstGuess}}, -1, nil},
		"another embedding":             {[]segment.Event{accept, {Kind: segment.Embed}}, -1, nil},
		"other affinities":              {[]segment.Event{accept, {Kind: segment.Relate}}, -1, nil},
		"a locked class":                {[]segment.Event{accept, {Kind: segment.Lock, Class: 1}}, 1, nil},
		"cleared, which is then undone": {[]segment.Event{accept, {Kind: segment.Clear, Superpixels: []int32{3}}, {Kind: segment.Undo}}, 1, nil},
	} {
		tl := focused(4, 3)
		for i, e := range c.events {
			e.ID = fmt.Sprint(i)
			tl.Apply(e)
		}
		shown, since := tl.Shown()
		if shown == nil {
			shown = &Shown{Seq: -1}
		}
		if shown.Seq != c.seq {
			t.Errorf("%s: shown after event %d, want %d", name, shown.Seq, c.seq)
		}
		if diff := cmp.Diff(c.since, since, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: clicked since (-want +got):\n%s", name, diff)
		}
		if c.seq < 0 {
			continue
		}
		if diff := cmp.Diff([]uint8{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, shown.Labels); diff != "" {
			t.Errorf("%s: shown per cell (-want +got):\n%s", name, diff)
		}
		if !shown.Is(3, "d") || shown.Is(2, "d") || shown.Is(3, "e") {
			t.Errorf("%s: taken for another hypothesis", name)
		}
	}
}
