package learn

const (
	contextClasses = 24 // most frequent classes whose probabilities nearby are features
	contextViews   = 2 + coarseLevels + offsets
)

// context makes the columns that the later stages see in addition to the
// features: for each of the first classes its probability, as a byte, at the
// superpixel, among its neighbours, in the regions of the coarser levels and at
// the offsets. p is superpixels × classes.
func (f *Features) context(p []float32, classes int) [][]uint8 {
	seen := min(classes, contextClasses)
	bytes := make([]uint8, contextViews*seen*f.N)
	columns := make([][]uint8, 0, contextViews*seen)
	for at := 0; at < len(bytes); at += f.N {
		columns = append(columns, bytes[at:at+f.N:at+f.N])
	}
	sums, weights := make([]float32, f.N), make([]float32, f.N)
	for class := range seen {
		at := func(i int32) float32 { return p[int(i)*classes+class] }
		to := columns[class*contextViews:]
		for i := range f.N {
			to[0][i] = byteOf(at(int32(i)))
		}
		f.around(to[1], sums, weights, at)
		for level, ancestor := range f.Ancestors {
			f.within(to[2+level], ancestor, sums, weights, at)
		}
		for w, there := range f.Offsets {
			for i, j := range there {
				to[2+coarseLevels+w][i] = byteOf(at(j))
			}
		}
	}
	return columns
}

// around writes the mean over the neighbours, weighted by the borders; that of
// the superpixel itself without neighbours.
func (f *Features) around(to []uint8, sums, weights []float32, at func(i int32) float32) {
	clear(sums)
	clear(weights)
	for _, b := range f.Borders {
		w := float32(b.Length)
		sums[b.A] += float32(w * at(b.B))
		sums[b.B] += float32(w * at(b.A))
		weights[b.A] += w
		weights[b.B] += w
	}
	for i := range to {
		if weights[i] == 0 {
			to[i] = byteOf(at(int32(i)))
			continue
		}
		to[i] = byteOf(sums[i] / weights[i])
	}
}

// within writes the mean over the region that each superpixel lies in, weighted
// by area.
func (f *Features) within(to []uint8, ancestor []int32, sums, weights []float32, at func(i int32) float32) {
	clear(sums)
	clear(weights)
	for i, r := range ancestor {
		w := float32(f.Area[i])
		sums[r] += float32(w * at(int32(i)))
		weights[r] += w
	}
	for i, r := range ancestor {
		to[i] = byteOf(sums[r] / weights[r])
	}
}

// byteOf returns a probability as a byte.
func byteOf(p float32) uint8 { return uint8(float32(min(p, 1)*255) + 0.5) }
