package main

import (
	"testing"
	"testing/synctest"
)

// Images wait until there is memory for them; one that needs more than there is gets all.
func TestExportMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := within(100, nil)
		give, err := s.Pictures(t.Context(), 1000)
		if err != nil {
			t.Fatal(err)
		}
		begun := false
		go func() {
			next, err := s.Pictures(t.Context(), 1)
			if err != nil {
				t.Error(err)
				return
			}
			begun = true
			next()
		}()
		if synctest.Wait(); begun {
			t.Error("an image begins while another has all memory")
		}
		give()
		if synctest.Wait(); !begun {
			t.Error("an image doesn't begin although there is memory")
		}
	})
	if exportMemory() < 1<<20 {
		t.Errorf("%d bytes for an export", exportMemory())
	}
}
