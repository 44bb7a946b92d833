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
	data = data[graphHeader:]
	g := &Graph{Regions: make([]Region, n)}
	if k > 0 {
		g.Edges = make([]Edge, k)
	}
	for i := range g.Regions {
		r := &g.Regions[i]
		sound := r.read(data)
		data = data[regionBytes:]
		if version > 1 {
			for c := range r.Colours {
				data = data[copy(r.Colours[c][:], data):]
			}
			data = data[copy(r.Directions[:], data):]
		}
		if !sound {
			return nil, fmt.Errorf("region %d holds an impossible number", i)
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		sound := e.read(data)
		data = data[edgeBytes:]
		if !sound || uint32(e.B) >= uint32(n) {
			return nil, fmt.Errorf("edge %d holds an impossible number", i)
		}
		if i > 0 && (g.Edges[i-1].A > e.A || g.Edges[i-1].A == e.A && g.Edges[i-1].B >= e.B) {
			return nil, fmt.Errorf("edge %d is out of order", i)
		}
	}
	if len(data) > 0 {
		var err error
		if g.Merges, err = readMerges(data, int(n)); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// read decodes all but the shares of a region from the front of data and reports
// whether the numbers are possible.
func (r *Region) read(data []byte) bool {
	b := (*[regionBytes]byte)(data)
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	area, minX, minY, maxX, maxY := word(0), word(3), word(4), word(5), word(6)
	r.Area, r.Bounds = int32(area), Box{int32(minX), int32(minY), int32(maxX), int32(maxY)}
	sound := area >= 1 && area <= MaxPixels && minX < maxX && maxX <= MaxSide && minY < maxY && maxY <= MaxSide
	sound = readFloats(r.Centroid[:], b[4:], 0) && sound
	sound = readFloats(r.Mean[:], b[28:], -math.MaxFloat32) && sound
	sound = readFloats(r.Cov[:], b[40:], -math.MaxFloat32) && sound
	var texture [1]float32
	sound = readFloats(texture[:], b[64:], 0) && sound
	r.Texture = texture[0]
	return readFloats(r.Histogram[:], b[68:], 0) && sound
}

// read is Region.read for an edge, whose region B it doesn't compare with the
// number of regions.
func (e *Edge) read(data []byte) bool {
	b := (*[edgeBytes]byte)(data)
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	length := word(2)
	e.A, e.B, e.Length = int32(word(0)), int32(word(1)), int32(length)
	var measures [5]float32
	sound := readFloats(measures[:], b[12:], 0) && e.A >= 0 && e.A < e.B && length >= 1 && length <= 2*MaxPixels
	e.Contour, e.MedianContour, e.DeltaE, e.Texture, e.TextureDistance = measures[0], measures[1], measures[2], measures[3], measures[4]
	return sound
}

// readFloats fills dst from the front of data and reports whether all are numbers
// from low to the largest finite one.
func readFloats(dst []float32, data []byte, low float32) bool {
	data = data[:4*len(dst)]
	sound := true
	for i := range dst {
		v := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		dst[i] = v
		sound = sound && v >= low && v <= math.MaxFloat32
	}
	return sound
}
