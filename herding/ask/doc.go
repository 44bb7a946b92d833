// Package ask chooses the node that a person should be asked to label next.
//
// All queries read a problem's marginals, its UnaryMoments, and its areas, and
// never name a clamped node. Risk is what the product uses; the others are here
// to be compared with it.
package ask
