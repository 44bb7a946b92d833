package annotation_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/gauge"
	"collie/segment/photo"
	"collie/segment/schedule"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// slowStore is a store whose readers of old events wait until they are released.
type slowStore struct {
	segment.Store
	entered, free chan struct{} // nil while nobody waits
}

func (s *slowStore) Events(ctx context.Context, id string, after int) ([]segment.Event, error) {
	if s.free != nil {
		s.entered <- struct{}{}
		<-s.free
	}
	return s.Store.Events(ctx, id, after)
}

// mustAppendMeanwhile adds a label while something else is under way.
func mustAppendMeanwhile(t *testing.T, a *annotation.Annotation, id string, expected int) {
	t.Helper()
	stored := make(chan error, 1)
	go func() {
		_, err := a.Append(context.Background(), expected, label(id, 1, [2]float64{30, 40}))
		stored <- err
	}()
	select {
	case err := <-stored:
		if err != nil {
			t.Errorf("the label is refused: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the label waits")
	}
}

// watched is a context that looks at an image whenever it is asked whether it is
// done, as it is before each event that is played.
type watched struct {
	context.Context
	t *testing.T
	a *annotation.Annotation
}

func (w watched) Err() error {
	seen := make(chan struct{})
	go func() {
		w.a.State()
		close(seen)
	}()
	select {
	case <-seen:
	case <-time.After(time.Minute):
		w.t.Error("others wait while the past is played")
		return context.Canceled
	}
	return w.Context.Err()
}

// Nobody waits while the past is replayed.
func TestNobodyWaitsForTheReplay(t *testing.T) {
	t.Parallel()
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	const events = 140 // more than are ever held
	long(t, a, 0, events)
	ctx := watched{context.Background(), t, a}
	if _, err := a.PixelsAfter(ctx, 40); err != nil {
		t.Error(err)
	}
	if entries, _, err := a.History(ctx, 0, 40); err != nil || len(entries) != 40 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

// Others can label while somebody views or undoes further back than memory
// reaches.
func TestNobodyWaitsForTheReader(t *testing.T) {
	t.Parallel()
	const events, then = 140, 40 // more than are ever held
	for name, back := range map[string]func(a *annotation.Annotation) (any, error){
		"a labelling of before": func(a *annotation.Annotation) (any, error) { return a.PixelsAfter(context.Background(), then) },
		"the history": func(a *annotation.Annotation) (any, error) {
			entries, _, err := a.History(context.Background(), 0, then)
			return len(entries), err
		},
		"the evidence": func(a *annotation.Annotation) (any, error) {
			log, err := a.Events(context.Background(), annotation.State{Seq: then})
			return len(log), err
		},
		"a restore": func(a *annotation.Annotation) (any, error) {
			_, err := a.Append(context.Background(), events, segment.Event{ID: "back", Kind: segment.Restore, To: then})
			return segment.KindOf(err), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var store *slowStore
			w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store {
				store = &slowStore{Store: s}
				return store
			})
			a := workspacetest.MustAnnotate(t, w)
			long(t, a, 0, then)
			want := map[string]any{"a labelling of before": a.Pixels(), "the history": then, "the evidence": then, "a restore": segment.Conflict}[name]
			long(t, a, then, events)

			store.entered, store.free = make(chan struct{}), make(chan struct{})
			type answer struct {
				got any
				err error
			}
			looked := make(chan answer, 1)
			go func() {
				got, err := back(a)
				looked <- answer{got, err}
			}()
			<-store.entered
			mustAppendMeanwhile(t, a, "meanwhile", events)
			close(store.free)
			go func() {
				for range store.entered { // whoever reads again
				}
			}()
			got := <-looked
			close(store.entered)
			if diff := cmp.Diff(want, got.got); diff != "" || got.err != nil {
				t.Errorf("error %v (-want +got):\n%s", got.err, diff)
			}
			store.free = nil
			if got, err := a.PixelsAfter(t.Context(), events+1); err != nil || !cmp.Equal(got, a.Pixels()) {
				t.Errorf("the present labelling is not that after the last event: %v", err)
			}
		})
	}
}

// stepGate is an observer that lets no step of a sequence begin while it is
// closed.
type stepGate struct{ waiting, free chan struct{} }

func (g *stepGate) Took(what gauge.Time, _ time.Duration) {
	if what == gauge.Queue && g.free != nil {
		g.waiting <- struct{}{}
		<-g.free
	}
}

func (g *stepGate) Happened(gauge.Happening) {}

// Others can label while the hypothesis that somebody accepts is computed; the
// accept is for the state before.
func TestNobodyWaitsForAnAcceptance(t *testing.T) {
	g := new(stepGate)
	f := workspacetest.MustOpenFolder(t, t.TempDir())
	a := workspacetest.MustAnnotate(t, workspace.New(f.Store, f.Blobs, photo.NewGate(photo.Limits{}), workspace.Options{Schedule: schedule.Limits{Workers: 1}, Observer: g}))
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("b", 1, [2]float64{110, 40}))
	g.waiting, g.free = make(chan struct{}), make(chan struct{})
	accepted := make(chan error, 1)
	go func() {
		_, err := a.Append(context.Background(), 2, segment.Event{ID: "c", Kind: segment.Accept, Pick: &segment.Pick{Rank: 0}})
		accepted <- err
	}()
	<-g.waiting
	mustAppendMeanwhile(t, a, "meanwhile", 2)
	close(g.free)
	if err := <-accepted; segment.KindOf(err) != segment.Conflict {
		t.Errorf("the accept: %v, want a conflict", err)
	}
}
