package timeline

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
)

// lately is everything that is visible of a timeline.
type lately struct {
	clicks, accepted, pixels []uint8
	wanted, regions, seq     int
	undo, redo               int
	allRuns                  []run
}

func see(t *Timeline) lately {
	return lately{clicked(t), accepted(t), painted(t), t.wanted, t.cut.N, t.Seq(), t.UndoDepth(), t.RedoDepth(), t.allRuns()}
}

// drawEvent draws an event that is possible, or one of no kind.
func drawEvent(t *rapid.T, timeline *Timeline, id int) segment.Event {
	kind := rapid.SampledFrom([]segment.EventKind{segment.Label, segment.Label, segment.Clear, segment.Pixels, segment.Accept, segment.Granularity, segment.Restore, segment.Undo, segment.Undo, segment.Undo, segment.Redo}).Draw(t, "kind")
	if timeline.Possible(kind) != nil {
		return segment.Event{}
	}
	n := timeline.Cut().N
	e := segment.Event{ID: fmt.Sprint(id), Kind: kind}
	switch kind {
	case segment.Label, segment.Clear:
		e.Superpixels = rapid.SliceOfN(rapid.Int32Range(0, int32(n)-1), 1, 4).Draw(t, "superpixels")
		e.Class = rapid.IntRange(0, 3).Draw(t, "class")
	case segment.Accept:
		e.Pick = &segment.Pick{Labels: rapid.SliceOfN(rapid.Uint8Range(0, 3), n, n).Draw(t, "labels")}
	case segment.Pixels:
		e.Repairs = []segment.Repair{{Class: 7, Runs: []int32{rapid.Int32Range(0, 100).Draw(t, "start"), rapid.Int32Range(1, 60).Draw(t, "length")}}}
	case segment.Granularity:
		e.Regions = rapid.IntRange(2, timeline.cells.N).Draw(t, "regions")
	case segment.Restore:
		e.To = rapid.IntRange(0, timeline.Seq()).Draw(t, "to")
	}
	return e
}

// again plays events on the timeline without evidence.
func again(t *Timeline, events []segment.Event) *Timeline {
	out := t.Blank()
	for _, e := range events {
		out.Apply(e)
	}
	return out
}

// A timeline that forgets, and is replayed where needed, equals one that remembers
// everything.
func TestForgettingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, cutter := mosaic(rapid.Uint64Range(0, 3).Draw(t, "picture"))
		whole, lean := New(cells, cells.N/4, cutter), New(cells, cells.N/4, cutter)
		for i := range rapid.IntRange(1, 50).Draw(t, "events") {
			e := drawEvent(t, whole, i)
			if e.Kind == "" {
				continue
			}
			whole.Apply(e)
			if !lean.Holds(e.Kind) {
				lean = again(lean, whole.Events(0)[:lean.Seq()])
			}
			lean.Apply(e)
			lean.Forget(3)
			if held := len(lean.events); held >= 6 || len(lean.seqs) != held || len(lean.marks) != held {
				t.Fatalf("%d events, %d ids and %d marks are held, want less than 6", held, len(lean.seqs), len(lean.marks))
			}
			if diff := cmp.Diff(see(whole), see(lean), cmp.AllowUnexported(lately{}, run{})); diff != "" {
				t.Fatalf("after event %d, %s (-whole +lean):\n%s", whole.Seq(), e.Kind, diff)
			}
			last := lean.mark(lean.Seq())
			if want := whole.mark(whole.Seq()); last != want {
				t.Fatalf("event %d, %s, led to %+v, want %+v", whole.Seq(), e.Kind, last, want)
			}
		}
	})
}

// An event that is retracted leaves nothing behind.
func TestRetract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, cutter := mosaic(rapid.Uint64Range(0, 3).Draw(t, "picture"))
		never, tried := New(cells, cells.N/4, cutter), New(cells, cells.N/4, cutter)
		for i := range rapid.IntRange(1, 30).Draw(t, "events") {
			if e := drawEvent(t, tried, -1); e.Kind != "" {
				before := *tried
				tried.Apply(e)
				tried.Retract(before)
				if _, there := tried.Find(e.ID); there || tried.repaired != before.repaired || tried.effort != before.effort {
					t.Fatalf("%s left something behind", e.Kind)
				}
			}
			e := drawEvent(t, never, i)
			if e.Kind == "" {
				continue
			}
			never.Apply(e)
			tried.Apply(e)
			if diff := cmp.Diff(see(never), see(tried), cmp.AllowUnexported(lately{}, run{})); diff != "" {
				t.Fatalf("after event %d, %s (-never tried +tried and retracted):\n%s", i, e.Kind, diff)
			}
		}
	})
}

// The size of a log is limited, counting all its events. At the limit undo and
// redo still work.
func TestLogsAreBounded(t *testing.T) {
	cells, cutter := mosaic(1)
	tl := New(cells, 20, cutter)
	large := segment.Event{Kind: segment.Label, Superpixels: []int32{0}, Points: make([][2]float64, 1<<20)}
	events := 0
	for ; tl.affords(&large) == nil && events < 100; events++ {
		large.ID = fmt.Sprint(events)
		if before := *tl; events == 0 { // what could not be stored doesn't count
			tl.Apply(large)
			tl.Retract(before)
		}
		tl.Apply(large)
		tl.Forget(1)
	}
	if events != 3 {
		t.Errorf("a log has room for %d events of 16 MiB, want 3", events)
	}
	err := tl.affords(&segment.Event{Kind: segment.Label, Superpixels: []int32{0}, Points: large.Points[:1<<19]})
	if err != nil {
		t.Errorf("a smaller event still fits: %v", err)
	}
	if err := tl.affords(&large); segment.KindOf(err) != segment.TooLarge {
		t.Errorf("%v", err)
	}
	for _, kind := range []segment.EventKind{segment.Undo, segment.Redo} {
		full := *tl
		full.weight = maxLog
		if err := full.affords(&segment.Event{Kind: kind}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// What steps keep is limited, whatever kind of event makes them keep it: a new cut, a
// longer list of exclusions, what was labelled before. At the limit undo and redo
// still work, and a replay comes to the same.
func TestStepsAreBounded(t *testing.T) {
	cells, cutter := mosaic(1)
	all := func(n int) (list []int32) {
		for i := range n {
			list = append(list, int32(i))
		}
		return list
	}
	for name, c := range map[string]struct {
		event func(tl *Timeline, i int) segment.Event
		least int // bytes of an event
	}{
		"cuts": {func(_ *Timeline, i int) segment.Event {
			return segment.Event{Kind: segment.Granularity, Regions: 10 + i%2}
		}, 4 * cells.N},
		"exclusions": {func(tl *Timeline, i int) segment.Event {
			return segment.Event{Kind: segment.Exclude, Class: i, Superpixels: all(tl.base.N)}
		}, 8 * 50 * cells.N}, // on average, of 100
		"exclusions that end": {func(tl *Timeline, i int) segment.Event {
			if i < 50 {
				return segment.Event{Kind: segment.Exclude, Class: i, Superpixels: all(tl.base.N)}
			}
			return segment.Event{Kind: segment.Clear, Superpixels: []int32{int32(i) % 2}}
		}, 8 * 12 * cells.N},
		"labels": {func(tl *Timeline, i int) segment.Event {
			return segment.Event{Kind: segment.Label, Class: i % 2, Superpixels: all(tl.base.N)}
		}, 16 * cells.N},
		"shown": {func(tl *Timeline, i int) segment.Event {
			return segment.Event{Kind: segment.Accept, Pick: &segment.Pick{Labels: make([]uint8, tl.cut.N)}}
		}, 17 * cells.N},
	} {
		tl := New(cells, 20, cutter)
		for i := range 100 {
			e := c.event(tl, i)
			e.ID = fmt.Sprint(i)
			if before := *tl; i%10 == 0 { // what could not be stored doesn't count
				tl.Apply(e)
				tl.Retract(before)
			}
			tl.Apply(e)
		}
		if least := 100 * c.least; tl.kept < least || tl.Bytes() < tl.weight+least {
			t.Errorf("%s: %d bytes are counted, %d in all; the steps keep at least %d and the log takes %d", name, tl.kept, tl.Bytes(), least, tl.weight)
		}
		if replayed := again(tl, tl.Events(0)); replayed.kept != tl.kept {
			t.Errorf("%s: a replay keeps %d bytes, not %d", name, replayed.kept, tl.kept)
		}
		before := tl.kept
		tl.Forget(1)
		if tl.kept != before {
			t.Errorf("%s: forgotten steps no longer count, though a replay makes them again", name)
		}
		tl.kept = maxKept + 1
		for _, kind := range []segment.EventKind{segment.Label, segment.Granularity, segment.Undo, segment.Redo} {
			want := segment.TooLarge
			if kind == segment.Undo || kind == segment.Redo {
				want = 0
			}
			if err := tl.affords(&segment.Event{Kind: kind}); segment.KindOf(err) != want {
				t.Errorf("%s at the limit: %v", kind, err)
			}
		}
	}
}

// A step doesn't keep lists that its event hasn't changed.
func TestUnchangedListsAreShared(t *testing.T) {
	tl := New(strip(4), 4, whole)
	for i, e := range []segment.Event{
		{Kind: segment.Exclude, Class: 2, Superpixels: []int32{0, 1}},
		{Kind: segment.Instance, Class: 1, Points: [][2]float64{{9, 0}}, Instances: []int32{1}},
		{Kind: segment.Label, Class: 1, Superpixels: []int32{2}},
		{Kind: segment.Lock, Class: 1},
	} {
		e.ID = fmt.Sprint(i)
		before := *tl
		tl.Apply(e)
		if now, was := tl.constraints, before.constraints; i >= 2 && (added(now.Excluded, was.Excluded) > 0 || added(now.Objects, was.Objects) > 0) {
			t.Errorf("after the %s lists are new that are the same", e.Kind)
		}
	}
}

// However many guesses its project has made, an image is untouched until a person
// works on it, and then never again.
func TestUntouchedAmongManyEvents(t *testing.T) {
	tl := New(strip(4), 4, whole)
	apply := func(e segment.Event) {
		e.ID = fmt.Sprint(tl.Seq())
		tl.Apply(e)
		tl.Forget(3)
	}
	guess := func() {
		apply(segment.Event{Kind: segment.FirstGuess, By: segment.ByProject, Scores: &segment.Scores{Classes: []uint8{1}, Shares: make([]uint8, 4)}})
	}
	apply(segment.Event{Kind: segment.Embed, By: "ann", Embedding: &segment.Embedding{Values: make([]uint8, 4), Dims: 1}})
	for range 10 {
		guess()
		apply(segment.Event{Kind: segment.Undo, By: segment.ByProject})
	}
	guess()
	if tl.Forgotten() == 0 || !tl.Untouched() || !tl.Guessed() {
		t.Errorf("%d events are forgotten; untouched %v, guessed %v", tl.Forgotten(), tl.Untouched(), tl.Guessed())
	}
	before := *tl
	for _, by := range []string{"ann", "", segment.ByProject} { // old servers had users with any name
		tl.Apply(segment.Event{ID: "click", Kind: segment.Label, By: by, Superpixels: []int32{1}})
		if tl.Untouched() {
			t.Errorf("untouched after a click by %q", by)
		}
		if tl.Retract(before); !tl.Untouched() {
			t.Error("touched by a click that was not stored")
		}
	}
	apply(segment.Event{Kind: segment.Label, By: "ann", Superpixels: []int32{1}})
	for range 10 {
		guess()
	}
	if tl.Untouched() {
		t.Error("untouched after the click was forgotten")
	}
}
