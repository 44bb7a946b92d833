package sqlite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"collie/segment"
	"collie/segment/job"
	"collie/storage/row"
)

// What a refused request has written is gone, whether it was alone in its
// transaction or not, and the others of its batch stay.
func TestRefusedRequests(t *testing.T) {
	s := openAt(t, t.TempDir()).(*Store)
	w := s.writer
	insert := func(key string, answer error) *request {
		return &request{answer: make(chan error, 1), do: func(w *writer) error {
			if err := w.exec("INSERT INTO try (key, expires) VALUES (?, 1)", key); err != nil {
				return err
			}
			return answer
		}}
	}
	no := segment.Errorf(segment.Conflict, "No.")
	kept := 0
	for _, answers := range [][]error{{nil}, {no}, {no, nil}, {nil, no, nil}, {no, no}, {nil}} {
		var batch []*request
		for i, answer := range answers {
			batch = append(batch, insert(fmt.Sprint(kept, len(answers), i), answer))
			if answer == nil {
				kept++
			}
		}
		w.commit(batch)
		for i, r := range batch {
			if err := <-r.answer; err != answers[i] {
				t.Errorf("request %d of %v was answered with %v", i, answers, err)
			}
		}
		var got int
		if err := w.row("SELECT count(*) FROM try").Scan(&got); err != nil || got != kept {
			t.Fatalf("after %v there are %d rows, want %d (error: %v)", answers, got, kept, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// What a closed store refuses is certainly not stored.
func TestClosed(t *testing.T) {
	s := openAt(t, t.TempDir())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20 { // the queue still takes some
		err := s.CreateProject(t.Context(), segment.Project{ID: "late"})
		if segment.KindOf(err) != segment.Unavailable || segment.Uncertain(err) {
			t.Fatalf("%v, uncertain %v", err, segment.Uncertain(err))
		}
	}
	if err := s.(*Store).End(t.Context(), &job.Job{ID: "late"}, nil); segment.KindOf(err) != segment.Unavailable {
		t.Errorf("the end of a job: %v", err)
	}
}

// A record that can't be read refuses what needs it, and says nothing of the disk:
// everything else is saved, with it in one transaction or not.
func TestUnreadableRecord(t *testing.T) {
	s := mustFill(t, filepath.Join(t.TempDir(), "db"), 1)
	defer s.Close()
	w := s.writer
	im, err := s.Image(t.Context(), "im")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.write(t.Context(), func(w *writer) error { return w.exec("UPDATE image SET classes = x'ff' WHERE id = 'im'") }); err != nil {
		t.Fatal(err)
	}
	if err := s.Assign(t.Context(), im.ProjectID, []string{"im"}, "somebody", nil); err == nil {
		t.Error("a damaged record was changed")
	}
	bad := &request{answer: make(chan error, 1), do: func(w *writer) error {
		_, err := row.ScanImage(w.row(selectImage+"AND image.id = ?", "im"))
		return err
	}}
	good := &request{answer: make(chan error, 1), do: func(w *writer) error { return w.exec("INSERT INTO try (key, expires) VALUES ('k', 1)") }}
	begun, onward := make(chan struct{}), make(chan struct{})
	w.queue <- &request{answer: make(chan error, 1), do: func(*writer) error { close(begun); <-onward; return nil }}
	<-begun // what is queued from now on is one transaction
	w.queue <- bad
	w.queue <- good
	close(onward)
	if err := <-bad.answer; err == nil {
		t.Error("a damaged record was read")
	}
	if err := <-good.answer; err != nil {
		t.Errorf("what came with it: %v", err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("the disk counts as failed: %v", err)
	}
	if err := s.TrashImages(t.Context(), im.ProjectID, []string{"im"}); err != nil {
		t.Errorf("its image can't be moved to the trash: %v", err)
	}
}

// The write-ahead log stays small however large the events are: imports would otherwise
// take twice their space.
func TestLogOfLargeEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s := mustFill(t, path, 0)
	defer s.Close()
	noise := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	const events = 3 * checkpointBytes / (4 << 20)
	for seq := range events {
		e := segment.Event{ID: segment.NewID(), Kind: segment.Embed, Embedding: &segment.Embedding{Dims: 1, Scale: 1, Values: noise}}
		if err := s.Append(t.Context(), "im", seq, e, segment.Progress{}); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if log.Size() > 3*checkpointBytes/2 {
		t.Errorf("after %d MiB the log has %d", 4*events, log.Size()>>20)
	}
}
