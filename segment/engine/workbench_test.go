package engine

import (
	"runtime"
	"sync"
	"testing"
	"weak"
)

// manyClasses returns sequences of very many classes, with their clicks in different places.
func manyClasses(count int, b *Workbench) []*Sequence {
	const side, classes = 33, 100
	regions := make([]int32, side*side)
	for i := range regions {
		regions[i] = int32(i / (8 * side))
	}
	var all []*Sequence
	for i := range count {
		at := map[int]uint8{}
		for class := range classes {
			at[(i+7*class)%(side*side)] = uint8(class)
		}
		s := NewSequence(NewModel(gridGraph(side, 3), DefaultParameters).Divide(regions), Evidence{Clicks: clicksOn(side*side, at)}, classes)
		s.WorkOn(b)
		all = append(all, s)
	}
	return all
}

// inUse is the heap in use, in bytes.
func inUse() int {
	runtime.GC()
	runtime.GC() // what the first one has swept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// However many sequences have been begun, their work takes no more than there is room
// for. Without a workbench it takes as much as they are many.
func TestWorkbenchIsBounded(t *testing.T) {
	const count, room = 12, 16 << 20
	took := func(b *Workbench) int {
		all := manyClasses(count, b)
		before := inUse()
		for _, s := range all {
			first(t, s, 1)
		}
		after := inUse()
		runtime.KeepAlive(all)
		return after - before
	}
	without, with := took(nil), took(NewWorkbench(room))
	t.Logf("%d sequences: %.1f MiB, %.1f MiB on a workbench of %d", count, float64(without)/(1<<20), float64(with)/(1<<20), room>>20)
	// The models keep some memory, too.
	if with > without/2 || with > 2*room {
		t.Errorf("%d sequences take %d MiB on a workbench of %d MiB, %d without one", count, with>>20, room>>20, without>>20)
	}
}

// Sequences that let go of each other's work come to their ends, and to the same
// hypotheses as one that has all the room.
func TestWorkbenchChangesNothing(t *testing.T) {
	const count = 3
	alone := first(t, manyClasses(1, nil)[0], count)
	all := manyClasses(4, NewWorkbench(1)) // room for one
	all[1] = manyClasses(1, all[0].bench)[0]
	var users sync.WaitGroup
	for _, s := range all {
		users.Go(func() {
			if _, err := s.At(t.Context(), count-1); err != nil {
				t.Error(err)
			}
		})
	}
	users.Wait()
	for _, s := range all[:2] {
		for rank, h := range first(t, s, count) {
			if h.Digest != alone[rank].Digest {
				t.Errorf("hypothesis %d has digest %v, want %v", rank, h.Digest, alone[rank].Digest)
			}
		}
	}
	if b := all[0].bench; len(b.works) > 1 || b.used > all[0].workBytes() {
		t.Errorf("%d bytes are on a workbench with room for one", b.used)
	}
}

// Whoever has taken the most steps keeps the work, so that it is done some time; after
// others have taken as many since, it is let go of. What nobody has any more takes no room.
func TestWorkbenchKeepsTheFurthest(t *testing.T) {
	all := manyClasses(3, nil)
	b := NewWorkbench(2*all[0].workBytes() - 1) // for one
	on := func(s *Sequence) bool { b.keep(s, 1); return b.works[weak.Make(s)] != nil }
	b.keep(all[0], 5)
	if on(all[1]) {
		t.Error("a sequence that has just begun took another's place")
	}
	for tries := 0; !on(all[1]); tries++ {
		if tries > 100 {
			t.Fatal("what nobody works on keeps its place for ever")
		}
	}
	if b.works[weak.Make(all[0])] != nil || b.used != all[1].workBytes() {
		t.Errorf("%d works of %d bytes", len(b.works), b.used)
	}
	b.keep(all[1], 1000)
	all[1] = nil
	runtime.GC()
	if !on(all[2]) {
		t.Error("the work of a sequence that nobody has keeps its place")
	}
}
