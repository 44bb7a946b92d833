package hypotheses

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/segment/simulate"
)

type calibrationFigures struct{ Results []calibration }

// The command looks after each number of clicks, compares with the truth and draws.
func TestCalibration(t *testing.T) {
	dir := evaluatetest.Folder(t, 3)
	curves := filepath.Join(t.TempDir(), "curves")
	got := evaluatetest.Figures[calibrationFigures](t, new(Calibration), "--data", dir, "--fit", evaluatetest.Folder(t, 3), "--classes", "2", "--regions", "60", "--after", "1,2", "--hypotheses", "10", "--curves", curves).Results[0]
	if got.Images != 3 || got.Looks == 0 || got.Looks > 6 || len(got.Line) != 2 {
		t.Errorf("%+v, want up to two looks at each of three images, and a line", got)
	}
	if _, err := os.Stat(filepath.Join(curves, "calibration-votes.svg")); err != nil {
		t.Error(err)
	}
	for _, v := range got.Votes {
		if v.Said <= 0 || v.Said > 1 || v.True < 0 || v.True > 1 {
			t.Errorf("votes %+v", v)
		}
	}
	if _, err := evaluatetest.Run(t, new(Calibration), "--data", dir, "--fit", dir, "--classes", "2"); err == nil || !strings.Contains(err.Error(), "also the folder of --data") {
		t.Errorf("a line through the same images: %v", err)
	}
	for _, wrong := range [][]string{{"--after", "0"}, {"--hypotheses", "1"}, {"--hypotheses", "101"}, {"--classes", "256"}, {"--fit", filepath.Join(dir, "nowhere")}} {
		if _, err := evaluatetest.Run(t, new(Calibration), append([]string{"--data", dir, "--classes", "2"}, wrong...)...); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(wrong[len(wrong)-1], dir)) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// Two superpixels of 10 and 30 pixels of two classes, four hypotheses.
func TestDoubts(t *testing.T) {
	truth := simulate.Truth{Labels: 2, Area: []float64{10, 0, 6, 24}}
	d := &doubts{votes: make([]vote, 5)}
	d.note(truth, [][]uint8{{0, 1}, {0, 1}, {0, 0}, {1, 1}}, 4)
	// The first hypothesis has 10 of 16 pixels of the first class, 24 of 30 of the other.
	want := []doubt{{0.25, 6.0 / 40, (10.0/16 + 24.0/30) / 2}}
	if diff := cmp.Diff(want, d.looks, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("looks (-want +got):\n%s", diff)
	}
	if d.votes[1] != (vote{40, 6}) || d.votes[3] != (vote{40, 34}) {
		t.Errorf("votes %v", d.votes)
	}
	d.looks = append(d.looks, doubt{0.015, 0.1, 0.9}, doubt{0.02, 0.1, 0.8})
	at := map[float64]done{}
	for _, v := range d.calibration(1, nil).Done {
		at[v.UpTo] = v
	}
	if at[0.01] != (done{0.01, 0, 0}) || at[0.02] != (done{0.02, 2.0 / 3, 0.5}) || at[1] != (done{1, 1, 1.0 / 3}) {
		t.Errorf("how many are good enough: %v", at)
	}
	line := lineThrough([]doubt{{0, 0.1, 0}, {0.1, 0.3, 0}, {0.2, 0.5, 0}})
	if math.Abs(line[0]-0.1) > 1e-12 || math.Abs(line[1]-2) > 1e-12 {
		t.Errorf("the line is %v, want 0.1 and 2", line)
	}
}
