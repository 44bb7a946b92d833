package crf

import "testing"

// Cuts need no messages, so they take no memory from then on.
func TestContinueFreesMessages(t *testing.T) {
	m := &Model{Nodes: 3, Labels: 3, Unary: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, Edges: []Edge{{0, 1, 1}, {1, 2, 1}, {0, 2, 1}}}
	s := NewSolver(m, Options{Sweeps: 10})
	s.Solve(nil)
	if s.trws == nil {
		t.Fatal("the first solution took no messages, so the test shows nothing")
	}
	s.Continue(Options{Method: Cuts, Cycles: 1})
	if s.trws != nil {
		t.Error("the messages are kept for cuts")
	}
}
