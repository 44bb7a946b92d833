package simulate

import "math"

// depths returns, for each pixel of a width×height image, row-major, the
// Euclidean distance of its middle to the middle of the nearest pixel for which
// in is false; what lies outside the image counts as such. It is exact and takes
// O(width·height) (Felzenszwalb and Huttenlocher 2012,
// doi:10.4086/toc.2012.v008a019).
func depths(width, height int, in []bool) []float64 {
	// A frame of one pixel represents the outside.
	w, h := width+2, height+2
	square := make([]float64, w*h)
	for y := range height {
		for x := range width {
			if in[y*width+x] {
				square[(y+1)*w+x+1] = math.Inf(1)
			}
		}
	}
	e := newEnvelope(max(w, h))
	for x := range w {
		e.transform(square[x:], h, w)
	}
	for y := range h {
		e.transform(square[y*w:], w, 1)
	}
	out := make([]float64, width*height)
	for y := range height {
		for x := range width {
			out[y*width+x] = math.Sqrt(square[(y+1)*w+x+1])
		}
	}
	return out
}

// envelope is scratch for the lower envelope of parabolas.
type envelope struct {
	at    []int     // places of the parabolas
	from  []float64 // where each of them begins to be the lowest
	value []float64
}

func newEnvelope(n int) *envelope {
	return &envelope{make([]int, n), make([]float64, n+1), make([]float64, n)}
}

// transform replaces the n values v[i*stride] by min over j of (i-j)² + v[j*stride].
func (e *envelope) transform(v []float64, n, stride int) {
	k := -1
	for j := range n {
		f := v[j*stride]
		e.value[j] = f
		if math.IsInf(f, 1) {
			continue
		}
		s := math.Inf(-1)
		for k >= 0 {
			p := e.at[k]
			s = (f + float64(j*j) - e.value[p] - float64(p*p)) / float64(2*(j-p))
			if s > e.from[k] {
				break
			}
			k--
			s = math.Inf(-1)
		}
		k++
		e.at[k], e.from[k] = j, s
	}
	if k < 0 {
		return
	}
	last := k
	k = 0
	for i := range n {
		for k < last && e.from[k+1] < float64(i) {
			k++
		}
		d := i - e.at[k]
		v[i*stride] = float64(d*d) + e.value[e.at[k]]
	}
}
