package main

import (
	"fmt"
	"image"
	"slices"
	"sync"

	"collie/herding"
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/simulate"
	"collie/superpixels"
)

// finestFactor is how many times finer the finest superpixels are, as in the
// product.
const finestFactor = 4

// scene is a picture ready for the experiments.
type scene struct {
	simulate.Scene
	id       string
	regions  *superpixels.Map
	truth    simulate.Truth
	majority []uint8
}

// open segments a picture into regions and reads its mask.
func open(p simulate.Picture, regions, classes int) (*scene, error) {
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
	return &scene{
		Scene:    simulate.Scene{Graph: graph, RGB: meanRGB(img, m), Coarse: hierarchy.Level(engine.Regions(m.N))},
		id:       p.ID,
		regions:  m,
		truth:    truth,
		majority: simulate.Majority(truth),
	}, nil
}

// eachScene opens pictures on all cores and calls do with those that are not all void.
func eachScene(t *terminal, list []simulate.Picture, regions, classes int, do func(i int, s *scene) error) error {
	return t.Each("", len(list), func(i int) error {
		s, err := open(list[i], regions, classes)
		if err != nil || s.empty() {
			return err
		}
		return do(i, s)
	})
}

// empty reports whether all of the scene is void.
func (s *scene) empty() bool {
	return !slices.ContainsFunc(s.majority, func(class uint8) bool { return class != segment.Void })
}

// held are the classes that the masks of a folder hold.
type held struct {
	mu      sync.Mutex
	classes [segment.Void]bool
}

// note adds those of a mask, of its pixels or of its superpixels.
func (h *held) note(mask []uint8) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, class := range mask {
		if class != segment.Void {
			h.classes[class] = true
		}
	}
}

// has reports whether a mask holds a class.
func (h *held) has(class uint8) bool { return h.classes[class] }

// enough returns the error of a folder in which there is nothing to tell apart.
func (h *held) enough(dir string, images int) error {
	n := 0
	for _, there := range h.classes {
		if there {
			n++
		}
	}
	switch n {
	case 0:
		return allVoid(dir, images)
	case 1:
		return fmt.Errorf("--data %s: the masks of all %d images hold one class, %d, so there is nothing to tell apart; where white pixels are an object, save them as its class, such as 1, because 255 is void",
			dir, images, slices.Index(h.classes[:], true))
	}
	return nil
}

// posed is a problem and the meaning of its labels. With a single class in play
// there is no problem.
type posed struct {
	problem *herding.Problem
	clicks  simulate.Clicks
}

// pose makes the product's problem of a draw of clicks on a share of the superpixels.
func (s *scene) pose(share float64, draw int) (posed, error) {
	at := posed{clicks: s.drawn(share, draw)}
	var err error
	if k := len(at.clicks.Classes); k > 1 {
		at.problem, err = s.Model().Problem(at.clicks.Fixed, k, nil)
	}
	return at, err
}

// drawn are clicks on a share of the superpixels, whose classes are in play.
func (s *scene) drawn(share float64, draw int) simulate.Clicks {
	return simulate.InPlay(simulate.Seeds(s.majority, share, s.id, uint64(draw)), 0)
}

// allVoid is the error of a folder in which there is nothing to measure.
func allVoid(dir string, images int) error {
	return fmt.Errorf("--data %s: the masks of all %d images are void, so there is nothing to measure", dir, images)
}

func (s *scene) size() image.Point { return image.Pt(s.regions.Width, s.regions.Height) }

// meanRGB is the mean colour of each region, 0 to 1.
func meanRGB(img *image.NRGBA, m *superpixels.Map) [][3]float64 {
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
