package superpixels

import "math"

// region has the properties of a region that merging needs: size in pixels, its
// logarithm, mean colour and mean gradient magnitude.
type region struct {
	size, logSize float32
	l, a, b       float32
	tex           float32
}

// merged returns the region that covers r and s.
func (r *region) merged(s *region) region {
	size := r.size + s.size
	u, v := r.size/size, s.size/size
	return region{
		size: size, logSize: Ln(size),
		l:   float32(u*r.l) + float32(v*s.l),
		a:   float32(u*r.a) + float32(v*s.a),
		b:   float32(u*r.b) + float32(v*s.b),
		tex: float32(u*r.tex) + float32(v*s.tex),
	}
}

// border holds the common border of two regions: its length in pixel sides and
// the sum over the sides of the weighted gradients at three resolutions.
type border struct {
	length, contrast float32
}

func (e *border) add(f *border) {
	e.length += f.length
	e.contrast += f.contrast
}

// gradients holds the gradient magnitudes of an image at three resolutions.
type gradients struct {
	g1, g2, g4            []float32
	width, width2, width4 int
}

func newGradients(lab *planes, room *room) *gradients {
	w, h := lab.width, lab.height
	w2, h2 := (w+1)/2, (h+1)/2
	w4, h4 := (w2+1)/2, (h2+1)/2
	g := &gradients{width: w, width2: w2, width4: w4}
	// The reduced colours share memory with g1, which comes last.
	shared := room.floats.take(max(w*h, 3*(w2*h2+w4*h4)))
	half := lab.half(shared)
	quarter := half.half(shared[3*w2*h2:])
	g.g2, g.g4 = half.gradient(room.floats.take(w2*h2)), quarter.gradient(room.floats.take(w4*h4))
	g.g1 = lab.gradient(shared[:w*h])
	return g
}

// rag is a region adjacency graph.
type rag struct {
	room    *room
	regions []region
	pairs   [][2]int32 // the two regions, the lower first, of each of borders
	borders []border
	scratch []int32 // more numbers than borders
}

// newRAG measures the n regions of labels and their borders in two raster
// passes.
func (s *scene) newRAG(labels []int32, n int) *rag {
	out := &rag{room: s.room, regions: s.room.regions.zeros(n)}
	sumRegions(out.regions, labels, s.lab, s.gradients.g1)
	out.gatherBorders(labels, s.gradients)
	return out
}

// sumRegions measures the regions, which are zero before.
func sumRegions(regions []region, labels []int32, lab *planes, g1 []float32) {
	for o := 0; o < len(labels); o += lab.width {
		row := labels[o : o+lab.width]
		l, a, b, g := lab.l[o:][:len(row)], lab.a[o:][:len(row)], lab.b[o:][:len(row)], g1[o:][:len(row)]
		for x := 0; x < len(row); {
			id, start := row[x], x
			var sumL, sumA, sumB, tex float32 // in registers, which a region would not be
			for ; x < len(row) && row[x] == id; x++ {
				sumL += l[x]
				sumA += a[x]
				sumB += b[x]
				tex += g[x]
			}
			r := &regions[id]
			r.size += float32(x - start)
			r.l += sumL
			r.a += sumA
			r.b += sumB
			r.tex += tex
		}
	}
	for i := range regions {
		r := &regions[i]
		r.logSize = Ln(r.size)
		r.l /= r.size
		r.a /= r.size
		r.b /= r.size
		r.tex /= r.size
	}
}

// gatherBorders measures the borders of the regions of r, given the region of each
// pixel.
func (r *rag) gatherBorders(of []int32, g *gradients) {
	w := g.width
	h := len(of) / w
	pairs := newPairTable(len(r.regions), r.room)
	r.borders = r.room.borders.take(cap(pairs.pairs))[:0]
	// at returns the border between two regions and creates it if it is new.
	at := func(a, b int32) *border {
		i := pairs.index(a, b)
		if int(i) == len(r.borders) {
			r.borders = append(r.borders, border{})
		}
		return &r.borders[i]
	}
	half1, half2, half4 := mergeWeights.g1/2, mergeWeights.g2/2, mergeWeights.g4/2
	sides := r.room.ints.take(2 * w)
	for y := range h {
		next := min(y+1, h-1) // the row itself at the bottom, which shows no borders
		row, below := of[y*w:][:w], of[next*w:][:w]
		top1, top2, top4 := g.g1[y*w:][:w], g.g2[y/2*g.width2:][:g.width2], g.g4[y/4*g.width4:][:g.width4]
		low1, low2, low4 := g.g1[next*w:][:w], g.g2[next/2*g.width2:][:g.width2], g.g4[next/4*g.width4:][:g.width4]
		var upper, lower int32 // the regions that shared the last horizontal side,
		var shared *border     // and their border
		for _, s := range listSides(sides, row, below) {
			x := s >> 1
			id := row[x]
			if s&1 == 0 {
				down := below[x]
				if id != upper || down != lower {
					upper, lower, shared = id, down, at(id, down)
				}
				shared.length++
				shared.contrast += float32(half1*(top1[x]+low1[x])) + float32(half2*(top2[x/2]+low2[x/2])) + float32(half4*(top4[x/4]+low4[x/4]))
			} else {
				e := at(id, row[x+1])
				e.length++
				e.contrast += float32(half1*(top1[x]+top1[x+1])) + float32(half2*(top2[x/2]+top2[(x+1)/2])) + float32(half4*(top4[x/4]+top4[(x+1)/4]))
			}
		}
	}
	r.pairs, r.scratch = pairs.pairs, pairs.after[:cap(pairs.after)]
}

// listSides lists the sides of a row's pixels that are on borders: 2x is the side
// below pixel x, 2x+1 the one on its right. It has no branches, which would often
// be predicted wrong. room holds two sides for each pixel.
func listSides(room, row, below []int32) []int32 {
	n, last := 0, len(row)-1
	below = below[:len(row)]
	for x, id := range row[:last] {
		room[n] = int32(2 * x)
		n += 1 - same(id, below[x])
		room[n] = int32(2*x + 1)
		n += 1 - same(id, row[x+1])
	}
	room[n] = int32(2 * last)
	n += 1 - same(row[last], below[last])
	return room[:n]
}

// pairTable numbers pairs of regions in the order in which they are first seen.
// Those of a region with regions of lower number are a list: few, since regions
// that it surrounds have higher numbers, and in memory usually near those seen last.
// A planar graph of n regions has fewer than 3n borders, so it never grows.
type pairTable struct {
	pairs [][2]int32 // the lower region first
	first []int32    // region -> 1 + index in pairs of the newest; 0 = none
	after []int32    // pair -> 1 + index of the one before it; 0 = none
}

func newPairTable(n int, room *room) *pairTable {
	return &pairTable{pairs: room.pairs.take(3 * n)[:0], first: room.ints.zeros(n), after: room.ints.take(3 * n)[:0]}
}

// index returns the number of a pair and adds it if it is new.
func (t *pairTable) index(a, b int32) int32 {
	low, high := min(a, b), max(a, b)
	newest := t.first[high]
	for i := newest; i > 0; i = t.after[i-1] {
		if t.pairs[i-1][0] == low {
			return i - 1
		}
	}
	t.pairs = append(t.pairs, [2]int32{low, high})
	t.after = append(t.after, newest)
	t.first[high] = int32(len(t.pairs))
	return int32(len(t.pairs)) - 1
}

// weights are the constants of the merge cost.
type weights struct {
	floor, g1, g2, g4, colour, chroma float32
	tex, texFloor                     float32
	small, large, compact             float32
}

var mergeWeights = weights{
	floor: 0.25, g1: 1.6, g2: 0.5, g4: 0.3, colour: 3, chroma: 3.2,
	tex: 0.18, texFloor: 1, small: 0.55, large: 0.35, compact: 0.15,
}

// cost of merging across border i; merging proceeds from the least cost upwards:
//
//	ln(floor + w1 g1 + w2 g2 + w4 g4 + wc ΔE) − wt ln(tex + 1) + ws ln min + wl ln max − wb ln(length/√min)
//
// with the mean gradients along the border, the distance of the mean colours,
// the mean gradient inside the two regions, the smaller and larger size and
// the length of the border, which favours compact unions.
func (r *rag) cost(i int) float32 {
	w, e := &mergeWeights, &r.borders[i]
	p, q := &r.regions[r.pairs[i][0]], &r.regions[r.pairs[i][1]]
	de := deltaE(p.l-q.l, p.a-q.a, p.b-q.b)
	tex := (float32(p.size*p.tex) + float32(q.size*q.tex)) / (p.size + q.size)
	small, large := min(p.logSize, q.logSize), max(p.logSize, q.logSize) // without a branch, which would often be predicted wrong
	return Ln(w.floor+e.contrast/e.length+float32(w.colour*de)) - float32(w.tex*Ln(tex+w.texFloor)) +
		float32(w.small*small) + float32(w.large*large) - float32(w.compact*(Ln(e.length)-float32(small*0.5)))
}

// deltaE returns the length of a difference of CIELAB colours with a and b
// weighted to match the borders of objects: sqrt(dL² + 3.2 (da² + db²)).
func deltaE(dl, da, db float32) float32 {
	return float32(math.Sqrt(float64(float32(dl*dl) + float32(mergeWeights.chroma*(float32(da*da)+float32(db*db))))))
}

// logTable[i] is the natural logarithm of 1 + (i+½)/4096.
var logTable [4096]float32

func init() {
	for i := range logTable {
		logTable[i] = float32(math.Log(1 + float64((float64(i)+0.5)/4096)))
	}
}

// Ln is the natural logarithm of a positive normal number to 1.3e-4, the same
// on every machine.
func Ln(x float32) float32 {
	bits := math.Float32bits(x)
	return float32(float32(int32(bits>>23)-127)*math.Ln2) + logTable[bits>>11&4095]
}
