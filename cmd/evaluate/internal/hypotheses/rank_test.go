package hypotheses

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/cmd/evaluate/internal/evaluatetest"
)

type rankFigures struct {
	Results []rankRow
	Weights []float64
}

// The oracle is ahead of every choice, the first is no better than itself, and a
// second run gives the same.
func TestRank(t *testing.T) {
	args := []string{"--train", evaluatetest.Unclear(t, 3), "--data", evaluatetest.Unclear(t, 2), "--classes", "2", "--regions", "60", "--hypotheses", "6", "--observed", "0.2,0.4"}
	got := evaluatetest.Figures[rankFigures](t, new(Rank), args...)
	if len(got.Results) != 10 || len(got.Weights) != 16 {
		t.Fatalf("%d rows and %d weights, want 10 and 16", len(got.Results), len(got.Weights))
	}
	for n, r := range got.Results {
		first, oracle := got.Results[n/5*5], got.Results[n/5*5+4]
		if r.Lists != 2 || r.MeanIoU > oracle.MeanIoU+1e-12 || r.Better+r.Worse > r.Lists || first.Better+first.Worse > 0 || oracle.Worse > 0 {
			t.Errorf("%+v beside %+v and %+v", r, first, oracle)
		}
		if d := r.MeanIoU - first.MeanIoU - r.Ahead.Mean; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: %v is said to be %v ahead of %v", r.Choice, r.MeanIoU, r.Ahead.Mean, first.MeanIoU)
		}
	}
	if diff := cmp.Diff(got, evaluatetest.Figures[rankFigures](t, new(Rank), args...)); diff != "" {
		t.Errorf("another run (-first +second):\n%s", diff)
	}
	// A share so small that no list has two classes has no figures.
	few := evaluatetest.Figures[rankFigures](t, new(Rank), append(args[:len(args)-1:len(args)-1], "0.001,0.4")...)
	if len(few.Results) != 5 || few.Results[0].Observed != 0.4 {
		t.Errorf("with a share of a single click: %+v", few.Results)
	}
	if _, err := evaluatetest.Run(t, new(Rank), "--train", args[1], "--data", args[1], "--classes", "2"); err == nil || !strings.Contains(err.Error(), "--train "+args[1]+" is also the folder of --data") {
		t.Errorf("images that were learned from: %v", err)
	}
	for flag, value := range map[string]string{"--method": "none", "--observed": "0", "--hypotheses": "1", "--ridge": "-1", "--margin": "NaN"} {
		if _, err := evaluatetest.Run(t, new(Rank), "--train", evaluatetest.Folder(t, 1), "--data", evaluatetest.Folder(t, 1), "--classes", "2", "--regions", "60", flag, value); err == nil || !strings.Contains(err.Error(), value) || !strings.Contains(err.Error(), flag) && flag != "--method" {
			t.Errorf("%s %s: %v", flag, value, err)
		}
	}
}
