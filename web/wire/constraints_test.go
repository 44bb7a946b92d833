package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// The size of objects in a state depends on the ranges of their numbers, not on
// how many objects or marks there are.
func TestObjectsAreRanges(t *testing.T) {
	marks := []segment.ObjectMark{{Cell: 1, Class: 3, Number: 2}, {Cell: 2, Class: 3, Number: 1}, {Cell: 4, Class: 3, Number: 2}, {Cell: 5, Class: 3, Number: 9}, {Cell: 6, Class: 1, Number: 7}}
	got := ConstraintsOf(segment.Constraints{Objects: marks}, nil)
	want := &Constraints{Objects: []Objects{{1, [][2]int32{{7, 7}}}, {3, [][2]int32{{1, 2}, {9, 9}}}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if none := ConstraintsOf(segment.Constraints{}, nil); none != nil { // which a state leaves out
		t.Errorf("without any: %+v", none)
	}
	var many []segment.ObjectMark
	for i := range int32(5000) {
		many = append(many, segment.ObjectMark{Cell: i, Class: 1, Number: (i*7)%2500 + 1})
	}
	b, err := json.Marshal(ConstraintsOf(segment.Constraints{Objects: many}, nil))
	if err != nil || string(b) != `{"objects":[{"class":1,"ranges":[[1,2500]]}]}` {
		t.Errorf("%d bytes %.80s, %v", len(b), b, err)
	}
}
