package simulate

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/crf"
	"collie/segment"
	"collie/segment/engine"
	"collie/superpixels"
)

const void = segment.Void

func TestOverlapByHand(t *testing.T) {
	// Three regions: 10 pixels of class 0, 6 of class 1 and 2 of class 2, all void.
	truth := Truth{Labels: 3, Area: []float64{10, 0, 0, 0, 6, 2, 0, 0, 0}}
	if got := Majority(truth); !slices.Equal(got, []uint8{0, 1, void}) {
		t.Errorf("majority %v", got)
	}
	o := NewOverlap(3)
	o.Add(truth, []uint8{0, 1, 1})
	want := &Overlap{Both: []float64{10, 6, 0}, Union: []float64{10, 8, 2}}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Error(diff)
	}
	if got, want := o.Mean(), (1+0.75+0)/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean %v, want %v", got, want)
	}
	// Figures of a set add up pixels; they are not means over images.
	o.Add(truth, []uint8{1, 1, 0})
	if got, _ := o.IoU(0); got != 0.5 {
		t.Errorf("class 0 over two images %v, want 10/20", got)
	}
	undecided := NewOverlap(3)
	undecided.Add(truth, []uint8{void, void, void})
	if diff := cmp.Diff([]float64{10, 6, 2}, undecided.Union); diff != "" || undecided.Mean() != 0 {
		t.Errorf("undecided labelling: %v %v", diff, undecided.Mean())
	}
}

func TestCover(t *testing.T) {
	m := &superpixels.Map{Width: 2, Height: 2, N: 2, Labels: []int32{0, 0, 1, 1}}
	truth, err := Cover(m, []uint8{0, 1, 1, void}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 1, 0, 1}, truth.Area); diff != "" {
		t.Error(diff)
	}
	if _, err := Cover(m, []uint8{0, 1, 2, 0}, 2); err == nil || !strings.Contains(err.Error(), "(0, 1) has class 2") {
		t.Errorf("class out of range: %v", err)
	}
	if _, err := Cover(m, []uint8{0}, 2); err == nil {
		t.Error("a short mask is accepted")
	}
}

func TestMeanIoU(t *testing.T) {
	// Class 0: regions 0 and 1 (area 4), class 1: region 2 (area 3), region 3 is void.
	truth := Truth{Labels: 3, Area: []float64{1, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0}}
	for _, c := range []struct {
		x    []uint8
		want float64
	}{
		{[]uint8{0, 0, 1, 2}, 1},
		{[]uint8{0, 1, 1, 0}, (1.0/4 + 3.0/6) / 2},
		{[]uint8{2, 0, 1, 0}, (3.0/4 + 1 + 0) / 3},
	} {
		if got := MeanIoU(truth, c.x); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
	if v := MeanIoU(Truth{Labels: 2, Area: []float64{0, 0}}, []uint8{0}); v != 1 {
		t.Errorf("all void: %v", v)
	}
}

// The mean IoU is that of pixels, one by one.
func TestMeanIoUOfPixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 4).Draw(t, "classes")
		n := rapid.IntRange(1, 6).Draw(t, "regions")
		area := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 5), func(v int) float64 { return float64(v) }), n*k, n*k).Draw(t, "area")
		x := rapid.SliceOfN(rapid.Uint8Range(0, uint8(k-1)), n, n).Draw(t, "labels")
		sum, classes := 0.0, 0
		for class := range k {
			both, either := 0, 0
			for i, a := range area {
				for range int(a) { // a pixel whose class is i%k and whose label is x[i/k]
					is, said := i%k == class, int(x[i/k]) == class
					if is && said {
						both++
					}
					if is || said {
						either++
					}
				}
			}
			if either > 0 {
				sum += float64(both) / float64(either)
				classes++
			}
		}
		want := 1.0
		if classes > 0 {
			want = sum / float64(classes)
		}
		if got := MeanIoU(Truth{Labels: k, Area: area}, x); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, pixel by pixel %v", got, want)
		}
	})
}

func TestSeeds(t *testing.T) {
	majority := make([]uint8, 600)
	for i := range majority {
		majority[i] = uint8(i % 3)
		if i%10 == 0 {
			majority[i] = void
		}
	}
	few, many := Seeds(majority, 0.02, "a", 1), Seeds(majority, 0.1, "a", 1)
	count := 0
	for i, c := range few {
		if c == void {
			continue
		}
		count++
		if c != majority[i] || many[i] != c {
			t.Errorf("superpixel %d of class %d is clicked %d, and %d among more", i, majority[i], c, many[i])
		}
	}
	if count != 12 {
		t.Errorf("%d clicks, want 12", count)
	}
	if !slices.Equal(few, Seeds(majority, 0.02, "a", 1)) {
		t.Error("the same draw differs")
	}
	for name, other := range map[string][]uint8{"draw": Seeds(majority, 0.02, "a", 2), "image": Seeds(majority, 0.02, "b", 1)} {
		if slices.Equal(few, other) {
			t.Errorf("another %s has the same clicks", name)
		}
	}
	if all := Seeds(majority, 1, "a", 1); !slices.Equal(all, majority) {
		t.Error("with everything observed something is missing")
	}
}

func TestInPlay(t *testing.T) {
	clicks := InPlay([]uint8{7, void, 2, 7}, 0)
	if diff := cmp.Diff(Clicks{Fixed: []int16{1, -1, 0, 1}, Classes: []uint8{2, 7}}, clicks); diff != "" {
		t.Error(diff)
	}
	if got := clicks.Name([]uint8{0, 1, 1, 0}); !slices.Equal(got, []uint8{2, 7, 7, 2}) {
		t.Errorf("names %v", got)
	}
	if all := InPlay([]uint8{1, void}, 3); len(all.Classes) != 3 || all.Fixed[0] != 1 {
		t.Errorf("all classes: %v", all)
	}
}

// stripes is a scene of three vertical stripes of one class each.
func stripes() (*Scene, Truth) {
	const width, height = 120, 80
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	mask := make([]uint8, 0, width*height)
	for y := range height {
		for x := range width {
			class := x * 3 / width
			img.SetNRGBA(x, y, color.NRGBA{uint8(60 + 70*class), uint8(200 - 60*class), uint8(x + y), 255})
			mask = append(mask, uint8(class))
		}
	}
	m := superpixels.NewHierarchy(img, 60).At(60)
	truth, err := Cover(m, mask, 3)
	if err != nil {
		panic(err)
	}
	rgb := make([][3]float64, m.N)
	for p, r := range m.Labels {
		c := img.NRGBAAt(p%width, p/width)
		rgb[r] = [3]float64{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255}
	}
	return &Scene{Graph: superpixels.Describe(img, m), RGB: rgb}, truth
}

func TestMethods(t *testing.T) {
	scene, truth := stripes()
	clicks := InPlay(Seeds(Majority(truth), 0.5, "stripes", 1), 0)
	if len(clicks.Classes) != 3 {
		t.Fatalf("%d classes are clicked", len(clicks.Classes))
	}
	for _, name := range Methods {
		for _, solver := range []crf.Method{crf.TRWS, crf.LBP} {
			got, err := Method{Name: name, Solver: solver}.Hypotheses(t.Context(), scene, clicks, 4)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := 4
			if (Method{Name: name}).Single() {
				want = 1
			}
			if len(got) != want {
				t.Errorf("%s gives %d hypotheses, want %d", name, len(got), want)
			}
			for m, x := range got {
				for i, f := range clicks.Fixed {
					if f >= 0 && x[i] != clicks.Classes[f] {
						t.Errorf("%s: hypothesis %d contradicts the click at %d", name, m, i)
					}
				}
			}
		}
	}
	one := clicks
	one.Fixed, one.Classes = slices.Repeat([]int16{-1}, len(clicks.Fixed)), []uint8{0}
	one.Fixed[0] = 0
	withRest := Method{Name: "herding-harmonic", Rest: segment.Rest{Mode: segment.RestClass, Class: 9}}
	if got, err := withRest.Hypotheses(t.Context(), scene, one, 4); err != nil || len(got) != 4 || got[0][0] != 0 || !slices.Contains(got[0], 9) {
		t.Errorf("one click above the rest: %v, %v", got, err)
	}
	if _, err := (Method{Name: "magic"}).Hypotheses(t.Context(), scene, clicks, 1); err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("unknown method: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Method{Name: "herding-harmonic"}).Hypotheses(ctx, scene, clicks, 1); err == nil {
		t.Error("a cancelled context is ignored")
	}
}

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

// A stroke is a shortest way to the farthest superpixel of the wrong region around its
// start.
func TestStroke(t *testing.T) {
	scene, truth := stripes()
	w := &work{Annotator: &Annotator{Scene: scene, Truth: truth, Majority: Majority(truth), Strokes: true}, adjacent: Neighbours(scene.Graph)}
	w.shown = slices.Clone(w.Majority)
	distance, start := map[int]int{}, -1 // from the start, through what is wrong
	for i, class := range w.Majority {
		if class == 1 && scene.Graph.Regions[i].Centroid[1] < 60 {
			w.shown[i], distance[i], start = 0, len(w.Majority), i
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
	for _, d := range distance {
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
