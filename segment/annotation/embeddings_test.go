package annotation_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/storage/workspacetest"
)

// leaving is a store whose caller gives up as soon as an undo is stored.
type leaving struct {
	segment.Store
	leave context.CancelFunc
}

func (l leaving) Append(ctx context.Context, id string, expected int, e segment.Event, p segment.Progress) error {
	err := l.Store.Append(ctx, id, expected, e, p)
	if e.Kind == segment.Undo {
		l.leave()
	}
	return err
}

// mustGuess gives an image a guess of its project.
func mustGuess(t *testing.T, a *annotation.Annotation) {
	t.Helper()
	n := a.FirstCut().N
	scores := &segment.Scores{Classes: []uint8{0, 1}, Regions: n, Strength: .01, Exponent: 1, Model: 1, Learnt: 5, Shares: make([]uint8, 2*n)}
	if err := a.GiveGuess(t.Context(), scores); err != nil {
		t.Fatal(err)
	}
}

// The guess that an embedding goes beneath is not lost with a client that leaves.
func TestSetEmbeddingOfClientThatLeaves(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store { return leaving{s, leave} }))
	mustGuess(t, a)
	seq, err := a.SetEmbedding(ctx, "e", &segment.Embedding{Dims: 1, Scale: .1, Values: make([]uint8, a.Cells().N)})
	if ctx.Err() == nil {
		t.Fatal("the client has not left; the test shows nothing")
	}
	if seq != 3 || err != nil || a.Embedding() == nil || a.State().Guess == nil {
		t.Errorf("event %d, %v; embedding there %v, guess there %v", seq, err, a.Embedding() != nil, a.State().Guess != nil)
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
