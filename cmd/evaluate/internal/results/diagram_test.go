package results

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// The legend hides no line: its names are right of all that is drawn of the lines.
func TestLegendBesideLines(t *testing.T) {
	f := &Diagram{X: "hypotheses"}
	const name = "herding-paper exact similarity"
	for x := range 20 {
		f.Add(name, float64(x), 1)
		f.Add("flat", float64(x), 0)
	}
	path := filepath.Join(t.TempDir(), "figure")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(path + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	number := func(pattern string) float64 {
		most := 0.0
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(svg, -1) {
			v, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, v)
		}
		return most
	}
	text := number(`<text x="([0-9.]+)"[^>]*>` + name + `</text>`)
	ends := number(`<path d="M[0-9.]+,[0-9.]+(?:L[0-9.]+,[0-9.]+){18}L([0-9.]+),`)
	if text == 0 || ends == 0 || text < ends {
		t.Errorf("the legend's names begin at %v, the lines end at %v", text, ends)
	}
}
