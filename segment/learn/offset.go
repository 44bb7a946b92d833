package learn

// offsets is the number of positions that a superpixel also sees.
const offsets = 6

// ways are these positions relative to the middle of a superpixel, in parts of
// the image's width and height. Those beyond the image's edge are moved onto
// it.
var ways = [offsets][2]float64{{-0.12, 0}, {0.12, 0}, {0, -0.1}, {0, 0.1}, {0, -0.25}, {0, 0.25}}

// describeOffsets finds the superpixels at the offsets and writes their colour
// and texture.
func (d *describer) describeOffsets() {
	regions := d.graphs[0].Regions
	for w, way := range ways {
		there := make([]int32, d.out.N)
		l, a, b, texture := d.column(), d.column(), d.column(), d.column()
		for i := range regions {
			x := float64(regions[i].Centroid[0]) + 0.5 + float64(way[0]*d.width)
			y := float64(regions[i].Centroid[1]) + 0.5 + float64(way[1]*d.height)
			cell := d.cells.At(within(x, d.cells.Width), within(y, d.cells.Height))
			there[i] = d.parent[cell]
			r := &regions[there[i]]
			l[i] = share(float64(r.Mean[0]) / 100)
			a[i] = signed(float64(r.Mean[1]), 20)
			b[i] = signed(float64(r.Mean[2]), 20)
			texture[i] = positive(float64(r.Texture), 4)
		}
		d.out.Offsets[w] = there
	}
}

// within is the pixel of a row or column of size pixels that v lies in, or the
// nearest one.
func within(v float64, size int) int { return min(max(int(v), 0), size-1) }
