package segment

import (
	"slices"
	"testing"
)

// What is in reserve are some of the classes, never all.
func TestReserveFits(t *testing.T) {
	for _, c := range []struct {
		reserve []uint8
		want    bool
	}{
		{nil, true},
		{[]uint8{4}, true},
		{[]uint8{2, 9}, true},
		{[]uint8{2, 4, 9}, false},
		{[]uint8{3}, false},
		{[]uint8{9, 2}, false},
		{[]uint8{2, 2}, false},
	} {
		s := &Scores{Classes: []uint8{2, 4, 9}, Shares: []uint8{1, 2, 3}, Reserve: c.reserve}
		if got := s.Fits(1, 0); got != c.want {
			t.Errorf("%v in reserve: %v, want %v", c.reserve, got, c.want)
		}
	}
}

// A class in reserve that is merged into one in play comes into play with it, and
// the last class in play that is deleted leaves no class in reserve.
func TestResolvedScores(t *testing.T) {
	s := &Scores{Classes: []uint8{2, 4, 9}, Reserve: []uint8{4, 9}}
	for _, c := range []struct {
		change            map[uint8]uint8
		classes, reserved []uint8
	}{
		{nil, []uint8{2, 4, 9}, []uint8{4, 9}},
		{map[uint8]uint8{4: 2}, []uint8{2, 9}, []uint8{9}},
		{map[uint8]uint8{2: 4}, []uint8{4, 9}, []uint8{9}},
		{map[uint8]uint8{9: 4}, []uint8{2, 4}, []uint8{4}},
		{map[uint8]uint8{9: Void}, []uint8{2, 4}, []uint8{4}},
		{map[uint8]uint8{2: Void}, []uint8{4, 9}, nil},
		{map[uint8]uint8{2: 7, 4: 7, 9: 7}, []uint8{7}, nil},
	} {
		var table ClassTable
		for id := range table {
			table[id] = uint8(id)
		}
		for from, to := range c.change {
			table[from] = to
		}
		classes, reserved, _ := s.Columns(&table)
		if !slices.Equal(classes, c.classes) || !slices.Equal(reserved, c.reserved) {
			t.Errorf("%v: classes %v, in reserve %v; want %v and %v", c.change, classes, reserved, c.classes, c.reserved)
		}
	}
}
