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

// strengths sets out to half of what each pixel of row y contributes to the contrast
// of the borders on its sides: the weighted gradients.
func (g *gradients) strengths(out []float32, y int) {
	half1, half2, half4 := mergeWeights.g1/2, mergeWeights.g2/2, mergeWeights.g4/2
	row, row2, row4 := g.g1[y*g.width:][:len(out)], g.g2[y/2*g.width2:][:g.width2], g.g4[y/4*g.width4:][:g.width4]
	for x, v := range row {
		out[x] = float32(half1*v) + float32(half2*row2[x/2]) + float32(half4*row4[x/4])
	}
}

// rag is a region adjacency graph.
type rag struct {
	room    *room
	regions []region
	pairs   [][2]int32 // the two regions, the lower first, of each of borders
	borders []border
	scratch []int32 // more numbers than borders

	// Where contract puts pairs and borders, one more than there are.
	nextPairs   [][2]int32
	nextBorders []border
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
		for x, id := range row {
			r := &regions[id]
			r.size++
			r.l += l[x]
			r.a += a[x]
			r.b += b[x]
			r.tex += g[x]
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
	sides := r.room.ints.take(2 * w)
	both := r.room.floats.take(2 * w)
	strength, next := both[:w], both[w:] // of the row and of the one below
	g.strengths(next, 0)
	for y := range h {
		strength, next = next, strength
		row, below := of[y*w:][:w], of[y*w:][:w] // at the bottom the row itself, which shows no borders
		if y+1 < h {
			below = of[(y+1)*w:][:w]
			g.strengths(next, y+1)
		}
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
				shared.contrast += strength[x] + next[x]
			} else {
				e := at(id, row[x+1])
				e.length++
				e.contrast += strength[x] + strength[x+1]
			}
		}
	}
	r.pairs, r.scratch = pairs.pairs, pairs.after[:cap(pairs.after)]
	r.nextPairs, r.nextBorders = r.room.pairs.take(len(r.pairs)+1), r.room.borders.take(len(r.pairs)+1)
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
