package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/schedule"
)

// drawEvidence draws clicks, picks and exclusions of k classes on n superpixels.
func drawEvidence(rt *rapid.T, n, k int) Evidence {
	at := map[int]uint8{}
	order := rapid.Permutation(nodesOf(n)).Draw(rt, "order")
	clicks := rapid.IntRange(k, k+4).Draw(rt, "clicks")
	for c := range clicks {
		at[order[c]] = uint8(c % k)
	}
	e := Evidence{Clicks: clicksOn(n, at)}
	if rapid.Bool().Draw(rt, "picks") {
		e.Holds = newHolds(n)
		labels := make([]uint8, n)
		for i := range labels {
			labels[i] = uint8(rapid.IntRange(0, k-1).Draw(rt, "picked"))
		}
		e.Holds.pick(1, labels, order[clicks:rapid.IntRange(clicks, n).Draw(rt, "held")]...)
		for _, i := range order[:clicks] {
			e.Holds.click(2, i)
		}
	}
	if rapid.Bool().Draw(rt, "excluded") {
		e.Excluded = []Exclusion{{Superpixel: order[n-1], Class: uint8(rapid.IntRange(0, k-1).Draw(rt, "class"))}}
		if e.Holds != nil {
			e.Holds.release(order[n-1])
		}
	}
	return e
}

func nodesOf(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Rungs are nested, keep clicks and whatever is held, and the best one has the
// highest energy of all where nothing is held. Asking for them changes no hypothesis.
func TestLadder(t *testing.T) {
	g := gridGraph(6, 4)
	model := NewModel(g, DefaultParameters)
	rapid.Check(t, func(rt *rapid.T) {
		e := drawEvidence(rt, 36, 2)
		s := NewSequence(model, e, 1)
		l, err := s.Ladder(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		if l.Class != 1 || l.Other != 0 || l.Best < 0 || l.Best >= len(l.Rungs) {
			rt.Fatalf("ladder of class %d above %d, best rung %d of %d", l.Class, l.Other, l.Best, len(l.Rungs))
		}
		made := first(t, s, 3)
		if diff := cmp.Diff(first(t, NewSequence(model, e, 1), 3), made); diff != "" {
			rt.Fatalf("hypotheses (-without +with the ladder):\n%s", diff)
		}
		first := made[0]
		var below []uint8
		for at, r := range l.Rungs {
			labels := l.labels(at)
			share := 0.0
			for i, c := range labels {
				if c == 1 {
					share += model.shares[i]
				}
				if e.Clicks[i] != segment.Void && e.Clicks[i] != c {
					rt.Fatalf("rung %d contradicts the click on %d", at, i)
				}
				if below != nil && below[i] == 1 && c == 0 {
					rt.Fatalf("superpixel %d is on rung %d and not on rung %d", i, at-1, at)
				}
				if len(e.Excluded) > 0 && i == e.Excluded[0].Superpixel && c == e.Excluded[0].Class && e.Clicks[i] == segment.Void {
					rt.Fatalf("rung %d gives superpixel %d the class that it isn't", at, i)
				}
			}
			if math.Abs(share-r.Share) > 1e-12 || below != nil && share <= l.Rungs[at-1].Share {
				rt.Fatalf("rung %d says it covers %v and covers %v", at, r.Share, share)
			}
			if e.Holds == nil && r.Energy > l.Rungs[l.Best].Energy+1e-9 {
				rt.Fatalf("rung %d has energy %v, the best one %v", at, r.Energy, l.Rungs[l.Best].Energy)
			}
			h, err := s.Named(t.Context(), &segment.Pick{Rank: segment.Offered, Offer: &segment.Offer{Rung: at}})
			if err != nil || !slices.Equal(h.Labels, labels) || h.Digest != r.Digest || h.Rank != segment.Offered {
				rt.Fatalf("rung %d by name: %v", at, err)
			}
			below = labels
		}
		beyond := &segment.Pick{Rank: segment.Offered, Offer: &segment.Offer{Rung: len(l.Rungs)}}
		if _, err := s.Named(t.Context(), beyond); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("rungs 0 to %d.", len(l.Rungs)-1)) {
			rt.Fatalf("rung %d of %d by name: %v", len(l.Rungs), len(l.Rungs), err)
		}
		if first.Energy > l.Rungs[l.Best].Energy+1e-9 && e.Holds == nil {
			rt.Fatalf("the best rung has energy %v, the first hypothesis %v", l.Rungs[l.Best].Energy, first.Energy)
		}
		for at := range l.Rungs {
			for i, c := range l.labels(at) {
				if held := e.Holds; held != nil && !s.Settled() && held.Picked[i] > 0 && first.Labels[i] == held.Labels[i] && c != held.Labels[i] {
					rt.Fatalf("rung %d makes superpixel %d class %d, it is held as %d", at, i, c, held.Labels[i])
				}
			}
		}
	})
}

// The rest can be the later class; masks then show the other one.
func TestLadderAboveTheRest(t *testing.T) {
	e := Evidence{Clicks: clicksOn(36, map[int]uint8{14: 0}), Rest: segment.Rest{Mode: segment.RestClass, Class: 3}}
	s := NewSequence(NewModel(gridGraph(6, 4), DefaultParameters), e, 1)
	l, err := s.Ladder(t.Context())
	if err != nil || l.Class != 0 || l.Other != 3 || len(l.Rungs) < 3 || l.labels(0)[14] != 0 {
		t.Fatalf("%+v, %v", l, err)
	}
}

// A rung that has everything is all of the image, and not more by rounding.
func TestLadderOfEverything(t *testing.T) {
	for side := 3; side < 12; side++ {
		e := Evidence{Clicks: clicksOn(side*side, map[int]uint8{side: 0}), Rest: segment.Rest{Mode: segment.RestClass, Class: 3}}
		l, err := NewSequence(NewModel(gridGraph(side, 4), DefaultParameters), e, 1).Ladder(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		top := len(l.Rungs) - 1
		if labels := l.labels(top); slices.Contains(labels, 3) || l.Rungs[top].Share > 1 {
			t.Errorf("%d superpixels: the top rung has a share of %v: %v", side*side, l.Rungs[top].Share, labels)
		}
	}
}

func TestLadderNeedsTwoClasses(t *testing.T) {
	for k, at := range []map[int]uint8{nil, {3: 1}, 3: {3: 1, 4: 2, 9: 0}} {
		if k == 2 {
			continue
		}
		s := NewSequence(NewModel(gridGraph(4, 1), DefaultParameters), Evidence{Clicks: clicksOn(16, at)}, 1)
		if l, err := s.Ladder(t.Context()); segment.KindOf(err) != segment.Invalid {
			t.Errorf("with %d classes: %+v, %v", k, l, err)
		}
		if _, err := s.Named(t.Context(), &segment.Pick{Offer: &segment.Offer{Rung: 1}}); segment.KindOf(err) != segment.Invalid {
			t.Errorf("rung with %d classes: %v", k, err)
		}
	}
}

// On a small image with nothing but clicks, what-if is the best labelling of all
// in which the superpixels have the class, and what it changes is joined to them.
func TestAlternatives(t *testing.T) {
	g := gridGraph(3, 5)
	model := NewModel(g, DefaultParameters)
	rapid.Check(t, func(rt *rapid.T) {
		const n, k = 9, 3
		e := drawEvidence(rt, n, k)
		e.Holds = nil
		s := NewSequence(model, e, 1)
		first, err := s.At(t.Context(), 0)
		if err != nil {
			rt.Fatal(err)
		}
		about := rapid.SliceOfNDistinct(rapid.Int32Range(0, n-1), 1, 3, rapid.ID).Draw(rt, "superpixels")
		found, err := s.Alternatives(t.Context(), about)
		if err != nil {
			rt.Fatal(err)
		}
		for rank, a := range found {
			if rank > 0 && a.Gain > found[rank-1].Gain {
				rt.Fatalf("class %d, with gain %v, comes after %v", a.Class, a.Gain, found[rank-1].Gain)
			}
			best := math.Inf(-1)
			p, _ := s.problem(t.Context(), schedule.First)
			x := make([]uint8, n)
			for code := range 19683 {
				ok := true
				for i, c := 0, code; i < n; i, c = i+1, c/k {
					x[i] = uint8(c % k)
					ok = ok && (p.Model.Fixed[i] < 0 || int(p.Model.Fixed[i]) == c%k)
				}
				for _, i := range about {
					ok = ok && int(x[i]) == a.Class
				}
				if ok {
					best = max(best, p.Model.Energy(x))
				}
			}
			if a.Energy < best-1e-9 || a.Energy > best+1e-9 || math.Abs(a.Gain-(best-first.Energy)) > 1e-9 {
				rt.Fatalf("class %d: energy %v, gain %v; the best has %v, the first hypothesis %v", a.Class, a.Energy, a.Gain, best, first.Energy)
			}
			area := 0.0
			for i, c := range a.Labels {
				if (c != first.Labels[i]) != slices.Contains(a.Changed, int32(i)) {
					rt.Fatalf("class %d: superpixel %d changes, and %v are said to", a.Class, i, a.Changed)
				}
				if c != first.Labels[i] {
					area += model.shares[i]
				}
			}
			if math.Abs(area-a.Area) > 1e-12 {
				rt.Fatalf("class %d: %v of the image change, %v are said to", a.Class, area, a.Area)
			}
			h, err := s.Named(t.Context(), &segment.Pick{Offer: &segment.Offer{Superpixels: about, Class: a.Class}})
			if err != nil || h.Digest != a.Digest {
				rt.Fatalf("class %d by name: %v", a.Class, err)
			}
		}
	})
}

// Held superpixels stay unless they are joined to the ones in question.
func TestAlternativesKeepWhatIsHeld(t *testing.T) {
	g := gridGraph(5, 6)
	model := NewModel(g, DefaultParameters)
	rapid.Check(t, func(rt *rapid.T) {
		e := drawEvidence(rt, 25, 2)
		s := NewSequence(model, e, 1)
		first, err := s.At(t.Context(), 0)
		if err != nil {
			rt.Fatal(err)
		}
		about := []int32{rapid.Int32Range(0, 24).Draw(rt, "superpixel")}
		found, err := s.Alternatives(t.Context(), about)
		if err != nil {
			rt.Fatal(err)
		}
		for _, a := range found {
			if int(a.Labels[about[0]]) != a.Class || first.Labels[about[0]] == uint8(a.Class) || e.Clicks[about[0]] != segment.Void {
				rt.Fatalf("superpixel %d of class %d, clicked as %d, becomes %d", about[0], first.Labels[about[0]], e.Clicks[about[0]], a.Class)
			}
			joined := map[int32]bool{about[0]: true}
			part := about
			for at := 0; at < len(part); at++ {
				for _, j := range model.around()[part[at]] {
					if !joined[j] && slices.Contains(a.Changed, j) {
						joined[j] = true
						part = append(part, j)
					}
				}
			}
			for _, i := range a.Changed {
				if !joined[i] {
					rt.Fatalf("superpixel %d changes with %d, and nothing joins them", i, about[0])
				}
			}
		}
	})
}

func TestAlternativesOfNothing(t *testing.T) {
	s := NewSequence(NewModel(gridGraph(4, 1), DefaultParameters), Evidence{Clicks: clicksOn(16, map[int]uint8{3: 1})}, 1)
	if a, err := s.Alternatives(t.Context(), []int32{2}); len(a) > 0 || err != nil {
		t.Errorf("with one class: %v, %v", a, err)
	}
	for _, i := range []int32{-1, 16} {
		if _, err := s.Alternatives(t.Context(), []int32{i}); segment.KindOf(err) != segment.Invalid {
			t.Errorf("superpixel %d: %v", i, err)
		}
	}
	if _, err := s.Named(t.Context(), &segment.Pick{Offer: &segment.Offer{Superpixels: []int32{1}, Class: 9}}); segment.KindOf(err) != segment.Invalid {
		t.Errorf("a class that is not in play: %v", err)
	}
}

// Each alternative has a turn of its own, so that others come in between, and a caller
// who leaves among them keeps nobody waiting.
func TestAlternativesInTurns(t *testing.T) {
	const classes = 9
	at := map[int]uint8{}
	for i := range classes {
		at[7*i] = uint8(i)
	}
	sequence := func() *Sequence {
		return NewSequence(NewModel(gridGraph(8, 3), DefaultParameters), Evidence{Clicks: clicksOn(64, at)}, classes)
	}
	want, err := sequence().Alternatives(t.Context(), []int32{20})
	if err != nil || len(want) != classes-1 {
		t.Fatalf("%d alternatives, %v", len(want), err)
	}
	s, turns := sequence(), 0
	s.atOnce = 0
	ctx, leave := context.WithCancel(t.Context())
	s.TakeTurns(func(ctx context.Context, _ schedule.Class, step func()) error {
		if turns++; turns == 5 {
			leave()
		}
		step()
		return nil
	})
	if _, err := s.Alternatives(ctx, []int32{20}); !errors.Is(err, context.Canceled) || turns != 5 {
		t.Errorf("%v after %d turns, want the caller to leave after 5", err, turns)
	}
	turns = 5
	got, err := s.Alternatives(t.Context(), []int32{20})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("in turns: %v (-at once +in turns):\n%s", err, diff)
	}
	if turns -= 5; turns < classes {
		t.Errorf("%d alternatives took %d turns", len(got), turns)
	}
}
