package engine

import (
	"slices"

	"collie/crf"
	"collie/segment"
	"collie/superpixels"
)

// Strength, exponent and proof of a guess that was copied from another image, and
// how alike superpixels have to be. Chosen on the CamVid films 0001TP and 0006R0.
const (
	CopyStrength = 0.01
	CopyExponent = 1
	CopyProof    = 0.25

	copyColour  = 8.0  // Lab units
	copyPlace   = 0.06 // of the width and height
	copyTexture = 0.15
	copyReach   = 0.25 // beyond this, superpixels are not compared
	copyDoubt   = 0.02 // weight of all that is not in the other image
)

// Copied is the labelling of one image as a guess for a similar one, such as the
// next of a film: each superpixel of to gets the classes of those of from that are
// alike in colour and texture and lie nearby, relative to the size of the image.
// labels has a class id or segment.Void for each superpixel of from. It returns
// the classes, ids in ascending order, and len(to.Regions) × classes shares,
// row-major; a row sums to less than 1 the less there is that matches, and is zero
// where nothing does. O(superpixels of both).
func Copied(from *superpixels.Graph, labels []uint8, to *superpixels.Graph) (classes []uint8, shares []float64) {
	var index [256]int
	for id := range segment.Void {
		if slices.Contains(labels, uint8(id)) {
			index[id] = len(classes)
			classes = append(classes, uint8(id))
		}
	}
	k := len(classes)
	shares = make([]float64, len(to.Regions)*k)
	fromSize, toSize := extent(from), extent(to)
	mean := float64(totalArea(from)) / float64(max(1, len(from.Regions)))
	for i := range to.Regions {
		r, row := &to.Regions[i], shares[i*k:(i+1)*k]
		sum := copyDoubt
		for j, label := range labels {
			if label == segment.Void {
				continue
			}
			if w := resemblance(&from.Regions[j], fromSize, r, toSize); w > 0 {
				w = float64(w * (float64(from.Regions[j].Area) / mean))
				sum += w
				row[index[label]] += w
			}
		}
		for c := range row {
			row[c] /= sum
		}
	}
	return classes, shares
}

// resemblance is how much a superpixel of one image speaks for one of another, 0..1.
func resemblance(a *superpixels.Region, aSize [2]float64, b *superpixels.Region, bSize [2]float64) float64 {
	d := 0.0
	for axis := range 2 {
		away := float64(a.Centroid[axis])/aSize[axis] - float64(b.Centroid[axis])/bSize[axis]
		if away > copyReach || away < -copyReach {
			return 0
		}
		d += float64(away*away) / (copyPlace * copyPlace)
	}
	for channel := range 3 {
		v := float64(a.Mean[channel]) - float64(b.Mean[channel])
		d += float64(float64(v*v) / (copyColour * copyColour))
	}
	different := 0.0
	for bin, p := range a.Histogram {
		if q := b.Histogram[bin]; p+q > 0 {
			v := float64(p) - float64(q)
			different += float64(v*v) / (float64(p) + float64(q))
		}
	}
	d += different / 2 / copyTexture
	return crf.Exp(-d / 2)
}

// extent is the size of the image of a graph in pixels.
func extent(g *superpixels.Graph) [2]float64 {
	size := [2]float64{1, 1}
	for i := range g.Regions {
		far := g.Regions[i].Bounds
		size[0], size[1] = max(size[0], float64(far.MaxX)), max(size[1], float64(far.MaxY))
	}
	return size
}

func totalArea(g *superpixels.Graph) int {
	area := 0
	for i := range g.Regions {
		area += int(g.Regions[i].Area)
	}
	return area
}
