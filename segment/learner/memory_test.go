package learner

import (
	"fmt"
	"testing"
)

// A project that learns again takes nobody's place.
func TestMemoryThatIsFull(t *testing.T) {
	var m memory[int]
	m.clear()
	for i := range mostHeld {
		m.hold(fmt.Sprint(i), &i)
	}
	m.hold("0", new(int))
	for i := range mostHeld {
		v, err := m.get(t.Context(), fmt.Sprint(i), func(*int) error { return fmt.Errorf("project %d was forgotten", i) })
		if v == nil || err != nil || *v != i {
			t.Errorf("project %d: %v, %v", i, v, err)
		}
	}
	m.hold("another", new(int))
	if n := len(m.held); n > mostHeld {
		t.Errorf("%d projects are held", n)
	}
}
