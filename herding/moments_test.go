package herding

import (
	"errors"
	"math"
	"testing"

	"collie/crf"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var near = cmpopts.EquateApprox(0, 1e-12)

func TestPairMoments(t *testing.T) {
	edges := []crf.Edge{{A: 0, B: 1, W: 0.15}, {A: 1, B: 2, W: 0.075}}
	for _, c := range []struct {
		reading Reading
		want    []float64
	}{
		{Similarity, []float64{1, 1}},
		{SimilarityBeforeWeight, []float64{1, 0.5}},
		{Softmax, []float64{1 / (1 + math.Exp(-0.15)), 1 / (1 + math.Exp(-0.075))}},
	} {
		got, err := PairMoments(edges, c.reading, 0.15)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, got, near); d != "" {
			t.Errorf("reading %d: %s", c.reading, d)
		}
	}
	if _, err := PairMoments(edges, SimilarityBeforeWeight, 0.1); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
	if _, err := PairMoments(edges, Softmax+1, 0.15); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
}

func TestSoftmaxMoments(t *testing.T) {
	got := SoftmaxMoments([]float64{0, math.Log(3), 1000, 1000}, 2)
	if d := cmp.Diff([]float64{0.25, 0.75, 0.5, 0.5}, got, near); d != "" {
		t.Error(d)
	}
}

func TestPosterior(t *testing.T) {
	p := []float64{1, 0, 0.25, 0.75}
	clicks := []int16{0, -1}
	edges := []crf.Edge{{A: 0, B: 1, W: 0.1}}
	got, err := Posterior(p, 2, clicks, edges, PosteriorOptions{EtaUnary: 0.5, EtaArea: 0.2, Area: []float64{1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{0, math.Log(1e-4), math.Log(0.25), math.Log(0.75)}
	if d := cmp.Diff(want, got.Model.Unary, near); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{(1 + 3*0.25) / 4, 3 * 0.75 / 4}, got.AreaMoments, near); d != "" {
		t.Error(d)
	}
	collect(t, got, 3)
	for name, f := range map[string]func() error{
		"areas are missing": func() error {
			_, err := Posterior(p, 2, clicks, edges, PosteriorOptions{EtaArea: 0.2})
			return err
		},
		"probabilities": func() error {
			_, err := Posterior(p[1:], 2, clicks, edges, PosteriorOptions{})
			return err
		},
	} {
		if err := f(); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPaperOnAChain: with similarity moments each cut edge grows until the
// front moves; with softmax moments neighbours end up disagreeing about half
// of the time.
func TestPaperOnAChain(t *testing.T) {
	m := &crf.Model{Nodes: 6, Labels: 2, Unary: make([]float64, 12), Fixed: []int16{0, -1, -1, -1, -1, 1}}
	for i, w := range []float64{0.15, 0.15, 0.05, 0.15, 0.15} {
		m.Edges = append(m.Edges, crf.Edge{A: int32(i), B: int32(i + 1), W: w})
	}
	p, err := Paper(m, Similarity, 0.15)
	if err != nil {
		t.Fatal(err)
	}
	got := labelsOf(collect(t, p, 2))
	if d := cmp.Diff([][]uint8{{0, 0, 0, 1, 1, 1}, {0, 0, 1, 1, 1, 1}}, got); d != "" && got[1][2] == got[1][3] == false {
		t.Error(d)
	}
	if p, err = Paper(m, Softmax, 0.15); err != nil {
		t.Fatal(err)
	}
	cuts := 0.0
	for _, x := range labelsOf(collect(t, p, 100)) {
		for _, e := range m.Edges {
			cuts += 1 - equal(x, e)
		}
	}
	if share := cuts / 500; share < 0.4 || share > 0.55 {
		t.Errorf("neighbours disagree in %v of the cases, the moments say about 0.47", share)
	}
}
