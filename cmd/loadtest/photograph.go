package main

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"collie/segment"
	"collie/segment/simulate"
	"collie/superpixels"
)

// photograph is a file to upload and its true labels.
type photograph struct {
	name string
	file []byte
	mask []uint8 // class per pixel
	size image.Point

	truth func(*superpixels.Map) (*truth, error) // worked out once, for the first map
}

// truth is what an annotator knows of a photograph: per superpixel its class,
// Void where there is nothing to say, its area, middle and neighbours.
type truth struct {
	class     []uint8
	area      []int
	middle    [][2]float64
	adjacent  [][]int32
	clickable []int32 // superpixels that have a class
}

// photographs reads as many of the data folder as are wanted.
func (p *plan) photographs() ([]*photograph, error) {
	list, err := simulate.Pictures(p.Data, p.Photographs)
	if err != nil {
		return nil, err
	}
	out := make([]*photograph, len(list))
	for i, picture := range list {
		img, err := picture.Load()
		if err != nil {
			return nil, err
		}
		ph := &photograph{name: filepath.Base(picture.File), size: img.Rect.Size()}
		if ph.mask, err = simulate.ReadMask(picture.Mask(), ph.size); err != nil {
			return nil, err
		}
		if ph.file, err = os.ReadFile(picture.File); err != nil {
			return nil, err
		}
		ph.remember(p.Classes)
		out[i] = ph
	}
	return out, nil
}

// remember arranges for the truth to be computed for the first map that needs it; equal
// photographs have equal maps.
func (ph *photograph) remember(classes int) {
	var once sync.Once
	var known *truth
	var failure error
	ph.truth = func(m *superpixels.Map) (*truth, error) {
		once.Do(func() { known, failure = newTruth(m, ph.mask, classes) })
		if failure == nil && len(known.class) != m.N {
			return nil, fmt.Errorf("%s has %d superpixels at one time and %d at another", ph.name, len(known.class), m.N)
		}
		return known, failure
	}
}

func newTruth(m *superpixels.Map, mask []uint8, classes int) (*truth, error) {
	cover, err := simulate.Cover(m, mask, classes)
	if err != nil {
		return nil, err
	}
	t := &truth{class: simulate.Majority(cover), area: make([]int, m.N), middle: make([][2]float64, m.N), adjacent: make([][]int32, m.N)}
	for y := range m.Height {
		for x := range m.Width {
			i := m.At(x, y)
			t.area[i]++
			t.middle[i][0] += float64(x)
			t.middle[i][1] += float64(y)
			if x+1 < m.Width {
				t.join(i, m.At(x+1, y))
			}
			if y+1 < m.Height {
				t.join(i, m.At(x, y+1))
			}
		}
	}
	for i, area := range t.area {
		t.middle[i][0] /= float64(area)
		t.middle[i][1] /= float64(area)
		if t.class[i] != segment.Void {
			t.clickable = append(t.clickable, int32(i))
		}
	}
	if len(t.clickable) == 0 {
		return nil, fmt.Errorf("a mask is void everywhere")
	}
	return t, nil
}

// join notes that two superpixels touch.
func (t *truth) join(i, j int) {
	if i != j && !slices.Contains(t.adjacent[i], int32(j)) {
		t.adjacent[i] = append(t.adjacent[i], int32(j))
		t.adjacent[j] = append(t.adjacent[j], int32(i))
	}
}

// next is the superpixel to click when shown is seen: the middle of the largest
// connected region that is wrong in the same way, or any superpixel that has no
// click when nothing is wrong. It is -1 when all are clicked.
func (t *truth) next(shown []uint8, clicked []bool, rng *rand.Rand) int {
	seen := make([]bool, len(t.class))
	var largest []int32
	most := 0
	for _, start := range t.clickable {
		if seen[start] || clicked[start] || shown[start] == t.class[start] {
			continue
		}
		region, area := t.region(start, shown, clicked, seen)
		if area > most {
			largest, most = region, area
		}
	}
	if largest != nil {
		return t.centre(largest)
	}
	from := rng.IntN(len(t.clickable))
	for i := range t.clickable {
		if j := t.clickable[(from+i)%len(t.clickable)]; !clicked[j] {
			return int(j)
		}
	}
	return -1
}

// region returns the wrong superpixels of one class that are connected with start.
func (t *truth) region(start int32, shown []uint8, clicked, seen []bool) (region []int32, area int) {
	seen[start] = true
	region = []int32{start}
	for at := 0; at < len(region); at++ {
		i := region[at]
		area += t.area[i]
		for _, j := range t.adjacent[i] {
			if !seen[j] && !clicked[j] && t.class[j] == t.class[start] && shown[j] != t.class[j] {
				seen[j] = true
				region = append(region, j)
			}
		}
	}
	return region, area
}

// centre is the superpixel of a region that is nearest to its middle.
func (t *truth) centre(region []int32) int {
	var x, y float64
	for _, i := range region {
		x += t.middle[i][0] / float64(len(region))
		y += t.middle[i][1] / float64(len(region))
	}
	best, least := region[0], -1.0
	for _, i := range region {
		dx, dy := t.middle[i][0]-x, t.middle[i][1]-y
		if d := dx*dx + dy*dy; least < 0 || d < least {
			best, least = i, d
		}
	}
	return int(best)
}
