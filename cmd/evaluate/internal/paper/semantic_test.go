package paper

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/cmd/evaluate/internal/evaluatetest"
)

// find is the row of a method at a rate of errors.
func find(t *testing.T, r evaluatetest.Results, method, corrupt any) map[string]any {
	t.Helper()
	at := slices.IndexFunc(r.Results, func(row map[string]any) bool { return row["method"] == method && row["corrupt"] == corrupt })
	if at < 0 {
		t.Fatalf("no row of %s at %v in %v", method, corrupt, r.Results)
	}
	return r.Results[at]
}

func TestSemantic(t *testing.T) {
	args := []string{
		"--data", evaluatetest.Folder(t, 3), "--regions", "60", "--classes", "3", "--hypotheses", "5", "--draws", "2",
		"--blur", "0.02", "--corrupt", "0,0.4", "--methods", "argmax,map,divmbest,herding,label-bias",
	}
	r := evaluatetest.Figures[evaluatetest.Results](t, new(Semantic), args...)
	if got, want := len(r.Results), 2*5; got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	for _, row := range r.Results {
		if m := evaluatetest.Missing(row, "method", "observed", "hypotheses", "images", "oracle", "first", "mode", "per_class", "milliseconds_per_hypothesis", "blur", "corrupt"); len(m) > 0 {
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
	if again := evaluatetest.Figures[evaluatetest.Results](t, new(Semantic), args...); !cmp.Equal(r, again, cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return k == "milliseconds_per_hypothesis" })) {
		t.Error("a second run gives other figures")
	}
	// Clicks on top of wrong scores help.
	clicked := evaluatetest.Figures[evaluatetest.Results](t, new(Semantic), append(args, "--observed", "0.5")...)
	if with, without := find(t, clicked, "map", 0.4)["first"].(float64), find(t, r, "map", 0.4)["first"].(float64); with < without+0.1 {
		t.Errorf("first %v with half of the superpixels clicked, %v without", with, without)
	}
	if all := evaluatetest.Figures[evaluatetest.Results](t, new(Semantic), append(args, "--observed", "1")...); find(t, all, "herding", 0.4)["mode"].(float64) < 0.93 {
		t.Errorf("mode %v with everything clicked", find(t, all, "herding", 0.4)["mode"])
	}
}

func TestSemanticReadsScores(t *testing.T) {
	dir, scores := evaluatetest.Folder(t, 2), t.TempDir()
	for i := range 2 {
		evaluatetest.Write(t, filepath.Join(scores, fmt.Sprintf("im%d.npz", i)), evaluatetest.Archive(t, "probs", "(48, 64, 2)", evaluatetest.Scores(i)))
	}
	args := []string{"--data", dir, "--scores", scores, "--regions", "60", "--classes", "2", "--hypotheses", "5"}
	for _, row := range evaluatetest.Figures[evaluatetest.Results](t, new(Semantic), args...).Results {
		if row["first"].(float64) < 0.9 || row["corrupt"] != 0.0 || row["scores"] != scores {
			t.Errorf("%v: first %v, corrupt %v, scores %v", row["method"], row["first"], row["corrupt"], row["scores"])
		}
	}
	path := filepath.Join(scores, "im1.npz")
	for want, file := range map[string]string{
		"has no im1.npz": "",
		"im1.npz: array \"probs\" has scores for 64×47 pixels and 2 classes, but the image has 64×48": evaluatetest.Archive(t, "probs", "(47, 64, 2)", evaluatetest.Scores(1)[:47*64*2]),
		"im1.npz: array \"probs\": not usable: [0, 1, 0] is NaN":                                      evaluatetest.Archive(t, "probs", "(48, 64, 2)", append([]float32{0, 0, float32(math.NaN())}, evaluatetest.Scores(1)[3:]...)),
		"im1.npz: superpixel 0 has the score 1.5 for class 1; scores are probabilities from 0 to 1":   evaluatetest.Archive(t, "probs", "(48, 64, 2)", slices.Repeat([]float32{.5, 1.5}, 48*64)),
		"im1.npz: not readable":                                             "nonsense",
		"im1.npz has scores for 1 classes, --classes is 2":                  evaluatetest.Archive(t, "probs", "(48, 64, 1)", evaluatetest.Scores(1)[:48*64]),
		"im1: no superpixel has a class that is more probable than another": evaluatetest.Archive(t, "probs", "(48, 64, 2)", slices.Repeat([]float32{.5}, 48*64*2)),
	} {
		if file == "" {
			os.Remove(path)
		} else {
			evaluatetest.Write(t, path, file)
		}
		if _, err := evaluatetest.Run(t, new(Semantic), args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestSemanticRefuses(t *testing.T) {
	dir := evaluatetest.Folder(t, 1)
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
		if _, err := evaluatetest.Run(t, new(Semantic), append([]string{"--data", dir}, args...)...); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%v: error %v, want one that names the flag", args, err)
		}
	}
	os.Remove(filepath.Join(dir, "masks/im0.png"))
	if _, err := evaluatetest.Run(t, new(Semantic), "--data", dir); err == nil || !strings.Contains(err.Error(), "im0.png") {
		t.Errorf("error %v, want one that names the mask", err)
	}
}
