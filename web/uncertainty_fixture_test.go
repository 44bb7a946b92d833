package web

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/herding"
	"collie/herding/choose"
)

// uncertaintyPath is read by the front-end's tests, too: the page computes the
// uncertainty from its hypotheses and must get the same result.
const uncertaintyPath = "../static/testdata/uncertainty.json"

type uncertaintyFixture struct {
	Comment    string    `json:"comment"`
	Classes    []int     `json:"classes"`
	Area       []float64 `json:"area"` // shares of the image
	Hypotheses [][]int   `json:"hypotheses"`
	Marginals  []float64 `json:"marginals"` // superpixels × classes
	Entropy    []float64 `json:"entropy"`   // nats
	WrongArea  float64   `json:"expected_wrong_area"`
	Areas      []float64 `json:"areas"` // low and high of each class
}

func TestUncertaintyFixture(t *testing.T) {
	const n, k, m = 40, 3, 11
	random := rand.New(rand.NewPCG(7, 11))
	f := uncertaintyFixture{
		Comment: "Written by web/uncertainty_fixture_test.go: go test ./web -run Uncertainty -update",
		Classes: []int{0, 2, 5}, Area: make([]float64, n),
	}
	total := 0.0
	for i := range f.Area {
		f.Area[i] = 1 + float64(random.IntN(97))
		total += f.Area[i]
	}
	for i := range f.Area {
		f.Area[i] /= total
	}
	votes := make([][]uint8, m)
	for h := range votes {
		votes[h] = make([]uint8, n)
		classes := make([]int, n)
		for i := range n {
			if random.IntN(10) < i%8 {
				votes[h][i] = uint8(random.IntN(k))
			}
			classes[i] = f.Classes[votes[h][i]]
		}
		f.Hypotheses = append(f.Hypotheses, classes)
	}
	f.Marginals = herding.Marginals(votes, k)
	f.Entropy = herding.Entropy(f.Marginals, k)
	f.WrongArea = herding.ExpectedWrongArea(f.Marginals, k, f.Area)
	for _, a := range choose.AreaRanges(votes, k, f.Area, choose.Wider) {
		f.Areas = append(f.Areas, a.Low, a.High)
	}
	want, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(uncertaintyPath, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(uncertaintyPath)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("the fixture is out of date; run with -update (-want +got):\n%s", d)
	}
}
