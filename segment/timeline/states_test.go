package timeline

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// A branching history: undone branches can be restored, undo takes back a restore,
// and a restore of a restore costs no more than one.
func TestRestore(t *testing.T) {
	timeline := New(strip(3), 3, whole)
	label := func(class int, superpixel int32) segment.Event {
		return segment.Event{Kind: segment.Label, Class: class, Superpixels: []int32{superpixel}}
	}
	steps := []struct {
		event segment.Event
		want  []uint8
		about int
	}{
		{label(1, 0), []uint8{1, segment.Void, segment.Void}, 0},                                                                          // 1
		{label(2, 1), []uint8{1, 2, segment.Void}, 0},                                                                                     // 2
		{segment.Event{Kind: segment.Undo}, []uint8{1, segment.Void, segment.Void}, 2},                                                    // 3
		{label(3, 2), []uint8{1, segment.Void, 3}, 0},                                                                                     // 4
		{segment.Event{Kind: segment.Restore, To: 2}, []uint8{1, 2, segment.Void}, 0},                                                     // 5
		{label(4, 0), []uint8{4, 2, segment.Void}, 0},                                                                                     // 6
		{segment.Event{Kind: segment.Undo}, []uint8{1, 2, segment.Void}, 6},                                                               // 7
		{segment.Event{Kind: segment.Undo}, []uint8{1, segment.Void, 3}, 5},                                                               // 8
		{segment.Event{Kind: segment.Redo}, []uint8{1, 2, segment.Void}, 5},                                                               // 9
		{segment.Event{Kind: segment.Redo}, []uint8{4, 2, segment.Void}, 6},                                                               // 10
		{segment.Event{Kind: segment.Restore, To: 0}, []uint8{segment.Void, segment.Void, segment.Void}, 0},                               // 11
		{segment.Event{Kind: segment.Restore, To: 8}, []uint8{1, segment.Void, 3}, 0},                                                     // 12
		{segment.Event{Kind: segment.Pixels, Repairs: []segment.Repair{{Class: 7, Runs: []int32{2, 3}}}}, []uint8{1, segment.Void, 3}, 0}, // 13
		{segment.Event{Kind: segment.Restore, To: 12}, []uint8{1, segment.Void, 3}, 0},                                                    // 14
		{segment.Event{Kind: segment.Restore, To: 13}, []uint8{1, segment.Void, 3}, 0},                                                    // 15
	}
	for i, s := range steps {
		s.event.ID = fmt.Sprint(i)
		timeline.Apply(s.event)
		if diff := cmp.Diff(s.want, timeline.Labelling()); diff != "" {
			t.Errorf("after event %d, %s (-want +got):\n%s", i+1, s.event.Kind, diff)
		}
		if got := timeline.marks[i].about; got != s.about {
			t.Errorf("event %d is about %d, want %d", i+1, got, s.about)
		}
	}
	if diff := cmp.Diff([]uint8{1, 1, 7, 7, 7, segment.Void, 3, 3, 3}, painted(timeline)); diff != "" {
		t.Errorf("pixels (-want +got):\n%s", diff)
	}
	if e := (segment.Event{ID: "x", Kind: segment.Restore, To: timeline.Seq() + 1}); segment.KindOf(timeline.Check(&e, &segment.Project{})) != segment.Invalid {
		t.Error("one can go back to what is to come")
	}
}

// Going back again and again plays each event on the way once per restore, not
// the restores before it.
func TestRestoresDoNotMultiply(t *testing.T) {
	const events, restores = 200, 300
	timeline := New(strip(2), 2, whole)
	for i := range events {
		timeline.Apply(segment.Event{ID: fmt.Sprint(i), Kind: segment.Label, Class: i % 200, Superpixels: []int32{int32(i % 2)}})
	}
	for i := range restores {
		timeline.Apply(segment.Event{ID: fmt.Sprint("r", i), Kind: segment.Restore, To: timeline.Seq() - 1 - i%2*100})
	}
	if most := restores * events; timeline.effort > most {
		t.Errorf("%d restores played %d events, want at most %d", restores, timeline.effort, most)
	}
	for range restores {
		timeline.Apply(segment.Event{ID: fmt.Sprint("u", timeline.Seq()), Kind: segment.Undo})
	}
	if got := timeline.Labelling(); got[0] != 198 || got[1] != 199 {
		t.Errorf("after as many undos %v", got)
	}
}

// The work of all restores is limited, counting the events that each plays or undoes.
// At the limit undo still works.
func TestRestoresAreBounded(t *testing.T) {
	tl := New(strip(4), 4, whole)
	for i, e := range []segment.Event{
		{Kind: segment.Label, Superpixels: []int32{0, 1}},
		{Kind: segment.Label, Superpixels: []int32{2}},
		{Kind: segment.Undo},
		{Kind: segment.Undo},
		{Kind: segment.Label, Superpixels: []int32{3}},
		{Kind: segment.Label, Superpixels: []int32{3}, Class: 1},
	} {
		e.ID = fmt.Sprint(i)
		tl.Apply(e)
	}
	for name, c := range map[string]struct{ to, effort int }{"the present": {6, 0}, "a step back": {5, 1}, "an abandoned branch": {2, 3 + 2 + 2}} {
		e := segment.Event{ID: "restore", Kind: segment.Restore, To: c.to}
		for effort, want := range map[int]segment.Kind{maxEffort - c.effort: 0, maxEffort - c.effort + 1: segment.TooLarge} {
			was := *tl
			was.effort = effort
			if err := was.affords(&e); segment.KindOf(err) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
		before := *tl
		if tl.Apply(e); tl.effort != c.effort {
			t.Errorf("%s: an effort of %d, want %d", name, tl.effort, c.effort)
		}
		tl.Retract(before)
	}
	tl.effort = maxEffort + 1
	if err := tl.affords(&segment.Event{Kind: segment.Undo}); err != nil {
		t.Error(err)
	}
}

// BenchmarkReplay plays the clicks of a large log, as opening an image does.
func BenchmarkReplay(b *testing.B) {
	cells, cutter := mosaic(1)
	const events = 10_000
	b.ReportAllocs()
	for b.Loop() {
		timeline := New(cells, cells.N/4, cutter)
		timeline.Grow(events)
		for i := range events {
			timeline.Apply(segment.Event{ID: "a", Kind: segment.Label, Class: i % 3, Superpixels: []int32{int32(i % timeline.Cut().N)}})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
}
