package annotation_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/storage/workspacetest"
)

// long works on an image for longer than it remembers in memory.
func long(tb testing.TB, a *annotation.Annotation, from, to int) {
	tb.Helper()
	for i := from; i < to; i++ {
		mustAppend(tb, a, label(fmt.Sprint("click", i), i%2, [2]float64{float64(i * 7 % 120), float64(i * 3 % 80)}))
	}
}

// However long an image has been worked on, its whole history can be listed,
// viewed, undone and restored, and repeated events are recognised.
func TestLongPast(t *testing.T) {
	t.Parallel()
	const events = 300
	dir := t.TempDir()
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
	long(t, a, 0, events/3)
	early := a.State()
	pixels := a.Pixels()
	long(t, a, events/3, events)

	if seq, err := a.Append(t.Context(), 4, label("click5", 1, [2]float64{35, 15})); seq != 6 || err != nil {
		t.Errorf("event 6 once more has number %d, %v", seq, err)
	}
	if _, err := a.Append(t.Context(), events, label("click5", 0, [2]float64{35, 15})); segment.KindOf(err) != segment.Conflict {
		t.Errorf("another event with the id of event 6: %v, want a conflict", err)
	}
	log, err := a.Events(t.Context(), a.State())
	if err != nil || len(log) != events || log[5].ID != "click5" || log[events-1].Seq != events {
		t.Errorf("%d events, %v", len(log), err)
	}
	if got, err := a.PixelsAfter(t.Context(), events/3); err != nil || !cmp.Equal(got, pixels) {
		t.Errorf("the labelling after event %d is not what it was then: %v", events/3, err)
	}
	long(t, a, events, events+150) // has forgotten again

	for i := range events + 150 - events/3 {
		mustAppend(t, a, segment.Event{ID: fmt.Sprint("undo", i), Kind: segment.Undo})
	}
	if diff := cmp.Diff(early.Labels, a.State().Labels); diff != "" {
		t.Errorf("after as many undos (-then +now):\n%s", diff)
	}
	if got := a.State(); got.Undo != events/3 || got.Redo != events+150-events/3 {
		t.Errorf("%d steps to undo and %d to redo", got.Undo, got.Redo)
	}
	mustAppend(t, a, segment.Event{ID: "redo", Kind: segment.Redo})
	long(t, a, events+150, 2*events)
	mustAppend(t, a, segment.Event{ID: "back", Kind: segment.Restore, To: events / 3})
	if diff := cmp.Diff(early.Labels, a.State().Labels); diff != "" {
		t.Errorf("restored (-then +now):\n%s", diff)
	}
	seq := a.State().Seq
	entries, all, err := a.History(t.Context(), 0, seq)
	if err != nil || all != seq || len(entries) != seq || entries[events+150].About != events+150 {
		t.Errorf("a history of %d of %d events, %v", len(entries), all, err)
	}
	if entries, _, err := a.History(t.Context(), seq-2, 10); err != nil || len(entries) != 2 || entries[1].ID != "back" {
		t.Errorf("the last two: %v, %v", entries, err)
	}

	again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), a.Image().ID)
	if diff := cmp.Diff(a.State(), again.State()); diff != "" {
		t.Errorf("state from the disk (-before +after):\n%s", diff)
	}
}

// Another process goes back further than this one remembers.
func TestLongPastOfTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
	long(t, here, 0, 200)
	there := mustOpen(t, mustOpenWorkspace(t, dir, asIs), here.Image().ID)
	for i := range 180 {
		mustAppend(t, there, segment.Event{ID: fmt.Sprint("undo", i), Kind: segment.Undo})
	}
	e := label("late", 1, [2]float64{1, 1})
	if _, err := here.Append(t.Context(), 200, e); segment.KindOf(err) != segment.Conflict {
		t.Fatalf("an event for an old state: %v, want a conflict", err)
	}
	mustAppend(t, here, e)
	if got := here.State(); got.Seq != 381 || got.Undo != 21 {
		t.Errorf("%d events, %d steps to undo; want 381 and 21", got.Seq, got.Undo)
	}
}
