package annotation_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/storage/workspacetest"
)

// mustLose takes the events after a number out of the database, as a failover to an
// asynchronous standby does.
func mustLose(t *testing.T, dir, image string, after int) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "collie.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"DELETE FROM event WHERE seq > ? AND image = (SELECT number FROM image WHERE id = ?)",
		"UPDATE image SET seq = ? WHERE id = ?",
	} {
		if _, err := db.ExecContext(t.Context(), statement, after, image); err != nil {
			t.Fatal(err)
		}
	}
}

// A database that comes back without the last events of an image, whatever other
// servers have stored since, is noticed: the image is what the database says, and
// people go on from there. In the control nothing is lost, and nothing is noticed.
func TestShorterLog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lost, others int }{
		"shorter":           {3, 0},
		"all":               {5, 0},
		"still shorter":     {3, 1},
		"as long as it was": {3, 3},
		"longer":            {3, 5},
		"control":           {0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			server := mustOpenWorkspace(t, dir, asIs)
			here := workspacetest.MustAnnotate(t, server)
			id := here.Image().ID
			for i := range 5 {
				mustAppend(t, here, label(fmt.Sprint(i), 1, [2]float64{float64(10 + 20*i), 10}))
			}
			before, _ := here.Present()
			mustLose(t, dir, id, 5-c.lost)
			other := mustOpenWorkspace(t, dir, asIs)
			there := mustOpen(t, other, id)
			for i := range c.others {
				mustAppend(t, there, label(fmt.Sprint("other", i), 0, [2]float64{float64(20 + 10*i), 70}))
			}
			told := make(chan string, 10)
			server.Watch(func(id string) { told <- id })
			defer server.Follow(t.Context(), time.Millisecond, nil, nil)()
			<-told
			after := here.State()
			if noticed := after.Rewound > 0; noticed != (c.lost > 0) || after.Version <= before.Version {
				t.Errorf("rewound %d times, version %d after %d", after.Rewound, after.Version, before.Version)
			}
			want := there.State()
			want.Version, want.Rewound = after.Version, after.Rewound
			if diff := cmp.Diff(want, after); diff != "" {
				t.Errorf("state (-there +here):\n%s", diff)
			}
			if h, w := here.Sequence(), there.Sequence(); h.Len() != w.Len() || h.Seq() != w.Seq() {
				t.Errorf("%d hypotheses of state %d, want %d of state %d", h.Len(), h.Seq(), w.Len(), w.Seq())
			}
			mustAppend(t, here, label("next", 1, [2]float64{60, 40}))
			if events, seq, err := here.History(t.Context(), 0, 100); err != nil || seq != after.Seq+1 || events[seq-1].ID != "next" {
				t.Errorf("%d events of %d, %v", len(events), seq, err)
			}
		})
	}
}

// mustClickFive returns an image in the data folder dir, with five clicks.
func mustClickFive(t *testing.T, dir string) *annotation.Annotation {
	t.Helper()
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
	for i := range 5 {
		mustAppend(t, a, label(fmt.Sprint(i), 1, [2]float64{float64(10 + 20*i), 10}))
	}
	return a
}

// An edit on top of events that the database has lost is refused with the current
// number, and taken when it is made for that, without anybody looking meanwhile.
func TestEditOnLostEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here := mustClickFive(t, dir)
	before := here.State()
	mustLose(t, dir, here.Image().ID, 2)
	_, err := here.Append(t.Context(), 5, label("new", 1, [2]float64{10, 70}))
	var conflict *segment.Error
	if !errors.As(err, &conflict) || conflict.Kind != segment.Conflict || conflict.Seq != 2 {
		t.Fatalf("error %v, want a conflict with event 2", err)
	}
	if events, err := here.Events(t.Context(), before); !errors.Is(err, annotation.ErrRewound) {
		t.Errorf("%d events are left for a reader of the state before, %v", len(events), err)
	}
	if events, err := here.Events(t.Context(), here.State()); len(events) != 2 || err != nil {
		t.Errorf("%d events, %v; want 2", len(events), err)
	}
	if seq, err := here.Append(t.Context(), 2, label("new", 1, [2]float64{10, 70})); seq != 3 || err != nil {
		t.Errorf("event %d, %v; want 3", seq, err)
	}
}

// paused is a context that stops whoever asks whether it is done, as is asked before each
// event that is played.
type paused struct {
	context.Context
	entered, free chan struct{}
}

func (p paused) Err() error {
	select {
	case p.entered <- struct{}{}:
	case <-p.free:
	}
	<-p.free
	return nil
}

// queued is a context that says when somebody begins to wait with it.
type queued struct {
	context.Context
	waits chan struct{} // takes one
}

func (q queued) Done() <-chan struct{} {
	select {
	case q.waits <- struct{}{}:
	default:
	}
	return q.Context.Done()
}

// A log that has lost its end is noticed while somebody reads the history, and later
// readers see what has taken its place, not what that reader has played.
func TestShorterLogWhileItIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here := mustClickFive(t, dir)
	reader := paused{context.Background(), make(chan struct{}), make(chan struct{})}
	read := make(chan error, 1)
	go func() {
		_, err := here.PixelsAfter(reader, 5)
		read <- err
	}()
	<-reader.entered
	next := queued{context.Background(), make(chan struct{}, 1)}
	readNext := make(chan error, 1)
	go func() {
		_, err := here.PixelsAfter(next, 5)
		readNext <- err
	}()
	<-next.waits
	mustLose(t, dir, here.Image().ID, 2)
	noticed := make(chan struct{})
	go func() {
		defer close(noticed)
		if _, err := here.Append(context.Background(), 5, label("new", 1, [2]float64{10, 70})); segment.KindOf(err) != segment.Conflict {
			t.Errorf("an event on top of the lost ones: %v, want a conflict", err)
		}
	}()
	select {
	case <-noticed:
	case <-time.After(time.Minute):
		t.Error("the loss is not noticed before the reader is done")
	}
	close(reader.free)
	if err := errors.Join(<-read, <-readNext); err != nil {
		t.Error(err)
	}
	<-noticed
	for i := range 3 {
		mustAppend(t, here, label(fmt.Sprint("instead", i), 0, [2]float64{float64(20 + 10*i), 70}))
	}
	if got, err := here.PixelsAfter(t.Context(), 5); err != nil || !cmp.Equal(got, here.Pixels()) {
		t.Errorf("the present labelling is not that after the last event: %v", err)
	}
}

// An edit on top of events that the database has lost, and that others have replaced by
// as many, is refused, and taken when it is made for those, without anybody looking
// meanwhile. In the control nothing was lost.
func TestEditOnReplacedEvents(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]int{"replaced": 3, "control": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			here := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
			for i := range 5 {
				mustAppend(t, here, label(fmt.Sprint(i), 1, [2]float64{float64(10 + 20*i), 10}))
			}
			mustLose(t, dir, here.Image().ID, 5-lost)
			there := mustOpen(t, mustOpenWorkspace(t, dir, asIs), here.Image().ID)
			for i := range lost {
				mustAppend(t, there, label(fmt.Sprint("other", i), 0, [2]float64{float64(20 + 10*i), 70}))
			}
			edit := label("new", 1, [2]float64{10, 70})
			seq, err := here.Append(t.Context(), 5, edit)
			var conflict *segment.Error
			if refused := errors.As(err, &conflict) && conflict.Kind == segment.Conflict && conflict.Seq == 5; refused != (lost > 0) {
				t.Fatalf("event %d, %v", seq, err)
			}
			if lost == 0 {
				return
			}
			if here.State().Rewound != 1 {
				t.Error("the page is not told that its events are gone")
			}
			if seq, err := here.Append(t.Context(), 5, edit); seq != 6 || err != nil {
				t.Errorf("event %d, %v; want 6", seq, err)
			}
		})
	}
}

// The same for an edit that needs more of the past than is in memory. What others have
// replaced the lost events by is played with their superpixels, not those of the lost ones.
func TestRestoreOnReplacedEvents(t *testing.T) {
	t.Parallel()
	const events = 150
	for name, lost := range map[string]int{"replaced": 2, "control": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			here := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
			long(t, here, 0, events-2)
			finer := func(a *annotation.Annotation, id string, regions int) {
				mustAppend(t, a, segment.Event{ID: id, Kind: segment.Granularity, Regions: regions})
				mustAppend(t, a, label(id+"-click", 1, [2]float64{10, 70}))
			}
			finer(here, "here", 20)
			mustLose(t, dir, here.Image().ID, events-lost)
			there := mustOpen(t, mustOpenWorkspace(t, dir, asIs), here.Image().ID)
			if lost > 0 {
				finer(there, "there", 60)
			}
			edit := segment.Event{ID: "back", Kind: segment.Restore, To: 10}
			seq, err := here.Append(t.Context(), events, edit)
			var conflict *segment.Error
			if refused := errors.As(err, &conflict) && conflict.Kind == segment.Conflict && conflict.Seq == events; refused != (lost > 0) {
				t.Fatalf("event %d, %v", seq, err)
			}
			if lost == 0 {
				return
			}
			want := there.State()
			got := here.State()
			if got.Rewound != 1 {
				t.Errorf("rewound %d times", got.Rewound)
			}
			got.Rewound, got.Version = want.Rewound, want.Version
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("state (-there +here):\n%.2000s", diff)
			}
			if seq, err := here.Append(t.Context(), events, edit); seq != events+1 || err != nil {
				t.Errorf("event %d, %v; want %d", seq, err, events+1)
			}
		})
	}
}
