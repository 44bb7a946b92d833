// Package diverse makes sets of labellings that differ by construction: all M
// at once (Joint), local maxima (Modes), one after the other for what is new
// about them (Submodular), and the best labellings that have something forced
// on them (NBest, Region).
package diverse
