package segment

import (
	"context"
	"sync"
)

// keepIdle is how many images that nobody works on stay ready in memory.
const keepIdle = 32

// openImages shares one Annotation per image among all who work on it and
// keeps the most recently used ones ready.
type openImages struct {
	load func(ctx context.Context, id string) (*Annotation, error)

	mu    sync.Mutex
	byID  map[string]*openImage
	clock int // counts releases, to find the longest idle image
}

type openImage struct {
	ready      chan struct{} // closed when loading has ended
	annotation *Annotation
	err        error
	users      int
	idleSince  int
}

func newOpenImages(load func(context.Context, string) (*Annotation, error)) *openImages {
	return &openImages{load: load, byID: map[string]*openImage{}}
}

// acquire returns the image's Annotation, loading it when it is not there.
// Many callers share one loading, which goes on when the first of them leaves.
func (o *openImages) acquire(ctx context.Context, id string) (*Annotation, error) {
	o.mu.Lock()
	im, ok := o.byID[id]
	if !ok {
		im = &openImage{ready: make(chan struct{})}
		o.byID[id] = im
	}
	im.users++
	o.mu.Unlock()

	if !ok {
		im.annotation, im.err = o.load(context.WithoutCancel(ctx), id)
		if im.err == nil {
			im.annotation.release = func() { o.releaseOne(id, im) }
		}
		close(im.ready)
	}
	select {
	case <-im.ready:
	case <-ctx.Done():
		o.releaseOne(id, im)
		return nil, ctx.Err()
	}
	if im.err != nil {
		o.releaseOne(id, im)
		return nil, im.err
	}
	return im.annotation, nil
}

// releaseOne gives one use back; failed and long idle images are forgotten.
func (o *openImages) releaseOne(id string, im *openImage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	im.users--
	o.clock++
	im.idleSince = o.clock
	if im.users > 0 {
		return
	}
	if failed(im) {
		if o.byID[id] == im {
			delete(o.byID, id)
		}
		return
	}
	oldest, idle := "", 0
	for id, im := range o.byID {
		if im.users > 0 {
			continue
		}
		idle++
		if oldest == "" || im.idleSince < o.byID[oldest].idleSince {
			oldest = id
		}
	}
	if idle > keepIdle {
		delete(o.byID, oldest)
	}
}

// failed reports whether loading has ended with an error.
func failed(im *openImage) bool {
	select {
	case <-im.ready:
		return im.err != nil
	default:
		return false
	}
}
