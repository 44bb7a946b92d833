package output

import (
	"errors"
	"fmt"
	"testing"
)

// fullDisk takes one write.
type fullDisk struct{ text string }

var errFull = errors.New("no space left")

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.text != "" {
		return 0, errFull
	}
	f.text = string(b)
	return len(b), nil
}

func TestPrintedRemembers(t *testing.T) {
	disk := &fullDisk{}
	p := &Printed{To: disk}
	for i := range 3 {
		if (p.Err != nil) != (i == 2) {
			t.Errorf("before line %d: %v", i, p.Err)
		}
		if _, err := fmt.Fprintf(p, "line %d", i); err != nil {
			t.Errorf("line %d: %v", i, err)
		}
	}
	if !errors.Is(p.Err, errFull) || disk.text != "line 0" {
		t.Errorf("error %v, printed %q", p.Err, disk.text)
	}
}
