package workspace_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"collie/segment"
)

// Long logs, which take much memory while they are played, are read one at a time, to open
// images and to look back.
func TestLongLogsOneAtATime(t *testing.T) {
	read := &readStore{}
	w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store { read.Store = s; return read })
	var images []string
	for range 4 {
		im := mustAdd(t, w, 60, 40)
		events := make([]segment.Event, 10_001)
		for i := range events {
			events[i] = segment.Event{ID: segment.NewID(), Kind: segment.Label, Superpixels: []int32{0}, Class: i % 2}
		}
		if err := read.Append(t.Context(), im.ID, 0, events[0], segment.Progress{}, events[1:]...); err != nil {
			t.Fatal(err)
		}
		images = append(images, im.ID)
	}
	var opening sync.WaitGroup
	for _, id := range images {
		opening.Go(func() {
			a, err := w.Open(t.Context(), id)
			if err != nil {
				t.Error(err)
				return
			}
			defer a.Close()
			if _, err := a.PixelsAfter(t.Context(), 1); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	if n := read.most.Load(); n != 1 {
		t.Errorf("%d long logs were read at once", n)
	}
}

// readStore knows how many logs were read at once.
type readStore struct {
	segment.Store
	now, most atomic.Int64
}

func (s *readStore) Events(ctx context.Context, imageID string, after int) ([]segment.Event, error) {
	n := s.now.Add(1)
	defer s.now.Add(-1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	return s.Store.Events(ctx, imageID, after)
}
