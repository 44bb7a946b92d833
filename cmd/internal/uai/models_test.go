package uai

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"collie/crf"
	"collie/sharedtest"
)

// TestMapModels solves 30 models of superpixel graphs whose optima are known
// (27 of them proved) and holds the mean gap and the number of optima reached.
// What the default options prove is not tried again with crf.Thorough. The race
// detector would take a minute and find nothing: a Solver has one thread.
func TestMapModels(t *testing.T) {
	if sharedtest.Race {
		t.Skip("too slow with the race detector")
	}
	dir := sharedtest.Path(t, "data/map-models")
	quick := tally{name: "default", optima: 21, meanGap: 0.3}
	thorough := tally{name: "thorough", optima: 27, meanGap: 0.05}
	for _, row := range optimaTable(t, dir) {
		m := readModel(t, filepath.Join(dir, row["model"]+".uai"))
		if r := quick.solve(t, m, row, crf.Options{}); r.Optimal {
			thorough.add(t, row, r, quick.ms[len(quick.ms)-1])
		} else {
			thorough.solve(t, m, row, crf.Thorough)
		}
	}
	quick.check(t)
	thorough.check(t)
}

// tally of the results over the models.
type tally struct {
	name       string
	optima     int // wanted
	meanGap    float64
	gaps, ms   []float64
	hit, known int
}

func (y *tally) solve(t *testing.T, m *crf.Model, row map[string]string, opt crf.Options) crf.Result {
	begin := time.Now()
	r := crf.NewSolver(m, opt).Solve(nil)
	y.add(t, row, r, float64(time.Since(begin).Microseconds())/1000)
	return r
}

func (y *tally) add(t *testing.T, row map[string]string, r crf.Result, ms float64) {
	best, err := strconv.ParseFloat(row["best_score"], 64)
	if err != nil {
		t.Fatal(err)
	}
	upper, err := strconv.ParseFloat(row["upper_bound"], 64)
	if err != nil {
		t.Fatal(err)
	}
	y.ms = append(y.ms, ms)
	y.gaps = append(y.gaps, max(0, best-r.Energy))
	const printed = 1e-3 // the table is rounded
	if r.Energy > upper+printed {
		t.Errorf("%s: energy %v above the known bound %v", row["model"], r.Energy, upper)
	}
	if row["proved_optimal"] != "yes" {
		return
	}
	y.known++
	if r.Energy > best-printed {
		y.hit++
	} else if r.Optimal {
		t.Errorf("%s: false proof of %v, the optimum is %v", row["model"], r.Energy, best)
	}
	if r.Bound < best-printed {
		t.Errorf("%s: bound %v below the optimum %v", row["model"], r.Bound, best)
	}
}

func (y *tally) check(t *testing.T) {
	mean := 0.0
	for _, g := range y.gaps {
		mean += g / float64(len(y.gaps))
	}
	slices.Sort(y.ms)
	t.Logf("%s: mean gap %.4f, %d of %d proved optima, median %.1f ms, slowest %.1f ms",
		y.name, mean, y.hit, y.known, y.ms[len(y.ms)/2], y.ms[len(y.ms)-1])
	if y.hit < y.optima || mean > y.meanGap {
		t.Errorf("%s: %d optima and a mean gap of %v, want %d and %v", y.name, y.hit, mean, y.optima, y.meanGap)
	}
}

func optimaTable(t *testing.T, dir string) []map[string]string {
	f, err := os.Open(filepath.Join(dir, "optima.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	r.LazyQuotes = true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var table []map[string]string
	for _, cells := range rows[1:] {
		row := map[string]string{}
		for i, c := range cells {
			row[rows[0][i]] = c
		}
		table = append(table, row)
	}
	return table
}

func readModel(t *testing.T, path string) *crf.Model {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := Read(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}
