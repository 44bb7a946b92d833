package workspace

import (
	"container/list"
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/assistant"
	"collie/segment/gauge"
	"collie/segment/schedule"
	"collie/superpixels"
)

// Memory for prepared images: a share of the program's memory limit
// (GOMEMLIMIT), or a fixed amount without one.
const (
	imageShare     = 1.0 / 3
	imageAllowance = 256 << 20 // bytes
)

// idlePart of the memory for prepared images is for unused ones even where those in
// use need all of it: a page opens its image with several requests, which would all
// load it again.
const idlePart = 8

// rememberedPart of the memory for images in use is for what clicks make them remember,
// about two thirds of an image with 300 of them.
const rememberedPart = 4

// imageBudget is the default limit, in bytes, for prepared images.
func imageBudget() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return int64(imageShare * float64(limit))
	}
	return imageAllowance
}

// openImages shares one annotation per image among everybody who works on it.
// It keeps the most recently used ones in memory, as many as fit into its
// budget together with those in use, or into a small part of it.
type openImages struct {
	load     loader
	budget   int64 // bytes
	most     int64 // bytes of those in use, without what they remember, from which on no others are loaded but for visits; 0 is no limit
	observer gauge.Observer

	mu     sync.Mutex
	byID   map[string]*openImage
	idle   list.List // unused *openImage, longest idle first
	used   int64     // bytes of all that are loaded, see measure
	idling int64     // bytes of those that are idle
}

// loader opens an image with the given record. What it returns calls release for
// each Close.
type loader func(ctx context.Context, im segment.Image, release func()) (*annotation.Keeper, error)

type openImage struct {
	id       string
	ready    chan struct{} // closed when loading has ended
	keeper   *annotation.Keeper
	err      error
	users    int
	visiting bool          // opened only for reading, so it is dropped when unused
	bytes    int64         // as counted in used
	idleAt   *list.Element // among the idle, or nil
}

func newOpenImages(load loader, budget int64, observer gauge.Observer) *openImages {
	return &openImages{load: load, budget: budget, observer: observer, byID: map[string]*openImage{}}
}

// acquire returns the keeper of the image with the given record and loads it if
// needed. Concurrent callers share one load, which continues if the first
// of them leaves. An image loaded only for visits is not kept.
func (o *openImages) acquire(ctx context.Context, record segment.Image, visiting bool) (*annotation.Keeper, error) {
	o.mu.Lock()
	im, ok := o.byID[record.ID]
	if !ok {
		if !visiting && o.most > 0 && o.used-o.idling >= o.most {
			o.mu.Unlock()
			return nil, segment.Errorf(segment.Busy, "The images that people have open take all the memory that this server has for them. Nothing was changed; try again when some have been closed.")
		}
		im = &openImage{id: record.ID, ready: make(chan struct{}), visiting: visiting}
		o.byID[im.id] = im
	}
	im.visiting = im.visiting && visiting
	im.users++
	if im.idleAt != nil {
		o.wake(im)
		o.measure(im)
	}
	o.mu.Unlock()

	if ok {
		o.observer.Happened(gauge.Hit)
	} else {
		o.observer.Happened(gauge.Miss)
		o.bring(ctx, im, record)
	}
	select {
	case <-im.ready:
	case <-ctx.Done():
		o.release(im)
		return nil, ctx.Err()
	}
	if im.err != nil {
		o.release(im)
		return nil, im.err
	}
	return im.keeper, nil
}

// bring loads an image and frees memory for it.
func (o *openImages) bring(ctx context.Context, im *openImage, record segment.Image) {
	began := time.Now()
	im.keeper, im.err = o.load(context.WithoutCancel(ctx), record, func() { o.release(im) })
	if im.err == nil {
		o.observer.Took(gauge.Open, time.Since(began))
		o.mu.Lock()
		o.measure(im)
		o.shrink()
		o.mu.Unlock()
	}
	close(im.ready)
}

// release ends one use. An image that failed to load, or was opened only for
// visits, is dropped; others are kept as long as there is room.
func (o *openImages) release(im *openImage) {
	if o.leave(im) {
		o.grown(im.id)
	}
}

// leave ends one use and reports whether there are others.
func (o *openImages) leave(im *openImage) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	im.users--
	if im.users > 0 {
		return true
	}
	if _, failed := im.loaded(); failed || im.visiting {
		o.forget(im)
		return false
	}
	im.keeper.ForgetPast()
	o.measure(im)
	im.idleAt = o.idle.PushBack(im)
	o.idling += im.bytes
	o.shrink()
	return false
}

// wake takes an image out of the idle ones if it is among them. The caller holds
// the lock.
func (o *openImages) wake(im *openImage) {
	if im.idleAt != nil {
		o.idle.Remove(im.idleAt)
		im.idleAt = nil
		o.idling -= im.bytes
	}
}

// measure counts the current size of a loaded image. What those in use remember has a
// bound of its own. The caller holds the lock.
func (o *openImages) measure(im *openImage) {
	n := im.keeper.Footprint()
	if im.users == 0 {
		n += im.keeper.Remembered()
	}
	o.count(im, n)
}

// count counts an image as so many bytes. The caller holds the lock.
func (o *openImages) count(im *openImage, bytes int64) {
	o.used += bytes - im.bytes
	im.bytes = bytes
}

// grown measures an image in use, which clicks and looking back make grow. It can wait for
// whoever changes the image, so others must not wait for it.
func (o *openImages) grown(id string) {
	o.mu.Lock()
	im := o.byID[id]
	o.mu.Unlock()
	if im == nil {
		return
	}
	keeper, failed := im.loaded()
	if keeper == nil || failed {
		return
	}
	n := keeper.Footprint()
	o.mu.Lock()
	defer o.mu.Unlock()
	if im.users > 0 {
		o.count(im, n)
	}
}

// shrink drops the longest idle images while there is too little room. The
// caller holds the lock.
func (o *openImages) shrink() {
	for o.used > o.budget && o.idling > o.budget/idlePart {
		o.forget(o.idle.Front().Value.(*openImage))
		o.observer.Happened(gauge.Evicted)
	}
}

// forget drops an image from memory; the next user loads it again. The caller
// holds the lock.
func (o *openImages) forget(im *openImage) {
	o.wake(im)
	o.used -= im.bytes
	im.bytes = 0
	if o.byID[im.id] == im {
		delete(o.byID, im.id)
	}
}

// erased drops an image that was deleted for good, at once or when its last user
// leaves.
func (o *openImages) erased(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	im := o.byID[id]
	switch {
	case im == nil:
	case im.idleAt != nil:
		o.forget(im)
	default:
		im.visiting = true
	}
}

// ready returns the loaded images that at least some users have open, in no
// particular order.
func (o *openImages) ready(users int) []*annotation.Keeper {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []*annotation.Keeper
	for _, im := range o.byID {
		if k, _ := im.loaded(); k != nil && im.users >= users {
			all = append(all, k)
		}
	}
	return all
}

// loaded returns the keeper if loading has ended, and whether it failed.
func (im *openImage) loaded() (k *annotation.Keeper, failed bool) {
	select {
	case <-im.ready:
		return im.keeper, im.err != nil
	default:
		return nil, false
	}
}

// load opens an image from a record and its stored files. Events were checked when
// they arrived; only damaged ones can make playing them panic.
func (w *Workspace) load(ctx context.Context, im segment.Image, release func()) (k *annotation.Keeper, err error) {
	defer func() {
		if v := recover(); v != nil {
			w.background.Caught(gauge.Panicked, im.ID, v) // a caller in the background drops the error
			k, err = nil, segment.Errorf(segment.Damaged, "The labels of the image %q can't be read: its evidence is damaged. Other images are not affected. Restore it from a backup; `server doctor` lists what is damaged.", im.Name).
				Because(fmt.Errorf("image %s: the evidence is damaged: %v", im.ID, v))
		}
	}()
	hierarchy, graph, err := w.superpixels(ctx, im)
	if segment.OutOfReach(err) {
		return nil, err
	}
	if err != nil {
		remade := w.remakeSuperpixels(ctx, im)
		if remade != nil {
			return nil, gone(im, "The superpixels", err, remade)
		}
		if hierarchy, graph, err = w.superpixels(ctx, im); err != nil {
			return nil, err
		}
	}
	turn := w.turns.of(im.ID)
	k = annotation.New(annotation.Config{
		Store: w.store, Guard: w.guard, Image: im,
		Assistant: &assistant.Assistant{Hierarchy: hierarchy, Cells: graph, Parameters: w.parameters, Cache: w.cache},
		Turn: func(ctx context.Context, class schedule.Class, step func()) error {
			defer w.open.grown(im.ID)
			return turn(ctx, class, step)
		},
		Workbench: w.workbench, Observer: w.observer, Lessons: w.learner.Lessons(), Changed: w.tell, Release: release,
		LongLog: w.longLog,
	})
	return k, k.Load(ctx)
}

// superpixels reads the stored superpixels of an image, both files at once.
func (w *Workspace) superpixels(ctx context.Context, im segment.Image) (*superpixels.Hierarchy, *superpixels.Graph, error) {
	var hierarchy superpixels.Hierarchy
	var graph superpixels.Graph
	files, reading := errgroup.WithContext(ctx)
	files.Go(func() error { return segment.Unmarshal(reading, w.blobs, im.HierarchyKey(), &hierarchy) })
	files.Go(func() error { return segment.Unmarshal(reading, w.blobs, im.GraphKey(), &graph) })
	if err := files.Wait(); err != nil {
		return nil, nil, err
	}
	if len(graph.Regions) != hierarchy.Finest() {
		return nil, nil, fmt.Errorf("image %s: graph of %d superpixels, finest map of %d", im.ID, len(graph.Regions), hierarchy.Finest())
	}
	return &hierarchy, &graph, nil
}
