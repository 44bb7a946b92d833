package hypotheses

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/stats"
	"collie/herding"
	"collie/herding/methods"
	"collie/segment/simulate"
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
		"--data", evaluatetest.Folder(t, 2), "--classes", "2", "--regions", "60", "--hypotheses", "5", "--draws", "2",
		"--model", "harmonic,paper,semantic", "--observed", "0.1",
	}
	got := evaluatetest.Figures[methodFigures](t, new(Methods), args...)
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
	again := evaluatetest.Figures[methodFigures](t, new(Methods), args...)
	for i := range again.Results {
		again.Results[i].Milliseconds, got.Results[i].Milliseconds = 0, 0
	}
	if diff := cmp.Diff(got, again, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("another run (-first +second):\n%s", diff)
	}
	missing := filepath.Join(t.TempDir(), "missing", "out.json")
	for _, c := range []struct{ flags, says []string }{
		{[]string{"--methods", "none"}, []string{`"none"`, "known are map"}},
		{[]string{"--against", "none"}, []string{`"none"`, "known are map"}},
		{[]string{"--observed", "0"}, []string{"--observed 0", "at most 1"}},
		{[]string{"--hypotheses", "0"}, []string{"--hypotheses 0", "1 to 1000"}},
		{[]string{"--hypotheses", "1001"}, []string{"--hypotheses 1001", "1 to 1000"}},
		{[]string{"--strength=-1"}, []string{"--strength -1", "from 0"}},
		{[]string{"--classes", "1"}, []string{"--classes 1", "2 to"}},
		{[]string{"--model", "none"}, []string{"none", "harmonic"}},
		{[]string{"--methods", "strip,predictors", "--model", "harmonic,paper"}, []string{"strip,predictors", "--model paper", "marginals", "herding"}},
		{[]string{"--json", missing}, []string{missing, "create it"}},
		{[]string{"--json", t.TempDir()}, []string{"is a folder"}},
	} {
		out, err := evaluatetest.Run(t, new(Methods), append([]string{"--data", evaluatetest.Folder(t, 1)}, c.flags...)...)
		for _, word := range c.says {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%v: %q, %v, want %q", c.flags, out, err, word)
			}
		}
	}
}

// What the others are compared with is measured, too, although nobody asked for it.
func TestMethodsMeasureTheRival(t *testing.T) {
	got := evaluatetest.Figures[methodFigures](t, new(Methods), "--data", evaluatetest.Folder(t, 1), "--classes", "2", "--regions", "30", "--hypotheses", "2",
		"--methods", "herding", "--against", "divmbest", "--observed", "0.2")
	if len(got.Results) != 2 || got.Results[0].Ahead == nil || got.Results[1].Method != "divmbest" {
		t.Errorf("%+v", got.Results)
	}
}

// How far a method is ahead is that of all its labellings, however many there are.
func TestAheadCountsAllLabellings(t *testing.T) {
	list, err := simulate.Pictures(evaluatetest.Folder(t, 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scene.Open(list[0], 30, 2)
	if err != nil {
		t.Fatal(err)
	}
	at := scene.Posed{Clicks: simulate.Clicks{Classes: []uint8{0, 1}}}
	rest := herding.Hypothesis{Labels: make([]uint8, len(s.Majority))}
	made := slices.Repeat([]herding.Hypothesis{rest}, 25)
	rival, late := newContender("map", "harmonic", 0.1, 1, 1, 25), newContender("herding", "harmonic", 0.1, 1, 1, 25)
	rival.add(0, 0, s, at, made, 0)
	made[24].Labels = make([]uint8, len(s.Majority)) // the last is right
	for i, class := range s.Majority {
		if class == 1 {
			made[24].Labels[i] = 1
		}
	}
	late.add(0, 0, s, at, made, 0)
	late.finish(2)
	late.compare(rival, 2)
	if late.Oracle["20"] > 0.6 || late.Ahead.Mean < 0.3 {
		t.Errorf("the oracle of 20 is %v and that of 25 is ahead by %v", late.Oracle["20"], late.Ahead)
	}
}
