package affinity

import (
	"testing"
)

// Keys that are asked for in turn are nearly all remembered, however many there are.
func TestKept(t *testing.T) {
	const most, keys = 100, 130
	k := NewKept[int32](most)
	for round := range 5 {
		found := 0
		for key := range int32(keys) {
			v, ok := k.Get(key)
			if ok && v != 2*key {
				t.Fatalf("key %d has the value %d", key, v)
			}
			if ok {
				found++
			} else {
				k.Put(key, 2*key)
			}
		}
		if round > 0 && found < most-5 {
			t.Errorf("round %d: %d of %d were remembered", round, found, keys)
		}
		if k.Len() > most {
			t.Fatalf("%d values are remembered", k.Len())
		}
	}
	before := k.Len()
	k.Limit(20)
	for key := range int32(keys) {
		if v, ok := k.Get(key); ok {
			k.Put(key, v)
		}
	}
	if n := k.Len(); before <= 20 || n != 20 {
		t.Errorf("%d values are remembered, and %d when all were put again with a limit of 20", before, n)
	}
	if k = NewKept[int32](0); k.Len() != 0 {
		t.Error("an empty memory holds something")
	}
	k.Put(1, 2)
	k.Put(1, 3)
	if v, ok := k.Get(1); v != 3 || !ok || k.Len() != 1 {
		t.Errorf("the new value is %d, %v", v, ok)
	}
}
