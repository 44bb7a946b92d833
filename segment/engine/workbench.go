package engine

import (
	"sync"
	"weak"
)

// Workbench has the unfinished work of sequences: what their next hypotheses need, which
// can be made again. When all of it takes more than its room, the work that took the
// fewest steps is let go of, and of several that which rested longest, until one
// sequence's is left (GreedyDual: Young 1994, "The k-server dual and loose
// competitiveness for paging"). So whoever has come furthest gets on. Safe for concurrent
// use.
type Workbench struct {
	room int // bytes

	mu    sync.Mutex
	used  int // bytes
	age   int // credit of what was let go of last
	works map[weak.Pointer[Sequence]]*work
}

// work is that of one sequence.
type work struct {
	bytes  int
	credit int // age when it was last done, and its steps
}

// NewWorkbench returns an empty workbench with room for so many bytes.
func NewWorkbench(room int) *Workbench {
	return &Workbench{room: room, works: map[weak.Pointer[Sequence]]*work{}}
}

// keep counts the work of a sequence after some steps, and lets go of what is too much,
// which can be this sequence's.
func (b *Workbench) keep(s *Sequence, steps int) {
	b.mu.Lock()
	key := weak.Make(s)
	w := b.works[key]
	if w == nil {
		w = &work{bytes: s.workBytes()}
		b.works[key] = w
		b.used += w.bytes
	}
	w.credit = b.age + steps
	excess := b.excess()
	b.mu.Unlock()
	for _, e := range excess {
		e.letGo()
	}
}

// excess takes out what there is no room for. The caller holds the lock.
func (b *Workbench) excess() (out []*Sequence) {
	if b.used <= b.room {
		return nil
	}
	for key := range b.works {
		if key.Value() == nil { // nobody has it any more
			b.take(key)
		}
	}
	for b.used > b.room && len(b.works) > 1 {
		var least weak.Pointer[Sequence]
		for key, w := range b.works {
			if l, ok := b.works[least]; !ok || w.credit < l.credit {
				least = key
			}
		}
		b.age = b.works[least].credit
		b.take(least)
		if s := least.Value(); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// gone says that a sequence has let go of its work.
func (b *Workbench) gone(s *Sequence) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take(weak.Make(s))
}

// take takes out the work of a sequence. The caller holds the lock.
func (b *Workbench) take(key weak.Pointer[Sequence]) {
	if w := b.works[key]; w != nil {
		b.used -= w.bytes
		delete(b.works, key)
	}
}
