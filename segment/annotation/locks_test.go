package annotation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

func TestSpareRuns(t *testing.T) {
	labelling := []uint8{0, 0, 1, 1, 2, 2, 1, 0}
	locked := &segment.Constraints{Locked: []uint8{1}}
	for _, c := range []struct {
		repairs, want []segment.Repair
	}{
		{[]segment.Repair{{Class: 2, Runs: []int32{0, 8}}}, []segment.Repair{{Class: 2, Runs: []int32{0, 2, 4, 2, 7, 1}}}},
		{[]segment.Repair{{Class: 1, Runs: []int32{0, 8}}}, []segment.Repair{{Class: 1, Runs: []int32{0, 8}}}},
		{[]segment.Repair{{Class: 0, Runs: []int32{2, 2}}, {Class: 2, Runs: []int32{6, 2}}}, []segment.Repair{{Class: 2, Runs: []int32{7, 1}}}},
		{[]segment.Repair{{Class: segment.Void, Runs: []int32{2, 2}}}, nil},
	} {
		if diff := cmp.Diff(c.want, spareRuns(c.repairs, locked, func(start, end int32) []uint8 { return labelling[start:end] })); diff != "" {
			t.Errorf("spareRuns(%v) (-want +got):\n%s", c.repairs, diff)
		}
	}
}
