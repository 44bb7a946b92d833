package parts

import (
	"math"
	"path/filepath"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
)

func TestMap(t *testing.T) {
	dir := t.TempDir()
	// Two nodes with unaries 1:2 and 1:1, an edge of 3 for equal labels.
	evaluatetest.Write(t, filepath.Join(dir, "two.uai"), "MARKOV\n2\n2 2\n3\n1 0\n1 1\n2 0 1\n2 1 2\n2 1 1\n4 3 1 1 3\n")
	evaluatetest.Write(t, filepath.Join(dir, "optima.tsv"), "model\tbest_score\ntwo\t1.8\n")
	for _, solver := range []string{"auto", "thorough", "trws", "lbp"} {
		rows := evaluatetest.Figures[evaluatetest.Results](t, new(Map), "--models", dir, "--solver", solver).Results
		if len(rows) != 1 || len(evaluatetest.Missing(rows[0], "model", "score", "milliseconds", "sweeps", "gap")) > 0 {
			t.Fatalf("%s: rows %v", solver, rows)
		}
		if score, gap := rows[0]["score"].(float64), rows[0]["gap"].(float64); math.Abs(score-math.Log(6)) > 1e-9 || math.Abs(gap-(1.8-math.Log(6))) > 1e-9 {
			t.Errorf("%s: score %v, gap %v, want ln 6 and 1.8 less that", solver, score, gap)
		}
	}
}
