package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment/affinity"
	"collie/segment/engine"
	"collie/segment/simulate"
	"collie/sharedtest"
)

const testWidth, testHeight = 64, 48

// evaluate runs the program.
func evaluate(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var b bytes.Buffer
	err = evaluateTo(t, &b, args...)
	return b.String(), err
}

// evaluateTo is evaluate with another place for the output.
func evaluateTo(t *testing.T, out io.Writer, args ...string) error {
	t.Helper()
	var c commands
	parser, err := kong.New(&c, kong.Name("evaluate"), vars())
	if err != nil {
		t.Fatal(err)
	}
	k, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return k.Run(&terminal{Ctx: t.Context(), Out: out})
}

// figures runs the program with --json and decodes the file.
func figures[T any](t *testing.T, args ...string) (v T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	if out, err := evaluate(t, append(args, "--json", file)...); err != nil || out == "" {
		t.Fatalf("evaluate %v: output %q, error %v", args, out, err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

type results struct {
	Results []map[string]any `json:"results"`
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// missing are the names of want that are not among got.
func missing(got map[string]any, want ...string) []string {
	return slices.DeleteFunc(want, func(name string) bool { return slices.Contains(keys(got), name) })
}

func TestVOC(t *testing.T) {
	dir := folder(t, 3)
	curves := t.TempDir()
	args := []string{
		"voc", "--data", dir, "--observed", "0.05,1", "--hypotheses", "4", "--regions", "40", "--draws", "2",
		"--solver", "exact,lbp", "--reading", "similarity,softmax", "--rates", "0.1,0.25",
	}
	r := figures[results](t, append(args, "--curves", curves)...)
	if got, want := len(r.Results), 2*(2+2+2*2*2+1+1+1); got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	for _, row := range r.Results {
		if m := missing(row, "method", "observed", "hypotheses", "images", "oracle", "first", "mode", "per_class", "milliseconds_per_hypothesis"); len(m) > 0 {
			t.Fatalf("row lacks %v", m)
		}
		if row["images"] != 3.0 {
			t.Errorf("%v images, want 3", row["images"])
		}
		if row["observed"] == 1.0 && row["first"].(float64) < 0.93 {
			t.Errorf("%v with everything clicked: first %v, want nearly 1", row["method"], row["first"])
		}
		if image := row["per_image"].(map[string]any); image["oracle"].(float64) < image["first"].(float64) {
			t.Errorf("%v: per image the oracle is below the first hypothesis: %v", row["method"], image)
		}
		by := row["oracle_by_hypotheses"].([]any)
		if by[len(by)-1] != row["oracle"] || by[0] != row["first"] {
			t.Errorf("%v: oracle over M is %v, with first %v and oracle %v", row["method"], by, row["first"], row["oracle"])
		}
	}
	if again := figures[results](t, args...); !cmp.Equal(r, again, cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return k == "milliseconds_per_hypothesis" })) {
		t.Error("a second run gives other figures")
	}
	for _, name := range []string{"hypotheses-0.05.svg", "hypotheses-0.05.png", "observed.svg", "rate-0.05.svg"} {
		if info, err := os.Stat(filepath.Join(curves, name)); err != nil || info.Size() < 1000 {
			t.Errorf("curve %s is missing or empty: %v", name, err)
		}
	}
}

func TestOtherCommands(t *testing.T) {
	dir := folder(t, 2)
	for _, row := range figures[results](t, "clicks", "--data", dir, "--regions", "60", "--target", "0.6,0.9", "--max", "20").Results {
		if m := missing(row, "method", "hypotheses", "target", "images", "mean_actions", "median_actions", "failed"); len(m) > 0 {
			t.Fatalf("clicks: row lacks %v", m)
		}
		if n := row["mean_actions"].(float64); n < 1 || n > 6 { // one click is enough where the rest is known
			t.Errorf("%v needs %v actions for a disc, want 1 to 6", row["method"], n)
		}
	}
	labels := t.TempDir()
	s := figures[map[string]any](t, "superpixels", "--data", dir, "--regions", "50", "--labels", labels)
	if m := missing(s, "images", "regions", "boundary_recall", "undersegmentation_error", "asa", "explained_variation", "compactness", "milliseconds"); len(m) > 0 {
		t.Fatalf("superpixels: lacks %v", m)
	}
	if s["regions"] != 50.0 || s["asa"].(float64) < 0.9 {
		t.Errorf("superpixels: %v", s)
	}
	f, err := os.Open(filepath.Join(labels, "im1.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.ColorModel() != color.Gray16Model || img.Bounds().Dx() != testWidth {
		t.Errorf("label map: %v", err)
	}
	for _, row := range figures[results](t, "scribbles", "--data", dir, "--regions", "60").Results {
		if row["error_rate"].(float64) > 0.1 || row["oracle_error_rate"].(float64) > row["error_rate"].(float64) {
			t.Errorf("scribbles: %v", row)
		}
	}
}

// An image without objects needs no click, and one that is all void doesn't count.
func TestClicksOfNothing(t *testing.T) {
	dir := folder(t, 3)
	args := []string{"clicks", "--data", dir, "--regions", "60", "--target", "0.9", "--methods", "random-walker"}
	three := figures[results](t, args...).Results[0]
	save(t, filepath.Join(dir, "masks/im1.png"), grey(func(int, int) uint8 { return 0 }))
	save(t, filepath.Join(dir, "masks/im2.png"), grey(func(int, int) uint8 { return 255 }))
	row := figures[results](t, args...).Results[0]
	if row["images"] != 2.0 || row["failed"] != 0.0 || row["mean_actions"].(float64) >= three["mean_actions"].(float64) {
		t.Errorf("%v, want two images without failures and less than %v", row, three["mean_actions"])
	}
	for i := range 2 {
		save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), grey(func(int, int) uint8 { return 255 }))
	}
	if _, err := evaluate(t, args...); err == nil || !strings.Contains(err.Error(), "void") {
		t.Errorf("void masks alone: %v", err)
	}
}

// A background that no mask has is said to be missing, since every click it costs is
// the command line's fault, not the method's.
func TestClicksWithoutBackground(t *testing.T) {
	dir := folder(t, 2)
	const note = "No mask has class 0, which is taken for the background; --no-rest is for such masks."
	for _, c := range []struct {
		background uint8
		flag       string
		want       bool
	}{{0, "--rest", false}, {2, "--rest", true}, {2, "--no-rest", false}} {
		for i := range 2 {
			save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), grey(func(x, y int) uint8 {
				if x > 20+10*i {
					return 1
				}
				return c.background
			}))
		}
		out, err := evaluate(t, "clicks", "--data", dir, "--classes", "3", "--regions", "60", "--target", "0.9", "--offers", "1", c.flag)
		if err != nil || strings.Contains(out, note) != c.want {
			t.Errorf("%+v: %v\n%s", c, err, out)
		}
	}
}

// Masks of several people are told from those of other images by their names.
func TestMasksOfSeveralPeople(t *testing.T) {
	dir := t.TempDir()
	plain := image.NewGray(image.Rect(0, 0, testWidth, testHeight))
	for _, name := range []string{"a", "a_b", "a_1", "b"} {
		save(t, filepath.Join(dir, "images", name+".png"), plain)
	}
	for i, name := range []string{"a", "a_2", "a_b", "a_1", "b_0", "b_1", "b_x"} {
		save(t, filepath.Join(dir, "masks", name+".png"), grey(func(int, int) uint8 { return uint8(i) }))
	}
	list, err := simulate.Pictures(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	images := map[string]bool{}
	for _, p := range list {
		images[p.ID] = true
	}
	read := func() map[string][]int32 {
		out := map[string][]int32{}
		for _, p := range list {
			masks, err := segmentations(p, images, plain.Rect.Size())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range masks {
				out[p.ID] = append(out[p.ID], m[0])
			}
		}
		return out
	}
	if diff := cmp.Diff(map[string][]int32{"a": {0}, "a_b": {2}, "a_1": {3}, "b": {4, 5}}, read()); diff != "" {
		t.Errorf("masks of each image (-want +got):\n%s", diff)
	}
	if err := os.Remove(filepath.Join(dir, "masks", "a.png")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int32{1}, read()["a"]); diff != "" {
		t.Errorf("masks of a without its own (-want +got):\n%s", diff)
	}
}

func TestMap(t *testing.T) {
	dir := t.TempDir()
	// Two nodes with unaries 1:2 and 1:1, an edge of 3 for equal labels.
	write(t, filepath.Join(dir, "two.uai"), "MARKOV\n2\n2 2\n3\n1 0\n1 1\n2 0 1\n2 1 2\n2 1 1\n4 3 1 1 3\n")
	write(t, filepath.Join(dir, "optima.tsv"), "model\tbest_score\ntwo\t1.8\n")
	for _, solver := range []string{"auto", "thorough", "trws", "lbp"} {
		rows := figures[results](t, "map", "--models", dir, "--solver", solver).Results
		if len(rows) != 1 || len(missing(rows[0], "model", "score", "milliseconds", "sweeps", "gap")) > 0 {
			t.Fatalf("%s: rows %v", solver, rows)
		}
		if score, gap := rows[0]["score"].(float64), rows[0]["gap"].(float64); math.Abs(score-math.Log(6)) > 1e-9 || math.Abs(gap-(1.8-math.Log(6))) > 1e-9 {
			t.Errorf("%s: score %v, gap %v, want ln 6 and 1.8 less that", solver, score, gap)
		}
	}
}

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
		"no folder":      {nil, func(dir string) []string { return voc(filepath.Join(dir, "nowhere")) }, "nowhere is not a data folder"},
		"no masks":       {func(dir string) { os.RemoveAll(filepath.Join(dir, "masks")) }, nil, "im0.png is missing"},
		"mask of a size": {func(dir string) { save(t, filepath.Join(dir, "masks/im1.png"), image.NewGray(image.Rect(0, 0, 9, 9))) }, nil, "im1.png is 9×9 pixels, its image 64×48"},
		"class too high": {func(dir string) {
			save(t, filepath.Join(dir, "masks/im1.png"), grey(func(x, y int) uint8 { return 21 }))
		}, nil, "im1.png: pixel (0, 0) has class 21; with 21 classes masks hold 0 to 20"},
		"colour mask": {func(dir string) {
			save(t, filepath.Join(dir, "masks/im0.png"), image.NewNRGBA(image.Rect(0, 0, testWidth, testHeight)))
		}, nil, "im0.png is not a mask"},
		"broken image":   {func(dir string) { write(t, filepath.Join(dir, "images/im0.png"), "nonsense") }, nil, "im0.png can't be read"},
		"wrong index":    {func(dir string) { write(t, filepath.Join(dir, "index.tsv"), "rank\tid\n0\tim9\n") }, nil, `"im9"`},
		"NaN":            {nil, func(dir string) []string { return voc(dir, "--observed", "NaN") }, "--observed NaN"},
		"NaN rate":       {nil, func(dir string) []string { return voc(dir, "--lambda", "NaN") }, "--lambda NaN"},
		"NaN target":     {nil, func(dir string) []string { return []string{"clicks", "--data", dir, "--target", "NaN"} }, "--target NaN"},
		"unknown method": {nil, func(dir string) []string { return voc(dir, "--methods", "magic") }, "magic"},
		"bad scribble": {func(dir string) {
			save(t, filepath.Join(dir, "scribbles/im0.png"), grey(func(x, y int) uint8 { return 7 }))
		}, func(dir string) []string { return []string{"scribbles", "--data", dir} }, "scribbles/im0.png: pixel (0, 0) is 7"},
		"classes for objects": {func(dir string) {
			save(t, filepath.Join(dir, "masks/im0.png"), grey(func(x, y int) uint8 { return 3 }))
		}, func(dir string) []string { return []string{"objects", "--data", dir} }, "im0.png: pixel (0, 0) is 3; want 0 for the rest, 1 for the object and 255 for pixels that don't count (--largest takes masks of classes)"},
		"white objects": {func(dir string) {
			save(t, filepath.Join(dir, "masks/im0.png"), grey(func(x, y int) uint8 { return 255 * uint8(x%2) }))
		}, func(dir string) []string { return []string{"objects", "--data", dir} }, "no pixel is 1; where white pixels are the object, save them as 1, because 255 doesn't count"},
		"no models": {nil, func(dir string) []string { return []string{"map", "--models", dir} }, "has no .uai files"},
		"NaN model": {func(dir string) { write(t, filepath.Join(dir, "m.uai"), "MARKOV 1 2 1 1 0 2 NaN 1") }, func(dir string) []string { return []string{"map", "--models", dir} }, "m.uai"},
		"NaN optimum": {func(dir string) {
			write(t, filepath.Join(dir, "m.uai"), "MARKOV 1 2 1 1 0 2 1 1")
			write(t, filepath.Join(dir, "optima.tsv"), "model\tbest_score\nm\tNaN\n")
		}, func(dir string) []string { return []string{"map", "--models", dir} }, "optima.tsv: the best score of m"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, 2)
			if c.spoil != nil {
				c.spoil(dir)
			}
			args := voc(dir)
			if c.args != nil {
				args = c.args(dir)
			}
			if _, err := evaluate(t, args...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// The product relies on this order of the methods.
func TestOrderOfMethodsOnPhotographs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	r := figures[results](t, "voc", "--data", sharedtest.Path(t, "data/voc"), "--limit", "4", "--observed", "0.02", "--hypotheses", "8", "--methods", "map,divmbest,herding-paper,herding-harmonic,random-walker")
	oracle := map[string]float64{}
	first := map[string]float64{}
	for _, row := range r.Results {
		oracle[row["method"].(string)] = row["oracle"].(float64)
		first[row["method"].(string)] = row["first"].(float64)
	}
	if !(oracle["herding-harmonic"] > oracle["herding-paper"]+0.05 && oracle["herding-paper"] > oracle["divmbest"]+0.1) {
		t.Errorf("oracles %v: want herding-harmonic above herding-paper above divmbest", oracle)
	}
	if first["herding-harmonic"] < oracle["map"]+0.2 {
		t.Errorf("first %v, want herding-harmonic far above map", first)
	}
}

// The affinities to measure with can be chosen.
func TestAffinities(t *testing.T) {
	defer func(p engine.Parameters) { engine.DefaultParameters = p }(engine.DefaultParameters)
	dir := folder(t, 1)
	other := affinity.Default()
	file := filepath.Join(t.TempDir(), "affinities.txt")
	changed := &affinity.Model{Edge: other.Edge, Pair: other.Pair}
	changed.Edge.Bias++
	if err := os.WriteFile(file, changed.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"": other.Number(), "none": "", file: changed.Number()} {
		engine.DefaultParameters = engine.Learned(other)
		if out, err := evaluate(t, "voc", "--data", dir, "--classes", "2", "--regions", "40", "--methods", "random-walker", "--affinities", flag); err != nil {
			t.Errorf("--affinities %q: %s, %v", flag, out, err)
		}
		if got := engine.DefaultParameters.Number; got != want {
			t.Errorf("--affinities %q uses model %q, want %q", flag, got, want)
		}
	}
	if _, err := evaluate(t, "voc", "--data", dir, "--affinities", filepath.Join(dir, "masks", "im0.png")); err == nil || !strings.Contains(err.Error(), "im0.png: this is not a file of affinities") {
		t.Errorf("an image as affinities: %v", err)
	}
}
