// Package diverse makes sets of labellings that differ by construction: all M
// at once (Joint), local maxima (Modes), one after the other for their novelty
// (Submodular) or away from borders found before (Boundary), the best labellings
// with a forced label (NBest, Alternatives), and those that represent Herding's
// and the forced ones (Strip).
package diverse
