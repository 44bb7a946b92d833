// Package crftest lists labellings, for tests of what looks for good ones.
package crftest

import "iter"

// Labellings yields all labellings of some nodes that keep the clamps: the label of
// each node or -1; nil for none. The receiver must not keep or change the slice.
func Labellings(nodes, labels int, fixed []int16) iter.Seq[[]uint8] {
	return func(yield func([]uint8) bool) {
		x := make([]uint8, nodes)
		var from func(i int) bool
		from = func(i int) bool {
			if i == nodes {
				return yield(x)
			}
			for l := range labels {
				if fixed == nil || fixed[i] < 0 || int(fixed[i]) == l {
					if x[i] = uint8(l); !from(i + 1) {
						return false
					}
				}
			}
			return true
		}
		from(0)
	}
}
