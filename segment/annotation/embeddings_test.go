package annotation_test

import (
	"context"
	"testing"

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
