package segment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// When a class becomes another one, no cell is marked differently than when objects were
// drawn, whether or not the drawn ones have that class.
func TestDrawnThrough(t *testing.T) {
	var table ClassTable
	for id := range table {
		table[id] = uint8(id)
	}
	table[2] = 1
	for _, class := range []uint8{1, 2} {
		marks := []ObjectMark{{Cell: 0, Class: 2, Number: 1}, {Cell: 1, Class: 1, Number: 1}}
		c := Constraints{Objects: marks, Drawn: &Drawn{Objects: []ObjectPixels{{Class: class, Number: 2, Runs: []int32{3, 1}}}, Marks: marks}}
		got := c.Through(&table)
		if d := cmp.Diff(got.Objects, got.Drawn.Marks); d != "" {
			t.Errorf("drawn objects of class %d: marks now (-), marks when they were drawn (+):\n%s", class, d)
		}
	}
}
