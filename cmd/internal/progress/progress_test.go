package progress

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

func TestEachReportsTheLowestError(t *testing.T) {
	var calls atomic.Int32
	err := (&Terminal{Ctx: t.Context(), Bar: new(bytes.Buffer)}).Each("counting", 1000, func(i int) error {
		calls.Add(1)
		if i >= 10 {
			return fmt.Errorf("at %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "at 10" {
		t.Errorf("error %v, want that of 10", err)
	}
	if n := calls.Load(); n > 500 {
		t.Errorf("%d calls after an error at 10", n)
	}
}

// A bar of no part stays empty, and one past its end full.
func TestSay(t *testing.T) {
	for total, dashes := range map[int]int{0: width, 2: 0} {
		var b bytes.Buffer
		NewBar(&b, "waiting", total).Say(3, "still")
		if got := b.String(); strings.Count(got, "-") != dashes || !strings.HasSuffix(got, "] still\x1b[K") {
			t.Errorf("total %d: %q", total, got)
		}
	}
}
