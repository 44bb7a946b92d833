package simulate

import (
	"image"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/engine"
	"collie/superpixels"
)

func TestAnnotator(t *testing.T) {
	scene, truth := stripes()
	a := Annotator{Scene: scene, Truth: truth, Majority: Majority(truth), Method: Method{Name: "random-walker"}, Count: 1, Max: 60}
	targets := []float64{0.3, 0.9, 0.97}
	got, err := a.Work(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != 2 || got[1] < 3 || got[1] > 6 || got[2] < got[1] {
		t.Errorf("targets %v are reached after %v actions; want 2 for the first, 3 to 6 for the second", targets, got)
	}
	a.Max = 1
	if got, _ := a.Work(t.Context(), targets); !slices.Equal(got, []int{1, -1, -1}) && !slices.Equal(got, []int{-1, -1, -1}) {
		t.Errorf("one action reaches %v", got)
	}
	a.Max, a.Strokes = 60, true
	if stroke, err := a.Work(t.Context(), targets); err != nil || stroke[2] > got[2] || stroke[2] < 3 {
		t.Errorf("strokes reach %v after %v actions, clicks after %v: %v", targets, stroke, got, err)
	}
	a.Strokes = false
	// A larger choice is never worse, nor is accepting regions.
	a.Max, a.Method.Name = 60, "herding-harmonic"
	last := math.MaxInt
	for _, offer := range []Annotator{{Count: 1}, {Count: 20}, {Count: 20, Regions: true}} {
		b := a
		b.Count, b.Regions = offer.Count, offer.Regions
		got, err := b.Work(t.Context(), targets[1:2])
		if err != nil {
			t.Fatal(err)
		}
		if got[0] < 0 || got[0] > last {
			t.Errorf("%d hypotheses, regions %v: %d actions, with less on offer %d", b.Count, b.Regions, got[0], last)
		}
		last = got[0]
	}
}

// A click goes into the largest wrong region, where it is deepest, and of several such
// places to the one nearest to the middle.
func TestNext(t *testing.T) {
	const width, height = 8, 10
	g := &superpixels.Graph{}
	shown, majority := make([]uint8, width*height), make([]uint8, width*height)
	for y := range height {
		for x := range width {
			i := int32(y*width + x)
			g.Regions = append(g.Regions, superpixels.Region{Area: 10, Centroid: [2]float32{float32(x), float32(y)}})
			if x > 0 {
				g.Edges = append(g.Edges, superpixels.Edge{A: i - 1, B: i})
			}
			if y > 0 {
				g.Edges = append(g.Edges, superpixels.Edge{A: i - width, B: i})
			}
			switch in := image.Pt(x, y).In; {
			case in(image.Rect(1, 1, 6, 4)): // its middle is 3, 2; as deep are 2, 2 and 4, 2
				majority[i] = 1
			case in(image.Rect(6, 1, 8, 4)): // beside it, of another class
				majority[i] = 2
			case in(image.Rect(1, 5, 6, 9)): // larger, but right
				majority[i], shown[i] = 1, 1
			case y == 9: // larger, but unknown
				majority[i] = segment.Void
			}
		}
	}
	a := Annotator{Scene: &Scene{Graph: g}, Majority: majority}
	if i := a.Next(shown); i != 2*width+3 {
		t.Errorf("the click is at %d, %d; want 3, 2", i%width, i/width)
	}
	for i, class := range majority {
		if class == 1 {
			shown[i] = 1
		}
	}
	if i := a.Next(shown); i != 2*width+7 {
		t.Errorf("the click is at %d, %d; want 7, 2 of what is left, at the image's border", i%width, i/width)
	}
	if i := a.Next(majority); i >= 0 {
		t.Errorf("the click is at %d, %d where nothing is wrong", i%width, i/width)
	}
}

// Where the rest is known and all there is, nothing needs a click.
func TestAnnotatorOfTheRest(t *testing.T) {
	scene, truth := stripes()
	for i := 0; i < len(truth.Area); i += truth.Labels {
		clear(truth.Area[i+1 : i+truth.Labels])
		truth.Area[i] = 1
	}
	a := Annotator{Scene: scene, Truth: truth, Majority: Majority(truth), Method: Method{Name: "random-walker", Rest: segment.Rest{Mode: segment.RestClass}}, Count: 1, Max: 60}
	reached, labels, err := a.Annotate(t.Context(), []float64{0.85, 0.9})
	if err != nil || !slices.Equal(reached, []int{0, 0}) || MeanIoU(truth, labels) != 1 {
		t.Errorf("%v actions to %v: %v", reached, MeanIoU(truth, labels), err)
	}
	a.Method.Rest = segment.Rest{}
	if reached, err := a.Work(t.Context(), []float64{0.85}); err != nil || reached[0] != 1 {
		t.Errorf("where the rest is not known: %v actions, %v", reached, err)
	}
}

// With a guess the annotator sees hypotheses before the first click; a right one
// leaves nothing to do.
func TestAnnotatorWithGuess(t *testing.T) {
	scene, truth := stripes()
	majority := Majority(truth)
	g := &engine.Guess{Classes: []uint8{0, 1, 2}, Shares: make([]float64, 3*len(majority)), Strength: 1, Exponent: 1, Proof: 0.25}
	for i, class := range majority {
		g.Shares[3*i+int(class)] = 1
	}
	scene.Guess = g
	a := Annotator{Scene: scene, Truth: truth, Majority: majority, Method: Method{Name: "random-walker"}, Count: 1, Max: 60}
	for _, m := range []Method{{Name: "random-walker"}, {Name: "herding-harmonic", Rest: segment.Rest{Mode: segment.RestClass}}} {
		a.Method = m // before the first click nothing that is shown is corrected
		reached, labels, err := a.Annotate(t.Context(), []float64{0.85})
		if err != nil || reached[0] != 0 || MeanIoU(truth, labels) < 0.85 {
			t.Errorf("%s: %d actions to %v: %v", m.Name, reached[0], MeanIoU(truth, labels), err)
		}
	}
}

// A target is reached with the fewest actions that a labelling as good was noted with,
// of several the first, and no later than the person gives up.
func TestNote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		targets := []float64{0.3, 0.6}
		w := &work{Annotator: &Annotator{Max: 5}, targets: targets, reached: []int{-1, -1}}
		want, accepted := []int{-1, -1}, -1
		for n := range rapid.IntRange(0, 8).Draw(t, "notes") {
			iou, actions := rapid.SampledFrom([]float64{0.2, 0.3, 0.5, 0.6, 0.9}).Draw(t, "iou"), rapid.IntRange(0, 7).Draw(t, "actions")
			w.note([]uint8{uint8(n)}, iou, actions)
			for i, target := range targets {
				if iou >= target && actions <= 5 && !(want[i] >= 0 && want[i] <= actions) {
					if want[i] = actions; i == 1 {
						accepted = n
					}
				}
			}
		}
		if !slices.Equal(w.reached, want) || (accepted < 0) != (w.accepted == nil) || accepted >= 0 && int(w.accepted[0]) != accepted {
			t.Errorf("reached %v by %v, want %v by %d", w.reached, w.accepted, want, accepted)
		}
	})
}

// Parts hold every node that is in, once, and no others; where nothing is wrong there is
// nothing to click.
func TestParts(t *testing.T) {
	scene, truth := stripes()
	adjacent, majority := Neighbours(scene.Graph), Majority(truth)
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Bool(), len(adjacent), len(adjacent)).Draw(t, "in")
		part := make([]int, len(adjacent)) // from 1 on; 0 for none
		for n, nodes := range partsOf(adjacent, func(i int) bool { return in[i] }, func(i, j int) bool { return majority[i] == majority[j] }) {
			for _, i := range nodes {
				if !in[i] || part[i] != 0 {
					t.Fatalf("superpixel %d is in part %d: in %v, part %d before", i, n+1, in[i], part[i])
				}
				part[i] = n + 1
			}
		}
		for i := range adjacent {
			for _, j := range adjacent[i] {
				if in[i] && (part[i] == 0 || in[j] && majority[i] == majority[j] && part[i] != part[j]) {
					t.Fatalf("superpixels %d and %d of classes %d and %d are in parts %d and %d", i, j, majority[i], majority[j], part[i], part[j])
				}
			}
		}
	})
	a := Annotator{Scene: scene, Truth: truth, Majority: majority}
	if i := a.Next(majority); i != -1 {
		t.Errorf("superpixel %d is to be clicked where nothing is wrong", i)
	}
}

// A stroke is a shortest way to the farthest superpixel of the wrong region around its
// start.
func TestStroke(t *testing.T) {
	scene, truth := stripes()
	w := &work{Annotator: &Annotator{Scene: scene, Truth: truth, Majority: Majority(truth), Strokes: true}, adjacent: Neighbours(scene.Graph)}
	w.shown = slices.Clone(w.Majority)
	distance, start := map[int]int{}, -1 // from the start, through what is wrong
	for i, class := range w.Majority {
		if class == 1 && scene.Graph.Regions[i].Centroid[1] < 60 {
			w.shown[i], distance[i] = 0, len(w.Majority)
			if start < 0 {
				start = i
			}
		}
	}
	distance[start] = 0
	for range w.Majority {
		for i := range distance {
			for _, j := range w.adjacent[i] {
				if d, wrong := distance[int(j)]; wrong {
					distance[i] = min(distance[i], d+1)
				}
			}
		}
	}
	farthest := 0
	for i, d := range distance {
		if d == len(w.Majority) {
			delete(distance, i) // not connected to the start
			continue
		}
		farthest = max(farthest, d)
	}
	path := w.gesture(start)
	if farthest < 2 || len(path) != farthest+1 || path[0] != start {
		t.Fatalf("from %d by %v, which is %d away", start, path, farthest)
	}
	for n, i := range path[1:] { // from the far end back
		next := append(path, start)[n+2]
		if d, wrong := distance[i]; !wrong || d != farthest-n || !slices.Contains(w.adjacent[i], int32(next)) {
			t.Errorf("%v: superpixel %d is %d away and next to %v", path, i, d, w.adjacent[i])
		}
	}
}
