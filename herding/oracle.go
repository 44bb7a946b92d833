package herding

// Truth is what is known of the right answer: the area of each true class
// within each node, n×Labels row-major, void left out. With it the quality of
// a labelling of nodes is exactly that of its pixels.
type Truth struct {
	Labels int
	Area   []float64
}

// NewTruth takes one true label per node; labels from labels on (255: void) count for nothing.
func NewTruth(truth []uint8, area []float64, labels int) Truth {
	t := Truth{labels, make([]float64, len(truth)*labels)}
	for i, l := range truth {
		if int(l) < labels {
			t.Area[i*labels+int(l)] = area[i]
		}
	}
	return t
}

// MeanIoU is the intersection over union of x (one label below t.Labels per
// node) with the truth, averaged over the classes that occur in either; 1 when
// all is void.
func (t Truth) MeanIoU(x []uint8) float64 {
	k := t.Labels
	both := make([]float64, k)
	union := make([]float64, k)
	for i, l := range x {
		for c, a := range t.Area[i*k : (i+1)*k] {
			union[c] += a
			if c == int(l) {
				both[c] += a
			} else {
				union[l] += a
			}
		}
	}
	sum, classes := 0.0, 0
	for c, u := range union {
		if u > 0 {
			sum += both[c] / u
			classes++
		}
	}
	if classes == 0 {
		return 1
	}
	return sum / float64(classes)
}

// Oracle is the rank and the quality of the first hypothesis of highest
// MeanIoU: what a person who picks from the strip could get. -1 and 0 without hypotheses.
func (t Truth) Oracle(hypotheses [][]uint8) (rank int, iou float64) {
	rank = -1
	for m, x := range hypotheses {
		if v := t.MeanIoU(x); rank < 0 || v > iou {
			rank, iou = m, v
		}
	}
	return rank, iou
}
