package annotation_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/storage/workspacetest"
)

// dying is a store that stores so many times more.
type dying struct {
	segment.Store
	left *int
}

func (d dying) Append(ctx context.Context, id string, expected int, e segment.Event, p segment.Progress, more ...segment.Event) error {
	if *d.left--; *d.left < 0 {
		return segment.Errorf(segment.Unavailable, "The disk is full.")
	}
	return d.Store.Append(ctx, id, expected, e, p, more...)
}

// mustGuess gives an image a guess of its project.
func mustGuess(t *testing.T, a *annotation.Annotation) {
	t.Helper()
	if err := a.GiveGuess(t.Context(), someScores(a, 1)); err != nil {
		t.Fatal(err)
	}
}

// someScores are those of a model with a number.
func someScores(a *annotation.Annotation, model int) *segment.Scores {
	n := a.FirstCut().N
	return &segment.Scores{Classes: []uint8{0, 1}, Regions: n, Strength: .01, Exponent: 1, Model: model, Learnt: 5, Shares: make([]uint8, 2*n)}
}

// A guess that is replaced, or that an embedding goes beneath, is there whenever the
// server dies: what undoes it and what comes instead are stored together.
func TestGuessIsReplacedInOneStep(t *testing.T) {
	points := func(a *annotation.Annotation) *segment.Embedding {
		return &segment.Embedding{Dims: 1, Scale: .1, Values: make([]uint8, a.Cells().N)}
	}
	for name, change := range map[string]func(ctx context.Context, a *annotation.Annotation) error{
		"guess":    func(ctx context.Context, a *annotation.Annotation) error { return a.GiveGuess(ctx, someScores(a, 2)) },
		"no guess": func(ctx context.Context, a *annotation.Annotation) error { return a.GiveGuess(ctx, nil) },
		"embedding": func(ctx context.Context, a *annotation.Annotation) error {
			_, err := a.SetEmbedding(ctx, "e", points(a))
			return err
		},
	} {
		left := 1
		dir := t.TempDir()
		w := mustOpenWorkspace(t, dir, func(s segment.Store) segment.Store { return dying{s, &left} })
		a := workspacetest.MustAnnotate(t, w)
		mustGuess(t, a)
		before := a.State()
		if err := change(t.Context(), a); segment.KindOf(err) != segment.Unavailable {
			t.Errorf("%s with a broken disk: %v", name, err)
		}
		if diff := cmp.Diff(before, a.State()); diff != "" {
			t.Errorf("%s changed the state though it was not stored (-before +after):\n%s", name, diff)
		}
		left = 1
		told := make(chan string, 10)
		w.Watch(func(id string) { told <- id })
		if err := change(t.Context(), a); err != nil {
			t.Errorf("%s in more than one step: %v", name, err)
		}
		if len(told) != 1 {
			t.Errorf("%s: pages were notified %d times", name, len(told))
		}
		if got := a.State(); (got.Guess != nil) != (name != "no guess") || (a.Embedding() != nil) != (name == "embedding") {
			t.Errorf("%s: embedding there %v, guess %+v", name, a.Embedding() != nil, got.Guess)
		}
		left = 1
		if name == "no guess" {
			continue
		}
		if _, err := a.Append(t.Context(), a.State().Seq, segment.Event{ID: "u", Kind: segment.Undo}); err != nil || a.State().Guess != nil || (a.Embedding() != nil) != (name == "embedding") {
			t.Errorf("%s: an undo doesn't take back the guess and nothing else: %v", name, err)
		}
	}
}

// An embedding beneath a guess is the event that its caller is told.
func TestEmbeddingBeneathGuess(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	mustGuess(t, a)
	seq, err := a.SetEmbedding(t.Context(), "e", &segment.Embedding{Dims: 1, Scale: .1, Values: make([]uint8, a.Cells().N)})
	if err != nil {
		t.Fatal(err)
	}
	events, err := a.Events(t.Context(), a.State())
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	for _, e := range events {
		log = append(log, string(e.Kind)+" by "+e.By)
	}
	want := []string{"guess by project", "undo by project", "embedding by ", "guess by project"}
	if diff := cmp.Diff(want, log); diff != "" || events[seq-1].ID != "e" {
		t.Errorf("event %d is %q; log (-want +got):\n%s", seq, events[seq-1].ID, diff)
	}
}

// A repeated embedding adds nothing, not even when the project has learned other weights
// since; other points with the same id are refused and change nothing.
func TestRepeatedEmbedding(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	mustGuess(t, a)
	points := &segment.Embedding{Dims: 1, Scale: .1, Values: make([]uint8, a.Cells().N)}
	weights := &segment.Embedding{Pairs: segment.Likelihood{Bias: 1, Slope: -1}, Learnt: 7}
	if seq, err := a.SetEmbedding(t.Context(), "e", points.Weighed(weights)); seq != 3 || err != nil {
		t.Fatalf("SetEmbedding = %d, %v, want event 3", seq, err)
	}
	before := a.State()
	if seq, err := a.SetEmbedding(t.Context(), "e", points); seq != 3 || err != nil {
		t.Errorf("a repeat: %d, %v, want event 3", seq, err)
	}
	other := *points
	other.Scale = .2
	if _, err := a.SetEmbedding(t.Context(), "e", &other); segment.KindOf(err) != segment.Conflict {
		t.Errorf("other points: %v, want a conflict", err)
	}
	if diff := cmp.Diff(before, a.State()); diff != "" {
		t.Errorf("state (-before +after):\n%s", diff)
	}
}
