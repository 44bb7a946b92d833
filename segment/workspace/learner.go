package workspace

import (
	"context"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/learn"
)

// learning holds the projects' models and the running training. Everything in
// it can be lost at any time: it is recomputed or left out.
type learning struct {
	ctx     context.Context // of all training; nil while learning is off
	running sync.WaitGroup

	mu     sync.Mutex
	busy   map[string]bool         // projects that are learning, and whether they should look again afterwards
	models map[string]*learn.Model // by project; nil if no model is stored
	listed map[string]*Prelabelled // pre-labelling by project, running or finished
	sought map[string]time.Time    // when seek last looked, by project

	embeddings map[string]*segment.Embedding // how much they count, by project; nil if nothing is stored
	unweighed  map[string]bool               // projects of finished images that got embeddings
}

// StartLearning makes projects learn from their finished images, in the
// background and one at a time each, until stop is called, which waits for
// running work to end. Without it projects neither learn nor guess.
func (w *Workspace) StartLearning(ctx context.Context) (stop func()) {
	l := &w.learning
	ctx, cancel := context.WithCancel(access.With(ctx, access.Operator))
	l.mu.Lock()
	l.ctx, l.busy, l.models, l.listed = ctx, map[string]bool{}, map[string]*learn.Model{}, map[string]*Prelabelled{}
	l.sought = map[string]time.Time{}
	l.embeddings, l.unweighed = map[string]*segment.Embedding{}, map[string]bool{}
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
func (l *learning) launch(work func(ctx context.Context)) bool {
	if l.ctx == nil {
		return false
	}
	ctx := l.ctx
	l.running.Go(func() { work(ctx) })
	return true
}
