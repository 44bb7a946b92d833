package superpixels

import (
	"bytes"
	"image"
	"sync"
	"testing"
)

// TestMemoryOfOthers checks that what earlier and simultaneous segmentations, of
// any size, leave in the memory changes nothing, and that a result keeps none of it.
func TestMemoryOfOthers(t *testing.T) {
	images := []*image.NRGBA{
		picture(60, 40, 7, 9, 1), picture(400, 300, 20, 12, 2), picture(59, 43, 3, 0, 3),
		picture(300, 390, 9, 20, 4), picture(1000, 800, 50, 9, 5), picture(5, 3, 1, 40, 6),
	}
	encode := func(img *image.NRGBA) []byte {
		// So many regions that the largest image is described at another size.
		h, g := Divide(img, img.Rect.Dx()*img.Rect.Dy()/60)
		Divide(images[1], 300) // writes over what the first one no longer needs
		hierarchy, err := h.MarshalBinary()
		if err != nil {
			t.Error(err)
		}
		graph, err := g.MarshalBinary()
		if err != nil {
			t.Error(err)
		}
		return append(hierarchy, graph...)
	}
	var fresh [][]byte
	for _, img := range images {
		rooms = sync.Pool{New: rooms.New}
		fresh = append(fresh, encode(img))
	}
	check := func(i int) {
		if !bytes.Equal(encode(images[i]), fresh[i]) {
			t.Errorf("%v gives another result in memory that was used before", images[i].Rect)
		}
	}
	for range 2 {
		for _, i := range []int{0, 1, 2, 3, 4, 0, 1, 5, 2} {
			check(i)
		}
	}
	var all sync.WaitGroup
	for worker := range 3 {
		all.Go(func() {
			for i := range images {
				check((worker + i) % len(images))
			}
		})
	}
	all.Wait()
}
