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
	load func(ctx context.Context, im Image) (*Annotation, error)

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

func newOpenImages(load func(context.Context, Image) (*Annotation, error)) *openImages {
	return &openImages{load: load, byID: map[string]*openImage{}}
}

// acquire returns the Annotation of the image with the given record, loading it
// when it is not there. Many callers share one loading, which goes on when the
// first of them leaves.
func (o *openImages) acquire(ctx context.Context, record Image) (*Annotation, error) {
	id := record.ID
	o.mu.Lock()
	im, ok := o.byID[id]
	if !ok {
		im = &openImage{ready: make(chan struct{})}
		o.byID[id] = im
	}
	im.users++
	o.mu.Unlock()

	if !ok {
		im.annotation, im.err = o.load(context.WithoutCancel(ctx), record)
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
	if _, failed := im.loaded(); failed {
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

// ready returns the images that are in memory, in no order.
func (o *openImages) ready() []*Annotation {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []*Annotation
	for _, im := range o.byID {
		if a, _ := im.loaded(); a != nil {
			all = append(all, a)
		}
	}
	return all
}

// loaded returns the Annotation when loading has ended, or that it has failed.
func (im *openImage) loaded() (a *Annotation, failed bool) {
	select {
	case <-im.ready:
		return im.annotation, im.err != nil
	default:
		return nil, false
	}
}
