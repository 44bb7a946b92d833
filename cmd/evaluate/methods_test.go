package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/cmd/internal/stats"
	"collie/herding/methods"
)

type methodFigures struct {
	Results []struct {
		Method, Answers, Model string
		Observed               float64
		Oracle                 map[string]float64
		OraclePerImage         map[string]float64 `json:"oracle_per_image"`
		Mode, EMBR, Consensus  float64
		Distance, Unique, Gap  float64
		Milliseconds, Solves   float64
		Ahead                  *stats.Interval
	}
}

// All methods in all three models give consistent figures, and the same ones on a
// second run.
func TestMethods(t *testing.T) {
	args := []string{
		"methods", "--data", folder(t, 2), "--classes", "2", "--regions", "60", "--hypotheses", "5", "--draws", "2",
		"--model", "harmonic,paper,semantic", "--observed", "0.1",
	}
	got := figures[methodFigures](t, args...)
	seen := map[string]int{}
	for _, r := range got.Results {
		seen[r.Method]++
		for n, length := range []string{"2", "5"} {
			if before := []string{"1", "2"}[n]; r.OraclePerImage[length] < r.OraclePerImage[before]-1e-12 {
				t.Errorf("%s, %s: the oracle per image falls from %v to %v", r.Method, r.Model, r.OraclePerImage[before], r.OraclePerImage[length])
			}
		}
		if _, beyond := r.Oracle["10"]; beyond || r.Unique < 1 || r.Unique > 5 || r.Distance < 0 || r.Distance > 1 || r.Gap < -1e-9 || r.Solves < 0 {
			t.Errorf("%+v", r)
		}
		if (r.Ahead == nil) != (r.Method == "label-bias") {
			t.Errorf("%s: ahead %v", r.Method, r.Ahead)
		}
		if r.Method == "map" && (r.Unique != 1 || r.Distance != 0 || r.Oracle["1"] != r.Oracle["5"]) {
			t.Errorf("a single answer: %+v", r)
		}
	}
	for _, m := range methods.All() {
		want := 3
		if m.Marginals {
			want = 2 // the paper's model has none
		}
		if seen[m.Name] != want {
			t.Errorf("%s was measured in %d models, want %d", m.Name, seen[m.Name], want)
		}
	}
	again := figures[methodFigures](t, args...)
	for i := range again.Results {
		again.Results[i].Milliseconds, got.Results[i].Milliseconds = 0, 0
	}
	if diff := cmp.Diff(got, again, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("another run (-first +second):\n%s", diff)
	}
	for flag, values := range map[string]string{"--methods": "none", "--against": "none", "--observed": "0", "--hypotheses": "0", "--strength": "-1", "--classes": "1", "--model": "none"} {
		out, err := evaluate(t, "methods", "--data", folder(t, 1), flag, values)
		if err == nil || !strings.Contains(err.Error(), values) {
			t.Errorf("%s %s: %q, %v", flag, values, out, err)
		}
	}
}
