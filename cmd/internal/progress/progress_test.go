package progress

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"testing"
)

func TestEachReportsTheLowestError(t *testing.T) {
	var calls atomic.Int32
	err := Each(t.Context(), new(bytes.Buffer), "counting", 1000, func(i int) error {
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
