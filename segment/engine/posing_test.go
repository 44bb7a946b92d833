package engine

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/schedule"
)

// Clicks are compared in many turns, whatever needs that: thousands of them take
// minutes, in which others come in between and a caller can leave. One who leaves, or a
// workbench that lets go of the work, changes nothing.
func TestComparedInTurns(t *testing.T) {
	h, finest := blocks(240)
	cut := h.Cut(finest, 60, make([]uint8, h.Finest()), 0)
	clicks := map[int]uint8{}
	for i := range 40 {
		clicks[i] = uint8(i % 3)
	}
	divided := cut.Divide([]int32{3, 50})
	for name, model := range map[string]func() *Model{
		"by cells":   func() *Model { return ModelOf(h, finest, cut, DefaultParameters) },
		"divided":    func() *Model { return ModelOf(h, finest, cut, DefaultParameters).Divided(divided) },
		"one by one": func() *Model { return NewModel(gridGraph(8, 3), DefaultParameters) },
	} {
		t.Run(name, func(t *testing.T) {
			sequence := func() *Sequence {
				m := model()
				return NewSequence(m, Evidence{Clicks: clicksOn(len(m.shares), clicks)}, 3)
			}
			s, turns, leaveAt := sequence(), 0, 25
			s.part = 0
			ctx, leave := context.WithCancel(t.Context())
			s.TakeTurns(func(ctx context.Context, _ schedule.Class, step func()) error {
				if turns++; turns == leaveAt {
					leave()
				}
				step()
				return nil
			})
			if _, err := s.At(ctx, 0); !errors.Is(err, context.Canceled) || turns != leaveAt {
				t.Errorf("%v after %d turns, want the caller to leave after %d", err, turns, leaveAt)
			}
			if s.compared == nil {
				t.Error("what was compared is forgotten")
			}
			s.Rest()
			turns, leaveAt = 0, -1
			want, got := first(t, sequence(), 5), first(t, s, 5)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("in turns (-at once +in turns):\n%s", diff)
			}
			if turns < len(clicks) {
				t.Errorf("hypotheses took %d turns, want one for each of %d clicks", turns, len(clicks))
			}
			turns = 0
			suggested, err := s.Suggest(t.Context())
			if wanted, _ := sequence().Suggest(t.Context()); err != nil || len(wanted) == 0 || !slices.Equal(wanted, suggested) {
				t.Errorf("suggested %v, %v; want %v", suggested, err, wanted)
			}
			if turns < len(clicks) {
				t.Errorf("a suggestion took %d turns, want one for each of %d clicks", turns, len(clicks))
			}
		})
	}
}
