package superpixels

import "math"

// queue orders borders by cost, the least first: a heap with four children per
// entry that tracks the position of each border, so that a changed cost moves
// its entry and a removed border disappears. Equal costs order by the number of
// the border.
type queue struct {
	heap  []uint64 // cost in the upper half, border in the lower
	place []int32  // position in heap of each border; -1 when removed
}

// queueEntry packs a finite cost and a border so that entries order as integers.
func queueEntry(cost float32, border int32) uint64 {
	bits := math.Float32bits(cost)
	bits ^= uint32(int32(bits)>>31) | 1<<31 // negative numbers order backwards, below the others
	return uint64(bits)<<32 | uint64(border)
}

// newQueue returns the queue of borders 0..n-1.
func newQueue(n int, cost func(border int) float32) *queue {
	q := &queue{heap: make([]uint64, n), place: make([]int32, n)}
	for i := range q.heap {
		q.heap[i] = queueEntry(cost(i), int32(i))
		q.place[i] = int32(i)
	}
	for i := (n+2)/4 - 1; i >= 0; i-- { // those with children
		q.down(i, q.heap[i])
	}
	return q
}

// first returns the border with the least cost.
func (q *queue) first() int32 { return int32(q.heap[0]) }

// gone reports whether a border was removed.
func (q *queue) gone(border int32) bool { return q.place[border] < 0 }

func (q *queue) update(border int32, cost float32) {
	q.settle(int(q.place[border]), queueEntry(cost, border))
}

func (q *queue) remove(border int32) {
	i, last := int(q.place[border]), len(q.heap)-1
	entry := q.heap[last]
	q.heap = q.heap[:last]
	if i < last {
		q.settle(i, entry)
	}
	q.place[border] = -1
}

// settle puts an entry into its place, given that position i is free.
func (q *queue) settle(i int, entry uint64) {
	if i > 0 && entry < q.heap[(i-1)/4] {
		q.up(i, entry)
	} else {
		q.down(i, entry)
	}
}

func (q *queue) up(i int, entry uint64) {
	for i > 0 {
		parent := (i - 1) / 4
		if entry >= q.heap[parent] {
			break
		}
		q.put(i, q.heap[parent])
		i = parent
	}
	q.put(i, entry)
}

func (q *queue) down(i int, entry uint64) {
	for {
		first := 4*i + 1
		if first >= len(q.heap) {
			break
		}
		best, least := first, q.heap[first]
		for k, e := range q.heap[first+1 : min(first+4, len(q.heap))] {
			if e < least {
				best, least = first+1+k, e
			}
		}
		if entry <= least {
			break
		}
		q.put(i, least)
		i = best
	}
	q.put(i, entry)
}

func (q *queue) put(i int, entry uint64) {
	q.heap[i] = entry
	q.place[int32(entry)] = int32(i)
}
