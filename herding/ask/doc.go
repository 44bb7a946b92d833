// Package ask chooses the node that a person should be asked to label next.
//
// All queries read a problem's marginals, its UnaryMoments, and its areas, and
// never name a clamped node. The product uses Risk; the others are here for
// comparison.
package ask
