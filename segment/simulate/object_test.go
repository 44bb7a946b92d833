package simulate

import (
	"context"
	"errors"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment/assistant"
	"collie/segment/engine"
	"collie/superpixels"
)

func TestDepthsAgreeWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 9).Draw(t, "width"), rapid.IntRange(1, 9).Draw(t, "height")
		in := rapid.SliceOfN(rapid.Bool(), w*h, w*h).Draw(t, "in")
		got := depths(w, h, in)
		for p := range in {
			want := math.Inf(1)
			for y := -1; y <= h; y++ {
				for x := -1; x <= w; x++ {
					if outside := x < 0 || y < 0 || x == w || y == h; outside || !in[y*w+x] {
						want = min(want, math.Hypot(float64(x-p%w), float64(y-p/w)))
					}
				}
			}
			if math.Abs(got[p]-want) > 1e-12 {
				t.Fatalf("pixel (%d, %d) of %v: depth %v, want %v", p%w, p/w, in, got[p], want)
			}
		}
	})
}

// rectangle is an object of 20×20 pixels in an image of 60×40.
func rectangle() *Object {
	o := &Object{Width: 60, Height: 40, Mask: make([]uint8, 60*40)}
	for y := 10; y < 30; y++ {
		for x := 20; x < 40; x++ {
			o.Mask[y*60+x] = Thing
		}
	}
	return o
}

func TestLargest(t *testing.T) {
	const v = 255
	for name, c := range map[string]struct{ mask, want []uint8 }{
		"of one class": {
			[]uint8{
				3, 3, 5, 5,
				0, 3, 5, v,
				3, 0, 5, 3,
			},
			[]uint8{
				0, 0, 1, 1,
				0, 0, 1, v,
				0, 0, 1, 0,
			},
		},
		"not across the border": {
			[]uint8{
				0, 0, 0, 2,
				2, 0, 0, 2,
				2, 0, 0, 0,
			},
			[]uint8{
				0, 0, 0, 1,
				0, 0, 0, 1,
				0, 0, 0, 0,
			},
		},
	} {
		got := Largest(image.Pt(4, 3), c.mask)
		if diff := cmp.Diff(&Object{4, 3, c.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := Largest(image.Pt(2, 2), []uint8{0, v, 0, 0}); got != nil {
		t.Errorf("a mask without classes has the object %v", got)
	}
}

func TestObjectsOfAMask(t *testing.T) {
	mask := []uint8{
		3, 0, 5, 5,
		0, 0, 5, 0,
		4, 4, 0, 0,
	}
	var got [][]uint8
	for _, o := range Objects(image.Pt(4, 3), mask, 2, 5) {
		got = append(got, o.Mask)
	}
	want := [][]uint8{
		{0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0},
		{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of two pixels at least (-want +got):\n%s", diff)
	}
	if n := len(Objects(image.Pt(4, 3), mask, 1, 2)); n != 2 {
		t.Errorf("%d objects, want 2 at most", n)
	}
}

func TestHandFollowsTheProtocol(t *testing.T) {
	o := rectangle()
	hand := Hand{Object: o}
	shown := make([]uint8, len(o.Mask))
	first, ok := hand.Next(shown)
	if want := (Point{29, 19, Thing}); !ok || first != want {
		t.Errorf("first click %v, want the first of the middle pixels %v", first, want)
	}
	// A missed half of the object and a deeper patch that is wrongly covered.
	copy(shown, o.Mask)
	for y := 10; y < 30; y++ {
		for x := 20; x < 26; x++ {
			shown[y*60+x] = Rest
		}
	}
	for y := 30; y < 40; y++ {
		for x := 50; x < 60; x++ {
			shown[y*60+x] = Thing
		}
	}
	if got, want := must(hand.Next(shown)), (Point{54, 34, Rest}); got != want {
		t.Errorf("click %v, want %v into the deeper error", got, want)
	}
	if again := must(hand.Next(shown)); again == (Point{54, 34, Rest}) {
		t.Error("the same pixel is clicked twice")
	}
	// Ignored pixels don't count as errors.
	for p := range o.Mask {
		if shown[p] != o.Mask[p] {
			o.Mask[p] = void
		}
	}
	if p, ok := hand.Next(shown); ok {
		t.Errorf("nothing is wrong, but %v is clicked", p)
	}
}

func must(p Point, _ bool) Point { return p }

func TestJitterStaysWithinHalfTheDepth(t *testing.T) {
	o := rectangle()
	places := map[Point]bool{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		hand := Hand{Object: o, Jitter: true, Name: name}
		p := must(hand.Next(make([]uint8, len(o.Mask))))
		if again := must((&Hand{Object: o, Jitter: true, Name: name}).Next(make([]uint8, len(o.Mask)))); again != p {
			t.Errorf("image %s: %v, then %v", name, p, again)
		}
		if d := math.Hypot(float64(p.X-29), float64(p.Y-19)); d > 5 || p.Class != Thing {
			t.Errorf("image %s: click %v, more than 5 pixels from the middle", name, p)
		}
		places[p] = true
	}
	if len(places) < 3 {
		t.Errorf("six images are clicked at %v", places)
	}
}

func TestBox(t *testing.T) {
	if got, want := rectangle().Box(0.05), image.Rect(19, 9, 41, 31); got != want {
		t.Errorf("box %v, want %v", got, want)
	}
	if got, want := rectangle().Box(2), image.Rect(0, 0, 60, 40); got != want {
		t.Errorf("box %v, want the whole image %v", got, want)
	}
}

func TestNewObjectRefuses(t *testing.T) {
	for want, mask := range map[string][]uint8{"(1, 0) is 7": {1, 7, 0, 255}, "no object": {0, 0, 255, 0}} {
		if _, err := NewObject(image.Pt(2, 2), mask); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("mask %v: %v, want %q", mask, err, want)
		}
	}
}

// scripted answers with given hypotheses, whatever the gestures.
type scripted struct {
	cards [][]uint8
	fails error
	seen  []Gestures
}

func (s *scripted) Hypotheses(_ context.Context, g Gestures, count int) ([][]uint8, error) {
	g.Points = slices.Clone(g.Points)
	s.seen = append(s.seen, g)
	return s.cards[:min(count, len(s.cards))], s.fails
}

// TestPersonByHand: six cells of 10 pixels in a row, the object is the cells 1
// to 3.
func TestPersonByHand(t *testing.T) {
	cells := &superpixels.Map{Width: 60, Height: 1, N: 6}
	o := &Object{Width: 60, Height: 1}
	for x := range 60 {
		cells.Labels = append(cells.Labels, int32(x/10))
		o.Mask = append(o.Mask, uint8(max(0, min(1, (x/10)*(4-x/10)))))
	}
	cards := [][]uint8{
		{0, 1, 0, 0, 0, 0}, // 1/3
		{0, 1, 1, 0, 1, 1}, // 2/5
		{0, 1, 1, 0, 0, 0}, // 2/3
		{1, 1, 1, 1, 0, 0}, // 3/4
	}
	answers := &scripted{cards: cards}
	p := Person{
		Hand: Hand{Object: o}, Cells: cells, Adjacent: [][]int32{{1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4}},
		Assistant: answers, Count: 4, Max: 3, Box: -1,
	}
	got, err := p.Work(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q := Quality{1.0 / 3, 2.0 / 3, 0.75}
	want := Course{
		IoU: []Quality{q, q, q},
		// One click gives a third; one pick the last card's region of cells 2 and 3, which is all of the object.
		Picked: []float64{1.0 / 3, 1, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	last := answers.seen[len(answers.seen)-1]
	if len(last.Points) != 3 || !last.Box.Empty() {
		t.Errorf("gestures %+v, want three clicks", last)
	}
	p.Max, p.clicked = 1, nil
	if got, err := p.Work(t.Context()); err != nil || !slices.Equal(got.Picked, []float64{1.0 / 3}) {
		t.Errorf("one action: %+v, %v; want a third without a pick", got, err)
	}
	p.Max, p.Assistant, p.clicked = 3, &scripted{cards: [][]uint8{{0, 1, 1, 1, 0, 0}}}, nil
	if got, err := p.Work(t.Context()); err != nil || len(got.IoU) != 1 || !slices.Equal(got.Picked, []float64{1, 1, 1}) {
		t.Errorf("nothing is wrong after the first click: %+v, %v", got, err)
	}
	p.Assistant, p.clicked = &scripted{fails: context.DeadlineExceeded}, nil
	if _, err := p.Work(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an assistant that fails: %v", err)
	}
	p.Assistant = answers
	p.Box, answers.seen, p.clicked = 0, nil, nil
	if _, err := p.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first := answers.seen[0]; first.Box != image.Rect(10, 0, 40, 1) || len(first.Points) != 0 {
		t.Errorf("first gesture %+v, want the box alone", first)
	}
}

func TestClickedSpreadsOverTheCells(t *testing.T) {
	scene, _ := stripes()
	n := len(scene.Graph.Regions)
	cells := &superpixels.Map{Width: n, Height: 1, N: n}
	parent := make([]int32, n)
	for i := range n {
		cells.Labels = append(cells.Labels, int32(i))
		parent[i] = int32(n - 1 - i)
	}
	c := Clicked{Method: Method{Name: "random-walker"}, Scene: scene, Cells: cells, Parent: parent}
	made, err := c.Hypotheses(t.Context(), Gestures{Points: []Point{{0, 0, Thing}, {5, 0, Thing}, {5, 0, Rest}}}, 20)
	if err != nil || len(made) != 1 || made[0][0] != Thing || made[0][5] != Rest {
		t.Errorf("%v, %v; want cell 0 of the object, and cell 5 of the rest as it was clicked last", made, err)
	}
	made, err = c.Hypotheses(t.Context(), Gestures{Points: []Point{{0, 0, Thing}}}, 1)
	if err != nil || slices.Contains(made[0], Rest) {
		t.Errorf("without a box and a click of the rest: %v, %v", made, err)
	}
	half := scene.Graph.Regions[0].Bounds.Rect()
	made, err = c.Hypotheses(t.Context(), Gestures{Box: half, Points: []Point{{n - 1, 0, Thing}}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for cell, s := range parent {
		if !scene.Graph.Regions[s].Bounds.Rect().Overlaps(half) && made[0][cell] != Rest {
			t.Errorf("superpixel %d lies outside the box and has class %d", s, made[0][cell])
		}
	}
}

// A session marks a bright disc with one click and with a box alone, and no
// click is contradicted as superpixels get finer.
func TestSession(t *testing.T) {
	const width, height = 120, 90
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	o := &Object{Width: width, Height: height}
	for y := range height {
		for x := range width {
			c, class := color.NRGBA{uint8(60 + x/2), 80, 60, 255}, uint8(Rest)
			if math.Hypot(float64(x-50), float64(y-40)) < 20 {
				c, class = color.NRGBA{230, 210, uint8(2 * y), 255}, Thing
			}
			img.SetNRGBA(x, y, c)
			o.Mask = append(o.Mask, class)
		}
	}
	h, cells := superpixels.Divide(img, 240)
	m := h.Runs().Map()
	truth, err := Cover(m, o.Mask, 2)
	if err != nil {
		t.Fatal(err)
	}
	session := func() *Session {
		return NewSession(&assistant.Assistant{Hierarchy: h, Cells: cells, Parameters: engine.DefaultParameters}, h.Runs(), 60)
	}
	for name, g := range map[string]Gestures{"click": {Points: []Point{{50, 40, Thing}}}, "box": {Box: o.Box(0.05)}} {
		cards, err := session().Hypotheses(t.Context(), g, 3)
		if err != nil || len(cards) != 3 {
			t.Fatalf("%s: %d cards, %v", name, len(cards), err)
		}
		if q := qualityOf(truth, cards); q.Best3 < 0.9 {
			t.Errorf("after one %s the best of 3 has an IoU of %v", name, q.Best3)
		}
	}
	s := session()
	g := Gestures{}
	for _, p := range []Point{{50, 40, Thing}, {10, 10, Rest}, {60, 52, Rest}, {44, 36, Thing}, {100, 80, Thing}} {
		g.Points = append(g.Points, p)
		cards, err := s.Hypotheses(t.Context(), g, 3)
		if err != nil {
			t.Fatal(err)
		}
		for rank, x := range cards {
			for _, p := range g.Points {
				if x[m.At(p.X, p.Y)] != p.Class {
					t.Errorf("after %d clicks card %d contradicts %v", len(g.Points), rank, p)
				}
			}
		}
	}
}

// A box that meets every superpixel says nothing: all is the rest, as without a click
// inside any other box.
func TestBoxAroundAll(t *testing.T) {
	g := superpixels.Graph{Regions: make([]superpixels.Region, 2), Edges: []superpixels.Edge{{A: 0, B: 1, Length: 1}}}
	for i := range g.Regions {
		g.Regions[i] = superpixels.Region{Area: 4, Bounds: superpixels.BoxOf(image.Rect(2*i, 0, 2*i+2, 2))}
	}
	for name, right := range map[string]int{"all": 4, "one": 2} {
		a := &Clicked{Method: Method{Name: "random-walker"}, Scene: &Scene{Graph: &g}, Parent: []int32{0, 0, 1}}
		got, err := a.Hypotheses(t.Context(), Gestures{Box: image.Rect(0, 0, right, 2)}, 3)
		if diff := cmp.Diff([][]uint8{{Rest, Rest, Rest}}, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestPieces(t *testing.T) {
	mask := []uint8{
		0, 0, 1, 0,
		255, 1, 1, 0,
		0, 0, 255, 1,
	}
	want := [][]int{{0, 1}, {2, 6, 5}, {3, 7}, {8, 9}, {11}}
	if d := cmp.Diff(want, Pieces(mask, 4)); d != "" {
		t.Error(d)
	}
}
