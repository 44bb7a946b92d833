package methods_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"collie/herding"
	"collie/herding/methods"
	"collie/herding/methodstest"
)

func TestAllMethods(t *testing.T) {
	page, err := os.ReadFile("../../docs/methods.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string // in the first column of a table
	for line := range strings.Lines(string(page)) {
		if row, ok := strings.CutPrefix(line, "| "); ok {
			cell, _, _ := strings.Cut(row, " |")
			listed = append(listed, strings.Split(cell, ", ")...)
		}
	}
	for _, m := range methods.All() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			methodstest.Check(t, methodstest.Traits{Joint: m.Joint, Random: m.Random, Single: m.Name == "map"},
				func(p *herding.Problem, regions []int32, seed uint64) (herding.Source, error) {
					return methods.New(m.Name, p, methods.Options{Seed: seed, Regions: [][]int32{regions}})
				})
			if m.Help == "" || m.Answers == "" || !slices.Contains(listed, m.Name) {
				t.Error("the method doesn't say what it does, here or in docs/methods.md")
			}
		})
	}
}

// Every refusal names the method or the names there are.
func TestRefusals(t *testing.T) {
	p, regions := methodstest.Problem(t, 4, 3, 0)
	cuts := [][]int32{regions}
	for _, c := range []struct {
		name string
		o    methods.Options
		want error
		says string
	}{
		{"mapp", methods.Options{}, methods.ErrUnknown, "known are map, herding"},
		{"divmbest", methods.Options{Strength: -1}, herding.ErrRange, "divmbest: "},
		{"gibbs", methods.Options{Temperature: math.NaN()}, herding.ErrRange, "gibbs: "},
		{"nbest", methods.Options{Overlap: 2}, herding.ErrRange, "0 to 1"},
		{"modes", methods.Options{Depth: 4}, herding.ErrRange, "0 to 3"},
		{"divmbest-borders", methods.Options{Strength: -1}, herding.ErrRange, "divmbest-borders: "},
		{"modes", methods.Options{Depth: -3}, herding.ErrRange, "modes: "},
		{"nbest", methods.Options{Candidates: -1}, herding.ErrRange, "candidates"},
		{"hierarchy", methods.Options{}, herding.ErrShape, "use label-bias"},
		{"herding-regions", methods.Options{}, herding.ErrShape, "use herding"},
		{"predictors", methods.Options{}, herding.ErrShape, "use herding"},
		{"hierarchy", methods.Options{Regions: [][]int32{{1}}}, herding.ErrShape, "hierarchy: "},
	} {
		s, err := methods.New(c.name, p, c.o)
		if err == nil {
			for _, e := range s.Run(t.Context(), 2) {
				err = e
			}
		}
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, %+v: %v, want %v with %q", c.name, c.o, err, c.want, c.says)
		}
	}
	p.Model.Unary[0] = math.Inf(1)
	for _, name := range methods.Names() {
		if _, err := methods.New(name, p, methods.Options{Regions: cuts}); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s with an infinite unary: %v", name, err)
		}
	}
}
