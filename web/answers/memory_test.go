package answers

import (
	"testing"
	"testing/synctest"
	"time"

	"collie/segment"
)

// Memory is lent for a large answer until it is sent. A request that finds none is
// refused after a while; small ones need none.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory()
		give, err := m.Lend(t.Context(), memoryShare)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := m.Lend(t.Context(), SmallAnswer+1); segment.KindOf(err) != segment.Busy || time.Since(began) != patience {
			t.Errorf("without memory: %v after %v", err, time.Since(began))
		}
		if _, err := m.Lend(t.Context(), SmallAnswer); err != nil {
			t.Errorf("a small answer: %v", err)
		}
		give()
		if give, err = m.Lend(t.Context(), 2*memoryTotal); err != nil { // alone, it gets all there is
			t.Fatal(err)
		}
		give()
		if !m.Idle() {
			t.Error("memory is still lent")
		}
	})
}
