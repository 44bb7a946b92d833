package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment/simulate"
)

// find is the row of a method at a rate of errors.
func find(t *testing.T, r results, method, corrupt any) map[string]any {
	t.Helper()
	at := slices.IndexFunc(r.Results, func(row map[string]any) bool { return row["method"] == method && row["corrupt"] == corrupt })
	if at < 0 {
		t.Fatalf("no row of %s at %v in %v", method, corrupt, r.Results)
	}
	return r.Results[at]
}

func TestSemantic(t *testing.T) {
	args := []string{
		"semantic", "--data", folder(t, 3), "--regions", "60", "--classes", "3", "--hypotheses", "5", "--draws", "2",
		"--blur", "0.02", "--corrupt", "0,0.4", "--methods", "argmax,map,divmbest,herding,label-bias",
	}
	r := figures[results](t, args...)
	if got, want := len(r.Results), 2*5; got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	for _, row := range r.Results {
		if m := missing(row, "method", "observed", "hypotheses", "images", "oracle", "first", "mode", "per_class", "milliseconds_per_hypothesis", "blur", "corrupt"); len(m) > 0 {
			t.Fatalf("row lacks %v", m)
		}
		if row["images"] != 3.0 || row["blur"] != 0.02 {
			t.Errorf("%v images and blur %v, want 3 and 0.02", row["images"], row["blur"])
		}
		first := row["first"].(float64)
		if row["corrupt"] == 0.0 && first < 0.9 {
			t.Errorf("%v on right scores: first %v, want nearly 1", row["method"], first)
		}
		if right := find(t, r, row["method"], 0.0)["first"].(float64); row["corrupt"] != 0.0 && first > right-0.1 {
			t.Errorf("%v: first %v on wrong scores, %v on right ones", row["method"], first, right)
		}
		each := row["per_image"].(map[string]any)
		if each["oracle"].(float64) < each["first"].(float64) {
			t.Errorf("%v: per image the oracle is below the first hypothesis: %v", row["method"], each)
		}
	}
	if again := figures[results](t, args...); !cmp.Equal(r, again, cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return k == "milliseconds_per_hypothesis" })) {
		t.Error("a second run gives other figures")
	}
	// Clicks on top of wrong scores help.
	clicked := figures[results](t, append(args, "--observed", "0.5")...)
	if with, without := find(t, clicked, "map", 0.4)["first"].(float64), find(t, r, "map", 0.4)["first"].(float64); with < without+0.1 {
		t.Errorf("first %v with half of the superpixels clicked, %v without", with, without)
	}
	if all := figures[results](t, append(args, "--observed", "1")...); find(t, all, "herding", 0.4)["mode"].(float64) < 0.93 {
		t.Errorf("mode %v with everything clicked", find(t, all, "herding", 0.4)["mode"])
	}
}

// archiveOf is an archive of one array of float32.
func archiveOf(t *testing.T, shape string, values []float32) string {
	t.Helper()
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n", shape)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("probs.npy")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s", len(text), text)
	if err := binary.Write(w, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// discScores are what a good classifier says of image i of folder.
func discScores(i int) []float32 {
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	v := make([]float32, testWidth*testHeight*2)
	for p := range testWidth * testHeight {
		object := 0.1 + 0.1*rng.Float32()
		if math.Hypot(float64(p%testWidth-20-4*i), float64(p/testWidth-24)) < 12 {
			object = 1 - object
		}
		v[2*p], v[2*p+1] = 1-object, object
	}
	return v
}

func TestSemanticReadsScores(t *testing.T) {
	dir, scores := folder(t, 2), t.TempDir()
	for i := range 2 {
		write(t, filepath.Join(scores, fmt.Sprintf("im%d.npz", i)), archiveOf(t, "(48, 64, 2)", discScores(i)))
	}
	args := []string{"semantic", "--data", dir, "--scores", scores, "--regions", "60", "--classes", "2", "--hypotheses", "5"}
	for _, row := range figures[results](t, args...).Results {
		if row["first"].(float64) < 0.9 || row["corrupt"] != 0.0 || row["scores"] != scores {
			t.Errorf("%v: first %v, corrupt %v, scores %v", row["method"], row["first"], row["corrupt"], row["scores"])
		}
	}
	path := filepath.Join(scores, "im1.npz")
	for want, file := range map[string]string{
		"no such file": "",
		"im1.npz: array \"probs\" has scores for 64×47 pixels and 2 classes, but the image has 64×48": archiveOf(t, "(47, 64, 2)", discScores(1)[:47*64*2]),
		"im1.npz: array \"probs\": not usable: [0, 1, 0] is NaN":                                      archiveOf(t, "(48, 64, 2)", append([]float32{0, 0, float32(math.NaN())}, discScores(1)[3:]...)),
		"im1.npz: not readable":                            "nonsense",
		"im1.npz has scores for 1 classes, --classes is 2": archiveOf(t, "(48, 64, 1)", discScores(1)[:48*64]),
	} {
		if file == "" {
			os.Remove(path)
		} else {
			write(t, path, file)
		}
		if _, err := evaluate(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestSemanticRefuses(t *testing.T) {
	dir := folder(t, 1)
	for _, args := range [][]string{
		{"--blur", "NaN"},
		{"--blur=-1"},
		{"--corrupt", "0,1.1"},
		{"--doubt", "0.6"},
		{"--observed", "2"},
		{"--rates", "Inf"},
		{"--unary-rates=-1"},
		{"--lambda", "NaN"},
		{"--hypotheses", "0"},
		{"--draws", "0"},
		{"--regions", "0"},
		{"--classes", "1"},
		{"--classes", "256"},
	} {
		flag, _, _ := strings.Cut(args[0], "=")
		if _, err := evaluate(t, append([]string{"semantic", "--data", dir}, args...)...); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%v: error %v, want one that names the flag", args, err)
		}
	}
	os.Remove(filepath.Join(dir, "masks/im0.png"))
	if _, err := evaluate(t, "semantic", "--data", dir); err == nil || !strings.Contains(err.Error(), "im0.png") {
		t.Errorf("error %v, want one that names the mask", err)
	}
}

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

// TestSynthesis: each superpixel and segment is wrong about as often as requested,
// stays wrong at higher rates, and scores add up to one.
func TestSynthesis(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "images/a.png"), image.NewNRGBA(image.Rect(0, 0, testWidth, testHeight)))
	mask := grey(func(x, y int) uint8 { return uint8((x/2 + y/2) % 4) }) // many segments
	save(t, filepath.Join(dir, "masks/a.png"), mask)
	wrong := func(y synthesis, draw int) (pixels float64, planes [][]float32) {
		planes = y.planes(mask.Pix, testWidth, rand.New(rand.NewPCG(uint64(draw), 1)))
		for p, class := range mask.Pix {
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
		return pixels / float64(len(mask.Pix)), planes
	}
	last := -1.0
	for _, rate := range []float64{0, 0.1, 0.5, 1} {
		got, _ := wrong(synthesis{doubt: 0.4, corrupt: rate, classes: 5}, 0)
		if math.Abs(got-rate) > 0.05 || got <= last {
			t.Errorf("at %v a share of %v is wrong", rate, got)
		}
		last = got
	}

	p, err := simulate.Pictures(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(p[0], 100, 5)
	if err != nil {
		t.Fatal(err)
	}
	var before []bool
	for _, rate := range []float64{0, 0.2, 0.4} {
		void := slices.Repeat([]uint8{255}, len(mask.Pix))
		void[0] = 2 // so all but the surroundings of one pixel are void
		y := synthesis{blur: 0.5, corrupt: rate, classes: 5}
		if rate > 0 {
			y.doubt = 0.4
		}
		// A draw in which the one segment is right.
		scores, err := y.scores(void, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		errs := make([]bool, s.regions.N)
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
