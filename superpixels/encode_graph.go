package superpixels

import (
	"encoding/binary"
	"fmt"
	"math"
)

const (
	graphMagic   = "CSPG"
	graphVersion = 2
	graphHeader  = 16
	regionBytes  = 4 * (1 + 2 + 4 + 3 + 6 + 1 + HistogramBins) // of version 1
	shareBytes   = 3*ColourBins + DirectionBins                // which version 2 adds
	edgeBytes    = 4 * (3 + 5)
)

// MarshalBinary encodes the graph. Layout, all little-endian: magic "CSPG",
// version 2 (one byte), three bytes 0, uint32 numbers of regions and edges;
// then for each region uint32 area, float32 centroid x, y, uint32 bounds min x,
// y, max x, y, float32 mean (3), covariance (6), texture, histogram (8), bytes
// of the shares of colours (3×16) and directions (8); then for each edge uint32
// a, b, length, float32 contour, median contour, ΔE, texture, texture distance;
// then the merges as in Hierarchy.MarshalBinary, unless they are nil. Version 1
// ends with the edges and has no shares.
func (g *Graph) MarshalBinary() ([]byte, error) {
	dst := make([]byte, graphHeader, graphHeader+(regionBytes+shareBytes+6)*len(g.Regions)+edgeBytes*len(g.Edges))
	copy(dst, graphMagic)
	dst[4] = graphVersion
	le := binary.LittleEndian
	le.PutUint32(dst[8:], uint32(len(g.Regions)))
	le.PutUint32(dst[12:], uint32(len(g.Edges)))
	floats := func(values ...float32) {
		for _, v := range values {
			dst = le.AppendUint32(dst, math.Float32bits(v))
		}
	}
	for i := range g.Regions {
		r := &g.Regions[i]
		dst = le.AppendUint32(dst, uint32(r.Area))
		floats(r.Centroid[:]...)
		for _, v := range [4]int32{r.Bounds.MinX, r.Bounds.MinY, r.Bounds.MaxX, r.Bounds.MaxY} {
			dst = le.AppendUint32(dst, uint32(v))
		}
		floats(r.Mean[:]...)
		floats(r.Cov[:]...)
		floats(r.Texture)
		floats(r.Histogram[:]...)
		for c := range r.Colours {
			dst = append(dst, r.Colours[c][:]...)
		}
		dst = append(dst, r.Directions[:]...)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		dst = le.AppendUint32(dst, uint32(e.A))
		dst = le.AppendUint32(dst, uint32(e.B))
		dst = le.AppendUint32(dst, uint32(e.Length))
		floats(e.Contour, e.MedianContour, e.DeltaE, e.Texture, e.TextureDistance)
	}
	return appendMerges(dst, g.Merges), nil
}

// UnmarshalBinary decodes what MarshalBinary wrote, or version 1 of it. Invalid
// bytes give an error and leave g unchanged; every number is checked to be
// finite and in range, and memory is proportional to len(data).
func (g *Graph) UnmarshalBinary(data []byte) error {
	d, err := readGraph(data)
	if err != nil {
		return fmt.Errorf("superpixels: decode graph: %w", err)
	}
	*g = *d
	return nil
}

func readGraph(data []byte) (*Graph, error) {
	if len(data) < graphHeader {
		return nil, errTruncated
	}
	if string(data[:4]) != graphMagic {
		return nil, fmt.Errorf("magic %q, want %q", data[:4], graphMagic)
	}
	version := data[4]
	if version < 1 || version > graphVersion || data[5] != 0 || data[6] != 0 || data[7] != 0 {
		return nil, fmt.Errorf("version %d (flags %x), want 1 to %d", version, data[5:8], graphVersion)
	}
	n, k := uint64(binary.LittleEndian.Uint32(data[8:])), uint64(binary.LittleEndian.Uint32(data[12:]))
	size := graphHeader + n*regionBytes + k*edgeBytes
	if version > 1 {
		size += n * shareBytes
	}
	switch {
	case uint64(len(data)) < size:
		return nil, errTruncated
	case uint64(len(data)) > size && (version == 1 || n < 2):
		return nil, errTrailing
	}
	f := &fields{data: data[graphHeader:]}
	g := &Graph{Regions: make([]Region, n)}
	if k > 0 {
		g.Edges = make([]Edge, k)
	}
	for i := range g.Regions {
		r := &g.Regions[i]
		r.Area = int32(f.number(1, maxPixels))
		f.floats(r.Centroid[:], 0)
		minX, minY := f.number(0, maxSide), f.number(0, maxSide)
		maxX, maxY := f.number(minX+1, maxSide), f.number(minY+1, maxSide)
		r.Bounds = Box{int32(minX), int32(minY), int32(maxX), int32(maxY)}
		f.floats(r.Mean[:], float32(math.Inf(-1)))
		f.floats(r.Cov[:], float32(math.Inf(-1)))
		r.Texture = f.float()
		f.floats(r.Histogram[:], 0)
		if version > 1 {
			for c := range r.Colours {
				f.bytes(r.Colours[c][:])
			}
			f.bytes(r.Directions[:])
		}
		if f.bad {
			return nil, fmt.Errorf("region %d holds an impossible number", i)
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		e.A, e.B = int32(f.number(0, int(n)-1)), int32(f.number(0, int(n)-1))
		e.Length = int32(f.number(1, 2*maxPixels))
		e.Contour, e.MedianContour, e.DeltaE, e.Texture, e.TextureDistance = f.float(), f.float(), f.float(), f.float(), f.float()
		if f.bad || e.A >= e.B {
			return nil, fmt.Errorf("edge %d holds an impossible number", i)
		}
		if i > 0 && (g.Edges[i-1].A > e.A || g.Edges[i-1].A == e.A && g.Edges[i-1].B >= e.B) {
			return nil, fmt.Errorf("edge %d is out of order", i)
		}
	}
	if len(f.data) > 0 {
		var err error
		if g.Merges, err = readMerges(f.data, int(n)); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// fields reads numbers of four bytes each; a number out of range sets bad.
type fields struct {
	data []byte
	bad  bool
}

func (f *fields) word() uint32 {
	v := binary.LittleEndian.Uint32(f.data)
	f.data = f.data[4:]
	return v
}

func (f *fields) bytes(dst []byte) { f.data = f.data[copy(dst, f.data):] }

func (f *fields) number(low, high int) int {
	v := int(f.word())
	if v < low || v > high {
		f.bad = true
		return low
	}
	return v
}

// float reads a finite number ≥ 0.
func (f *fields) float() float32 {
	var v [1]float32
	f.floats(v[:], 0)
	return v[0]
}

// floats reads finite numbers ≥ low.
func (f *fields) floats(dst []float32, low float32) {
	for i := range dst {
		v := math.Float32frombits(f.word())
		if !(v >= low && v <= math.MaxFloat32 && v >= -math.MaxFloat32) {
			f.bad = true
		}
		dst[i] = v
	}
}
