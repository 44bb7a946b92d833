package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/segment/simulate"
)

type calibrationFigures struct{ Results []calibration }

// The command looks after each number of clicks, compares with the truth and draws.
func TestCalibration(t *testing.T) {
	dir := folder(t, 3)
	curves := filepath.Join(t.TempDir(), "curves")
	got := figures[calibrationFigures](t, "calibration", "--data", dir, "--fit", dir, "--classes", "2", "--regions", "60", "--after", "1,2", "--hypotheses", "10", "--curves", curves).Results[0]
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
	for _, wrong := range [][]string{{"--after", "0"}, {"--hypotheses", "1"}, {"--classes", "256"}, {"--fit", filepath.Join(dir, "nowhere")}} {
		if _, err := evaluate(t, append([]string{"calibration", "--data", dir, "--classes", "2"}, wrong...)...); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(wrong[len(wrong)-1], dir)) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// Two superpixels of 10 and 30 pixels of two classes, four hypotheses.
func TestDoubts(t *testing.T) {
	truth := simulate.Truth{Labels: 2, Area: []float64{10, 0, 6, 24}}
	d := &doubts{votes: make([]vote, 5)}
	d.note(truth, [][]uint8{{0, 1}, {0, 1}, {0, 0}, {1, 1}}, 4)
	if want := (doubt{0.25, 6.0 / 40}); len(d.looks) != 1 || math.Abs(d.looks[0].Disagree-want.Disagree) > 1e-12 || math.Abs(d.looks[0].Wrong-want.Wrong) > 1e-12 {
		t.Errorf("looks %v, want %v", d.looks, want)
	}
	if d.votes[1] != (vote{40, 6}) || d.votes[3] != (vote{40, 34}) {
		t.Errorf("votes %v", d.votes)
	}
	line := lineThrough([]doubt{{0, 0.1}, {0.1, 0.3}, {0.2, 0.5}})
	if math.Abs(line[0]-0.1) > 1e-12 || math.Abs(line[1]-2) > 1e-12 {
		t.Errorf("the line is %v, want 0.1 and 2", line)
	}
}
