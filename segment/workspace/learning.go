package workspace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/learn"
	"collie/segment/photo"
	"collie/superpixels"
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

// finished tells the workspace that an image of the project was finished, or
// changed after that.
func (w *Workspace) finished(projectID string) {
	l := &w.learning
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.busy[projectID]; ok {
		l.busy[projectID] = true
		return
	}
	if l.launch(func(ctx context.Context) { w.learnOn(ctx, projectID) }) {
		l.busy[projectID] = false
	}
}

// seekEvery is how often images that are opened make a project without a model look
// for one.
const seekEvery = time.Minute

// seek makes a project without a model learn from images that it doesn't know to be
// finished: the model may have been lost, or be of an older version, or another
// server's. Reading all images at each opening would take longer than the page.
func (w *Workspace) seek(projectID string) {
	l := &w.learning
	l.mu.Lock()
	due := l.sought != nil && time.Since(l.sought[projectID]) >= seekEvery
	if due {
		l.sought[projectID] = time.Now()
	}
	l.mu.Unlock()
	if due {
		w.finished(projectID)
	}
}

// learnOn trains the model of a project until no training is due.
func (w *Workspace) learnOn(ctx context.Context, projectID string) {
	l := &w.learning
	for {
		trained := w.tryToLearn(ctx, projectID)
		l.mu.Lock()
		again := l.busy[projectID]
		if ctx.Err() != nil || !trained && !again {
			delete(l.busy, projectID)
			l.mu.Unlock()
			return
		}
		l.busy[projectID] = false
		l.mu.Unlock()
	}
}

// tryToLearn is learn that survives a panic at a damaged image.
func (w *Workspace) tryToLearn(ctx context.Context, projectID string) (trained bool) {
	defer func() {
		if v := recover(); v != nil {
			w.observer.Happened(gauge.Unlearnt)
			trained = false
		}
	}()
	return w.learn(ctx, projectID)
}

// learn trains the model of a project if that is due, and reports whether it
// did. After an error the project keeps its model.
func (w *Workspace) learn(ctx context.Context, projectID string) (trained bool) {
	p, err := w.store.Project(ctx, projectID)
	if err != nil || p.Unaided {
		return false
	}
	done, err := w.finishedImages(ctx, projectID)
	if err != nil {
		return false
	}
	before, err := w.readModel(ctx, projectID)
	if err != nil {
		return false // another one must not take its place
	}
	weighDue := w.weighDue(projectID)
	if !before.Due(len(done)) {
		if weighDue {
			sortByModel(done, before)
			w.learnEmbeddings(ctx, projectID, done)
		}
		return false
	}
	sortByModel(done, before)
	latest := done[max(0, len(done)-learn.MaxExamples):]
	var examples []learn.Example
	for i := range latest {
		if e, ok := w.example(ctx, &latest[i]); ok {
			examples = append(examples, e)
		}
	}
	var m *learn.Model
	err = w.Long(ctx, func() { m, _ = learn.Train(ctx, examples, before) })
	if err != nil || m == nil || ctx.Err() != nil {
		return false
	}
	for _, im := range done {
		if !slices.Contains(m.Images, im.ID) {
			m.Early = append(m.Early, im.ID) // or could not be read
		}
	}
	w.keepModel(ctx, projectID, m)
	w.learnEmbeddings(ctx, projectID, latest)
	return true
}

// finishedImages are the images of a project that a person has finished.
func (w *Workspace) finishedImages(ctx context.Context, projectID string) ([]segment.Image, error) {
	return w.imagesThat(ctx, projectID, func(im *segment.Image) bool { return im.Status() == "done" })
}

// sortByModel sorts the images that a model has learnt from first, in its
// order, then the others in order of upload.
func sortByModel(images []segment.Image, m *learn.Model) {
	place := map[string]int{}
	if m != nil {
		for i, id := range slices.Concat(m.Early, m.Images) {
			place[id] = i + 1
		}
	}
	order := func(im segment.Image) int {
		if p, ok := place[im.ID]; ok {
			return p
		}
		return len(place) + 1
	}
	slices.SortStableFunc(images, func(a, b segment.Image) int { return order(a) - order(b) })
}

// example returns a finished image to learn from, or false if it can't be read.
func (w *Workspace) example(ctx context.Context, im *segment.Image) (e learn.Example, ok bool) {
	a, err := w.Visit(ctx, im.ID)
	if err != nil || ctx.Err() != nil {
		return e, false
	}
	defer a.Close()
	f, err := w.features(ctx, a)
	if err != nil {
		return e, false
	}
	e = learn.Example{ID: im.ID, Features: f, Labels: a.FirstLabels(), Graph: func() (*superpixels.Graph, error) {
		a, err := w.Visit(ctx, im.ID)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		first := a.FirstCut()
		return a.Graph().Coarsen(first.Parent, first.N), nil
	}}
	if s := a.Scores(); s != nil && s.Model == 0 && s.Learnt == 0 {
		first := a.FirstCut()
		p := a.Project()
		e.Imported = engine.NewGuess(s, p.Resolve(), first, first, a.Graph())
	}
	return e, true
}

// errNoFeatures is the error for images that can't be learnt from.
var errNoFeatures = errors.New("the image can't be learnt from")

// features reads the features, or recomputes them from the original if they are
// missing or damaged.
func (w *Workspace) features(ctx context.Context, a *annotation.Annotation) (*learn.Features, error) {
	im, first := a.Image(), a.FirstCut()
	var f learn.Features
	if err := w.unmarshal(ctx, im.FeaturesKey(), &f); err == nil && f.N == first.N {
		return &f, nil
	}
	if first.N > learn.MaxSuperpixels || w.gate == nil {
		return nil, errNoFeatures
	}
	p, err := w.original(ctx, im, photo.Expose)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if p.Pixels.Rect.Dx() != a.Cells().Width || p.Pixels.Rect.Dy() != a.Cells().Height {
		return nil, errNoFeatures
	}
	made := learn.Describe(p.Pixels, a.Hierarchy(), a.Graph(), im.Regions)
	if made.N != first.N {
		return nil, errNoFeatures
	}
	w.cache(ctx, im.FeaturesKey(), marshalTo(made))
	return made, nil
}

// model returns a project's model, nil without one or as long as it can't be read.
func (w *Workspace) model(ctx context.Context, projectID string) *learn.Model {
	m, _ := w.readModel(ctx, projectID)
	return m
}

// readModel returns a project's model, nil without one. The error says that there may
// be one.
func (w *Workspace) readModel(ctx context.Context, projectID string) (*learn.Model, error) {
	l := &w.learning
	l.mu.Lock()
	m, ok := l.models[projectID]
	l.mu.Unlock()
	if ok {
		return m, nil
	}
	read := new(learn.Model)
	if err := w.unmarshal(ctx, segment.LearntKey(projectID), read); err == nil {
		m = read
	} else if unsure(ctx, err) {
		return nil, err
	}
	l.hold(projectID, m)
	return m, nil
}

// unsure reports whether the error of reading what a project has learned leaves open
// if there is something, as when the bucket is away. Otherwise it is missing, damaged
// or of an older version.
func unsure(ctx context.Context, err error) bool {
	return ctx.Err() != nil || segment.KindOf(err) == segment.Unavailable
}

// maxModels is the largest number of models in memory.
const maxModels = 8

// hold keeps a model in memory, in place of others if there are too many.
func (l *learning) hold(projectID string, m *learn.Model) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.models == nil {
		return
	}
	if len(l.models) >= maxModels {
		clear(l.models)
	}
	l.models[projectID] = m
}

func (w *Workspace) keepModel(ctx context.Context, projectID string, m *learn.Model) {
	w.learning.hold(projectID, m)
	w.cache(ctx, segment.LearntKey(projectID), marshalTo(m))
}
