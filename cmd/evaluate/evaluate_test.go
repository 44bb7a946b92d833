package main

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/segment/affinity"
	"collie/segment/engine"
)

// Every error names the bad input.
func TestBadInput(t *testing.T) {
	voc := func(dir string, more ...string) []string {
		return append([]string{"voc", "--data", dir, "--observed", "0.1", "--methods", "random-walker"}, more...)
	}
	for name, c := range map[string]struct {
		spoil func(dir string)
		args  func(dir string) []string
		want  string
	}{
		"no folder": {nil, func(dir string) []string { return voc(filepath.Join(dir, "nowhere")) }, "nowhere is not a data folder"},
		"no masks":  {func(dir string) { os.RemoveAll(filepath.Join(dir, "masks")) }, nil, "im0.png is missing"},
		"mask of a size": {func(dir string) {
			evaluatetest.Save(t, filepath.Join(dir, "masks/im1.png"), image.NewGray(image.Rect(0, 0, 9, 9)))
		}, nil, "im1.png is 9×9 pixels, its image 64×48"},
		"class too high": {func(dir string) {
			evaluatetest.Save(t, filepath.Join(dir, "masks/im1.png"), evaluatetest.Grey(func(x, y int) uint8 { return 21 }))
		}, nil, "im1.png: pixel (0, 0) has class 21; with 21 classes masks hold 0 to 20"},
		"colour mask": {func(dir string) {
			evaluatetest.Save(t, filepath.Join(dir, "masks/im0.png"), image.NewNRGBA(image.Rect(0, 0, evaluatetest.Width, evaluatetest.Height)))
		}, nil, "im0.png is not a mask"},
		"broken image":   {func(dir string) { evaluatetest.Write(t, filepath.Join(dir, "images/im0.png"), "nonsense") }, nil, "im0.png can't be read"},
		"wrong index":    {func(dir string) { evaluatetest.Write(t, filepath.Join(dir, "index.tsv"), "rank\tid\n0\tim9\n") }, nil, `"im9"`},
		"NaN":            {nil, func(dir string) []string { return voc(dir, "--observed", "NaN") }, "--observed NaN"},
		"NaN rate":       {nil, func(dir string) []string { return voc(dir, "--lambda", "NaN") }, "--lambda NaN"},
		"NaN target":     {nil, func(dir string) []string { return []string{"clicks", "--data", dir, "--target", "NaN"} }, "--target NaN"},
		"unknown method": {nil, func(dir string) []string { return voc(dir, "--methods", "magic") }, "magic"},
		"bad scribble": {func(dir string) {
			evaluatetest.Save(t, filepath.Join(dir, "scribbles/im0.png"), evaluatetest.Grey(func(x, y int) uint8 { return 7 }))
		}, func(dir string) []string { return []string{"scribbles", "--data", dir} }, "scribbles/im0.png: pixel (0, 0) is 7"},
		"classes for objects": {func(dir string) {
			evaluatetest.Save(t, filepath.Join(dir, "masks/im0.png"), evaluatetest.Grey(func(x, y int) uint8 { return 3 }))
		}, func(dir string) []string { return []string{"objects", "--data", dir} }, "im0.png: pixel (0, 0) is 3; want 0 for the rest, 1 for the object and 255 for pixels that don't count (--largest takes masks of classes)"},
		"white objects": {func(dir string) {
			evaluatetest.Save(t, filepath.Join(dir, "masks/im0.png"), evaluatetest.Grey(func(x, y int) uint8 { return 255 * uint8(x%2) }))
		}, func(dir string) []string { return []string{"objects", "--data", dir} }, "no pixel is 1; where white pixels are the object, save them as 1, because 255 doesn't count"},
		"no models": {nil, func(dir string) []string { return []string{"map", "--models", dir} }, "has no .uai files"},
		"NaN model": {func(dir string) { evaluatetest.Write(t, filepath.Join(dir, "m.uai"), "MARKOV 1 2 1 1 0 2 NaN 1") }, func(dir string) []string { return []string{"map", "--models", dir} }, "m.uai"},
		"NaN optimum": {func(dir string) {
			evaluatetest.Write(t, filepath.Join(dir, "m.uai"), "MARKOV 1 2 1 1 0 2 1 1")
			evaluatetest.Write(t, filepath.Join(dir, "optima.tsv"), "model\tbest_score\nm\tNaN\n")
		}, func(dir string) []string { return []string{"map", "--models", dir} }, "optima.tsv: the best score of m"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := evaluatetest.Folder(t, 2)
			if c.spoil != nil {
				c.spoil(dir)
			}
			args := voc(dir)
			if c.args != nil {
				args = c.args(dir)
			}
			if _, err := evaluatetest.Run(t, &commands{}, args...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// The affinities to measure with can be chosen.
func TestAffinities(t *testing.T) {
	defer func(p engine.Parameters) { engine.DefaultParameters = p }(engine.DefaultParameters)
	dir := evaluatetest.Folder(t, 1)
	other := affinity.Default()
	file := filepath.Join(t.TempDir(), "affinities.txt")
	changed := &affinity.Model{Edge: other.Edge, Pair: other.Pair}
	changed.Edge.Bias++
	if err := os.WriteFile(file, changed.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"": other.Number(), "none": "", file: changed.Number()} {
		engine.DefaultParameters = engine.Learned(other)
		if out, err := evaluatetest.Run(t, &commands{}, "voc", "--data", dir, "--classes", "2", "--regions", "40", "--methods", "random-walker", "--affinities", flag); err != nil {
			t.Errorf("--affinities %q: %s, %v", flag, out, err)
		}
		if got := engine.DefaultParameters.Number; got != want {
			t.Errorf("--affinities %q uses model %q, want %q", flag, got, want)
		}
	}
	if _, err := evaluatetest.Run(t, &commands{}, "voc", "--data", dir, "--affinities", filepath.Join(dir, "masks", "im0.png")); err == nil || !strings.Contains(err.Error(), "im0.png: this is not a file of affinities") {
		t.Errorf("an image as affinities: %v", err)
	}
}
