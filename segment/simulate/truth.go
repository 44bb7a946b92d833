// Package simulate stands in for people: it knows the right answer of an image,
// clicks as a person would, and measures how good hypotheses are. The
// experiments of cmd/evaluate are made of it.
package simulate

import (
	"fmt"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Truth is what is known of the right answer: the area of each true class within
// each region, regions × Labels row-major, void left out. With it the quality of
// a labelling of regions is exactly that of its pixels.
type Truth struct {
	Labels int
	Area   []float64
}

// Cover counts the pixels of each class in each region of m. mask holds one
// class per pixel, row-major, segment.Void for pixels that count for nothing;
// other values from classes on are an error.
func Cover(m *superpixels.Map, mask []uint8, classes int) (Truth, error) {
	if len(mask) != len(m.Labels) {
		return Truth{}, fmt.Errorf("simulate: mask of %d pixels for an image of %d×%d", len(mask), m.Width, m.Height)
	}
	t := Truth{Labels: classes, Area: make([]float64, m.N*classes)}
	for p, class := range mask {
		if class == segment.Void {
			continue
		}
		if int(class) >= classes {
			return Truth{}, fmt.Errorf("pixel (%d, %d) has class %d; with %d classes masks hold 0 to %d, and %d for void",
				p%m.Width, p/m.Width, class, classes, classes-1, segment.Void)
		}
		t.Area[int(m.Labels[p])*classes+int(class)]++
	}
	return t, nil
}

// Majority is the class that most pixels of each region have, the lowest of
// several, and segment.Void where all are void.
func Majority(t Truth) []uint8 {
	out := make([]uint8, len(t.Area)/t.Labels)
	for i := range out {
		row := t.Area[i*t.Labels : (i+1)*t.Labels]
		top := slices.Max(row)
		out[i] = segment.Void
		if top > 0 {
			out[i] = uint8(slices.Index(row, top))
		}
	}
	return out
}

// Overlap adds up, over a set of images, what intersection over union needs,
// as PASCAL VOC defines it: per class the pixels that both truth and labelling
// give it, and those that at least one of them does; void pixels count for
// neither.
type Overlap struct{ Both, Union []float64 }

// NewOverlap returns an empty sum for a number of classes.
func NewOverlap(classes int) *Overlap {
	return &Overlap{make([]float64, classes), make([]float64, classes)}
}

// Add counts an image whose regions have the classes x. A region that is
// segment.Void in x misses the truth and claims nothing.
func (o *Overlap) Add(t Truth, x []uint8) {
	k := t.Labels
	for i, class := range x {
		for c, a := range t.Area[i*k : (i+1)*k] {
			if a == 0 {
				continue
			}
			o.Union[c] += a
			switch {
			case c == int(class):
				o.Both[c] += a
			case class != segment.Void:
				o.Union[class] += a
			}
		}
	}
}

// Join adds the sums of another set of images.
func (o *Overlap) Join(other *Overlap) {
	for class, v := range other.Union {
		o.Union[class] += v
		o.Both[class] += other.Both[class]
	}
}

// IoU of a class; false when neither truth nor labelling has it.
func (o *Overlap) IoU(class int) (float64, bool) {
	if o.Union[class] == 0 {
		return 0, false
	}
	return o.Both[class] / o.Union[class], true
}

// Mean is the mean IoU of the classes that truth or labelling has; 1 without any.
func (o *Overlap) Mean() float64 {
	sum, n := 0.0, 0
	for c := range o.Union {
		if v, ok := o.IoU(c); ok {
			sum += v
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}

// MeanIoU is the mean IoU of one image.
func MeanIoU(t Truth, x []uint8) float64 {
	o := NewOverlap(t.Labels)
	o.Add(t, x)
	return o.Mean()
}
