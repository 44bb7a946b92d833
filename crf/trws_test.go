package crf

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestVisitsOfStaleNodes compares passes over stale nodes with passes over all
// nodes, bit for bit, on a model that changes twice on the way.
func TestVisitsOfStaleNodes(t *testing.T) {
	for _, c := range []struct {
		k        int
		negative bool
	}{{1, false}, {2, false}, {5, false}, {2, true}, {5, true}} {
		t.Run(fmt.Sprintf("k=%d/negative=%v", c.k, c.negative), func(t *testing.T) {
			m := patch(300, c.k, c.negative)
			for i := range m.Unary {
				m.Unary[i] *= 4
			}
			g := newGraph(m)
			few, all := newTRWS(g), newTRWS(g)
			x, want := make([]uint8, len(g.free)), make([]uint8, len(g.free))
			skipped := 0
			for step := range 3 {
				g.load(m)
				few.reload()
				for sweep := range 30 {
					few.forward(x)
					all.reload()
					all.forward(want)
					if !slices.Equal(x, want) {
						t.Fatalf("step %d, sweep %d: other labels", step, sweep)
					}
					all.reload()
					if got, want := few.backward(), all.backward(); math.Float64bits(got) != math.Float64bits(want) {
						t.Fatalf("step %d, sweep %d: bound %v, want %v", step, sweep, got, want)
					}
					if !slices.Equal(few.down, all.down) {
						t.Fatalf("step %d, sweep %d: other messages", step, sweep)
					}
					for _, s := range few.stale {
						if s&forward == 0 {
							skipped++
						}
					}
				}
				for i := range c.k {
					m.Unary[(40*step+7)*c.k+i] = 1 / float64(i+2)
				}
				m.Edges[50].W += 0.1
				few.scale(0.5)
				all.scale(0.5)
			}
			if skipped == 0 {
				t.Error("every pass visited every node")
			}
		})
	}
}
