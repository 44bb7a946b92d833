package learn

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/engine"
	"collie/superpixels"
)

// camouflage is an image of coloured blocks with two classes that colours don't
// tell apart, and an embedding: signal along one axis where the class changes,
// noise along three.
func camouflage(seed uint64, signal, noise float64) Embedded {
	const width, height, block = 128, 96, 16
	rng := rand.New(rand.NewPCG(seed, 8))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := 0; y < height; y += block {
		for x := 0; x < width; x += block {
			colour := [4]uint8{uint8(rng.IntN(200)), uint8(rng.IntN(200)), uint8(rng.IntN(200)), 255}
			for p := range block * block {
				at := img.PixOffset(x+p%block, y+p/block)
				copy(img.Pix[at:], colour[:])
				img.Pix[at] += uint8(rng.IntN(20))
			}
		}
	}
	h, cells := superpixels.Divide(img, 400)
	cut := h.Cut(cells, 100, make([]uint8, h.Finest()), 0)
	centre := [2]float64{30 + 70*rng.Float64(), 30 + 40*rng.Float64()}
	inside := func(r *superpixels.Region) bool {
		return math.Hypot(float64(r.Centroid[0])-centre[0], float64(r.Centroid[1])-centre[1]) < 25
	}
	e := &segment.Embedding{Dims: 4, Scale: 1. / 127}
	for i := range cells.Regions {
		row := [4]float64{}
		if inside(&cells.Regions[i]) {
			row[0] = signal
		}
		for d := range 3 {
			row[d+1] = noise * rng.NormFloat64()
		}
		for _, v := range row {
			e.Values = append(e.Values, uint8(math.Round(min(max(v, -1), 1)*127)+128))
		}
	}
	out := Embedded{Graph: cells.Coarsen(cut.Parent, cut.N), Embedding: engine.NewEmbedding(e, cut, cells)}
	for i := range out.Graph.Regions {
		label := uint8(0)
		if inside(&out.Graph.Regions[i]) {
			label = 1
		}
		out.Labels = append(out.Labels, label)
	}
	return out
}

func camouflaged(n int, signal, noise float64) (images []Embedded) {
	for i := range n {
		images = append(images, camouflage(uint64(i), signal, noise))
	}
	return images
}

// Embeddings that separate classes get weight, the same each time; noise doesn't,
// and nothing does with too few images.
func TestWeigh(t *testing.T) {
	weigh := func(images []Embedded) *segment.Embedding {
		w, err := Weigh(t.Context(), images, engine.DefaultParameters)
		if err != nil || !w.Fits(0) || w.Learnt != len(images) {
			t.Fatal(w, err)
		}
		return w
	}
	good := camouflaged(8, 0.6, 0.05)
	got := weigh(good)
	if !got.Counts() || got.Pairs.Slope >= 0 || got.Borders.Slope >= 0 {
		t.Errorf("embeddings that tell classes apart: %+v", got)
	}
	if diff := cmp.Diff(got, weigh(slices.Clone(good))); diff != "" {
		t.Errorf("twice:\n%s", diff)
	}
	if w := weigh(camouflaged(8, 0, 0.2)); w.Counts() {
		t.Errorf("nothing but noise: %+v", w)
	}
	if w := weigh(good[:FewestExamples-1]); w.Counts() {
		t.Errorf("with %d images: %+v", FewestExamples-1, w)
	}
	if w, err := Weigh(t.Context(), good, engine.HandMade); err != nil || w.Counts() {
		t.Errorf("without learned affinities: %+v, %v", w, err)
	}
	unlabelled := camouflaged(8, 0.6, 0.05)
	for i := range unlabelled {
		unlabelled[i].Labels = slices.Repeat([]uint8{segment.Void}, len(unlabelled[i].Labels))
	}
	if w := weigh(unlabelled); w.Counts() {
		t.Errorf("without labels: %+v", w)
	}
}

// The likelihood is the ratio of the two distributions of distances, whatever the
// share of pairs of one class and whatever the log odds without embeddings say.
func TestLikelihoodOfDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	// Distances are exponential with means 1/3 within a class and 1 between two: the
	// logarithm of their ratio is ln 3 - 2d.
	for _, share := range []float64{0.3, 0.7} {
		var image []comparison
		for range 40_000 {
			same := rng.Float64() < share
			c := comparison{odds: math.Log(share/(1-share)) + 0.8, same: same, distance: rng.ExpFloat64()}
			if same {
				c.distance /= 3
			}
			image = append(image, c)
		}
		got := likelihood([][]comparison{image})
		if math.Abs(got.Bias-math.Log(3)) > 0.1 || math.Abs(got.Slope+2) > 0.1 {
			t.Errorf("with %v of one class: %+v, want %.2f and -2", share, got, math.Log(3))
		}
		half, several := image[:1000], slices.Repeat(image[1000:5000], 3)
		one, other := likelihood([][]comparison{half, image[1000:5000]}), likelihood([][]comparison{half, several})
		if math.Abs(one.Bias-other.Bias) > 1e-9 || math.Abs(one.Slope-other.Slope) > 1e-9 {
			t.Errorf("an image with several times the same comparisons counts more: %+v, %+v", one, other)
		}
		for i := range image {
			image[i].distance = -image[i].distance
		}
		if got := likelihood([][]comparison{image}); got != (segment.Likelihood{}) {
			t.Errorf("larger distances within a class: %+v", got)
		}
	}
}
