package segment

import "slices"

// Scores are a first guess as the evidence keeps it: for each cell how probable
// each of some classes is, so that it holds for any granularity. Immutable.
type Scores struct {
	Classes []uint8 // ids, ascending
	Shares  []uint8 // cells × classes, row-major; 255 stands for 1, a row of zeros for nothing known
}

// Same reports whether two, which may be nil, say the same.
func (s *Scores) Same(other *Scores) bool {
	if s == nil || other == nil {
		return s == other
	}
	return slices.Equal(s.Classes, other.Classes) && slices.Equal(s.Shares, other.Shares)
}

// Fits reports whether the scores are those of so many cells.
func (s *Scores) Fits(cells int) bool {
	return s != nil && len(s.Classes) > 0 && len(s.Shares) == cells*len(s.Classes) &&
		slices.IsSorted(s.Classes) && len(slices.Compact(slices.Clone(s.Classes))) == len(s.Classes)
}
