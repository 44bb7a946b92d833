package affinity

import (
	"math"
	"slices"

	"collie/superpixels"
)

// appearance has the features for comparing a region, prepared for many
// comparisons.
type appearance struct {
	mean, spread [3]float32 // of L, a, b
	chroma       float32    // √(a²+b²) of the mean
	vivid        float32    // √ of the variance of a and b
	texture      float32    // ln(mean gradient + ½)
	size         float32    // ln of the area
	centre       [2]float32
	gradients    [superpixels.HistogramBins]float32 // square roots of the shares
	directions   [superpixels.DirectionBins]float32 // the same, flat pixels not counted
	colours      *[3][superpixels.ColourBins]uint8  // shares of the region
	parts        [3]float32                         // 1 / their sums, which rounding keeps from being 255
}

func appearances(regions []superpixels.Region) []appearance {
	out := make([]appearance, len(regions))
	for i := range regions {
		r, a := &regions[i], &out[i]
		a.mean = r.Mean
		for c, at := range [3]int{0, 3, 5} {
			a.spread[c] = root(max(r.Cov[at], 0))
		}
		a.vivid = root(max(r.Cov[3], 0) + max(r.Cov[5], 0))
		a.chroma = length(r.Mean[1], r.Mean[2])
		a.texture = superpixels.Ln(r.Texture + 0.5)
		a.size = superpixels.Ln(float32(r.Area))
		a.centre = r.Centroid
		a.colours = &r.Colours
		for c := range r.Colours {
			a.parts[c] = 1 / float32(max(total(r.Colours[c][:]), 1))
		}
		for k, v := range r.Histogram {
			a.gradients[k] = root(v)
		}
		directed := total(r.Directions[:])
		for k, v := range r.Directions {
			a.directions[k] = root((float32(v) + 1) / float32(directed+superpixels.DirectionBins))
		}
	}
	return out
}

// owned copies the colours of appearances, so that they don't keep the rest of
// their regions in memory. It returns them.
func owned(all []appearance) []appearance {
	colours := make([][3][superpixels.ColourBins]uint8, len(all))
	for i := range all {
		colours[i] = *all[i].colours
		all[i].colours = &colours[i]
	}
	return all
}

func total(shares []uint8) int {
	sum := 0
	for _, v := range shares {
		sum += int(v)
	}
	return sum
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func length(x, y float32) float32 { return root(float32(x*x) + float32(y*y)) }

// abs clears the sign; max(x, -x) costs several times as much.
func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// hellinger is ten times the squared Hellinger distance 1 - Σ √(p·q) of two
// histograms, given as square roots.
func hellinger(p, q []float32) float32 {
	sum := float32(0)
	for k, v := range p {
		sum += float32(v * q[k])
	}
	return float32(10 * max(1-sum, 0))
}

// roots are the square roots of the numbers that a share can be.
var roots [256]float32

func init() {
	for v := range roots {
		roots[v] = root(float32(v))
	}
}

// occupied are the bins of a region's colours that are not empty: where they are,
// and the roots of their shares.
type occupied [3]struct {
	count int
	bins  [superpixels.ColourBins]uint8
	roots [superpixels.ColourBins]float32
}

func (a *appearance) occupied() (o occupied) {
	for c := range o {
		at := &o[c]
		for k, v := range a.colours[c] {
			if v > 0 {
				at.bins[at.count], at.roots[at.count] = uint8(k), roots[v]
				at.count++
			}
		}
	}
	return o
}

// channels are some of L, a and b.
type channels [3]bool

var allChannels = channels{true, true, true}

// histograms are ten times the squared Hellinger distances of the channels'
// colours.
func (a *appearance) histograms(b *appearance) [3]float32 {
	o := a.occupied()
	return a.compared(&o, b, allChannels)
}

// compared is histograms(b) where o is a.occupied(); 0 for channels that are not
// wanted.
func (a *appearance) compared(o *occupied, b *appearance, wanted channels) (h [3]float32) {
	for c := range h {
		if !wanted[c] {
			continue
		}
		sum := float32(0)
		p, q := &o[c], &b.colours[c]
		for i, k := range p.bins[:p.count] {
			sum += float32(p.roots[i] * roots[q[k]])
		}
		h[c] = float32(10 * max(1-float32(sum*root(float32(a.parts[c]*b.parts[c]))), 0))
	}
	return h
}

// transport is the earth mover's distance of the channels' colours, in bins; 0 for
// channels that are not wanted.
func (a *appearance) transport(b *appearance, wanted channels) (distance [3]float32) {
	for c := range distance {
		if !wanted[c] {
			continue
		}
		sum, ahead := float32(0), float32(0)
		p, q := a.parts[c], b.parts[c]
		other := &b.colours[c]
		for k, v := range a.colours[c] {
			ahead += float32(p*float32(v)) - float32(q*float32(other[k]))
			sum += abs(ahead)
		}
		distance[c] = sum
	}
	return distance
}

// mean is that of the three channels.
func mean(channels [3]float32) float32 { return (channels[0] + channels[1] + channels[2]) / 3 }

// deltaE is the distance of the mean colours as superpixels weigh it.
func (a *appearance) deltaE(b *appearance) float32 {
	l, u, v := a.mean[0]-b.mean[0], a.mean[1]-b.mean[1], a.mean[2]-b.mean[2]
	return root(float32(l*l) + float32(3.2*(float32(u*u)+float32(v*v))))
}

// costly are the features of a comparison that take most of its time.
type costly struct{ histograms, transport channels }

// costly returns those that the regression looks at.
func (r *Regression) costly() (c costly) {
	for channel := range 3 {
		c.histograms[channel] = r.Terms[histogramsAt+channel].counts()
		c.transport[channel] = r.Terms[transportAt+channel].counts()
	}
	return c
}

// all are the costly features for callers that need every one.
var all = costly{allChannels, allChannels}

// compare writes the features of a comparison of two regions, whose histograms
// are given and whose transport is 0 where it is not wanted, and returns the rest
// of dst.
func (a *appearance) compare(dst []float32, b *appearance, histograms [3]float32, transport channels) []float32 {
	moved := a.transport(b, transport)
	hue := length(a.mean[1]-b.mean[1], a.mean[2]-b.mean[2])
	light := abs(a.mean[0] - b.mean[0])
	copy(dst, []float32{
		light, abs(a.mean[1] - b.mean[1]), abs(a.mean[2] - b.mean[2]),
		a.deltaE(b), abs(a.chroma - b.chroma),
		abs(a.spread[0] - b.spread[0]), abs(a.spread[1] - b.spread[1]), abs(a.spread[2] - b.spread[2]),
		4 * light / (a.spread[0] + b.spread[0] + 2), 4 * hue / (a.vivid + b.vivid + 1),
		histograms[0], histograms[1], histograms[2],
		moved[0], moved[1], moved[2],
		hellinger(a.gradients[:], b.gradients[:]), abs(a.texture - b.texture),
		hellinger(a.directions[:], b.directions[:]),
		a.texture + b.texture, (a.mean[0] + b.mean[0]) / 20, (a.chroma + b.chroma) / 10,
		a.spread[0] + b.spread[0],
	})
	return dst[len(comparison):]
}

// histogramsAt and transportAt are where comparison lists the costly features.
const (
	histogramsAt = 10
	transportAt  = 13
)

// comparison lists the features that compare writes.
var comparison = slices.Concat(distances(
	"lightness", "a", "b", "colour", "chroma",
	"spread-lightness", "spread-a", "spread-b",
	"lightness-by-spread", "hue-by-spread",
	"histogram-lightness", "histogram-a", "histogram-b",
	"transport-lightness", "transport-a", "transport-b",
	"histogram-gradient", "texture", "histogram-direction",
), others("both-texture", "both-lightness", "both-chroma", "both-spread"))
