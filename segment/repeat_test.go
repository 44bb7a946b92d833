package segment

import (
	"fmt"
	"slices"
	"testing"
)

// many returns n superpixels from first on.
func many(first, n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(first + i)
	}
	return list
}

// A repeat is recognized although parts in locked classes were left out of what is
// stored; a request that lacks a part of what is stored is another one.
func TestSameSuperpixels(t *testing.T) {
	for _, c := range []struct {
		stored, request []int32
		want            bool
	}{
		{many(0, 5), many(0, 5), true},
		{many(1, 3), []int32{3, 3, 4, 0, 2, 1}, true},
		{[]int32{2, 2}, []int32{2}, true},
		{many(0, 5), many(1, 4), false},
		{many(0, 1), nil, false},
	} {
		stored, request := Event{Kind: Label, Superpixels: c.stored}, Event{Kind: Label, Superpixels: c.request}
		if got := stored.Same(&request); got != c.want {
			t.Errorf("%v stored, %v requested: %v", c.stored, c.request, got)
		}
	}
}

// A repeated stroke is recognized although its parts in locked classes were left out.
func TestSamePixels(t *testing.T) {
	one := func(class uint8, runs ...int32) []Repair { return []Repair{{Class: class, Runs: runs}} }
	for _, c := range []struct {
		stored, request []Repair
		want            bool
	}{
		{one(1, 5, 10), one(1, 5, 10), true},
		{one(1, 5, 2, 9, 3), one(1, 5, 10), true},
		{one(1, 14, 1), one(1, 20, 3, 5, 10), true},
		{one(1, 5, 2), []Repair{{Class: 2, Runs: []int32{0, 5}}, {Class: 1, Runs: []int32{5, 10}}}, true},
		{one(1, 5, 2), []Repair{{Class: 1, Runs: []int32{0, 4}}, {Class: 1, Runs: []int32{4, 3}}}, true},
		{one(1, 5, 11), one(1, 5, 10), false},
		{one(1, 4, 2), one(1, 5, 10), false},
		{one(1, 5, 10), one(2, 5, 10), false},
		{one(1, 5, 10), one(1, 5, 5, 11, 4), false},
		{one(1, 5, 10), one(1, 5, 10, 20), false}, // which is not valid
		{one(1, 5, 10), one(1, 5, -10), false},
		{one(1, 5, 10), nil, false},
	} {
		stored, request := Event{Kind: Pixels, Repairs: c.stored}, Event{Kind: Pixels, Repairs: c.request}
		if got := stored.Same(&request); got != c.want {
			t.Errorf("%v stored, %v requested: %v", c.stored, c.request, got)
		}
	}
	mask, other := Event{Kind: Import, Repairs: one(1, 5, 2)}, Event{Kind: Import, Repairs: one(1, 5, 10)}
	if mask.Same(&other) {
		t.Error("a mask is the same as another one")
	}
}

// BenchmarkSame repeats the largest events, with their superpixels in reverse: the
// image is locked meanwhile.
func BenchmarkSame(b *testing.B) {
	for _, n := range []int{2_000, 20_000, 200_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			stored, request := Event{Kind: Label, Superpixels: many(0, n)}, Event{Kind: Label, Superpixels: many(0, n)}
			slices.Reverse(request.Superpixels)
			for b.Loop() {
				if !stored.Same(&request) {
					b.Fatal("a repeat is taken for another event")
				}
			}
		})
	}
}
