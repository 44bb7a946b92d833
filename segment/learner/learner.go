// Package learner makes projects learn from their finished images while a server
// runs, and gives other images guesses.
package learner

import (
	"context"
	"image"
	"log/slog"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/guard"
	"collie/segment/learn"
	"collie/segment/photo"
)

// Learner holds the models of projects and the running training. Everything in it
// can be lost at any time: it is recomputed or left out. Safe for concurrent use.
type Learner struct {
	store      segment.Store
	blobs      segment.Blobs
	guard      *guard.Guard
	host       Host
	turn       func(imageID string) engine.Turn
	background *gauge.Background
	log        *slog.Logger
	parameters engine.Parameters

	ctx     context.Context // of all training; nil while learning is off
	running sync.WaitGroup

	models     memory[learn.Model]
	embeddings memory[segment.Embedding] // how much they count

	mu        sync.Mutex
	busy      map[string]bool         // projects that are learning, and whether they should look again afterwards
	listed    map[string]*Prelabelled // pre-labelling by project, running or finished
	sought    map[string]time.Time    // when seek last looked, by project
	unweighed map[string]bool         // projects of finished images that got embeddings
}

// Config is what a Learner depends on.
type Config struct {
	Store      segment.Store
	Blobs      segment.Blobs
	Guard      *guard.Guard
	Host       Host
	Turn       func(imageID string) engine.Turn // in which an image's guess is computed
	Background *gauge.Background
	Log        *slog.Logger      // of training that fails
	Parameters engine.Parameters // of all sequences
}

// Host opens images and has the time to learn from them.
type Host interface {
	// Visit opens an image, which the caller closes.
	Visit(ctx context.Context, imageID string) (*annotation.Annotation, error)
	// Original decodes the file of an image; the caller closes it.
	Original(ctx context.Context, im segment.Image, tone func(image.Image) image.Image) (*photo.Photo, error)
	// ImagesAfter lists up to limit images of a project that follow the one with the id after.
	ImagesAfter(ctx context.Context, projectID, after string, limit int) ([]segment.Image, error)
	// Long runs work when there is room for it, and waits until ctx is done.
	Long(ctx context.Context, work func()) error
	// LongParts is Long for work that calls schedule.Pause between its parts.
	LongParts(ctx context.Context, work func(context.Context)) error
}

// New returns a learner that knows what is stored, and learns nothing before Start.
func New(c Config) *Learner {
	return &Learner{
		store: c.Store, blobs: c.Blobs, guard: c.Guard, host: c.Host, turn: c.Turn, background: c.Background, log: c.Log, parameters: c.Parameters,
	}
}

// Start makes projects learn from their finished images, in the
// background and one at a time each, until stop is called, which waits for
// running work to end. Without it projects neither learn nor guess.
func (l *Learner) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(access.With(ctx, access.Operator))
	l.models.clear()
	l.embeddings.clear()
	l.mu.Lock()
	l.ctx, l.busy, l.listed = ctx, map[string]bool{}, map[string]*Prelabelled{}
	l.sought, l.unweighed = map[string]time.Time{}, map[string]bool{}
	l.mu.Unlock()
	return func() {
		l.mu.Lock()
		l.ctx = nil
		l.mu.Unlock()
		cancel()
		l.running.Wait()
	}
}

// launch starts work in the background and reports whether it did. The caller
// holds the lock.
func (l *Learner) launch(work func(ctx context.Context)) bool {
	if l.ctx == nil {
		return false
	}
	ctx := l.ctx
	l.running.Go(func() { work(ctx) })
	return true
}

// Lessons are for the images that the learner's host has open.
func (l *Learner) Lessons() annotation.Lessons { return lessons{l} }

// lessons keeps calls that ask for no rights from everybody but images.
type lessons struct{ learner *Learner }

func (l lessons) Finished(projectID string) { l.learner.finished(projectID) }
func (l lessons) Embedded(projectID string) { l.learner.embedded(projectID) }

func (l lessons) ImportWeight(ctx context.Context, projectID string) learn.Choice {
	return l.learner.importWeight(ctx, projectID)
}

func (l lessons) EmbeddingWeight(ctx context.Context, projectID string) *segment.Embedding {
	return l.learner.embeddingWeight(ctx, projectID)
}
