package superpixels

import "sync"

// room is the memory that a scene and all work on it need until the result is
// there. The next scene uses it again, since memory fresh from the system costs a
// good part of the time of a segmentation. Nothing that a caller keeps lies in it.
//
// A room has some 45 bytes per pixel of the working size, whatever the size of the
// image. The pool drops it when two garbage collections in a row find it unused.
type room struct {
	floats  slab[float32]
	ints    slab[int32]
	pairs   slab[[2]int32]
	borders slab[border]
	regions slab[region]
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// newRoom returns a room that belongs to the caller until it puts it back into
// rooms.
func newRoom() *room {
	r := rooms.Get().(*room)
	r.floats.reset()
	r.ints.reset()
	r.pairs.reset()
	r.borders.reset()
	r.regions.reset()
	return r
}

// slab is an array that slices are taken from.
type slab[T any] struct {
	array []T
	taken int // by all slices so far, those included that had to lie elsewhere
}

// reset makes all of the slab free again and large enough for what was taken.
func (s *slab[T]) reset() {
	if n := s.taken; n > len(s.array) {
		s.array = make([]T, n+n/8) // the next image can need a little more
	}
	s.taken = 0
}

// take returns n values, which can be any.
func (s *slab[T]) take(n int) []T {
	s.taken += n
	if s.taken > len(s.array) {
		return make([]T, n)
	}
	return s.array[s.taken-n : s.taken : s.taken]
}

// zeros returns n zero values.
func (s *slab[T]) zeros(n int) []T {
	out := s.take(n)
	clear(out)
	return out
}
