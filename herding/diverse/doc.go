// Package diverse makes sets of labellings that differ by construction: all M
// at once (Joint), local maxima (Modes), one after the other for their novelty
// (Submodular), and the best labellings with a forced label (NBest, Alternatives).
package diverse
