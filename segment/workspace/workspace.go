// Package workspace is what a running server holds open: projects, the images
// that people work on, and the turns in which hypotheses are computed. Every call
// checks the caller's rights.
package workspace

import (
	"context"
	"io"
	"log/slog"
	"math"
	"sync"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/affinity"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/guard"
	"collie/segment/learner"
	"collie/segment/ledger"
	"collie/segment/photo"
	"collie/segment/schedule"
)

// DefaultImages is how many images one project can hold unless LimitImages says
// otherwise.
const DefaultImages = 10_000

// Workspace is everything that a person can do with projects and images,
// whatever the transport. Errors meant for people are of type *Error. Safe for
// concurrent use.
type Workspace struct {
	store  segment.Store
	blobs  segment.Blobs
	gate   *photo.Gate
	spare  *photo.Gate // see remakeSuperpixels
	images int         // limit per project

	parameters engine.Parameters // of all sequences
	open       *openImages
	turns
	workbench *engine.Workbench // of the images' sequences
	cache     *engine.Cache     // of the images' models; nil without Options.Most
	guard     *guard.Guard
	learner   *learner.Learner

	background *gauge.Background
	log        *slog.Logger

	documents *ledger.Ledger // bytes; see Documents
	remaking  sync.Mutex     // one file is replaced at a time
	longLog   *ledger.Ledger // of one: lent to whoever plays a long log, so that users take turns

	edits    sync.Mutex           // one change of a project at a time
	changed  func(imageID string) // see Watch
	trashed  func(imageID string) // see WatchTrash
	reviewed func(imageID string) // see WatchReviews
}

// Options of a workspace; the zero value of a field means its default.
type Options struct {
	Schedule schedule.Limits // limits of concurrent and waiting computations
	Memory   int64           // bytes for prepared images, idle ones included; default a third of GOMEMLIMIT, or 256 MiB
	Most     int64           // bytes for images in use, a quarter of them for what clicks make them remember; from the rest on opening another one is refused as Busy; default no limit
	Observer gauge.Observer  // receives measurements; default none
	Log      *slog.Logger    // of panics and failures in the background; default none

	Affinities *affinity.Model // learned affinities; default those that come with the program
}

// New returns a workspace over the given stores. Uploads pass through gate,
// which can be nil if there are none. At most one Options.
func New(store segment.Store, blobs segment.Blobs, gate *photo.Gate, options ...Options) *Workspace {
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	if o.Memory == 0 {
		o.Memory = imageBudget()
	}
	if o.Observer == nil {
		o.Observer = gauge.Nobody{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &Workspace{
		store: store, blobs: blobs, gate: gate, guard: guard.New(store), images: DefaultImages,
		parameters: engine.DefaultParameters,
		turns:      turns{schedule: schedule.New(o.Schedule), observer: o.Observer},
		workbench:  engine.NewWorkbench(workbenchMemory),
		longLog:    ledger.New(1, 1, math.MaxInt),
		documents:  ledger.New(documentMemory, documentShare, documentWaiting),
		background: gauge.NewBackground(o.Observer, o.Log), log: o.Log,
	}
	if gate != nil {
		gate.DecodeWith(w.long)
		w.spare = photo.NewGate(gate.Limits())
	}
	if o.Affinities != nil {
		w.parameters = engine.Learned(o.Affinities)
	}
	w.learner = learner.New(learner.Config{
		Store: store, Blobs: blobs, Guard: w.guard, Host: w, Turn: w.turns.of, Background: w.background, Log: o.Log, Parameters: w.parameters,
	})
	w.open = newOpenImages(w.load, o.Memory, o.Observer)
	if o.Most > 0 {
		room := o.Most / rememberedPart
		w.cache, w.open.most = engine.NewCache(int(room)), o.Most-room
	}
	return w
}

// Learner returns what makes the workspace's projects learn and guess.
func (w *Workspace) Learner() *learner.Learner { return w.learner }

// LimitImages sets how many images one project can hold; call it before the
// workspace is used.
func (w *Workspace) LimitImages(n int) { w.images = n }

// Watch sets a function to call with the id of an open image whose state has
// changed other than by [annotation.Annotation.Append], for example by an edit of the
// project's classes or an imported mask. Call Watch before the workspace is
// used.
func (w *Workspace) Watch(changed func(imageID string)) { w.changed = changed }

// WatchTrash sets a function to call with the id of an open image that was moved to
// the trash, alone or with its project. Call it before the workspace is used.
func (w *Workspace) WatchTrash(trashed func(imageID string)) { w.trashed = trashed }

// WatchReviews sets a function to call with the id of an image that was given a
// status by hand, whether it is open or not. Call it before the workspace is used.
func (w *Workspace) WatchReviews(reviewed func(imageID string)) { w.reviewed = reviewed }

// tell calls the function that Watch has set.
func (w *Workspace) tell(imageID string) {
	if w.changed != nil {
		w.changed(imageID)
	}
}

// tellTrashed calls the function that WatchTrash has set.
func (w *Workspace) tellTrashed(imageID string) {
	if w.trashed != nil {
		w.trashed(imageID)
	}
}

// Image returns an image's record.
func (w *Workspace) Image(ctx context.Context, id string) (segment.Image, error) {
	im, err := w.guard.Image(ctx, id, access.Read)
	if err != nil {
		return segment.Image{}, err
	}
	p, err := w.store.Project(ctx, im.ProjectID)
	if err != nil {
		return segment.Image{}, err
	}
	return p.Seen(im), nil
}

// ImagesAfter lists up to limit of a project's images that follow the one with the id
// after, in order of upload; the first ones if it is empty.
func (w *Workspace) ImagesAfter(ctx context.Context, projectID, after string, limit int) ([]segment.Image, error) {
	p, err := w.Project(ctx, projectID)
	if err != nil {
		return nil, err
	}
	images, err := w.store.ImagesAfter(ctx, projectID, after, limit)
	for i, im := range images {
		images[i] = p.Seen(im)
	}
	return images, err
}

// CountImages is how many images a project has.
func (w *Workspace) CountImages(ctx context.Context, projectID string) (int, error) {
	if err := w.MayIn(ctx, projectID, access.Read); err != nil {
		return 0, err
	}
	return w.store.CountImages(ctx, projectID)
}

// Place says where an image is in its project.
func (w *Workspace) Place(ctx context.Context, imageID string) (segment.Place, error) {
	if _, err := w.guard.Image(ctx, imageID, access.Read); err != nil {
		return segment.Place{}, err
	}
	return w.store.Place(ctx, imageID)
}

// Blob opens one of an image's blobs; the caller closes it.
func (w *Workspace) Blob(ctx context.Context, im segment.Image, key string) (io.ReadSeekCloser, error) {
	if err := w.MayIn(ctx, im.ProjectID, access.Read); err != nil {
		return nil, err
	}
	blob, err := w.blobs.Open(ctx, key)
	if lost(err) {
		what := "A file"
		if key == im.OriginalKey() {
			what = "The original"
		}
		return nil, gone(im, what, err, nil)
	}
	return blob, err
}

// Open returns the image ready to work on; Close it when done.
func (w *Workspace) Open(ctx context.Context, imageID string) (*annotation.Annotation, error) {
	return w.acquire(ctx, imageID, false)
}

// Visit is Open for reading many images: an image that nobody else has open is
// not kept in memory afterwards.
func (w *Workspace) Visit(ctx context.Context, imageID string) (*annotation.Annotation, error) {
	return w.acquire(ctx, imageID, true)
}

func (w *Workspace) acquire(ctx context.Context, imageID string, visiting bool) (*annotation.Annotation, error) {
	// An image in memory can have gone to the trash meanwhile.
	im, err := w.guard.Image(ctx, imageID, access.Read)
	if err != nil {
		return nil, err
	}
	k, err := w.open.acquire(ctx, im, visiting)
	if err != nil {
		return nil, err
	}
	err = k.Refresh(ctx)
	if err == nil {
		err = k.Reach(ctx, segment.Head{Seq: im.Seq})
	}
	if err != nil {
		k.Annotation().Close()
		return nil, err
	}
	return k.Annotation(), nil
}
