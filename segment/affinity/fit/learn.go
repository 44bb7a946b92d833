// Package fit learns affinities from images whose superpixels have classes.
package fit

import "collie/segment/affinity"

// Each calls do for 0 to n-1, in any order and maybe at once, until one fails; what says
// to people what is being done.
type Each func(what string, n int, do func(i int) error) error

// Gather returns the rows of all images, in their order.
func Gather(each Each, what string, images []*Image, of func(*Image) *Rows) ([]*Rows, error) {
	parts := make([]*Rows, len(images))
	return parts, each(what, len(images), func(i int) error {
		parts[i] = of(images[i])
		return nil
	})
}

// Learn fits both regressions to images. The result doesn't depend on the order in which
// each calls.
func Learn(each Each, what string, images []*Image) (*affinity.Model, error) {
	rows, err := Gather(each, what+": borders", images, EdgeRows)
	if err != nil {
		return nil, err
	}
	m := &affinity.Model{}
	if m.Edge, err = fit(each, what+": borders", affinity.EdgeFeatures, rows); err != nil {
		return nil, err
	}
	if rows, err = Gather(each, what+": pairs", images, func(e *Image) *Rows { return PairRows(e, &m.Edge) }); err != nil {
		return nil, err
	}
	m.Pair, err = fit(each, what+": pairs", affinity.PairFeatures, rows)
	return m, err
}
