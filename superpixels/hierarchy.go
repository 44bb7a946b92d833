package superpixels

import (
	"encoding/binary"
	"fmt"
	"image"
)

// Hierarchy is a nested family of maps of one image: the finest map and the
// order in which its regions merge until one is left. At a coarser level every
// region is a union of regions of each finer level. It is immutable once made
// and safe for concurrent use.
type Hierarchy struct {
	finest *Runs
	// merges[i] names the two nodes that join into node finest.N+i; nodes
	// 0..finest.N-1 are the regions of the finest map.
	merges [][2]int32
}

// Finest returns the number of regions of the finest level.
func (h *Hierarchy) Finest() int { return h.finest.N }

// Runs returns the finest level, which is shared with h.
func (h *Hierarchy) Runs() *Runs { return h.finest }

// At returns the level with exactly min(n, Finest) regions; n < 1 counts as 1.
// It takes one pass over the pixels and shares no memory with h.
func (h *Hierarchy) At(n int) *Map {
	return h.finest.Coarsen(h.level(n)).Map()
}

// Level returns, for each region of the finest level, which of the min(n,
// Finest) regions of a coarser one contains it; n < 1 counts as 1.
func (h *Hierarchy) Level(n int) []int32 {
	of, _ := h.level(n)
	return of
}

// LevelOf returns Level(n) for the regions of a cut: which of n coarse regions
// contains each of them. n must not exceed the number requested for the cut.
func (h *Hierarchy) LevelOf(c *Cut, n int) []int32 {
	of := make([]int32, c.N)
	for i, region := range h.Level(n) {
		of[c.Parent[i]] = region
	}
	return of
}

// NewHierarchy segments the image, whose alpha is ignored, into finest regions
// (at least 1, at most one per pixel) and merges them down to one. It panics
// when the image is empty. The result depends on the pixels and on finest only;
// coarse levels hardly depend on finest.
func NewHierarchy(img *image.NRGBA, finest int) *Hierarchy {
	h, s := divide(img, finest)
	s.release()
	return h
}

// Divide returns NewHierarchy(img, finest) and the graph that Describe returns
// for its finest level, with the merges. It is faster than calling both.
func Divide(img *image.NRGBA, finest int) (*Hierarchy, *Graph) {
	h, s := divide(img, finest)
	defer s.release()
	g := s.describe(img, h.finest)
	g.Merges = h.merges
	return h, g
}

// divide is NewHierarchy that returns the scene, too, which the caller must release.
func divide(img *image.NRGBA, finest int) (*Hierarchy, *scene) {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if width < 1 || height < 1 {
		panic("superpixels: empty image")
	}
	finest = min(max(finest, 1), width*height)
	w, h := reducedSize(width, height, max(workPixels, pixelsPerRegion*finest))
	s := newScene(img, w, h)
	m, t := s.segment(DefaultRegions(width, height), finest)
	if w != width || h != height {
		m, t = t.enlarge(m, img)
	}
	return &Hierarchy{finest: m, merges: t.merges}, s
}

const (
	hierarchyMagic   = "CSPH"
	hierarchyVersion = 1
	hierarchyHeader  = 8
)

// MarshalBinary encodes the hierarchy: magic "CSPH", version 1 (one byte),
// three bytes 0, the finest map as Runs.MarshalBinary writes it, then for each
// of its N−1 merges, in order, the two nodes that join, as unsigned LEB128
// numbers. Nodes 0..N−1 are the regions; merge i makes node N+i.
func (h *Hierarchy) MarshalBinary() ([]byte, error) {
	body, err := h.finest.MarshalBinary()
	if err != nil {
		return nil, err
	}
	dst := make([]byte, hierarchyHeader, hierarchyHeader+len(body)+6*len(h.merges))
	copy(dst, hierarchyMagic)
	dst[4] = hierarchyVersion
	dst = append(dst, body...)
	return appendMerges(dst, h.merges), nil
}

func appendMerges(dst []byte, merges [][2]int32) []byte {
	for _, pair := range merges {
		dst = binary.AppendUvarint(dst, uint64(pair[0]))
		dst = binary.AppendUvarint(dst, uint64(pair[1]))
	}
	return dst
}

// UnmarshalBinary decodes what MarshalBinary wrote. Invalid bytes give an error
// and leave h unchanged; memory is bounded as for Runs.UnmarshalBinary.
func (h *Hierarchy) UnmarshalBinary(data []byte) error {
	d, err := readHierarchy(data)
	if err != nil {
		return fmt.Errorf("superpixels: decode hierarchy: %w", err)
	}
	*h = *d
	return nil
}

func readHierarchy(data []byte) (*Hierarchy, error) {
	if len(data) < hierarchyHeader {
		return nil, errTruncated
	}
	if string(data[:4]) != hierarchyMagic {
		return nil, fmt.Errorf("magic %q, want %q", data[:4], hierarchyMagic)
	}
	if data[4] != hierarchyVersion || data[5] != 0 || data[6] != 0 || data[7] != 0 {
		return nil, fmt.Errorf("version %d (flags %x), want %d", data[4], data[5:8], hierarchyVersion)
	}
	m, rest, err := readMap(data[hierarchyHeader:])
	if err != nil {
		return nil, err
	}
	merges, err := readMerges(rest, m.N)
	if err != nil {
		return nil, err
	}
	return &Hierarchy{finest: m, merges: merges}, nil
}

// readMerges decodes the n-1 merges of n regions, which must fill data.
func readMerges(data []byte, n int) ([][2]int32, error) {
	merges := make([][2]int32, n-1)
	used := make([]bool, 2*n-1)
	for i := range merges {
		for k := range merges[i] {
			node, rest, err := uvarint(data, uint64(n+i-1))
			if err != nil {
				return nil, fmt.Errorf("merge %d: %w", i, err)
			}
			if used[node] {
				return nil, fmt.Errorf("merge %d: node %d was merged before", i, node)
			}
			used[node] = true
			merges[i][k] = int32(node)
			data = rest
		}
	}
	if len(data) > 0 {
		return nil, errTrailing
	}
	return merges, nil
}
