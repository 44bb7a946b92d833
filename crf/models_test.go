package crf

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// shared is the folder of test data beside the module, `../shared`.
func shared(t *testing.T, sub string) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path := filepath.Join(dir, "..", "shared", sub)
			if _, err := os.Stat(path); err != nil {
				t.Skipf("no test data at %s", path)
			}
			return path
		}
	}
	t.Fatal("no go.mod above the package")
	return ""
}

// TestMapModels solves 30 models of superpixel graphs whose optima are known
// (27 of them proved) and holds the mean gap and the number of optima reached.
func TestMapModels(t *testing.T) {
	dir := shared(t, "data/map-models")
	for _, c := range []struct {
		name    string
		opt     Options
		optima  int
		meanGap float64
	}{
		{"default", Options{}, 20, 0.33},
		{"thorough", Thorough, 24, 0.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var gaps, ms []float64
			optima, proved := 0, 0
			for _, row := range optimaTable(t, dir) {
				m := readModel(t, filepath.Join(dir, row["model"]+".uai"))
				best, err := strconv.ParseFloat(row["best_score"], 64)
				if err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				r := NewSolver(m, c.opt).Solve(nil)
				ms = append(ms, float64(time.Since(begin).Microseconds())/1000)
				gaps = append(gaps, max(0, best-r.Energy))
				upper, err := strconv.ParseFloat(row["upper_bound"], 64)
				if err != nil {
					t.Fatal(err)
				}
				if r.Energy > upper+1e-3 {
					t.Errorf("%s: energy %v above the known bound %v", row["model"], r.Energy, upper)
				}
				if row["proved_optimal"] == "yes" {
					proved++
					if r.Energy > best-1e-3 {
						optima++
					}
					if r.Optimal && r.Energy < best-1e-3 || r.Bound < best-1e-3 {
						t.Errorf("%s: false proof, energy %v, bound %v, optimum %v", row["model"], r.Energy, r.Bound, best)
					}
				}
			}
			mean := 0.0
			for _, g := range gaps {
				mean += g / float64(len(gaps))
			}
			slices.Sort(ms)
			t.Logf("mean gap %.4f, %d of %d proved optima, median %.1f ms, slowest %.1f ms", mean, optima, proved, ms[len(ms)/2], ms[len(ms)-1])
			if optima < c.optima || mean > c.meanGap {
				t.Errorf("%d optima and a mean gap of %v, want %d and %v", optima, mean, c.optima, c.meanGap)
			}
		})
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

func readModel(t *testing.T, path string) *Model {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := ReadUAI(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}
