package project

import (
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/cmd/internal/stats"
	"collie/segment/engine"
)

// The learning curve of a folder of discs: with enough finished images a person
// needs fewer actions, and the figures have the documented form.
func TestProject(t *testing.T) {
	dir := evaluatetest.Folder(t, 12)
	type row struct {
		Finished, Images  int
		Target            float64
		Gesture           string
		MeanActions       float64 `json:"mean_actions"`
		Without, Strength float64
		Worse             float64
		Saved             stats.Interval
	}
	all := evaluatetest.Figures[struct{ Results []row }](t, new(Command), "--data", dir, "--classes", "2", "--test", "4", "--finished", "0,8", "--hypotheses", "1", "--target", "0.9", "--plots", filepath.Join(dir, "plots")).Results
	if len(all) != 4 {
		t.Fatalf("%d rows, want two numbers of images with two gestures", len(all))
	}
	for _, r := range all {
		if r.Images != 4 || r.Target != 0.9 || r.Saved.Low > r.Saved.Mean || r.Saved.High < r.Saved.Mean || r.Worse < 0 || r.Worse > 1 {
			t.Errorf("%+v", r)
		}
		if r.Finished == 0 && r.MeanActions != r.Without {
			t.Errorf("nothing is learned, yet %v actions and %v without", r.MeanActions, r.Without)
		}
		if r.Finished == 8 && !(r.MeanActions < r.Without && r.Strength > 0) {
			t.Errorf("after 8 images %v actions, without %v, strength %v", r.MeanActions, r.Without, r.Strength)
		}
	}
	online := evaluatetest.Figures[struct{ Results []row }](t, new(Command), "--data", dir, "--classes", "2", "--online", "--order", "listed", "--hypotheses", "1", "--gestures", "points", "--target", "0.9").Results
	if len(online) != 3 || online[2].Images != 12 || online[0].Images != 10 {
		t.Errorf("online: %+v", online)
	}
	if few := evaluatetest.Figures[struct{ Results []row }](t, new(Command), "--data", dir, "--classes", "2", "--online", "--limit", "4", "--hypotheses", "1", "--gestures", "points", "--target", "0.9").Results; len(few) != 1 {
		t.Errorf("four images are one block, which is their sum, too: %+v", few)
	}
	// More finished images than there are besides those for the test are named.
	out, err := evaluatetest.Run(t, new(Command), "--data", dir, "--classes", "2", "--test", "4", "--finished", "0,40,80", "--hypotheses", "1", "--target", "0.9", "--gestures", "points")
	if err != nil || !strings.Contains(out, ", over 4 test images; ") || !strings.Contains(out, "Left out: 40 and more finished images; there are too few besides those for the test.") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, args := range [][]string{{"--finished", "5,5"}, {"--test", "0"}, {"--target", "2"}, {"--least", "1"}, {"--classes", "300"}} {
		if _, err := evaluatetest.Run(t, new(Command), append([]string{"--data", dir}, args...)...); err == nil || !strings.Contains(err.Error(), args[0]) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// The last action allowed counts as a success when it reaches the target.
func TestFailures(t *testing.T) {
	c := Command{Max: 5}
	row := c.sum([]effortOn{{[]int{5}, []int{-1}}, {[]int{-1}, []int{3}}, {[]int{2}, []int{5}}}, 0, projectRow{})
	if row.Failed != 1 || row.MeanActions != 4 || row.Saved.Mean != 1.0/3 || row.Median != 5 {
		t.Errorf("%+v", row)
	}
}

func TestMisled(t *testing.T) {
	g := &engine.Guess{Classes: []uint8{1, 2, 3}, Shares: []float64{1, 0, 0, 0, 0.2, 0.8}}
	if got := misled(g).Shares; got[1] != 1 || got[5] != 0.2 || got[3] != 0.8 {
		t.Errorf("%v", got)
	}
	if misled(nil) != nil {
		t.Error("no guess is misled")
	}
}
