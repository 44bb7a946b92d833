package superpixels

import "image"

// Graph describes the regions of a map and their borders.
type Graph struct {
	Regions []Region // by region id
	Edges   []Edge   // sorted by (A, B)
	// Merges is the order in which the regions merge until one is left: nodes
	// 0..n-1 are the n regions, and Merges[i] names the two that join into node
	// n+i. It is nil in a graph without a hierarchy and in one stored by a
	// version that didn't keep it, which also lacks Colours and Directions.
	Merges [][2]int32
}

// Shares is the part of the whole area that each region has, 0 to 1; the caller owns
// the slice.
func (g *Graph) Shares() []float64 {
	total := 0
	for _, r := range g.Regions {
		total += int(r.Area)
	}
	shares := make([]float64, len(g.Regions))
	for i, r := range g.Regions {
		shares[i] = float64(r.Area) / float64(total)
	}
	return shares
}

// HistogramBins is the number of bins of a texture histogram. Bin 0 counts
// gradient magnitudes below ½, bin i those in [2^(i−2), 2^(i−1)), the last bin
// those from 32.
const HistogramBins = 8

// Bins of the histograms of colours and of gradient directions.
const (
	ColourBins    = 16
	DirectionBins = 8
)

// Region describes one region. Colours are CIELAB (D65) of the image as it is;
// gradients are those the segmentation uses: central differences of the
// blurred colour, squared chroma counted twice, in CIELAB units per two pixels.
type Region struct {
	Area      int32                  // pixels
	Centroid  [2]float32             // mean x, y of the pixels; a pixel's own x, y is its top left corner
	Bounds    Box                    // smallest rectangle that holds the region, origin at the image's top left
	Mean      [3]float32             // mean L, a, b
	Cov       [6]float32             // covariance LL, La, Lb, aa, ab, bb
	Texture   float32                // mean gradient magnitude inside, full resolution (G1)
	Histogram [HistogramBins]float32 // shares of gradient magnitudes, sum 1

	// Shares of the pixels, in units of 1/255, rounded.
	Colours    [3][ColourBins]uint8 // with L, a, b in each bin, see lightnessBin and chromaBin
	Directions [DirectionBins]uint8 // with a gradient of L nearest to 0°, 22.5°, … 157.5°, counted without its sign; flat pixels have none
}

// Box is an image.Rectangle in half its memory: graphs have thousands of regions.
type Box struct{ MinX, MinY, MaxX, MaxY int32 }

// BoxOf returns the box of a rectangle whose sides fit into 32 bits.
func BoxOf(r image.Rectangle) Box {
	return Box{int32(r.Min.X), int32(r.Min.Y), int32(r.Max.X), int32(r.Max.Y)}
}

// Rect returns the rectangle of a box.
func (b Box) Rect() image.Rectangle {
	return image.Rectangle{image.Pt(int(b.MinX), int(b.MinY)), image.Pt(int(b.MaxX), int(b.MaxY))}
}

// Edge describes the border between regions A < B.
type Edge struct {
	A, B            int32
	Length          int32   // pixel sides
	Contour         float32 // mean gradient magnitude along the border, half resolution (G2)
	MedianContour   float32 // median of the same
	DeltaE          float32 // sqrt(ΔL² + 3.2 (Δa² + Δb²)) of the means
	Texture         float32 // mean of the two regions' Texture, weighted by area
	TextureDistance float32 // ½ Σ (p−q)²/(p+q) of the histograms, 0..1
}
