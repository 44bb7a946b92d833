package learner_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/guard"
	"collie/segment/learner"
	"collie/segment/schedule"
	"collie/segment/workspace"
	"collie/storage/blob"
)

// full is a disk without room for anything that can be rebuilt.
type full struct {
	segment.Blobs
	refused sync.Map
}

func (f *full) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	if strings.HasPrefix(key, "learnt/") {
		f.refused.Store(key, true)
		return segment.Errorf(segment.Full, "The disk is full.")
	}
	return f.Blobs.Put(ctx, key, write)
}

// On a full disk the model stays in memory; after a restart it is trained again.
func TestLearningOnAFullDisk(t *testing.T) {
	t.Parallel()
	var disk *full
	s := newSchool(t, 7, func(b *blob.Store) segment.Blobs { disk = &full{Blobs: b}; return disk })
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	if !s.guess(t, 5) {
		t.Error("no guess on a full disk")
	}
	if _, ok := disk.refused.Load(segment.LearntKey(s.project.ID)); !ok {
		t.Error("the disk was not full")
	}
	s.stop()
	s.stop = s.Learner().Start(t.Context())
	if s.guess(t, 6) {
		t.Error("a guess without a model")
	}
	s.model(t, 1)
	if !s.guess(t, 6) {
		t.Error("the model is not made again")
	}
}

// Stopped training leaves nothing behind; a damaged model and damaged features are
// rebuilt.
func TestLearningIsStopped(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 6, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.stop() // most likely while it trains
	b, err := s.blobs.Open(t.Context(), segment.LearntKey(s.project.ID))
	switch {
	case err == nil:
		b.Close()
	case segment.KindOf(err) != segment.NotFound:
		t.Fatal(err)
	}
	for _, key := range []string{segment.LearntKey(s.project.ID), s.images[0].FeaturesKey(), s.images[5].FeaturesKey()} {
		s.replace(t, key, "damaged")
	}
	s.stop = s.Learner().Start(t.Context())
	s.guess(t, 5)
	s.model(t, 1)
	if !s.guess(t, 5) {
		t.Error("no guess after a restart")
	}

	// A model of the version before: its guess stays until the next one is ready.
	s.stop()
	s.replace(t, segment.LearntKey(s.project.ID), "CLMD\x02\x07")
	s.stop = s.Learner().Start(t.Context())
	if !s.guess(t, 5) {
		t.Error("the guess of an older model is gone")
	}
	s.model(t, 8)
	if !s.guess(t, 5) {
		t.Error("no guess after an older model")
	}
}

// replace writes other bytes in place of a blob.
func (s *school) replace(t *testing.T, key, content string) {
	t.Helper()
	err := errors.Join(s.blobs.Remove(t.Context(), key), s.blobs.Put(t.Context(), key, func(out io.Writer) error {
		_, err := io.WriteString(out, content)
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
}

// learntAway is a store that can't be asked for what projects have learned while it
// is away.
type learntAway struct {
	segment.Blobs
	away atomic.Bool
}

func (l *learntAway) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if kind, _, _ := strings.Cut(key, "/"); l.away.Load() && (kind == "learnt" || kind == "embeddings") {
		return nil, segment.Errorf(segment.Unavailable, "The bucket is away.")
	}
	return l.Blobs.Open(ctx, key)
}

// restart begins to learn again while the bucket is away.
func (l *learntAway) restart(t *testing.T, s *school) {
	s.stop()
	s.stop = s.Learner().Start(t.Context())
	l.away.Store(true)
}

// A model that can't be read for a while is neither forgotten nor replaced.
func TestLearningWhileAway(t *testing.T) {
	var bucket *learntAway
	s := newSchool(t, 7, func(b *blob.Store) segment.Blobs {
		bucket = &learntAway{Blobs: b}
		return bucket
	})
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	bucket.restart(t, s)
	s.guess(t, 5)
	if l := s.until(t, "end of training", func(learner.Learning) bool { return true }); l.Model != 0 {
		t.Errorf("model %d while the stored one can't be read", l.Model)
	}
	bucket.away.Store(false)
	if l := s.until(t, "end of training", func(learner.Learning) bool { return true }); l.Model != 1 {
		t.Errorf("model %d after the store has come back", l.Model)
	}
}

// slow is a store whose first answer about what a project has learned takes until it is
// let go.
type slow struct {
	segment.Blobs
	taken        atomic.Bool
	asked, letGo chan struct{}
}

func (b *slow) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	blob, err := b.Blobs.Open(ctx, key)
	if strings.HasPrefix(key, "learnt/") && b.taken.CompareAndSwap(false, true) {
		close(b.asked)
		<-b.letGo
	}
	return blob, err
}

// Who has read that there is no model doesn't forget one that was made meanwhile.
func TestLearningWhileReading(t *testing.T) {
	t.Parallel()
	bucket := &slow{asked: make(chan struct{}), letGo: make(chan struct{})}
	s := newSchool(t, 6, func(b *blob.Store) segment.Blobs { bucket.Blobs = b; return bucket })
	var guessing sync.WaitGroup
	guessing.Go(func() {
		if _, err := s.Learner().Guess(t.Context(), s.images[5].ID); err != nil {
			t.Error(err)
		}
	})
	<-bucket.asked
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	close(bucket.letGo)
	guessing.Wait()
	if l, err := s.Learner().Learning(t.Context(), s.project.ID); err != nil || l.Model != 1 {
		t.Errorf("model %d, %v after a guess that began before it", l.Model, err)
	}
}

// shaky is a host with a learner of its own. It fails in calls of Long, which are
// numbered from 1.
type shaky struct {
	*workspace.Workspace
	*learner.Learner
	calls   atomic.Int32
	working atomic.Bool
	log     bytes.Buffer

	refuse []int32       // the calls that are refused
	away   int32         // the call in which images can't be read
	takes  time.Duration // that this call seems to last
	why    error         // why they can't
	trash  string        // an image that goes to the trash when training looks for it
}

// newShaky returns one for a school, which itself stops to learn.
func newShaky(t *testing.T, s *school) *shaky {
	t.Helper()
	s.stop()
	h := &shaky{Workspace: s.Workspace}
	log := slog.New(slog.NewTextHandler(&h.log, nil))
	h.Learner = learner.New(learner.Config{
		Store: s.store, Blobs: s.blobs, Guard: guard.New(s.store), Host: h, Turn: atOnce, Log: log, Background: gauge.NewBackground(gauge.Nobody{}, log),
	})
	t.Cleanup(h.Start(t.Context()))
	return h
}

func atOnce(string) engine.Turn {
	return func(_ context.Context, _ schedule.Class, step func()) error { step(); return nil }
}

func (h *shaky) Long(ctx context.Context, work func()) error {
	return h.LongParts(ctx, func(context.Context) { work() })
}

func (h *shaky) LongParts(ctx context.Context, work func(context.Context)) error {
	if slices.Contains(h.refuse, h.calls.Add(1)) {
		return errors.New("no room")
	}
	h.working.Store(true)
	defer h.working.Store(false)
	return h.Workspace.LongParts(ctx, work)
}

func (h *shaky) Visit(ctx context.Context, imageID string) (*annotation.Annotation, error) {
	if h.working.Load() && h.calls.Load() == h.away {
		h.Backdate(h.takes)
		return nil, h.why
	}
	if h.working.Load() && imageID == h.trash {
		if err := h.TrashImage(ctx, imageID); err != nil && segment.KindOf(err) != segment.NotFound {
			return nil, err
		}
	}
	return h.Workspace.Visit(ctx, imageID)
}

// trained waits until a school's project has trained.
func (h *shaky) trained(t *testing.T, s *school) (l learner.Learning) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		l, err := h.Learning(t.Context(), s.project.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !l.Training {
			return l
		}
	}
	t.Fatal("the training takes more than two minutes")
	return l
}

// Training that fails is logged, and the next finished image makes up for it. A page that
// shows the project doesn't start it again at once, however long it took.
func TestFailedTrainingIsLogged(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 5, asStored)
	h := newShaky(t, s)
	h.away, h.why, h.takes = 1, errors.New("the bucket is away"), time.Hour
	s.finish(t, 0, 5, 0, 1)
	h.Lessons().Finished(s.project.ID)
	l, log := h.trained(t, s), h.log.String()
	if l.Model != 0 || !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "project="+s.project.ID+` error="the bucket is away"`) {
		t.Errorf("model %d after training has failed, the log says:\n%s", l.Model, log)
	}
	h.Lessons().Finished(s.project.ID)
	if l := h.trained(t, s); l.Model != 1 || h.log.String() != log {
		t.Errorf("model %d afterwards, the log says:\n%s", l.Model, h.log.String())
	}
}

// An image that goes to the trash while a model learns from it is no failure.
func TestTrashedDuringTraining(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 5, asStored)
	h := newShaky(t, s)
	h.away, h.why = 1, segment.Errorf(segment.NotFound, "This image doesn't exist.")
	s.finish(t, 0, 5, 0, 1)
	h.Lessons().Finished(s.project.ID)
	if l := h.trained(t, s); l.Model != 0 || h.log.Len() > 0 {
		t.Errorf("model %d, the log says:\n%s", l.Model, h.log.String())
	}
	h.Lessons().Finished(s.project.ID)
	if l := h.trained(t, s); l.Model != 1 {
		t.Errorf("model %d afterwards", l.Model)
	}
}

// A project whose image goes to the trash while a model learns from it learns from the
// others at once.
func TestTrashedDuringTrainingLearnsFromOthers(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 6, asStored)
	h := newShaky(t, s)
	s.finish(t, 0, 6, 0, 1)
	h.trash = s.images[5].ID
	h.Lessons().Finished(s.project.ID)
	l := h.trained(t, s)
	if _, err := s.Image(t.Context(), h.trash); segment.KindOf(err) != segment.NotFound {
		t.Fatalf("the image is not in the trash: %v", err)
	}
	if l.Model != 1 || l.Finished != 5 || h.log.Len() > 0 {
		t.Errorf("model %d of %d images, the log says:\n%s", l.Model, l.Finished, h.log.String())
	}
}

// The weight of embeddings remains due until it has been learned.
func TestFailedWeighingIsRepeated(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 5, asStored)
	h := newShaky(t, s)
	h.refuse = []int32{2, 3} // after the training, and when it looks again
	s.embed(t, 0)
	s.finish(t, 0, 5, 0, 1)
	h.Lessons().Embedded(s.project.ID)
	h.trained(t, s)
	if log := h.log.String(); h.calls.Load() != 3 || strings.Count(log, `error="no room"`) != 2 {
		t.Errorf("%d calls, want 3, the log says:\n%s", h.calls.Load(), log)
	}
	for range 2 { // the second finds nothing due
		h.Lessons().Finished(s.project.ID)
		h.trained(t, s)
		if n := h.calls.Load(); n != 4 {
			t.Errorf("%d calls, want 4", n)
		}
	}
}

// Features that are missing are long work, also for the request that needs them.
func TestFeaturesAreLongWork(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 6, asStored)
	h := newShaky(t, s)
	s.finish(t, 0, 5, 0, 1)
	h.Lessons().Finished(s.project.ID)
	h.trained(t, s)
	if err := s.blobs.Remove(t.Context(), s.images[5].FeaturesKey()); err != nil {
		t.Fatal(err)
	}
	before := h.calls.Load()
	guessed, err := h.Guess(t.Context(), s.images[5].ID)
	if calls := h.calls.Load() - before; !guessed || err != nil || calls != 1 {
		t.Errorf("guessed %v, %v in %d calls of Long, want 1", guessed, err, calls)
	}
}
