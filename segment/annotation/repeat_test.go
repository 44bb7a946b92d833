package annotation_test

import (
	"context"
	"database/sql"
	"path/filepath"
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

// An image whose record counts more events than there are takes no more, and says why.
func TestLogLacksEvents(t *testing.T) {
	dir := t.TempDir()
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
	workspacetest.MustAppend(t, a, label("first", 1, [2]float64{30, 40}))
	damage(t, dir, "UPDATE image SET seq = seq + 1")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := a.AppendLast(ctx, 1, label("second", 1, [2]float64{30, 40})); segment.KindOf(err) != segment.Damaged || a.State().Seq != 1 {
		t.Errorf("%v, and %d events", err, a.State().Seq)
	}
}

// damage changes the database of a data folder.
func damage(t *testing.T, dir, how string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "collie.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), how); err != nil {
		t.Fatal(err)
	}
}
