package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/segment"
)

// mustFill opens a database with an image that has events.
func mustFill(tb testing.TB, path string, events int) *Store {
	tb.Helper()
	s, err := Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	p := segment.Project{ID: segment.NewID(), Name: "p", Classes: segment.DefaultClasses()}
	im := segment.Image{ID: "im", ProjectID: p.ID}
	if err := errors.Join(s.CreateProject(tb.Context(), p), s.CreateImage(tb.Context(), im, 0)); err != nil {
		tb.Fatal(err)
	}
	for seq := range events {
		if err := s.Append(tb.Context(), im.ID, seq, segment.Event{ID: segment.NewID(), Kind: segment.Undo}, segment.Progress{}); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct{ damage, want string }{
		"nothing":       {"SELECT 1", ""},
		"a gap":         {"DELETE FROM event WHERE seq = 2", "number of events of image im: 3 by its record, 2 stored, the last has number 3"},
		"a short log":   {"DELETE FROM event WHERE seq = 3", "3 by its record, 2 stored"},
		"a long log":    {"UPDATE image SET seq = 2", "2 by its record, 3 stored"},
		"no image":      {"DELETE FROM image", "refers to image"},
		"a trigger":     {"CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END", "trigger t"},
		"another table": {"CREATE TABLE extra (x)", "table extra"},
		"no index":      {"DROP INDEX image_by_project", "lacks index image_by_project"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustFill(t, filepath.Join(t.TempDir(), "db"), 3)
			defer s.Close()
			if _, err := s.writer.conn.ExecContext(t.Context(), "PRAGMA foreign_keys = OFF; "+c.damage); err != nil {
				t.Fatal(err)
			}
			found, err := s.Check(t.Context())
			if text := strings.Join(found, "\n"); err != nil || !strings.Contains(text, c.want) || (text == "") != (c.want == "") {
				t.Errorf("found %q, %v, want %q", text, err, c.want)
			}
		})
	}
}

func TestCheckDamagedPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	if err := mustFill(t, path, 500).Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(b) - 3*4096; i < len(b); i += 64 {
		b[i] ^= 0xff
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenCurrent(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if found, err := s.Check(t.Context()); err == nil && len(found) == 0 {
		t.Error("nothing found")
	} else {
		t.Log(found, err)
	}
}

// TestSnapshot copies a database that is being written to by another process:
// the copy is whole and holds all that was stored before.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	busy := mustFill(t, filepath.Join(dir, "db"), 10)
	defer busy.Close()
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan int, 1)
	go func() {
		seq := 10
		for ; ctx.Err() == nil; seq++ {
			if err := busy.Append(context.WithoutCancel(ctx), "im", seq, segment.Event{ID: segment.NewID(), Kind: segment.Undo}, segment.Progress{}); err != nil {
				t.Error(err)
				break
			}
		}
		written <- seq
	}()
	other, err := OpenCurrent(t.Context(), filepath.Join(dir, "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	least := 0
	for range 5 {
		before, err := busy.Image(t.Context(), "im")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "copy "+time.Now().Format(time.RFC3339Nano))
		if err := other.Snapshot(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		copied, err := OpenCurrent(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		after, err := copied.Image(t.Context(), "im")
		if err != nil || after.Seq < before.Seq {
			t.Errorf("%d events copied, %d were there, %v", after.Seq, before.Seq, err)
		}
		if found, err := copied.Check(t.Context()); err != nil || len(found) > 0 {
			t.Errorf("the copy: %q, %v", found, err)
		}
		least = after.Seq
		if err := copied.Close(); err != nil {
			t.Error(err)
		}
	}
	cancel()
	if n := <-written; n < least {
		t.Errorf("%d events written, %d copied", n, least)
	}
}

func TestOpenCurrent(t *testing.T) {
	dir := t.TempDir()
	if s, err := OpenCurrent(t.Context(), filepath.Join(dir, "none")); err == nil {
		s.Close()
		t.Error("a database that is not there was opened")
	}
	old := filepath.Join(dir, "old")
	s, err := open(t.Context(), old, steps(one))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCurrent(t.Context(), old); !errors.Is(err, ErrOlder) {
		t.Errorf("an older schema: %v", err)
	}
	if v, _ := inspect(t, old); v != 1 {
		t.Errorf("the older schema has become version %d", v)
	}
}
