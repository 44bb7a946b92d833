package segment

import (
	"regexp"
	"testing"
)

func TestNewID(t *testing.T) {
	a, b := NewID(), NewID()
	pattern := regexp.MustCompile(`^[a-z2-7]{26}$`)
	if !pattern.MatchString(a) || !pattern.MatchString(b) || a == b {
		t.Errorf("NewID gave %q and %q, want two different ids of the form %v", a, b, pattern)
	}
}
