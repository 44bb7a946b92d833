package timeline

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/superpixels"
)

// mosaic returns the cells of a small picture and the cutter of its hierarchy.
func mosaic(seed uint64) (*superpixels.Runs, Cutter) {
	rng := rand.New(rand.NewPCG(seed, 0))
	img := image.NewNRGBA(image.Rect(0, 0, 24, 18))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.IntN(256))
	}
	h := superpixels.NewHierarchy(img, 60)
	g := superpixels.Describe(img, h.At(h.Finest()))
	return h.Runs(), func(n int, labels []uint8) *superpixels.Cut { return h.Cut(g, n, labels, segment.Void) }
}

// play is the state of a timeline.
type play struct {
	clicks, accepted []uint8
	pixels           []uint8
	cut              *superpixels.Cut
	wanted           int
}

func playOf(t *Timeline) play {
	return play{clicked(t), accepted(t), painted(t), t.cut, t.wanted}
}

// However events and granularities mix: a granularity changes no label, every
// superpixel has one, undo, redo and restore bring back exactly what was there,
// and the same events lead to the same superpixels.
func TestTimelineOfManyGranularities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, cutter := mosaic(rapid.Uint64Range(0, 3).Draw(t, "picture"))
		timeline := New(cells, cells.N/4, cutter)
		var undo, redo []play
		history := []play{playOf(timeline)}
		known := fourClasses()
		var mask []uint8
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			kind := rapid.SampledFrom([]segment.EventKind{segment.Label, segment.Label, segment.Clear, segment.Accept, segment.Granularity, segment.Granularity, segment.Pixels, segment.Import, segment.Restore, segment.Undo, segment.Undo, segment.Redo}).Draw(t, "kind")
			if timeline.Possible(kind) != nil {
				continue
			}
			before := playOf(timeline)
			n := timeline.Cut().N
			e := segment.Event{ID: fmt.Sprint(step), Kind: kind}
			switch kind {
			case segment.Restore:
				e.To = rapid.IntRange(0, timeline.Seq()).Draw(t, "to")
			case segment.Pixels:
				e.Repairs = drawRepairs(t, cells.Area())
			case segment.Import:
				mask = drawMask(t, timeline)
				e.Cells, e.Repairs = Majority(cells, mask)
			case segment.Granularity:
				e.Regions = rapid.IntRange(2, cells.N).Draw(t, "regions")
			case segment.Label, segment.Clear:
				e.Superpixels = rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), 1, 3).Draw(t, "superpixels")
				e.Class = rapid.IntRange(0, 2).Draw(t, "class")
			case segment.Accept:
				labels := rapid.SliceOfN(rapid.Uint8Range(0, 2), n, n).Draw(t, "labels")
				for s, c := range timeline.Clicks() {
					if c != segment.Void {
						labels[s] = c
					}
				}
				e.Pick = &segment.Pick{Labels: labels}
			}
			labels := timeline.Cells()
			if err := timeline.Check(&e, &known); err != nil {
				t.Fatalf("%s is refused: %v", kind, err)
			}
			timeline.Apply(e)
			after := playOf(timeline)
			var want play
			switch kind {
			case segment.Undo:
				want, undo, redo = undo[len(undo)-1], undo[:len(undo)-1], append(redo, before)
			case segment.Redo:
				want, redo, undo = redo[len(redo)-1], redo[:len(redo)-1], append(undo, before)
			case segment.Import:
				undo, redo, want = append(undo, before), nil, after
				if diff := cmp.Diff(mask, after.pixels); diff != "" {
					t.Fatalf("pixels after the import (-mask +got):\n%s", diff)
				}
			case segment.Restore:
				undo, redo, want = append(undo, before), nil, history[e.To]
			case segment.Granularity:
				undo, redo, want = append(undo, before), nil, after
				if diff := cmp.Diff(labels, timeline.Cells()); diff != "" {
					t.Fatalf("the granularity changed labels:\n%s", diff)
				}
			default:
				undo, redo, want = append(undo, before), nil, after
			}
			history = append(history, after)
			if diff := cmp.Diff(want, after, cmp.AllowUnexported(play{})); diff != "" {
				t.Fatalf("after %s (-want +got):\n%s", kind, diff)
			}
			whole := timeline.Labelling()
			for cell, l := range timeline.Cells() {
				if whole[timeline.Cut().Parent[cell]] != l {
					t.Fatalf("after %s a superpixel has two labels", kind)
				}
			}
		}
		again := New(cells, cells.N/4, cutter)
		for _, e := range timeline.Events(0) {
			again.Apply(e)
		}
		if diff := cmp.Diff(playOf(timeline), playOf(again), cmp.AllowUnexported(play{})); diff != "" {
			t.Fatalf("replayed (-want +got):\n%s", diff)
		}
	})
}

// drawMask draws a mask out of what the timeline shows: some classes are replaced,
// some stretches of pixels are painted over.
func drawMask(t *rapid.T, timeline *Timeline) []uint8 {
	classes := rapid.SampledFrom([]uint8{0, 1, 2, 3, segment.Void})
	mask := painted(timeline)
	var to [256]uint8
	for _, c := range []uint8{0, 1, 2, 3, segment.Void} {
		to[c] = classes.Draw(t, "to")
	}
	for i, l := range mask {
		mask[i] = to[l]
	}
	for _, r := range runsOf(drawRepairs(t, len(mask))) {
		for i := r.start; i < r.end(); i++ {
			mask[i] = r.class
		}
	}
	return mask
}

// From coarse to fine and back the superpixels are the same as before.
func TestThereAndBack(t *testing.T) {
	cells, cutter := mosaic(7)
	timeline := New(cells, 20, cutter)
	for s := range int32(8) {
		timeline.Apply(segment.Event{ID: fmt.Sprint("a", s), Kind: segment.Label, Superpixels: []int32{s, s + 8}, Class: int(s % 3)})
	}
	timeline.Apply(segment.Event{ID: "b", Kind: segment.Granularity, Regions: 6})
	coarse := timeline.Cut()
	if coarse.N >= 20 || coarse.Split == 0 || coarse.Split > 6 {
		t.Errorf("%d superpixels, %d of 6 divided, want fewer than 20 and some divided", coarse.N, coarse.Split)
	}
	timeline.Apply(segment.Event{ID: "c", Kind: segment.Granularity, Regions: cells.N})
	if timeline.Cut().N != cells.N {
		t.Errorf("%d superpixels, want all %d", timeline.Cut().N, cells.N)
	}
	timeline.Apply(segment.Event{ID: "d", Kind: segment.Granularity, Regions: 6})
	if diff := cmp.Diff(coarse, timeline.Cut()); diff != "" {
		t.Errorf("coarse, fine and coarse again:\n%s", diff)
	}
}
