package paper

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/sharedtest"
)

func TestVOC(t *testing.T) {
	dir := evaluatetest.Folder(t, 3)
	curves := t.TempDir()
	args := []string{
		"--data", dir, "--observed", "0.05,1", "--hypotheses", "4", "--regions", "40", "--draws", "2",
		"--solver", "exact,lbp", "--reading", "similarity,softmax", "--rates", "0.1,0.25",
	}
	r := evaluatetest.Figures[evaluatetest.Results](t, new(VOC), append(args, "--curves", curves)...)
	if got, want := len(r.Results), 2*(2+2+2*2*2+1+1+1); got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	for _, row := range r.Results {
		if m := evaluatetest.Missing(row, "method", "observed", "hypotheses", "images", "oracle", "first", "mode", "per_class", "milliseconds_per_hypothesis"); len(m) > 0 {
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
	if again := evaluatetest.Figures[evaluatetest.Results](t, new(VOC), args...); !cmp.Equal(r, again, cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return k == "milliseconds_per_hypothesis" })) {
		t.Error("a second run gives other figures")
	}
	for _, name := range []string{"hypotheses-0.05.svg", "hypotheses-0.05.png", "observed.svg", "rate-0.05.svg"} {
		if info, err := os.Stat(filepath.Join(curves, name)); err != nil || info.Size() < 1000 {
			t.Errorf("curve %s is missing or empty: %v", name, err)
		}
	}
}

// The product relies on this order of the methods.
func TestOrderOfMethodsOnPhotographs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	r := evaluatetest.Figures[evaluatetest.Results](t, new(VOC), "--data", sharedtest.Path(t, "data/voc"), "--limit", "4", "--observed", "0.02", "--hypotheses", "8", "--methods", "map,divmbest,herding-paper,herding-harmonic,random-walker")
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
