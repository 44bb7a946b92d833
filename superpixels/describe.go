package superpixels

import (
	"fmt"
	"image"
	"math"
	"slices"
)

// Describe measures the regions of m on its image. Areas, bounds, centroids
// and border lengths are exact; colours and gradients of images of more than
// 0.6 megapixels are measured on a reduced copy. It panics when image and map
// differ in size. Linear in the pixels; the same on every machine.
func Describe(img *image.NRGBA, m *Map) *Graph {
	if img.Rect.Dx() != m.Width || img.Rect.Dy() != m.Height {
		panic(fmt.Sprintf("superpixels: image of %d×%d, map of %d×%d", img.Rect.Dx(), img.Rect.Dy(), m.Width, m.Height))
	}
	var s *scene
	return s.describe(img, m.Runs())
}

// describe is Describe with a scene of the image, which can be nil. It is
// rebuilt if its size isn't that at which images are measured.
func (s *scene) describe(img *image.NRGBA, m *Runs) *Graph {
	width, height := reducedSize(m.Width, m.Height, workPixels)
	if s == nil || s.lab.width != width || s.lab.height != height {
		s = newScene(img, width, height)
		defer s.release()
	}
	d := &describer{m: m, out: &Graph{Regions: make([]Region, m.N)}, scene: s}
	d.column, d.row = nearest(m.Width, width), nearest(m.Height, height)
	d.shapes()
	d.colours()
	d.textures()
	d.directions()
	d.borders()
	return d.out
}

// nearest returns for each of size positions the one of 0..reduced-1 whose
// block holds it.
func nearest(size, reduced int) []int32 {
	to := make([]int32, size)
	for i := range reduced {
		for j := blockStart(i, size, reduced); j < blockStart(i+1, size, reduced); j++ {
			to[j] = int32(i)
		}
	}
	return to
}

// describer holds the state of Describe.
type describer struct {
	m           *Runs
	out         *Graph
	column, row []int32 // position in the reduced copy of each x, y
	first       []int32 // first pixel of each region
	sample      *Runs   // of the reduced copy; it can lack regions
	*scene
}

// shapes fills in areas, centroids and bounds.
func (d *describer) shapes() {
	m := d.m
	d.first = make([]int32, m.N)
	sumX, sumY := make([]int64, m.N), make([]int64, m.N)
	for i := range d.first {
		d.first[i] = -1
	}
	m.rowByRow(func(id int32, y, start, end int) {
		r := &d.out.Regions[id]
		if d.first[id] < 0 {
			d.first[id] = int32(y*m.Width + start)
			r.Bounds = BoxOf(image.Rect(start, y, end, y+1))
		}
		n := end - start
		r.Area += int32(n)
		sumX[id] += int64(n) * int64(start+end-1) // twice the sum
		sumY[id] += int64(n) * int64(y)
		r.Bounds.MinX, r.Bounds.MaxX, r.Bounds.MaxY = min(r.Bounds.MinX, int32(start)), max(r.Bounds.MaxX, int32(end)), int32(y+1)
	})
	for i := range d.out.Regions {
		r := &d.out.Regions[i]
		r.Centroid = [2]float32{float32(float64(sumX[i]) / 2 / float64(r.Area)), float32(float64(sumY[i]) / float64(r.Area))}
	}
	d.sample = m
	if width, height := d.lab.width, d.lab.height; width != m.Width || height != m.Height {
		d.sample = m.sampled(width, height)
	}
}

// measure calls f with the runs of pixels of the reduced copy, row y from..to-1,
// and their region, then with each region that no pixel samples and the pixel that
// holds its first one. It returns the number of sampled pixels per region.
func (d *describer) measure(f func(region int32, y, from, to int)) (counts []float64) {
	counts = make([]float64, d.m.N)
	d.sample.rowByRow(func(region int32, y, from, to int) {
		counts[region] += float64(to - from)
		f(region, y, from, to)
	})
	for i, n := range counts {
		if n == 0 {
			x, y := int(d.column[int(d.first[i])%d.m.Width]), int(d.row[int(d.first[i])/d.m.Width])
			counts[i] = 1
			f(int32(i), y, x, x+1)
		}
	}
	return counts
}

// colours fills in means and covariances.
func (d *describer) colours() {
	sums := make([][9]float64, d.m.N)
	bins := make([][3][ColourBins]int32, d.m.N)
	counts := d.measure(func(region int32, y, from, to int) {
		s, h := sums[region], &bins[region]
		row := d.img.Pix[y*d.img.Stride+4*from : y*d.img.Stride+4*to]
		for ; len(row) >= 4; row = row[4:] {
			l32, a32, b32 := labPixel(row[0], row[1], row[2])
			l, a, b := float64(l32), float64(a32), float64(b32)
			s[0] += l
			s[1] += a
			s[2] += b
			s[3] += float64(l * l)
			s[4] += float64(l * a)
			s[5] += float64(l * b)
			s[6] += float64(a * a)
			s[7] += float64(a * b)
			s[8] += float64(b * b)
			h[0][lightnessBin(l32)]++
			h[1][chromaBin(a32)]++
			h[2][chromaBin(b32)]++
		}
		sums[region] = s
	})
	for i, s := range sums {
		r, n := &d.out.Regions[i], counts[i]
		mean := [3]float64{s[0] / n, s[1] / n, s[2] / n}
		r.Mean = [3]float32{float32(mean[0]), float32(mean[1]), float32(mean[2])}
		for k, pair := range colourPairs {
			c := s[3+k]/n - float64(mean[pair[0]]*mean[pair[1]])
			if pair[0] == pair[1] {
				c = max(c, 0) // rounding
			}
			r.Cov[k] = float32(c)
		}
		for channel := range r.Colours {
			shares(r.Colours[channel][:], bins[i][channel][:], n)
		}
	}
}

// textures fills in mean gradients and histograms.
func (d *describer) textures() {
	sums := make([]float64, d.m.N)
	counts := d.measure(func(region int32, y, from, to int) {
		sum, histogram := sums[region], &d.out.Regions[region].Histogram
		for _, g := range d.gradients.g1[y*d.lab.width+from : y*d.lab.width+to] {
			sum += float64(g)
			histogram[bin(g)]++
		}
		sums[region] = sum
	})
	for i := range d.out.Regions {
		r := &d.out.Regions[i]
		r.Texture = float32(sums[i] / counts[i])
		for k := range r.Histogram {
			r.Histogram[k] /= float32(counts[i])
		}
	}
}

// bin returns the histogram bin of a gradient magnitude ≥ 0.
func bin(g float32) int {
	exponent := int(math.Float32bits(g)>>23) - 127 // floor of log2
	return min(max(exponent+2, 0), HistogramBins-1)
}

// side is one pixel side of a border with the contour strength there.
type side struct {
	edge    int32
	contour float32
}

// borders fills in the edges.
func (d *describer) borders() {
	m, g := d.m, d.gradients
	pairs := newPairTable(m.N, d.room)
	var edges []Edge
	var sides []side
	i := int32(-1) // the edge that the last side belongs to
	add := func(a, b int32, contour float32) {
		if i < 0 || edges[i].A != min(a, b) || edges[i].B != max(a, b) {
			i = pairs.index(a, b)
		}
		if int(i) == len(edges) {
			edges = append(edges, Edge{A: min(a, b), B: max(a, b)})
		}
		edges[i].Length++
		sides = append(sides, side{i, contour})
	}
	half := make([]int32, m.Width) // position in g2
	for x, c := range d.column {
		half[x] = c / 2
	}
	at := func(y int) []float32 { return g.g2[int(d.row[y])/2*g.width2:][:g.width2] }
	for y := range m.Height {
		here, there := at(y), at(min(y+1, m.Height-1))
		m.sides(y, func(x int, from, to int32, below bool) {
			if below {
				add(from, to, (here[half[x]]+there[half[x]])*0.5)
			} else {
				add(from, to, (here[half[x]]+here[half[x+1]])*0.5)
			}
		})
	}
	start := make([]int, len(edges)+1)
	for i := range edges {
		start[i+1] = start[i] + int(edges[i].Length)
	}
	contours := make([]float32, len(sides))
	next := slices.Clone(start)
	for _, s := range sides {
		contours[next[s.edge]] = s.contour
		next[s.edge]++
	}
	for i := range edges {
		d.finish(&edges[i], contours[start[i]:start[i+1]])
	}
	slices.SortFunc(edges, func(e, f Edge) int {
		if e.A != f.A {
			return int(e.A - f.A)
		}
		return int(e.B - f.B)
	})
	d.out.Edges = edges
}

// finish fills in all but A, B and Length of an edge from the contour
// strengths along it, which it sorts.
func (d *describer) finish(e *Edge, contours []float32) {
	sum := 0.0
	for _, c := range contours {
		sum += float64(c)
	}
	e.Contour = float32(sum / float64(len(contours)))
	slices.Sort(contours)
	half := len(contours) / 2
	e.MedianContour = (contours[half] + contours[(len(contours)-1)/2]) * 0.5
	d.out.compare(e)
}

// compare fills in an edge's differences between its regions.
func (g *Graph) compare(e *Edge) {
	p, q := &g.Regions[e.A], &g.Regions[e.B]
	e.DeltaE = deltaE(p.Mean[0]-q.Mean[0], p.Mean[1]-q.Mean[1], p.Mean[2]-q.Mean[2])
	u, v := float64(p.Area), float64(q.Area)
	e.Texture = float32((float64(u*float64(p.Texture)) + float64(v*float64(q.Texture))) / (u + v))
	distance := float32(0)
	for k, h := range p.Histogram {
		if s := h + q.Histogram[k]; s > 0 {
			t := h - q.Histogram[k]
			distance += float32(t*t) / s
		}
	}
	e.TextureDistance = min(distance/2, 1)
}
