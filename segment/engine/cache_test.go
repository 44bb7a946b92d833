package engine

import (
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/affinity"
)

// clickedImage is one whose clicks divide superpixels.
type clickedImage struct {
	whole *Model
	m     *Model
	e     Evidence
}

// clickedImages returns images of their own with several clicks each.
func clickedImages(count int, c *Cache) []clickedImage {
	h, cells := blocks(240)
	cut := h.Cut(cells, 60, make([]uint8, h.Finest()), 0)
	all := make([]clickedImage, count)
	for i := range all {
		whole := ModelOf(h, cells, cut, Learned(affinity.Default())).RememberIn(c)
		divided, at := cut, map[int]uint8{}
		for k := range 8 {
			divided = divided.Divide(cut.Around(cells, int32((31*k+7*i)%len(cells.Regions))))
			at[(9*k+i)%cut.N] = uint8(k % 2)
		}
		all[i] = clickedImage{whole, whole.Divided(divided), Evidence{Clicks: clicksOn(divided.N, at), Rest: segment.Rest{Mode: segment.RestClass}}}
	}
	return all
}

func (i *clickedImage) look(t *testing.T) []Hypothesis { return first(t, NewSequence(i.m, i.e, 8), 3) }

// However many images have been clicked, what their models remember takes no more than
// there is room for, and hypotheses are the same whatever was forgotten.
func TestCacheIsBounded(t *testing.T) {
	alone := clickedImages(5, NewCache(1<<30))
	var want [][]Hypothesis
	one := 0
	for i := range alone {
		want = append(want, alone[i].look(t))
		one = max(one, alone[i].whole.Remembered())
	}
	if one == 0 {
		t.Fatal("nothing is remembered")
	}
	room := 5 * one / 2
	all := clickedImages(5, NewCache(room))
	for round := range 3 {
		for i := range all {
			if diff := cmp.Diff(want[i], all[i].look(t)); diff != "" {
				t.Fatalf("round %d, image %d (-alone +with others):\n%s", round, i, diff)
			}
			sum, kept := 0, 0
			for k := range all {
				parts := all[k].whole.whole.parts
				if parts == nil || parts.Bytes() == 0 {
					continue
				}
				kept++
				sum += all[k].whole.Remembered()
				if parts.Bytes() != all[k].whole.Remembered() {
					t.Errorf("image %d remembers %d bytes and says %d", k, parts.Bytes(), all[k].whole.Remembered())
				}
			}
			if sum > room || kept != min(2, 5*round+i+1) {
				t.Fatalf("%d images remember %d bytes, with room for %d", kept, sum, room)
			}
		}
	}
}

// Images that forget what others remember at any moment have the same hypotheses as alone.
func TestCacheChangesNothing(t *testing.T) {
	alone, all := clickedImages(4, nil), clickedImages(4, NewCache(1))
	var users sync.WaitGroup
	for i := range all {
		users.Go(func() {
			for range 4 {
				got := NewSequence(all[i].m, all[i].e, 8)
				if _, err := got.At(t.Context(), 2); err != nil {
					t.Error(err)
					return
				}
				want := NewSequence(alone[i].m, alone[i].e, 8)
				if _, err := want.At(t.Context(), 2); err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff(want.made, got.made); diff != "" {
					t.Errorf("image %d (-alone +with others):\n%s", i, diff)
				}
			}
		})
	}
	users.Wait()
}

// The model that was used longest ago forgets, but the only one never does, and what nobody
// has any more takes no room.
func TestCacheForgetsTheOldest(t *testing.T) {
	all := clickedImages(3, nil)
	for i := range all {
		all[i].look(t)
	}
	c := NewCache(2 * all[0].whole.Remembered())
	in := func(i int) bool { return c.models[weak.Make(all[i].whole)] != nil }
	use := func(i int) { c.use(all[i].whole, all[0].whole.Remembered()) }
	use(0)
	use(1)
	use(0)
	c.use(all[2].whole, 1)
	if !in(0) || in(1) || !in(2) {
		t.Errorf("of images used as 0, 1, 0, 2 the cache has 0: %v, 1: %v, 2: %v", in(0), in(1), in(2))
	}
	if all[1].whole.whole.parts.Bytes() > 0 || all[1].whole.Remembered() > 0 {
		t.Error("the image used longest ago has not forgotten")
	}
	c.use(all[2].whole, 1<<30)
	if !in(2) || len(c.models) != 1 || all[2].whole.whole.parts.Bytes() == 0 {
		t.Error("the only image has forgotten for want of room")
	}
	all[2] = clickedImage{}
	known := func() (models, bytes int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.models), c.used
	}
	models, bytes := known()
	for models > 0 {
		runtime.GC()
		models, bytes = known()
	}
	if bytes != 0 {
		t.Errorf("no image uses %d bytes", bytes)
	}
}

// What superpixels remember that nothing divides counts, too.
func TestCacheOfUndivided(t *testing.T) {
	c := NewCache(1)
	all := clickedImages(2, c)
	for i := range all {
		at := map[int]uint8{5: 0, 20: 1}
		all[i].m, all[i].e.Clicks = all[i].whole, clicksOn(60, at)
	}
	want := all[0].look(t)
	if all[0].whole.Remembered() == 0 {
		t.Error("nothing is remembered")
	}
	all[1].look(t)
	if n := all[0].whole.whole.parts.Bytes(); n > 0 {
		t.Errorf("%d bytes are remembered where there is room for one image", n)
	}
	if diff := cmp.Diff(want, all[0].look(t)); diff != "" {
		t.Errorf("hypotheses (-before +after forgetting):\n%s", diff)
	}
}
