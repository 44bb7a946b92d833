package disjoint_test

import (
	"testing"

	"pgregory.net/rapid"

	"collie/disjoint"
)

// Sets are those of a list of names that is rewritten at every join.
func TestSetsAreThoseOfPlainLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := disjoint.New(rapid.IntRange(1, 12).Draw(t, "numbers"))
		var want []int32
		for i := range s {
			want = append(want, int32(i))
		}
		number := func(name string) int32 { return int32(rapid.IntRange(0, len(s)-1).Draw(t, name)) }
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "add") {
				if got := s.Add(); int(got) != len(want) {
					t.Fatalf("added %d, want %d", got, len(want))
				}
				want = append(want, int32(len(want)))
				continue
			}
			a, b := number("a"), number("b")
			s.Join(a, b)
			gone, stays := want[a], want[b]
			for i := range want {
				if want[i] == gone {
					want[i] = stays
				}
			}
			c := number("c")
			if got := s.Find(c); got != want[c] {
				t.Fatalf("%d is in the set of %d, want %d", c, got, want[c])
			}
		}
		s.Reset()
		for i := range s {
			if s.Find(int32(i)) != int32(i) {
				t.Fatalf("after a reset %d is in the set of %d", i, s.Find(int32(i)))
			}
		}
	})
}
