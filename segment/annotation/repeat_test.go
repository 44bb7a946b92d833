package annotation_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"collie/segment"
	"collie/storage/workspacetest"
)

// An embedding that is sent again while the first is on its way, as by a script whose
// request took too long, is stored once, and all are told its number.
func TestEmbeddingTwiceAtOnce(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	mustGuess(t, a)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for round := range 50 {
		id, before := segment.NewID(), a.State().Seq
		points := &segment.Embedding{Dims: 1, Scale: .1, Values: make([]uint8, a.Cells().N)}
		points.Values[0] = uint8(round)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if seq, err := a.SetEmbedding(ctx, id, points); err != nil || seq != before+2 {
					t.Errorf("round %d: event %d, %v, want event %d", round, seq, err, before+2)
				}
			})
		}
		if all.Wait(); t.Failed() {
			return
		}
	}
}
