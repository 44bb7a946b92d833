package affinity

// Kept remembers a number of values whose keys are asked for in turn: with each
// click, the similarities of all clicks. When it is full, the value used last makes
// room for a new one, because the others are all asked for before it. If the oldest
// made room, each value would be gone when its turn comes. Not for concurrent use.
type Kept[V any] struct {
	most   int
	values map[int32]V
	newest int32
}

// NewKept returns memory for so many values, at least one.
func NewKept[V any](most int) *Kept[V] {
	return &Kept[V]{most: max(1, most), values: map[int32]V{}}
}

// Get returns the value of a key, if it is remembered.
func (k *Kept[V]) Get(key int32) (v V, ok bool) {
	if v, ok = k.values[key]; ok {
		k.newest = key
	}
	return v, ok
}

// Limit sets how many values are remembered, at least one. If there are more, each of
// those that are put again is forgotten until there are not.
func (k *Kept[V]) Limit(most int) { k.most = max(1, most) }

// Put remembers a value.
func (k *Kept[V]) Put(key int32, v V) {
	_, ok := k.values[key]
	switch {
	case ok && len(k.values) > k.most:
		delete(k.values, key)
		return
	case !ok && len(k.values) >= k.most:
		delete(k.values, k.newest)
	}
	k.values[key], k.newest = v, key
}

// Clear forgets all values.
func (k *Kept[V]) Clear() { k.values = map[int32]V{} }

// Len is how many values are remembered.
func (k *Kept[V]) Len() int { return len(k.values) }
