package timeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/superpixels"
)

// fourClasses is a project with the classes 0 to 3.
func fourClasses() segment.Project {
	var p segment.Project
	for i, name := range []string{"a", "b", "c", "d"} {
		p.Classes = append(p.Classes, segment.Class{ID: uint8(i), Name: name, Color: segment.PaletteColor(i)})
	}
	return p
}

// drawRepairs draws repairs of up to three classes, and void, in an image of so
// many pixels. Their runs come in any order.
func drawRepairs(t *rapid.T, pixels int) []segment.Repair {
	ends := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(pixels)), 2, 8, rapid.ID[int32]).Draw(t, "ends")
	slices.Sort(ends)
	repairs := []segment.Repair{{Class: 0}, {Class: 1}, {Class: 2}, {Class: segment.Void}}
	for _, pair := range rapid.Permutation(slices.Collect(slices.Chunk(ends[:len(ends)/2*2], 2))).Draw(t, "order") {
		r := &repairs[rapid.IntRange(0, 3).Draw(t, "class")]
		r.Runs = append(r.Runs, pair[0], pair[1]-pair[0])
	}
	return slices.DeleteFunc(repairs, func(r segment.Repair) bool { return r.Runs == nil })
}

// painted returns what the timeline says of each pixel, repairs over labels.
func painted(t *Timeline) []uint8 {
	labels, m := t.Cells(), t.cells.Map()
	pixels := make([]uint8, len(m.Labels))
	for i, cell := range m.Labels {
		pixels[i] = labels[cell]
	}
	for _, runs := range t.repairs {
		for _, r := range runs {
			for i := r.start; i < r.end(); i++ {
				pixels[i] = r.class
			}
		}
	}
	return pixels
}

// An import says how many pixels it leaves undecided, unless it labels none.
func TestLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, cutter := mosaic(rapid.Uint64Range(0, 3).Draw(t, "picture"))
		classes := rapid.SampledFrom([][]uint8{{0, 1, segment.Void}, {segment.Void}}).Draw(t, "classes")
		labels := rapid.SliceOfN(rapid.SampledFrom(classes), cells.N, cells.N).Draw(t, "labels")
		e := segment.Event{ID: "a", Kind: segment.Import, Cells: labels}
		if rapid.Bool().Draw(t, "repaired") {
			e.Repairs = drawRepairs(t, cells.Area())
		}
		timeline := New(cells, cells.N/4, cutter)
		timeline.Apply(e)
		want := bytes.Count(Spread(cells, labels, e.Repairs), []byte{segment.Void})
		if want == cells.Area() {
			want = 0 // nothing is labelled, so everything is still to do
		}
		if timeline.Left() != want {
			t.Errorf("%d pixels are left, want %d", timeline.Left(), want)
		}
	})
}

// However events mix, each pixel has what was said of it last, hypotheses
// excepted; undo and redo bring back every pixel; the same events lead to the
// same pixels and runs.
func TestRepairsAgainstPixels(t *testing.T) {
	const none = -1
	rapid.Check(t, func(t *rapid.T) {
		cells, cutter := mosaic(rapid.Uint64Range(0, 3).Draw(t, "picture"))
		pixels := cells.Area()
		timeline := New(cells, cells.N/4, cutter)
		repaired := slices.Repeat([]int{none}, pixels)
		var undo, redo [][]int
		for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
			kind := rapid.SampledFrom([]segment.EventKind{segment.Label, segment.Clear, segment.Pixels, segment.Pixels, segment.Pixels, segment.Accept, segment.Granularity, segment.Undo, segment.Undo, segment.Redo}).Draw(t, "kind")
			if timeline.Possible(kind) != nil {
				continue
			}
			n := timeline.Cut().N
			e := segment.Event{ID: fmt.Sprint(step), Kind: kind}
			switch kind {
			case segment.Undo:
				repaired, undo, redo = undo[len(undo)-1], undo[:len(undo)-1], append(redo, repaired)
			case segment.Redo:
				repaired, redo, undo = redo[len(redo)-1], redo[:len(redo)-1], append(undo, repaired)
			default:
				undo, redo, repaired = append(undo, repaired), nil, slices.Clone(repaired)
			}
			switch kind {
			case segment.Granularity:
				e.Regions = rapid.IntRange(2, cells.N).Draw(t, "regions")
			case segment.Label, segment.Clear:
				e.Superpixels = rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), 1, 3).Draw(t, "superpixels")
				e.Class = rapid.IntRange(0, 2).Draw(t, "class")
				for i, cell := range cells.Map().Labels {
					if slices.Contains(e.Superpixels, timeline.Cut().Parent[cell]) {
						repaired[i] = none
					}
				}
			case segment.Accept:
				e.Pick = &segment.Pick{Labels: rapid.SliceOfN(rapid.Uint8Range(0, 2), n, n).Draw(t, "labels")}
			case segment.Pixels:
				e.Repairs = drawRepairs(t, pixels)
				for _, r := range e.Repairs {
					for pair := range slices.Chunk(r.Runs, 2) {
						for i := range pair[1] {
							repaired[pair[0]+i] = int(r.Class)
						}
					}
				}
			}
			timeline.Apply(e)

			start := rapid.IntRange(0, pixels).Draw(t, "start")
			end := rapid.IntRange(start, pixels).Draw(t, "end")
			if got, all := timeline.Pixels([]uint8{9}, start, end), painted(timeline); got[0] != 9 || !slices.Equal(got[1:], all[start:end]) {
				t.Fatalf("after %s pixels %d to %d are %v, want %v", kind, start, end, got[1:], all[start:end])
			}
			labels := timeline.Cells()
			want := make([]uint8, pixels)
			for i, cell := range cells.Map().Labels {
				want[i] = labels[cell]
				if repaired[i] != none {
					want[i] = uint8(repaired[i])
				}
			}
			if diff := cmp.Diff(want, painted(timeline)); diff != "" {
				t.Fatalf("pixels after %s (-want +got):\n%s", kind, diff)
			}
			sum := 0
			for cell, runs := range timeline.repairs {
				sum += len(runs)
				for i, r := range runs {
					if r.length < 1 || i > 0 && (runs[i-1].end() > r.start || runs[i-1].end() == r.start && runs[i-1].class == r.class) {
						t.Fatalf("after %s cell %d has runs %v", kind, cell, runs)
					}
				}
			}
			if sum != timeline.runs {
				t.Fatalf("after %s there are %d runs, counted %d", kind, sum, timeline.runs)
			}
			var all []run
			for _, list := range timeline.repairs {
				all = append(all, list...)
			}
			if !rapid.Bool().Draw(t, "ask") {
				continue // the next time more has changed
			}
			if diff := cmp.Diff(overlay(nil, sorted(all)), timeline.allRuns(), cmp.AllowUnexported(run{})); diff != "" {
				t.Fatalf("merged after %s (-want +got):\n%s", kind, diff)
			}
		}
		again := New(cells, cells.N/4, cutter)
		for _, e := range timeline.Events(0) {
			again.Apply(e)
		}
		if diff := cmp.Diff(painted(timeline), painted(again)); diff != "" {
			t.Fatalf("replayed (-want +got):\n%s", diff)
		}
		if again.repaired != timeline.repaired {
			t.Fatalf("replayed, repairs last changed with event %d, want %d", again.repaired, timeline.repaired)
		}
		whole := repairsOf(timeline.allRuns())
		if got := divided(again.cells, whole); got != timeline.runs {
			t.Fatalf("repairs put together and divided again are %d runs, want %d", got, timeline.runs)
		}
		if len(whole) > 0 {
			if err := checkStroke(whole, &segment.Project{Classes: fourClasses().Classes}, pixels); err != nil {
				t.Fatalf("the current repairs are not those of an event: %v", err)
			}
		}
	})
}

// divided is how many runs the repairs have within cells.
func divided(m *superpixels.Runs, repairs []segment.Repair) int {
	n := 0
	for _, c := range divide(m, runsOf(repairs)) {
		n += len(overlay(nil, c.runs))
	}
	return n
}

// Repairs that go on in the next cell are one run.
func TestMajority(t *testing.T) {
	const v = segment.Void
	cells, others := Majority(strip(4), []uint8{5, 5, 2, 2, 2, 5, v, v, 2, 7, 5, 7})
	if diff := cmp.Diff([]uint8{5, 2, v, 7}, cells); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	want := []segment.Repair{{Class: 2, Runs: []int32{2, 1, 8, 1}}, {Class: 5, Runs: []int32{5, 1, 10, 1}}}
	if diff := cmp.Diff(want, others); diff != "" {
		t.Errorf("other pixels (-want +got):\n%s", diff)
	}
	if _, others := Majority(strip(2), []uint8{0, 0, 1, 1, 2, 2}); !cmp.Equal(others, []segment.Repair{{Class: 1, Runs: []int32{2, 2}}}) {
		t.Errorf("a run over the border of cells became %v", others)
	}
}

func TestRefusedRepairs(t *testing.T) {
	p := fourClasses()
	for name, tt := range map[string]struct {
		repairs []segment.Repair
		kind    segment.Kind
		says    string
	}{
		"none":           {nil, segment.Invalid, "at least one run"},
		"no runs":        {[]segment.Repair{{Class: 1}}, segment.Invalid, "at least one run"},
		"half a run":     {[]segment.Repair{{Class: 1, Runs: []int32{3}}}, segment.Invalid, "pairs"},
		"class":          {[]segment.Repair{{Class: 7, Runs: []int32{0, 1}}}, segment.Invalid, "Class 7 does not exist"},
		"negative":       {[]segment.Repair{{Class: 1, Runs: []int32{-1, 2}}}, segment.Invalid, "from pixel -1"},
		"empty":          {[]segment.Repair{{Class: 1, Runs: []int32{1, 0}}}, segment.Invalid, "run of 0 pixels"},
		"beyond":         {[]segment.Repair{{Class: 1, Runs: []int32{90, 11}}}, segment.Invalid, "pixels 0 to 99"},
		"overflow":       {[]segment.Repair{{Class: 1, Runs: []int32{1, 1<<31 - 1}}}, segment.Invalid, "pixels 0 to 99"},
		"twice":          {[]segment.Repair{{Class: 1, Runs: []int32{0, 5, 4, 1}}}, segment.Invalid, "Pixel 4 is in two runs"},
		"twice, classes": {[]segment.Repair{{Class: 1, Runs: []int32{0, 5}}, {Class: 2, Runs: []int32{3, 1}}}, segment.Invalid, "Pixel 3 is in two runs"},
		"too many":       {[]segment.Repair{{Class: 1, Runs: slices.Repeat([]int32{0, 1}, maxEventRuns+1)}}, segment.TooLarge, "at most 100000 runs"},
	} {
		if err := checkStroke(tt.repairs, &p, 100); segment.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
	if err := checkStroke([]segment.Repair{{Class: segment.Void, Runs: []int32{5, 95}}, {Class: 3, Runs: []int32{0, 5}}}, &p, 100); err != nil {
		t.Error(err)
	}
}

// photograph12 is a 4000×3000 map with 7,000 cells and a few strokes of a brush
// on it.
func photograph12() (*superpixels.Runs, [][]segment.Repair) {
	const width, height, side = 4000, 3000, 40
	m := &superpixels.Map{Width: width, Height: height, N: (width / side) * (height / side), Labels: make([]int32, width*height)}
	for i := range m.Labels {
		m.Labels[i] = int32(i/width/side*(width/side) + i%width/side)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	strokes := make([][]segment.Repair, 20)
	for i := range strokes {
		x, y := rng.IntN(width-700), rng.IntN(height-40)
		r := segment.Repair{Class: uint8(i % 3)}
		for row := range 30 { // 600 pixels long, 30 wide
			r.Runs = append(r.Runs, int32((y+row)*width+x+rng.IntN(3)), 600)
		}
		strokes[i] = []segment.Repair{r}
	}
	return m.Runs(), strokes
}

// An undo step of a stroke costs what the stroke covers, not what the image has.
func TestStepsAreSmall(t *testing.T) {
	m, strokes := photograph12()
	timeline := New(m, m.N, whole)
	const steps = 600
	for i := range steps {
		timeline.Apply(segment.Event{ID: fmt.Sprint(i), Kind: segment.Pixels, Repairs: strokes[i%len(strokes)]})
	}
	bytes := 0
	for _, s := range timeline.done {
		bytes += 6 * len(s.cells)
		for _, list := range s.repairs {
			bytes += 24 + 12*cap(list)
		}
	}
	if per := bytes / steps; per > 16<<10 {
		t.Errorf("an undo step of a stroke of 18,000 pixels holds %d bytes, want at most 16 KiB", per)
	}
	before := painted(timeline)
	for range steps {
		timeline.Apply(segment.Event{ID: fmt.Sprint("u", timeline.Seq()), Kind: segment.Undo})
	}
	if timeline.runs != 0 || timeline.UndoDepth() != 0 {
		t.Errorf("after %d undos %d runs are left", steps, timeline.runs)
	}
	for range steps {
		timeline.Apply(segment.Event{ID: fmt.Sprint("r", timeline.Seq()), Kind: segment.Redo})
	}
	if !slices.Equal(before, painted(timeline)) {
		t.Error("redo did not bring back the pixels")
	}
}

func BenchmarkStroke(b *testing.B) {
	m, strokes := photograph12()
	timeline := New(m, m.N, whole)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		timeline.Apply(segment.Event{ID: fmt.Sprint(i), Kind: segment.Pixels, Repairs: strokes[i%len(strokes)]})
	}
}
