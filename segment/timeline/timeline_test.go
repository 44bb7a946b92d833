package timeline

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/superpixels"
)

// snapshot is the reference for undo and redo: whole states on two stacks.
type snapshot struct{ clicks, accepted []uint8 }

func (s snapshot) clone() snapshot {
	return snapshot{slices.Clone(s.clicks), slices.Clone(s.accepted)}
}

// clicked and accepted return the clicked and the accepted class per cell.
func clicked(t *Timeline) []uint8 {
	var classes []uint8
	for _, e := range t.evidence {
		classes = append(classes, e.clicked)
	}
	return classes
}

func accepted(t *Timeline) []uint8 {
	var classes []uint8
	for _, e := range t.evidence {
		classes = append(classes, e.accepted)
	}
	return classes
}

// strip is an image of one row in which every cell has three pixels.
func strip(n int) *superpixels.Runs {
	m := &superpixels.Map{Width: 3 * n, Height: 1, N: n}
	for i := range 3 * n {
		m.Labels = append(m.Labels, int32(i/3))
	}
	return m.Runs()
}

// whole lets every cell be a superpixel, whatever number is asked for.
func whole(_ int, labels []uint8) *superpixels.Cut {
	cut := &superpixels.Cut{N: len(labels), Parent: make([]int32, len(labels))}
	for i := range cut.Parent {
		cut.Parent[i] = int32(i)
	}
	return cut
}

func TestTimelineAgainstWholeSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 7
		timeline := New(strip(n), n, whole)
		present := snapshot{slices.Repeat([]uint8{segment.Void}, n), slices.Repeat([]uint8{segment.Void}, n)}
		var undo, redo []snapshot

		for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
			kind := rapid.SampledFrom([]segment.EventKind{segment.Label, segment.Label, segment.Clear, segment.Accept, segment.Undo, segment.Undo, segment.Redo}).Draw(t, "kind")
			e := segment.Event{ID: fmt.Sprint(step), Kind: kind}
			if kind == segment.Undo && len(undo) == 0 || kind == segment.Redo && len(redo) == 0 {
				if err := timeline.Possible(kind); segment.KindOf(err) != segment.Conflict {
					t.Fatalf("Possible(%s) with nothing to do = %v, want a conflict", kind, err)
				}
				continue
			}
			switch kind {
			case segment.Undo:
				redo, present, undo = append(redo, present), undo[len(undo)-1], undo[:len(undo)-1]
			case segment.Redo:
				undo, present, redo = append(undo, present), redo[len(redo)-1], redo[:len(redo)-1]
			default:
				undo, redo, present = append(undo, present), nil, present.clone()
				e.Superpixels = rapid.SliceOfN(rapid.Int32Range(0, n-1), 1, 9).Draw(t, "superpixels")
				e.Class = rapid.IntRange(0, 3).Draw(t, "class")
				if kind == segment.Accept {
					e.Pick = &segment.Pick{Labels: rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "labels")}
				}
				for _, s := range e.Superpixels {
					switch kind {
					case segment.Label:
						present.clicks[s] = uint8(e.Class)
					case segment.Clear:
						present.clicks[s], present.accepted[s] = segment.Void, segment.Void
					case segment.Accept:
						present.accepted[s] = e.Pick.Labels[s]
						if present.clicks[s] != e.Pick.Labels[s] {
							present.clicks[s] = segment.Void
						}
					}
				}
			}
			if err := timeline.Possible(kind); err != nil {
				t.Fatalf("Possible(%s) = %v", kind, err)
			}
			timeline.Apply(e)

			if diff := cmp.Diff(present.clicks, clicked(timeline)); diff != "" {
				t.Fatalf("clicks after %s (-want +got):\n%s", kind, diff)
			}
			if diff := cmp.Diff(present.accepted, accepted(timeline)); diff != "" {
				t.Fatalf("accepted after %s (-want +got):\n%s", kind, diff)
			}
			if timeline.UndoDepth() != len(undo) || timeline.RedoDepth() != len(redo) {
				t.Fatalf("depths %d, %d, want %d, %d", timeline.UndoDepth(), timeline.RedoDepth(), len(undo), len(redo))
			}
		}
		again := New(strip(n), n, whole)
		for _, e := range timeline.Events(0) {
			again.Apply(e)
		}
		if diff := cmp.Diff(timeline.Labelling(), again.Labelling()); diff != "" {
			t.Fatalf("replayed labelling (-want +got):\n%s", diff)
		}
	})
}

func TestLabelling(t *testing.T) {
	timeline := New(strip(3), 3, whole)
	timeline.Apply(segment.Event{ID: "a", Kind: segment.Label, Superpixels: []int32{0}, Class: 2})
	timeline.Apply(segment.Event{ID: "b", Kind: segment.Accept, Pick: &segment.Pick{Labels: []uint8{2, 1, 1}}})
	timeline.Apply(segment.Event{ID: "c", Kind: segment.Label, Superpixels: []int32{1}, Class: 0})
	if diff := cmp.Diff([]uint8{2, 0, 1}, timeline.Labelling()); diff != "" {
		t.Errorf("a click stands over what was accepted (-want +got):\n%s", diff)
	}
	timeline.Apply(segment.Event{ID: "d", Kind: segment.Clear, Superpixels: []int32{1}})
	if diff := cmp.Diff([]uint8{2, segment.Void, 1}, timeline.Labelling()); diff != "" {
		t.Errorf("a cleared superpixel is undecided (-want +got):\n%s", diff)
	}
	if e, ok := timeline.Find("c"); !ok || e.Seq != 3 {
		t.Errorf("Find(c) = %v, %v, want event 3", e, ok)
	}
	for after, want := range map[int]int{-1: 4, 3: 1, 4: 0, 9: 0} {
		if got := len(timeline.Events(after)); got != want {
			t.Errorf("%d events after %d, want %d", got, after, want)
		}
	}
}
