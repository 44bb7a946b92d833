package gestures

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
)

func TestCorrections(t *testing.T) {
	dir := evaluatetest.Folder(t, 6)
	out := filepath.Join(t.TempDir(), "weights.go")
	args := []string{"--data", dir, "--regions", "60", "--classes", "3", "--passes", "20"}
	got := evaluatetest.Figures[struct {
		Clicks  float64
		Results map[string]float64
	}](t, new(Corrections), append(args, "--out", out)...)
	best := got.Results["the best there is"]
	for name, v := range got.Results {
		if v <= 0 || v > best || best > 1 || got.Clicks < 2 {
			t.Errorf("%s: %v of %v clicks, the best %v", name, v, got.Clicks, best)
		}
	}
	checkSource(t, out, "Corrections")
	if _, err := evaluatetest.Run(t, new(Corrections), "--data", dir, "--passes", "0"); err == nil || !strings.Contains(err.Error(), "--passes") {
		t.Errorf("--passes 0: %v", err)
	}
}

// checkSource checks that a file declares a chooser.
func checkSource(t *testing.T, file, name string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"// Code generated", "package chooser", "var " + name + " = Chooser{", "Units: []Unit{"} {
		if !strings.Contains(string(source), want) {
			t.Errorf("the source lacks %q:\n%.300s", want, source)
		}
	}
}
