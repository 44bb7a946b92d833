package answers

import (
	"errors"
	"testing"
)

// Clients who take an answer at the same time share it; it is kept no longer.
func TestShared(t *testing.T) {
	var s Shared
	made := 0
	get := func() func() {
		_, leave, err := s.Get("a", func() ([]byte, error) { made++; return []byte("map"), nil })
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first, second := get(), get()
	first()
	if made != 1 || len(s.byKey) != 1 {
		t.Errorf("made %d times and %d kept for two clients", made, len(s.byKey))
	}
	second()
	if len(s.byKey) != 0 {
		t.Error("kept when all clients have it")
	}
	if _, _, err := s.Get("a", func() ([]byte, error) { return nil, errors.New("broken") }); err == nil || len(s.byKey) != 0 {
		t.Errorf("an answer that could not be made: %v, %d kept", err, len(s.byKey))
	}
	get()()
	if made != 2 {
		t.Errorf("made %d times, want again", made)
	}
}
