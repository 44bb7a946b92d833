package segment

import "slices"

// Scores are a first guess as the evidence keeps it: how probable each of some
// classes is, for each cell, so that it holds for any granularity, or for each
// superpixel that the image began with. Immutable.
type Scores struct {
	Classes []uint8 // ids, ascending
	Shares  []uint8 // rows × classes, row-major; 255 means 1, a row of zeros for nothing known
	Regions int     // rows when they are the superpixels that the image began with; 0 when they are cells
	Reserve []uint8 // those of Classes, ascending, that come into play only when clicked

	// Strength, Exponent, Proof and Patience say how much the guess counts, see
	// engine.Guess; a Strength 0, in older evidence, means that which imported
	// scores had then.
	Strength float64
	Exponent float64
	Proof    float64
	Patience float64

	Model  int // number of the project's model that made the guess; 0 for scores made elsewhere
	Learnt int // finished images that this model had learned from; 1 without a model for the labelling of another image
}

// Copied reports whether the scores are the labelling of another image.
func (s *Scores) Copied() bool { return s.Model == 0 && s.Learnt > 0 }

// Same reports whether two scores, which can be nil, are equal.
func (s *Scores) Same(other *Scores) bool {
	if s == nil || other == nil {
		return s == other
	}
	return slices.Equal(s.Classes, other.Classes) && slices.Equal(s.Shares, other.Shares) && slices.Equal(s.Reserve, other.Reserve) && s.Regions == other.Regions &&
		s.Strength == other.Strength && s.Exponent == other.Exponent && s.Proof == other.Proof && s.Patience == other.Patience && s.Model == other.Model && s.Learnt == other.Learnt
}

// Limits of how much a guess counts.
const (
	MaxStrength = 1
	MaxExponent = 16
	MaxPatience = 1000
)

// Fits reports whether the scores are those of so many cells, or of so many
// superpixels in the beginning.
func (s *Scores) Fits(cells, regions int) bool {
	if s == nil {
		return false
	}
	rows := cells
	if s.Regions != 0 {
		rows = s.Regions
	}
	return len(s.Classes) > 0 && len(s.Shares) == rows*len(s.Classes) && (s.Regions == 0 || s.Regions == regions) &&
		s.Strength >= 0 && s.Strength <= MaxStrength && s.Exponent >= 0 && s.Exponent <= MaxExponent && s.Proof >= 0 && s.Proof <= 1 && s.Patience >= 0 && s.Patience <= MaxPatience && s.Model >= 0 && s.Learnt >= 0 &&
		ascending(s.Classes) && ascending(s.Reserve) && len(s.Reserve) < len(s.Classes) &&
		!slices.ContainsFunc(s.Reserve, func(id uint8) bool { return !slices.Contains(s.Classes, id) })
}

// Columns returns the classes that a table makes of those of the scores and which of
// them are in reserve, ascending, and the place of each class among the first. In
// reserve are those made of such classes only, unless none is left in play.
func (s *Scores) Columns(table *ClassTable) (classes, reserve []uint8, column [256]int) {
	var present, inPlay [256]bool
	anyInPlay := false
	for _, id := range s.Classes {
		to := table[id]
		present[to] = true
		if !slices.Contains(s.Reserve, id) {
			inPlay[to] = true
			anyInPlay = anyInPlay || to != Void
		}
	}
	for id := range MaxClasses {
		if !present[id] {
			continue
		}
		column[id] = len(classes)
		classes = append(classes, uint8(id))
		if anyInPlay && !inPlay[id] {
			reserve = append(reserve, uint8(id))
		}
	}
	return classes, reserve, column
}

// At returns the shares of the classes in a cell, which the image's first cut has in a
// superpixel.
func (s *Scores) At(cell int, superpixel int32) []uint8 {
	if s.Regions != 0 {
		cell = int(superpixel)
	}
	return s.Shares[cell*len(s.Classes):][:len(s.Classes)]
}

// ascending reports whether ids are sorted and different.
func ascending(ids []uint8) bool {
	return slices.IsSorted(ids) && len(slices.Compact(slices.Clone(ids))) == len(ids)
}

// GuessView is what people see about the first guess of an image.
type GuessView struct {
	Model  int // number of the project's model that made it; 0 for scores made elsewhere
	Learnt int // finished images that it had learned from
	// Sure are the classes that the guess is sure of somewhere, those with the
	// largest area first.
	Sure []SureClass
}

// SureClass is a class, and the share of the image's area, 0..1, where a guess is
// sure of it.
type SureClass struct {
	ID   uint8
	Area float64
}
