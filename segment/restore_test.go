package segment

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A history of twists: undone branches can be gone back to, undo takes a restore
// back, and a restore of a restore costs no more than one.
func TestRestore(t *testing.T) {
	timeline := NewTimeline(strip(3), 3, whole)
	label := func(class int, superpixel int32) Event {
		return Event{Kind: Label, Class: class, Superpixels: []int32{superpixel}}
	}
	steps := []struct {
		event Event
		want  []uint8
		about int
	}{
		{label(1, 0), []uint8{1, Void, Void}, 0},                                             // 1
		{label(2, 1), []uint8{1, 2, Void}, 0},                                                // 2
		{Event{Kind: Undo}, []uint8{1, Void, Void}, 2},                                       // 3
		{label(3, 2), []uint8{1, Void, 3}, 0},                                                // 4
		{Event{Kind: Restore, To: 2}, []uint8{1, 2, Void}, 0},                                // 5
		{label(4, 0), []uint8{4, 2, Void}, 0},                                                // 6
		{Event{Kind: Undo}, []uint8{1, 2, Void}, 6},                                          // 7
		{Event{Kind: Undo}, []uint8{1, Void, 3}, 5},                                          // 8
		{Event{Kind: Redo}, []uint8{1, 2, Void}, 5},                                          // 9
		{Event{Kind: Redo}, []uint8{4, 2, Void}, 6},                                          // 10
		{Event{Kind: Restore, To: 0}, []uint8{Void, Void, Void}, 0},                          // 11
		{Event{Kind: Restore, To: 8}, []uint8{1, Void, 3}, 0},                                // 12
		{Event{Kind: Pixels, Repairs: []Repair{{7, []int32{2, 3}}}}, []uint8{1, Void, 3}, 0}, // 13
		{Event{Kind: Restore, To: 12}, []uint8{1, Void, 3}, 0},                               // 14
		{Event{Kind: Restore, To: 13}, []uint8{1, Void, 3}, 0},                               // 15
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
	if diff := cmp.Diff([]uint8{1, 1, 7, 7, 7, Void, 3, 3, 3}, painted(timeline)); diff != "" {
		t.Errorf("pixels (-want +got):\n%s", diff)
	}
	if e := (Event{ID: "x", Kind: Restore, To: timeline.Seq() + 1}); KindOf(timeline.Check(&e, &Project{})) != Invalid {
		t.Error("one can go back to what is to come")
	}
}

// Going back again and again plays each event on the way once per restore, not
// the restores before it.
func TestRestoresDoNotMultiply(t *testing.T) {
	const events, restores = 200, 300
	timeline := NewTimeline(strip(2), 2, whole)
	for i := range events {
		timeline.Apply(Event{ID: fmt.Sprint(i), Kind: Label, Class: i % 200, Superpixels: []int32{int32(i % 2)}})
	}
	for i := range restores {
		timeline.Apply(Event{ID: fmt.Sprint("r", i), Kind: Restore, To: timeline.Seq() - 1 - i%2*100})
	}
	if most := restores * events; timeline.effort > most {
		t.Errorf("%d restores played %d events, want at most %d", restores, timeline.effort, most)
	}
	for range restores {
		timeline.Apply(Event{ID: fmt.Sprint("u", timeline.Seq()), Kind: Undo})
	}
	if got := timeline.Labelling(); got[0] != 198 || got[1] != 199 {
		t.Errorf("after as many undos %v", got)
	}
}

// BenchmarkReplay plays the clicks of a large log, as opening an image does.
func BenchmarkReplay(b *testing.B) {
	cells, cutter := mosaic(1)
	const events = 10_000
	b.ReportAllocs()
	for b.Loop() {
		timeline := NewTimeline(cells, cells.N/4, cutter)
		for i := range events {
			timeline.Apply(Event{ID: "a", Kind: Label, Class: i % 3, Superpixels: []int32{int32(i % timeline.Cut().N)}})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
}
