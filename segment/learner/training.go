package learner

import (
	"context"
	"slices"
	"time"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/learn"
	"collie/superpixels"
)

// finished says that an image of the project was finished, or
// changed after that.
func (l *Learner) finished(projectID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.busy[projectID]; ok {
		l.busy[projectID] = true
		return
	}
	if l.launch(func(ctx context.Context) { l.learnOn(ctx, projectID) }) {
		l.busy[projectID] = false
	}
}

// seekEvery is how often a project without a model looks for one when its page or an image
// is opened.
const seekEvery = time.Minute

// seek makes a project learn from images that it doesn't know to be finished: after a
// start, because the end of the server may have stopped training, and again and again
// without a model, which may have been lost, or be of an older version, or another
// server's. It reports whether it did. Reading all images at each opening would take
// longer than the page.
func (l *Learner) seek(projectID string, m *learn.Model) (sought bool) {
	l.mu.Lock()
	last, before := l.sought[projectID]
	due := l.sought != nil && (!before || m.Finished() == 0 && time.Since(last) >= seekEvery)
	if due {
		l.sought[projectID] = time.Now()
	}
	l.mu.Unlock()
	if due {
		l.finished(projectID)
	}
	return due
}

// learnOn trains the model of a project until no training is due.
func (l *Learner) learnOn(ctx context.Context, projectID string) {
	for {
		again := l.tryToLearn(ctx, projectID)
		l.mu.Lock()
		if ctx.Err() != nil || !again && !l.busy[projectID] {
			delete(l.busy, projectID)
			l.mu.Unlock()
			return
		}
		l.busy[projectID] = false
		l.mu.Unlock()
	}
}

// tryToLearn is learn that survives a panic at a damaged image.
func (l *Learner) tryToLearn(ctx context.Context, projectID string) (again bool) {
	l.background.Do(gauge.Unlearnt, projectID, func() { again = l.learn(ctx, projectID) })
	return again
}

// learn trains the model of a project if that is due, and reports whether to look again:
// after training, or if an image went to the trash during it. After an error the project
// keeps its model.
func (l *Learner) learn(ctx context.Context, projectID string) (again bool) {
	p, err := l.store.Project(ctx, projectID)
	if err != nil || p.Unaided {
		return false
	}
	done, err := l.finishedImages(ctx, projectID)
	if err != nil {
		return false
	}
	before, err := l.readModel(ctx, projectID)
	if err != nil {
		return false // another one must not take its place
	}
	if before.Due(len(done)) {
		before = l.newest(ctx, projectID, before)
	}
	if !before.Due(len(done)) {
		if l.weighDue(projectID) {
			sortByModel(done, before)
			l.learnEmbeddings(ctx, projectID, done, before)
		}
		return false
	}
	defer func() { // if it fails, however late, not again at once
		l.mu.Lock()
		l.sought[projectID] = time.Now()
		l.mu.Unlock()
	}()
	sortByModel(done, before)
	latest := done[max(0, len(done)-learn.MaxExamples):]
	var examples []learn.Example
	for i := range latest {
		if e, ok := l.example(ctx, &latest[i]); ok {
			examples = append(examples, e)
		}
	}
	var m *learn.Model
	if !l.study(ctx, projectID, func(ctx context.Context) (err error) {
		m, err = learn.Train(ctx, examples, before, l.parameters.Affinities)
		return err
	}) {
		left, err := l.finishedImages(ctx, projectID)
		return err == nil && len(left) < len(done)
	}
	for _, im := range done {
		if !slices.Contains(m.Images, im.ID) {
			m.Early = append(m.Early, im.ID) // or could not be read
		}
	}
	l.keepModel(ctx, projectID, m)
	l.learnEmbeddings(ctx, projectID, latest, m)
	return true
}

// study learns from a project's images when there is room for it, and reports whether
// that succeeded. It logs why not, unless learning has been stopped or what it learns from
// has gone to the trash.
func (l *Learner) study(ctx context.Context, projectID string, work func(context.Context) error) bool {
	var failed error
	if err := l.host.LongParts(ctx, func(ctx context.Context) { failed = work(ctx) }); err != nil {
		failed = err
	}
	if failed != nil && ctx.Err() == nil && segment.KindOf(failed) != segment.NotFound {
		l.log.Error("could not learn from a project's images", "project", projectID, "error", failed)
	}
	return failed == nil && ctx.Err() == nil
}

// finishedImages are the images of a project that a person has finished.
func (l *Learner) finishedImages(ctx context.Context, projectID string) ([]segment.Image, error) {
	return l.imagesThat(ctx, projectID, func(im *segment.Image) bool { return im.Status() == segment.StatusDone })
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
func (l *Learner) example(ctx context.Context, im *segment.Image) (e learn.Example, ok bool) {
	a, err := l.host.Visit(ctx, im.ID)
	if err != nil || ctx.Err() != nil {
		return e, false
	}
	defer a.Close()
	f, err := l.features(ctx, a)
	if err != nil {
		return e, false
	}
	e = learn.Example{ID: im.ID, Features: f, Labels: a.FirstLabels(), Graph: func() (*superpixels.Graph, error) {
		a, err := l.host.Visit(ctx, im.ID)
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

// imagesThat lists a project's images of a kind in order of upload, without keeping the
// records of the others.
func (l *Learner) imagesThat(ctx context.Context, projectID string, are func(*segment.Image) bool) (images []segment.Image, err error) {
	for im, err := range segment.EachImage(ctx, projectID, l.host.ImagesAfter) {
		if err != nil {
			return nil, err
		}
		if are(&im) {
			images = append(images, im)
		}
	}
	return images, nil
}
