package herding

import "fmt"

// RegionMoments are area moments within the regions of one division of the
// nodes, such as a coarse cut of the superpixel hierarchy. Unary moments are
// met node by node, and their errors average out within an object; area moments
// of the image move a class wherever it is weakest. Those of regions make a
// whole part of the image change its class from time to time, as often as the
// marginals require.
//
// A class that was given a share of a region's area too small by δ gains Eta·δ
// in the unary of a node of average area there, and in proportion to their area
// in the others.
type RegionMoments struct {
	Group   []int32   // region of each node, from 0
	Moments []float64 // regions × labels row-major, shares of the region's area, 0..1
	Eta     float64
}

// NewRegionMoments are the expected shares of the labels in the area of each
// region under the probabilities p (nodes×labels row-major). Eta is left to the
// caller. O(n·k).
func NewRegionMoments(p []float64, labels int, area []float64, group []int32) (RegionMoments, error) {
	if labels < 1 || len(p) != len(area)*labels || len(group) != len(area) {
		return RegionMoments{}, fmt.Errorf("%w: %d probabilities, %d areas and the regions of %d nodes for %d labels", ErrShape, len(p), len(area), len(group), labels)
	}
	count := 0
	for i, g := range group {
		if g < 0 || int(g) >= len(group) {
			return RegionMoments{}, fmt.Errorf("%w: node %d is in region %d, want 0 to %d", ErrRange, i, g, len(group)-1)
		}
		count = max(count, int(g)+1)
	}
	m := RegionMoments{Group: group, Moments: make([]float64, count*labels)}
	shares := regionShares(area, group, count)
	for i, g := range group {
		for l := range labels {
			m.Moments[int(g)*labels+l] += float64(shares[i] * p[i*labels+l])
		}
	}
	for i, v := range m.Moments {
		m.Moments[i] = min(v, 1) // rounding
	}
	return m, nil
}

// regionShares are the nodes' shares of their region's area, 0 in a region
// without area.
func regionShares(area []float64, group []int32, count int) []float64 {
	whole := make([]float64, count)
	for i, g := range group {
		whole[g] += area[i]
	}
	shares := make([]float64, len(area))
	for i, g := range group {
		if whole[g] > 0 {
			shares[i] = area[i] / whole[g]
		}
	}
	return shares
}

// validate checks the moments of a problem whose model is valid.
func (m RegionMoments) validate(p *Problem) error {
	n, k := p.Model.Nodes, p.Model.Labels
	if p.Area == nil {
		return fmt.Errorf("%w: moments of regions need the areas of the nodes", ErrShape)
	}
	if len(m.Group) != n || len(m.Moments)%k != 0 {
		return fmt.Errorf("%w: the regions of %d nodes and %d moments for %d nodes × %d labels", ErrShape, len(m.Group), len(m.Moments), n, k)
	}
	for i, g := range m.Group {
		if g < 0 || int(g) >= len(m.Moments)/k {
			return fmt.Errorf("%w: node %d is in region %d of %d", ErrRange, i, g, len(m.Moments)/k)
		}
	}
	for i, v := range m.Moments {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("%w: moment %d of a region is %v, want 0 to 1", ErrRange, i, v)
		}
	}
	return checkRate(m.Eta)
}

// region is the state of one division during a sequence.
type region struct {
	RegionMoments
	labels  int
	share   []float64 // of the region's area, per node
	nodes   []float64 // of each region
	theta   []float64 // regions × labels
	covered []float64 // scratch: share of each label in each region
}

func newRegion(m RegionMoments, area []float64, labels int) *region {
	count := len(m.Moments) / labels
	r := &region{
		RegionMoments: m, labels: labels, share: regionShares(area, m.Group, count),
		nodes: make([]float64, count), theta: make([]float64, len(m.Moments)), covered: make([]float64, len(m.Moments)),
	}
	for _, g := range m.Group {
		r.nodes[g]++
	}
	return r
}

func (r *region) cover(x []uint8) {
	clear(r.covered)
	for i, l := range x {
		r.covered[int(r.Group[i])*r.labels+int(l)] += r.share[i]
	}
}

// slack is the regions' part of θ·φ(x) - θ·μ.
func (r *region) slack(x []uint8) float64 {
	if r.Eta == 0 {
		return 0
	}
	r.cover(x)
	sum := 0.0
	for i, t := range r.theta {
		sum += float64(t * (r.covered[i] - r.Moments[i]))
	}
	return sum
}

// update moves θ towards the moments and returns its squared norm.
func (r *region) update(x []uint8, scale float64) float64 {
	r.cover(x)
	norm := 0.0
	for i := range r.theta {
		eta := float64(float64(r.Eta*r.nodes[i/r.labels]) * scale)
		r.theta[i] += float64(eta * (r.Moments[i] - r.covered[i]))
		norm += float64(r.theta[i] * r.theta[i])
	}
	return norm
}

// addTo adds what the regions say to the unaries.
func (r *region) addTo(unary []float64) {
	for i, s := range r.share {
		row := unary[i*r.labels : (i+1)*r.labels]
		for l, t := range r.theta[int(r.Group[i])*r.labels:][:r.labels] {
			row[l] += float64(t * s)
		}
	}
}
