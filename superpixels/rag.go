package superpixels

import "math"

// region holds what merging needs to know of a region: size in pixels, its
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
		size: size, logSize: ln(size),
		l:   float32(u*r.l) + float32(v*s.l),
		a:   float32(u*r.a) + float32(v*s.a),
		b:   float32(u*r.b) + float32(v*s.b),
		tex: float32(u*r.tex) + float32(v*s.tex),
	}
}

// border holds the common border of regions a < b: its length in pixel sides
// and the sums over the sides of the gradients at full, half and quarter
// resolution.
type border struct {
	a, b               int32
	length, g1, g2, g4 float32
}

func (e *border) add(f *border) {
	e.length += f.length
	e.g1 += f.g1
	e.g2 += f.g2
	e.g4 += f.g4
}

// gradients holds the gradient magnitudes of an image at three resolutions.
type gradients struct {
	g1, g2, g4     []float32
	width2, width4 int
}

func newGradients(lab *planes) *gradients {
	g := &gradients{g1: lab.gradient()}
	p := lab.half()
	g.g2, g.width2 = p.gradient(), p.width
	p = p.half()
	g.g4, g.width4 = p.gradient(), p.width
	return g
}

// rag is a region adjacency graph.
type rag struct {
	regions []region
	borders []border
}

// newRAG gathers the graph of the n regions of labels in one raster pass.
func newRAG(labels []int32, n int, lab *planes, g *gradients) *rag {
	sums := make([][5]float64, n)
	for p, id := range labels {
		s := &sums[id]
		s[0]++
		s[1] += float64(lab.l[p])
		s[2] += float64(lab.a[p])
		s[3] += float64(lab.b[p])
		s[4] += float64(g.g1[p])
	}
	out := &rag{regions: make([]region, n), borders: make([]border, 0, 3*n)}
	for i, s := range sums {
		out.regions[i] = region{
			size: float32(s[0]), logSize: ln(float32(s[0])),
			l: float32(s[1] / s[0]), a: float32(s[2] / s[0]), b: float32(s[3] / s[0]), tex: float32(s[4] / s[0]),
		}
	}
	w, h := lab.width, lab.height
	pairs := newPairTable(n)
	for y := range h {
		row2, row4 := g.g2[y/2*g.width2:], g.g4[y/4*g.width4:]
		down2, down4 := g.g2[min(y+1, h-1)/2*g.width2:], g.g4[min(y+1, h-1)/4*g.width4:]
		for x := range w {
			p := y*w + x
			id := labels[p]
			if x+1 < w && labels[p+1] != id {
				e := out.border(pairs, id, labels[p+1])
				e.length++
				e.g1 += (g.g1[p] + g.g1[p+1]) * 0.5
				e.g2 += (row2[x/2] + row2[(x+1)/2]) * 0.5
				e.g4 += (row4[x/4] + row4[(x+1)/4]) * 0.5
			}
			if y+1 < h && labels[p+w] != id {
				e := out.border(pairs, id, labels[p+w])
				e.length++
				e.g1 += (g.g1[p] + g.g1[p+w]) * 0.5
				e.g2 += (row2[x/2] + down2[x/2]) * 0.5
				e.g4 += (row4[x/4] + down4[x/4]) * 0.5
			}
		}
	}
	return out
}

// border returns the border between regions a and b, made if it is new.
func (r *rag) border(t *pairTable, a, b int32) *border {
	if a > b {
		a, b = b, a
	}
	i, fresh := t.index(a, b)
	if fresh {
		r.borders = append(r.borders, border{a: a, b: b})
	}
	return &r.borders[i]
}

type pairSlot struct {
	key uint64 // a<<32 | b+1; 0 = free
	id  int32
}

// pairTable numbers pairs a < b in the order in which they are first seen: an
// open hash table that remembers the last pair. A planar graph of n regions
// has fewer than 3n borders, so it never grows.
type pairTable struct {
	slots []pairSlot
	shift uint
	count int32
	key   uint64
	last  int32
}

func newPairTable(n int) *pairTable {
	bits := uint(4)
	for 1<<bits < 5*n {
		bits++
	}
	return &pairTable{slots: make([]pairSlot, 1<<bits), shift: 64 - bits}
}

func (t *pairTable) index(a, b int32) (id int32, fresh bool) {
	key := uint64(a)<<32 | uint64(b+1)
	if key == t.key {
		return t.last, false
	}
	t.key = key
	i := key * 0x9E3779B97F4A7C15 >> t.shift
	for t.slots[i].key != key {
		if t.slots[i].key == 0 {
			t.slots[i] = pairSlot{key, t.count}
			t.count++
			fresh = true
			break
		}
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.last = t.slots[i].id
	return t.last, fresh
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

// cost of merging across e; merging proceeds from the least cost upwards:
//
//	ln(floor + w1 g1 + w2 g2 + w4 g4 + wc ΔE) − wt ln(tex + 1) + ws ln min + wl ln max − wb ln(length/√min)
//
// with the mean gradients along the border, the distance of the mean colours,
// the mean gradient inside the two regions, the smaller and larger size and
// the length of the border, which favours compact unions.
func (r *rag) cost(e *border) float32 {
	w := &mergeWeights
	p, q := &r.regions[e.a], &r.regions[e.b]
	de := deltaE(p.l-q.l, p.a-q.a, p.b-q.b)
	contrast := float32(w.g1*e.g1) + float32(w.g2*e.g2) + float32(w.g4*e.g4)
	tex := (float32(p.size*p.tex) + float32(q.size*q.tex)) / (p.size + q.size)
	small, large := p.logSize, q.logSize
	if small > large {
		small, large = large, small
	}
	return ln(w.floor+contrast/e.length+float32(w.colour*de)) - float32(w.tex*ln(tex+w.texFloor)) +
		float32(w.small*small) + float32(w.large*large) - float32(w.compact*(ln(e.length)-small*0.5))
}

// deltaE returns the length of a difference of CIELAB colours with a and b
// weighed as borders of objects want it: sqrt(dL² + 3.2 (da² + db²)).
func deltaE(dl, da, db float32) float32 {
	return float32(math.Sqrt(float64(float32(dl*dl) + float32(mergeWeights.chroma*(float32(da*da)+float32(db*db))))))
}

// logTable[i] is the natural logarithm of 1 + (i+½)/4096.
var logTable [4096]float32

func init() {
	for i := range logTable {
		logTable[i] = float32(math.Log(1 + (float64(i)+0.5)/4096))
	}
}

// ln is the natural logarithm of a positive normal number to 1.3e-4, the same
// on every machine.
func ln(x float32) float32 {
	bits := math.Float32bits(x)
	return float32(float32(int32(bits>>23)-127)*math.Ln2) + logTable[bits>>11&4095]
}
