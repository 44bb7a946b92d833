package pretend

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/superpixels"
)

// TestBlur compares with a direct sum.
func TestBlur(t *testing.T) {
	const width, height, sigma = 7, 5, 1.3
	plane := make([]float32, width*height)
	rng := rand.New(rand.NewPCG(1, 1))
	for p := range plane {
		plane[p] = rng.Float32()
	}
	want := make([]float32, len(plane))
	const reach = 3 // of 3σ = 3.9
	for p := range want {
		for q, v := range plane {
			dx, dy := p%width-q%width, p/width-q/width
			if max(dx, -dx) <= reach && max(dy, -dy) <= reach {
				want[p] += v * float32(math.Exp(-float64(dx*dx+dy*dy)/(2*sigma*sigma)))
			}
		}
	}
	blur(plane, width, gaussian(sigma))
	if d := cmp.Diff(want, plane, cmpopts.EquateApprox(1e-5, 0)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float32{1}, gaussian(0)); d != "" {
		t.Error(d)
	}
	// Wider than the plane.
	blur(make([]float32, 6), 3, gaussian(20))
}

// TestScores: each superpixel and segment is wrong about as often as requested,
// stays wrong at higher rates, and scores add up to one.
func TestScores(t *testing.T) {
	const width, height = 64, 48
	mask := make([]uint8, width*height)
	for p := range mask {
		mask[p] = uint8((p%width/2 + p/width/2) % 4) // many segments
	}
	wrong := func(y Classifier, draw int) (pixels float64, planes [][]float32) {
		planes = y.planes(mask, width, rand.New(rand.NewPCG(uint64(draw), 1)))
		for p, class := range mask {
			sum, best := float32(0), float32(0)
			for _, plane := range planes {
				if plane != nil {
					sum += plane[p]
					best = max(best, plane[p])
				}
			}
			if math.Abs(float64(sum)-1) > 1e-6 || math.Abs(float64(best)-0.6) > 1e-6 {
				t.Fatalf("pixel %d: the scores add up to %v, the best is %v", p, sum, best)
			}
			if planes[class] == nil || planes[class][p] < best {
				pixels++
			}
		}
		return pixels / float64(len(mask)), planes
	}
	last := -1.0
	for _, rate := range []float64{0, 0.1, 0.5, 1} {
		got, _ := wrong(Classifier{Doubt: 0.4, Corrupt: rate, Classes: 5}, 0)
		if math.Abs(got-rate) > 0.05 || got <= last {
			t.Errorf("at %v a share of %v is wrong", rate, got)
		}
		last = got
	}

	h, _ := superpixels.Divide(image.NewNRGBA(image.Rect(0, 0, width, height)), 100)
	m := h.Runs().Map()
	var before []bool
	for _, rate := range []float64{0, 0.2, 0.4} {
		void := slices.Repeat([]uint8{255}, len(mask))
		void[0] = 2 // so all but the surroundings of one pixel are void
		y := Classifier{Blur: 0.5, Corrupt: rate, Classes: 5}
		if rate > 0 {
			y.Doubt = 0.4
		}
		// A draw in which the one segment is right.
		scores, err := y.Scores(void, m, "a", 1)
		if err != nil {
			t.Fatal(err)
		}
		errs := make([]bool, m.N)
		count := 0
		for i := range errs {
			sum := 0.0
			for _, v := range scores[i*5 : (i+1)*5] {
				sum += v
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Fatalf("scores of superpixel %d add up to %v", i, sum)
			}
			errs[i] = scores[i*5+2] < 0.5
			if errs[i] {
				count++
			}
			if before != nil && before[i] && !errs[i] && rate > 0.2 {
				t.Errorf("superpixel %d is wrong at a lower rate only", i)
			}
		}
		if share := float64(count) / float64(len(errs)); math.Abs(share-rate) > 0.12 {
			t.Errorf("at %v a share of %v superpixels is wrong", rate, share)
		}
		before = errs
	}
}
