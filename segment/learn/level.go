package learn

import (
	"math"

	"collie/superpixels"
)

// describeLevel writes the features of the regions of a level: colour, texture,
// position, shape and how they differ from their neighbours and from the image.
func (d *describer) describeLevel(level int) {
	g := d.graphs[level]
	n := len(g.Regions)
	values := make([]uint8, levelFeatures*n)
	around := neighbourhoods(g)
	average := d.width * d.height / float64(n)
	for i := range g.Regions {
		r := &g.Regions[i]
		at := i
		put := func(v uint8) {
			values[at] = v
			at += n
		}
		l, a, b := float64(r.Mean[0]), float64(r.Mean[1]), float64(r.Mean[2])
		put(share(l / 100))
		put(signed(a, 20))
		put(signed(b, 20))
		put(positive(deviation(r, 0), 6))
		put(positive(deviation(r, 1), 3))
		put(positive(deviation(r, 2), 3))
		put(hue(a, b))
		put(positive(math.Sqrt(float64(a*a)+float64(b*b)), 12))
		put(positive(float64(r.Texture), 4))
		for _, v := range r.Histogram {
			put(share(float64(v)))
		}
		put(share((float64(r.Centroid[0]) + 0.5) / d.width))
		put(share((float64(r.Centroid[1]) + 0.5) / d.height))
		put(positive(float64(r.Area)/average, 1))
		box := r.Bounds.Rect()
		put(share(float64(box.Min.X) / d.width))
		put(share(float64(box.Max.X) / d.width))
		put(share(float64(box.Min.Y) / d.height))
		put(share(float64(box.Max.Y) / d.height))
		put(share(float64(r.Area) / float64(box.Dx()*box.Dy())))
		put(d.touching(r))
		put(positive(around[i].contour, 6))
		for c, scale := range [3]float64{10, 5, 5} {
			put(signed(around[i].difference[c], scale))
		}
		for c := range 3 {
			put(signed((float64(r.Mean[c])-d.mean[c])/(d.spread[c]+0.5), 1))
		}
	}
	d.spreadOver(level, values)
}

// deviation is the standard deviation of L, a or b.
func deviation(r *superpixels.Region, c int) float64 {
	return math.Sqrt(max(0, float64(r.Cov[diagonal[c]])))
}

// hue is the position of (a, b) along the outline of a diamond, which increases
// with the angle and needs no arctangent.
func hue(a, b float64) uint8 {
	size := math.Abs(a) + math.Abs(b)
	if size == 0 {
		return 0
	}
	t := b / size // up on the right side, down on the left one
	switch {
	case a < 0:
		t = 2 - t
	case b < 0:
		t += 4
	}
	return share(t / 4)
}

// touching says which sides of the image a region reaches, as one of 16 steps.
func (d *describer) touching(r *superpixels.Region) uint8 {
	var sides uint8
	box := r.Bounds.Rect()
	for side, touches := range [4]bool{
		box.Min.Y == 0, box.Max.Y == int(d.height), box.Min.X == 0, box.Max.X == int(d.width),
	} {
		if touches {
			sides |= 8 >> side
		}
	}
	return sides * 17
}

// neighbourhood is what is around a region: the mean contour along its border
// and how much the neighbours' colour is above its own, weighted by the length
// of the borders. Zero for a region without neighbours.
type neighbourhood struct {
	contour    float64
	difference [3]float64
	length     float64
}

func neighbourhoods(g *superpixels.Graph) []neighbourhood {
	out := make([]neighbourhood, len(g.Regions))
	for i := range g.Edges {
		e := &g.Edges[i]
		w := float64(e.Length)
		p, q := &out[e.A], &out[e.B]
		p.length += w
		q.length += w
		contour := float64(w * float64(e.Contour))
		p.contour += contour
		q.contour += contour
		for c := range 3 {
			v := float64(w * (float64(g.Regions[e.B].Mean[c]) - float64(g.Regions[e.A].Mean[c])))
			p.difference[c] += v
			q.difference[c] -= v
		}
	}
	for i := range out {
		o := &out[i]
		if o.length == 0 {
			continue
		}
		o.contour /= o.length
		for c := range o.difference {
			o.difference[c] /= o.length
		}
	}
	return out
}
