package simulate

import (
	"context"
	"image"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Gestures are what a person has done to one object, in order.
type Gestures struct {
	Box    image.Rectangle // around the object, or empty
	Points []Point
}

// Assistant answers gestures with up to count hypotheses, the first included:
// one class per cell each, see Person.Cells. Several of a person's questions may
// come one after the other, each with more gestures than the one before.
type Assistant interface {
	Hypotheses(ctx context.Context, g Gestures, count int) ([][]uint8, error)
}

// Person marks one object with clicks by the field's protocol: at most Max
// actions, the first in the object's middle, each further click in the middle
// of the largest error of the first hypothesis. The others are cards: to take
// one of them, or a region of one, is an action like a click.
type Person struct {
	Hand
	Cells     *superpixels.Map // the finest superpixels
	Adjacent  [][]int32        // neighbours of each cell
	Assistant Assistant
	Count     int // hypotheses on offer, the first included
	Max       int
	Box       float64 // the first action is a box around the object, grown by this share; below 0: no box
}

// Course is how the work on one object went. IoU[a] is the quality after a+1
// actions, all of them clicks but perhaps a box at the beginning.
type Course struct {
	IoU []Quality
	// Picked[a] is the best that can be had with a+1 actions when the last ones, two at
	// most, may be picks of whole hypotheses or of regions of them.
	Picked []float64
}

// Quality is the IoU of the first hypothesis, and of the best of the first 3 and
// of all.
type Quality struct{ First, Best3, Best float64 }

// Work returns the course until nothing is wrong or Max actions are done.
func (p *Person) Work(ctx context.Context) (Course, error) {
	truth, err := Cover(p.Cells, p.Mask, 2)
	if err != nil {
		return Course{}, err
	}
	c := Course{Picked: make([]float64, p.Max)}
	var g Gestures
	shown := make([]uint8, len(p.Mask)) // nothing is the object
	for actions := 1; actions <= p.Max; actions++ {
		if actions == 1 && p.Box >= 0 {
			g.Box = p.Object.Box(p.Box)
		} else {
			point, ok := p.Next(shown)
			if !ok {
				break
			}
			g.Points = append(g.Points, point)
		}
		cards, err := p.Assistant.Hypotheses(ctx, g, p.Count)
		if err != nil {
			return c, err
		}
		for i, cell := range p.Cells.Labels {
			shown[i] = cards[0][cell]
		}
		c.IoU = append(c.IoU, qualityOf(truth, cards))
		p.pick(&c, truth, cards, actions)
	}
	for a := range c.Picked[1:] {
		c.Picked[a+1] = max(c.Picked[a+1], c.Picked[a])
	}
	return c, nil
}

func qualityOf(truth Truth, cards [][]uint8) Quality {
	q := Quality{First: ObjectIoU(truth, cards[0])}
	q.Best3, q.Best = q.First, q.First
	for rank, x := range cards[1:] {
		v := ObjectIoU(truth, x)
		if rank < 2 {
			q.Best3 = max(q.Best3, v)
		}
		q.Best = max(q.Best, v)
	}
	return q
}

// pick notes what can be had after some actions and with picks on top.
func (p *Person) pick(c *Course, truth Truth, cards [][]uint8, actions int) {
	q := c.IoU[len(c.IoU)-1]
	note := func(actions int, iou float64) {
		if actions <= p.Max {
			c.Picked[actions-1] = max(c.Picked[actions-1], iou)
		}
	}
	note(actions, q.First)
	note(actions+1, q.Best)
	patched := cards[0]
	for takes := 1; takes <= maxTakes && actions+takes <= p.Max; takes++ {
		best, iou := bestRegion(p.Adjacent, patched, cards[1:], func(x []uint8) float64 { return ObjectIoU(truth, x) })
		if best == nil {
			break
		}
		note(actions+takes, iou)
		patched = best
	}
}

// ObjectIoU is the intersection over union of the object.
func ObjectIoU(truth Truth, x []uint8) float64 {
	both, union := 0.0, 0.0
	for i, class := range x {
		rest, thing := truth.Area[2*i], truth.Area[2*i+1]
		union += thing
		if class == Thing {
			both += thing
			union += rest
		}
	}
	return both / union
}

// Clicked is an assistant that hands the clicks on fixed superpixels to a
// method, as if each had been made on the whole superpixel; a later one on the
// same superpixel replaces the earlier. What lies wholly outside a box is
// clicked as the rest; without any click all is the rest.
type Clicked struct {
	Method Method
	Scene  *Scene
	Cells  *superpixels.Map
	Parent []int32 // superpixel of each cell
}

// Hypotheses answers with the method's.
func (c *Clicked) Hypotheses(ctx context.Context, g Gestures, count int) ([][]uint8, error) {
	clicks := slices.Repeat([]uint8{segment.Void}, len(c.Scene.Graph.Regions))
	if !g.Box.Empty() {
		for i, r := range c.Scene.Graph.Regions {
			if !r.Bounds.Rect().Overlaps(g.Box) {
				clicks[i] = Rest
			}
		}
	}
	for _, p := range g.Points {
		clicks[c.Parent[c.Cells.At(p.X, p.Y)]] = p.Class
	}
	play := InPlay(clicks, 0)
	if len(play.Classes) == 0 { // a box that meets everything
		return [][]uint8{make([]uint8, len(c.Parent))}, nil
	}
	made, err := c.Method.Hypotheses(ctx, c.Scene, play, count)
	for rank, x := range made {
		made[rank] = Spread(x, c.Parent)
	}
	return made, err
}

// Spread gives each cell the label of its superpixel.
func Spread(labels []uint8, parent []int32) []uint8 {
	out := make([]uint8, len(parent))
	for cell, s := range parent {
		out[cell] = labels[s]
	}
	return out
}
