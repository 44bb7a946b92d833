package herding

import (
	"context"
	"fmt"
	"testing"

	"collie/crf"
)

var sizes = [][2]int{{600, 2}, {600, 5}, {600, 21}, {10000, 5}}

func BenchmarkNewHarmonic(b *testing.B) {
	for _, n := range []int{600, 10000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			s := newScene(n, 5, 0.02, 1)
			for b.Loop() {
				if _, err := NewHarmonic(s.n, s.conductances); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHarmonic is what one more click costs, all labels together.
func BenchmarkHarmonic(b *testing.B) {
	for _, c := range sizes {
		b.Run(fmt.Sprintf("n=%d/k=%d", c[0], c[1]), func(b *testing.B) {
			s := newScene(c[0], c[1], 0.02, 1)
			h, err := NewHarmonic(s.n, s.conductances)
			if err != nil {
				b.Fatal(err)
			}
			var p []float64
			for b.Loop() {
				if p, err = h.Solve(p, s.k, s.clicks, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSequence(b *testing.B) {
	for _, count := range []int{1, 20} {
		for _, c := range sizes {
			s := newScene(c[0], c[1], 0.02, 1)
			m := &crf.Model{Nodes: s.n, Labels: s.k, Unary: make([]float64, s.n*s.k), Fixed: s.clicks, Edges: s.potts}
			problems := map[string]func() (*Problem, error){
				"posterior": func() (*Problem, error) {
					h, err := NewHarmonic(s.n, s.conductances)
					if err != nil {
						return nil, err
					}
					p, err := h.Solve(nil, s.k, s.clicks, nil)
					if err != nil {
						return nil, err
					}
					return Posterior(p, s.k, s.clicks, s.potts, PosteriorOptions{EtaUnary: 0.5, EtaArea: 0.2, Area: s.area})
				},
				"similarity": func() (*Problem, error) { return Paper(m, Similarity, 1) },
				"softmax":    func() (*Problem, error) { return Paper(m, Softmax, 1) },
				"divmbest":   func() (*Problem, error) { return DivMBest(m, 0.15), nil },
			}
			for _, name := range []string{"posterior", "similarity", "softmax", "divmbest"} {
				b.Run(fmt.Sprintf("%s/hypotheses=%d/n=%d/k=%d", name, count, s.n, s.k), func(b *testing.B) {
					p, err := problems[name]()
					if err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						for _, err := range p.Run(context.Background(), count) {
							if err != nil {
								b.Fatal(err)
							}
						}
					}
				})
			}
		}
	}
}

func BenchmarkNextClicks(b *testing.B) {
	for _, c := range sizes {
		b.Run(fmt.Sprintf("n=%d/k=%d", c[0], c[1]), func(b *testing.B) {
			s := newScene(c[0], c[1], 0.02, 1)
			m := &crf.Model{Nodes: s.n, Labels: s.k, Unary: make([]float64, s.n*s.k), Fixed: s.clicks, Edges: s.potts}
			var hypotheses [][]uint8
			for h, err := range DivMBest(m, 0.15).Run(context.Background(), 20) {
				if err != nil {
					b.Fatal(err)
				}
				hypotheses = append(hypotheses, h.Labels)
			}
			for b.Loop() {
				NextClicks(hypotheses, s.k, s.area, 0)
			}
		})
	}
}
