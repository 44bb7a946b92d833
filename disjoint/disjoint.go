// Package disjoint keeps disjoint sets of small numbers: union-find, with path
// halving (Tarjan and van Leeuwen 1984, doi:10.1145/62.2160).
package disjoint

// Sets are disjoint sets of the numbers 0..len-1. A number refers to another
// one of its set, a representative to itself. Not safe for concurrent use.
type Sets []int32

// New returns n sets of one number each.
func New(n int) Sets {
	s := make(Sets, n)
	s.Reset()
	return s
}

// Reset makes each number a separate set again.
func (s Sets) Reset() {
	for i := range s {
		s[i] = int32(i)
	}
}

// Add adds the next number as a new set and returns it.
func (s *Sets) Add() int32 {
	i := int32(len(*s))
	*s = append(*s, i)
	return i
}

// Find returns the representative of the set of i. O(log len) amortised.
func (s Sets) Find(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// Join puts the set of a into that of b, whose representative stays.
func (s Sets) Join(a, b int32) { s[s.Find(a)] = s.Find(b) }
