package export_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"collie/segment"
	"collie/segment/backup"
	"collie/segment/export"
	"collie/storage/workspacetest"
)

// interruptedStore calls act once, before the next reading of events.
type interruptedStore struct {
	segment.Store
	act func()
}

func (s *interruptedStore) Events(ctx context.Context, id string, after int) ([]segment.Event, error) {
	if act := s.act; act != nil {
		s.act = nil
		act()
	}
	return s.Store.Events(ctx, id, after)
}

// A failover that loses events of an image between its labelling and its log, where other
// servers store others, gives a backup of the labelling and the log that are there now.
func TestBackupDuringFailover(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]int{"shorter": 0, "as long": 50, "longer": 60} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			store := &interruptedStore{}
			here := workspacetest.MustOpenOver(t, dir, func(s segment.Store) segment.Store {
				store.Store = s
				return store
			})
			a := workspacetest.MustAnnotate(t, here)
			id := a.Image().ID
			for i := range 150 { // more than an open image remembers
				workspacetest.MustAppend(t, a, workspacetest.Label(fmt.Sprint(i), 1, [2]float64{float64(i * 7 % 60), float64(i * 3 % 80)}))
			}
			other := workspacetest.MustOpenFolder(t, dir).Workspace()
			store.act = func() {
				db, err := sql.Open("sqlite", filepath.Join(dir, "collie.db"))
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				for _, statement := range []string{"DELETE FROM event WHERE seq > 100", "UPDATE image SET seq = 100"} {
					if _, err := db.ExecContext(t.Context(), statement); err != nil {
						t.Fatal(err)
					}
				}
				there := workspacetest.MustOpenImage(t, other, id)
				for i := range others {
					workspacetest.MustAppend(t, there, workspacetest.Label(fmt.Sprint("other", i), 0, [2]float64{float64(i * 7 % 60), float64(i * 3 % 80)}))
				}
			}
			files, _ := mustWrite(t, here, a.Project().ID, "backup", export.Options{})
			if store.act != nil {
				t.Fatal("the log was not read")
			}
			var doc backup.Document
			if err := json.Unmarshal(files[backup.File], &doc); err != nil {
				t.Fatal(err)
			}
			im, events := doc.Images[0], 0
			for _, err := range backup.ReadEvents(bytes.NewReader(files[im.Evidence])) {
				if err != nil {
					t.Fatal(err)
				}
				events++
			}
			there := workspacetest.MustOpenImage(t, other, id)
			sum := sha256.Sum256(there.Pixels())
			if want := there.State().Seq; im.Seq != want || events != want || im.Labelling != hex.EncodeToString(sum[:]) {
				t.Errorf("the backup says %d events and has %d, want %d; its labelling is %s, want %x", im.Seq, events, want, im.Labelling, sum)
			}
		})
	}
}
