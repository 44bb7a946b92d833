// Package scene prepares pictures for the experiments: their superpixels, what these truly
// are, and clicks on them.
package scene

import (
	"fmt"
	"image"
	"slices"
	"sync"

	"collie/cmd/internal/progress"
	"collie/herding"
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/simulate"
	"collie/superpixels"
)

// FinestFactor is how many times finer the finest superpixels are, as in the
// product.
const FinestFactor = 4

// Scene is a picture ready for the experiments.
type Scene struct {
	simulate.Scene
	ID       string // of the picture
	Regions  *superpixels.Map
	Truth    simulate.Truth
	Majority []uint8 // class of most pixels of each region
}

// Open segments a picture into regions and reads its mask.
func Open(p simulate.Picture, regions, classes int) (*Scene, error) {
	img, mask, err := p.LoadLabelled()
	if err != nil {
		return nil, err
	}
	hierarchy, graph := superpixels.Divide(img, regions)
	m := hierarchy.Runs().Map()
	truth, err := simulate.Cover(m, mask, classes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Mask(), err)
	}
	return &Scene{
		Scene:    simulate.Scene{Graph: graph, RGB: MeanRGB(img, m), Coarse: hierarchy.Level(engine.Regions(m.N))},
		ID:       p.ID,
		Regions:  m,
		Truth:    truth,
		Majority: simulate.Majority(truth),
	}, nil
}

// Each opens pictures on all cores and calls do with those that are not all void.
func Each(t *progress.Terminal, list []simulate.Picture, regions, classes int, do func(i int, s *Scene) error) error {
	return t.Each("", len(list), func(i int) error {
		s, err := Open(list[i], regions, classes)
		if err != nil || s.Empty() {
			return err
		}
		return do(i, s)
	})
}

// Empty reports whether all of the scene is void.
func (s *Scene) Empty() bool {
	return !slices.ContainsFunc(s.Majority, func(class uint8) bool { return class != segment.Void })
}

// Held are the classes that the masks of a folder hold.
type Held struct {
	mu      sync.Mutex
	classes [segment.Void]bool
}

// Note adds those of a mask, of its pixels or of its superpixels.
func (h *Held) Note(mask []uint8) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, class := range mask {
		if class != segment.Void {
			h.classes[class] = true
		}
	}
}

// Has reports whether a mask holds a class.
func (h *Held) Has(class uint8) bool { return h.classes[class] }

// Enough returns the error of a folder in which there is nothing to tell apart.
func (h *Held) Enough(dir string, images int) error {
	n := 0
	for _, there := range h.classes {
		if there {
			n++
		}
	}
	switch n {
	case 0:
		return AllVoid(dir, images)
	case 1:
		return fmt.Errorf("--data %s: the masks of all %d images hold one class, %d, so there is nothing to tell apart; where white pixels are an object, save them as its class, such as 1, because 255 is void",
			dir, images, slices.Index(h.classes[:], true))
	}
	return nil
}

// Posed is a problem and the meaning of its labels. With a single class in play
// there is no problem.
type Posed struct {
	Problem *herding.Problem
	Clicks  simulate.Clicks
}

// Pose makes the product's problem of a draw of clicks on a share of the superpixels.
func (s *Scene) Pose(share float64, draw int) (Posed, error) {
	at := Posed{Clicks: s.Drawn(share, draw)}
	var err error
	if k := len(at.Clicks.Classes); k > 1 {
		at.Problem, err = s.Model().Problem(at.Clicks.Fixed, k, nil)
	}
	return at, err
}

// Drawn are clicks on a share of the superpixels, whose classes are in play.
func (s *Scene) Drawn(share float64, draw int) simulate.Clicks {
	return simulate.InPlay(simulate.Seeds(s.Majority, share, s.ID, uint64(draw)), 0)
}

// AllVoid is the error of a folder in which there is nothing to measure.
func AllVoid(dir string, images int) error {
	return fmt.Errorf("--data %s: the masks of all %d images are void, so there is nothing to measure", dir, images)
}

// Size is that of the picture.
func (s *Scene) Size() image.Point { return image.Pt(s.Regions.Width, s.Regions.Height) }

// MeanRGB is the mean colour of each region, 0 to 1.
func MeanRGB(img *image.NRGBA, m *superpixels.Map) [][3]float64 {
	sums, counts := make([][3]float64, m.N), make([]float64, m.N)
	for p, r := range m.Labels {
		at := p/m.Width*img.Stride + p%m.Width*4
		for c := range 3 {
			sums[r][c] += float64(img.Pix[at+c])
		}
		counts[r]++
	}
	for r := range sums {
		for c := range 3 {
			sums[r][c] /= 255 * counts[r]
		}
	}
	return sums
}
