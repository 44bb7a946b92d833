package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/affinity"
	"collie/segment/affinity/fit"
	"collie/segment/photo/phototest"
)

// folder writes n images of a textured disc, class 1, on another texture, with
// their masks.
func folder(t *testing.T, n int, classes func(inside bool) uint8) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		img := image.NewNRGBA(image.Rect(0, 0, 120, 90))
		mask := image.NewPaletted(img.Rect, slices.Repeat(color.Palette{color.Black, color.White}, 128))
		for y := range 90 {
			for x := range 120 {
				inside := math.Hypot(float64(x-40-10*i), float64(y-45)) < 25
				v := uint8(60 + rng.IntN(40))
				c := color.NRGBA{v, v, 40, 255}
				if inside {
					c = color.NRGBA{v + 60, 50, v, 255}
				}
				img.SetNRGBA(x, y, c)
				mask.SetColorIndex(x, y, classes(inside))
			}
		}
		for name, m := range map[string]image.Image{"images": img, "masks": mask} {
			path := filepath.Join(dir, name, fmt.Sprintf("im%d.png", i))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, phototest.MustPNG(t, m), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func disc(inside bool) uint8 {
	if inside {
		return 1
	}
	return 0
}

// train runs the command and returns what it printed and wrote.
func train(t *testing.T, c command) (printed string, written []byte, err error) {
	t.Helper()
	var out, bar bytes.Buffer
	if c.Out == "" {
		c.Out = filepath.Join(t.TempDir(), "affinities.txt")
	}
	c.Classes, c.Regions = 2, 80
	if err := c.Run(&terminal{Ctx: t.Context(), Out: &out, Bar: &bar}); err != nil {
		return "", nil, err
	}
	written, err = os.ReadFile(c.Out)
	return out.String(), written, err
}

// A model learned from discs tells their rims from the rest, and is the same on one
// core and on several.
func TestLearnsDiscs(t *testing.T) {
	dir, plots := folder(t, 5, disc), t.TempDir()
	printed, written, err := train(t, command{Data: []string{dir}, Folds: 2, Plot: plots})
	if err != nil {
		t.Fatal(err)
	}
	m, err := affinity.Decode(written)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(printed, m.Number()) || len(m.Notes) != 3 || !strings.Contains(m.Notes[0], "--regions 80") {
		t.Errorf("printed %q, notes %q", printed, m.Notes)
	}
	for _, name := range []string{"borders.svg", "borders.png", "pairs.svg", "pairs.png"} {
		if info, err := os.Stat(filepath.Join(plots, name)); err != nil || info.Size() == 0 {
			t.Errorf("calibration plot: %v", err)
		}
	}
	pictures, err := pictures([]string{folder(t, 2, disc)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		e, err := open(p, 80, 2)
		if err != nil {
			t.Fatal(err)
		}
		edges, pairs := &verdicts{}, &verdicts{}
		edges.add(&m.Edge, []*fit.Rows{fit.EdgeRows(e)})
		pairs.add(&m.Pair, []*fit.Rows{fit.PairRows(e, &m.Edge)})
		if edges.auc() < 0.97 || pairs.auc() < 0.97 {
			t.Errorf("%s: AUC %v and %v", p.ID, edges.auc(), pairs.auc())
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, again, err := train(t, command{Data: []string{dir}, Folds: 2}); err != nil || !bytes.Equal(again, written) {
		t.Errorf("on one core another model comes out: %v", err)
	}
}

// The images of an exported project that nobody has worked on don't count.
func TestLeavesOutUnlabelled(t *testing.T) {
	void := folder(t, 2, func(bool) uint8 { return segment.Void })
	printed, written, err := train(t, command{Data: []string{void, folder(t, 3, disc)}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	m, err := affinity.Decode(written)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(printed, "2 of 5 images have no labels and are left out.\n") || !strings.HasPrefix(m.Notes[0], "Learned from 3 images") {
		t.Errorf("printed %q, notes %q", printed, m.Notes)
	}
}

func TestRefusals(t *testing.T) {
	good := folder(t, 3, disc)
	void := folder(t, 2, func(bool) uint8 { return segment.Void })
	plain := folder(t, 2, func(bool) uint8 { return 1 })
	for _, c := range []struct {
		name, want string
		c          command
	}{
		{"no folder", "data folder", command{Data: []string{t.TempDir()}, Folds: 1}},
		{"one class", plain + ": the masks hold no two superpixels of different classes, or none of the same: there is nothing to learn; where white pixels are an object, save them as its class", command{Data: []string{plain}, Folds: 1}},
		{"one class in a part", "--folds 2: without part 2: the masks hold no two", command{Data: []string{plain, good}, Limit: 1, Folds: 2}},
		{"few images", "--data has 3", command{Data: []string{good}, Folds: 4}},
		{"few images with a limit", "--data has 2 among the first 2 of each folder (--limit)", command{Data: []string{good}, Limit: 2, Folds: 4}},
		{"few images with labels", "--folds 4 needs at least as many images with labels, and --data has 3", command{Data: []string{void, good}, Folds: 4}},
		{"no folds", "--folds 0", command{Data: []string{good}}},
		{"plots of no figures", "--plot needs --folds of at least 2", command{Data: []string{good}, Folds: 1, Plot: t.TempDir()}},
		{"no room for plots", "--plot", command{Data: []string{good}, Folds: 2, Plot: filepath.Join(good, "images", "im0.png")}},
		{"no room", "no-such-folder", command{Data: []string{good}, Folds: 1, Out: filepath.Join(t.TempDir(), "no-such-folder", "x")}},
	} {
		if _, _, err := train(t, c.c); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	v := &verdicts{}
	for range 400 {
		logit := float64(rng.IntN(9) - 4)
		v.logits = append(v.logits, logit)
		v.same = append(v.same, rng.Float64() < probability(logit))
	}
	won, all, loss := 0.0, 0.0, 0.0
	for i, a := range v.logits {
		p := probability(a)
		if !v.same[i] {
			p = 1 - p
		}
		loss -= math.Log(p) / 400
		for j, b := range v.logits {
			if v.same[i] && !v.same[j] {
				all++
				switch {
				case a > b:
					won++
				case a == b:
					won += 0.5
				}
			}
		}
	}
	if diff := math.Abs(v.auc() - won/all); diff > 1e-12 {
		t.Errorf("AUC %v, want %v", v.auc(), won/all)
	}
	if math.Abs(v.loss()-loss) > 1e-12 {
		t.Errorf("log loss %v, want %v", v.loss(), loss)
	}
	perfect := &verdicts{}
	for i := range 2000 {
		perfect.logits = append(perfect.logits, 0)
		perfect.same = append(perfect.same, i%2 == 0)
	}
	if diff := cmp.Diff(0.0, perfect.calibrationError()); diff != "" {
		t.Errorf("calibration error of what is calibrated: %s", diff)
	}
}
