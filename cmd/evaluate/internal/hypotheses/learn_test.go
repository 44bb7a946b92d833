package hypotheses

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/cmd/evaluate/internal/evaluatetest"
)

type learnFigures struct{ Results []learnRow }

// Learning lowers the objective, more predictors can't serve worse, and another
// run comes to the same.
func TestLearn(t *testing.T) {
	args := []string{"--train", evaluatetest.Unclear(t, 4), "--data", evaluatetest.Unclear(t, 2), "--classes", "2", "--regions", "60", "--predictors", "1,2", "--observed", "0.2", "--rounds", "2", "--epochs", "6"}
	got := evaluatetest.Figures[learnFigures](t, new(Learn), args...)
	if len(got.Results) != 2 {
		t.Fatalf("%d rows, want 2", len(got.Results))
	}
	for n, r := range got.Results {
		first, last := r.Objective[0], r.Objective[len(r.Objective)-1]
		if r.Predictors != n+1 || len(r.Weights) != n+1 || last > first || r.Oracle <= 0 || r.Oracle > 1 || r.Herding <= 0 || r.Herding > 1 {
			t.Errorf("%+v", r)
		}
		if d := r.Oracle - r.Herding - r.Ahead.Mean; d > 1e-12 || d < -1e-12 {
			t.Errorf("%v is said to be %v ahead of %v", r.Oracle, r.Ahead.Mean, r.Herding)
		}
	}
	if got.Results[1].Objective[0] > got.Results[0].Objective[0]+0.1 {
		t.Errorf("two predictors begin at %v, one at %v", got.Results[1].Objective[0], got.Results[0].Objective[0])
	}
	if diff := cmp.Diff(got, evaluatetest.Figures[learnFigures](t, new(Learn), args...)); diff != "" {
		t.Errorf("another run (-first +second):\n%s", diff)
	}
	out, err := evaluatetest.Run(t, new(Learn), args...)
	if err != nil || !strings.Contains(out, "across regions") || !strings.Contains(out, "predictor 2 ") || strings.Contains(out, "predictor 3 ") {
		t.Errorf("the weights of the two predictors are not named: %v\n%s", err, out)
	}
	if _, err := evaluatetest.Run(t, new(Learn), append(args, "--limit", "1")...); err == nil || !strings.Contains(err.Error(), "has 1 among the first 1 (--limit) with clicks") {
		t.Errorf("one image for two predictors: %v", err)
	}
	if _, err := evaluatetest.Run(t, new(Learn), "--train", args[1], "--data", args[1], "--classes", "2"); err == nil || !strings.Contains(err.Error(), "also the folder of --data") {
		t.Errorf("images that were learned from: %v", err)
	}
	for flag, value := range map[string]string{"--predictors": "0", "--observed": "0", "--epochs": "-1", "--classes": "1"} {
		if _, err := evaluatetest.Run(t, new(Learn), "--train", evaluatetest.Folder(t, 1), "--data", evaluatetest.Folder(t, 1), "--regions", "60", flag+"="+value); err == nil || !strings.Contains(err.Error(), value) {
			t.Errorf("%s %s: %v", flag, value, err)
		}
	}
}
