package herding

import (
	"slices"

	"collie/crf"
)

// factor is a sparse L·D·Lᵀ factorisation with unit lower triangular L by columns.
type factor struct {
	n      int
	parent []int32 // elimination tree
	start  []int32 // column -> first entry of L
	count  []int32 // column -> entries in use
	rows   []int32
	values []float64
	diag   []float64

	y       []float64 // scratch: a row of L
	pattern []int32
	flag    []int32
}

// newFactor analyses the pattern: column j of the upper triangle has the rows
// rows[start[j]:start[j+1]].
func newFactor(n int, start, rows []int32) factor {
	f := factor{
		n: n, parent: make([]int32, n), start: make([]int32, n+1), count: make([]int32, n),
		diag: make([]float64, n), y: make([]float64, n), pattern: make([]int32, n), flag: make([]int32, n),
	}
	for j := range n {
		f.parent[j] = -1
		f.flag[j] = int32(j)
		for _, i := range rows[start[j]:start[j+1]] {
			for ; f.flag[i] != int32(j); i = f.parent[i] {
				if f.parent[i] < 0 {
					f.parent[i] = int32(j)
				}
				f.count[i]++
				f.flag[i] = int32(j)
			}
		}
	}
	for j, c := range f.count {
		f.start[j+1] = f.start[j] + c
	}
	f.rows = make([]int32, f.start[n])
	f.values = make([]float64, f.start[n])
	return f
}

// begin clears the values.
func (f *factor) begin() {
	clear(f.count)
	for i := range f.flag {
		f.flag[i] = -1
	}
}

// row computes row j of L and D from the entries of column j of the upper
// triangle: rows with their values, and the diagonal. Rows come in ascending j.
func (f *factor) row(j int, rows []int32, values []float64, diag float64) {
	top, y := f.n, f.y
	f.flag[j] = int32(j)
	for n, i := range rows {
		if values[n] == 0 {
			continue
		}
		y[i] += values[n]
		depth := 0
		for ; f.flag[i] != int32(j); i = f.parent[i] {
			f.pattern[depth] = i
			depth++
			f.flag[i] = int32(j)
		}
		for depth > 0 {
			top--
			depth--
			f.pattern[top] = f.pattern[depth]
		}
	}
	for ; top < f.n; top++ {
		i := f.pattern[top]
		yi := y[i]
		y[i] = 0
		from, to := f.start[i], f.start[i]+f.count[i]
		rows, values := f.rows[from:to], f.values[from:to]
		values = values[:len(rows)] // spares the loop a check of each index
		for p, r := range rows {
			y[r] -= float64(values[p] * yi)
		}
		l := yi / f.diag[i]
		diag -= float64(l * yi)
		f.rows[to] = int32(j)
		f.values[to] = l
		f.count[i]++
	}
	f.diag[j] = diag
}

// solve replaces the k right-hand sides x (n×k row-major) by the solutions.
func (f *factor) solve(x []float64, k int) {
	for j := range f.n {
		xj := x[j*k : (j+1)*k]
		for p := f.start[j]; p < f.start[j]+f.count[j]; p++ {
			v := f.values[p]
			xr := x[int(f.rows[p])*k:][:k]
			for l, s := range xj {
				xr[l] -= float64(v * s)
			}
		}
	}
	for j := f.n - 1; j >= 0; j-- {
		xj := x[j*k : (j+1)*k]
		for l := range xj {
			xj[l] /= f.diag[j]
		}
		for p := f.start[j]; p < f.start[j]+f.count[j]; p++ {
			v := f.values[p]
			xr := x[int(f.rows[p])*k:][:k]
			for l, s := range xr {
				xj[l] -= float64(v * s)
			}
		}
	}
}

// system assembles and factors the Laplacian of the free nodes, with the
// clicked and the unreached ones as identity rows, and the right-hand sides.
func (h *Harmonic) system(k int, fixed []int16, prior *Prior) {
	n := h.n
	if cap(h.x) < n*k {
		h.x = make([]float64, n*k)
	}
	h.x = h.x[:n*k]
	clear(h.x)
	diag := slices.Grow(h.diag[:0], n)[:n]
	h.diag = diag
	for i := range n {
		diag[i] = 0
		if h.state[i] != reached {
			diag[i] = 1
		} else if prior != nil {
			w := prior.Weight[i]
			for l, s := range prior.Share[i*k : (i+1)*k] {
				h.x[int(h.place[i])*k+l] = float64(w * s)
				diag[i] += float64(w * s)
			}
		}
	}
	for _, e := range h.edges {
		h.stamp(e, e.A, e.B, k, fixed)
		h.stamp(e, e.B, e.A, k, fixed)
	}
	h.ldl.begin()
	for j := range n {
		from, to := h.start[j], h.start[j+1]
		values := h.values[:to-from]
		free := h.state[h.order[j]] == reached
		for p := range values {
			values[p] = 0
			if i := h.rows[from+int32(p)]; free && h.state[h.order[i]] == reached {
				values[p] = -h.edges[h.edgeOf[from+int32(p)]].W
			}
		}
		h.ldl.row(j, h.rows[from:to], values, diag[h.order[j]])
	}
}

// stamp adds edge e to the row of its free end i.
func (h *Harmonic) stamp(e crf.Edge, i, j int32, k int, fixed []int16) {
	if h.state[i] != reached {
		return
	}
	h.diag[i] += e.W
	if h.state[j] == clicked {
		h.x[int(h.place[i])*k+int(fixed[j])] += e.W
	}
}
