// Package fit learns affinities from images whose superpixels have classes.
package fit

import "collie/segment/affinity"

// Each calls do for 0 to n-1, in any order and maybe at once, until one fails; what says
// to people what is being done.
type Each func(what string, n int, do func(i int) error) error

// Learn fits both regressions to n images, which image returns; each is asked for twice.
// The result doesn't depend on the order in which each calls.
func Learn(each Each, what string, n int, image func(i int) (*Image, error)) (*affinity.Model, error) {
	gather := func(what string, of func(*Image) *Rows) ([]*Rows, error) {
		parts := make([]*Rows, n)
		return parts, each(what, n, func(i int) error {
			e, err := image(i)
			if err == nil {
				parts[i] = of(e)
			}
			return err
		})
	}
	rows, err := gather(what+": borders", EdgeRows)
	if err != nil {
		return nil, err
	}
	m := &affinity.Model{}
	if m.Edge, err = fit(each, what+": borders", affinity.EdgeFeatures, rows); err != nil {
		return nil, err
	}
	if rows, err = gather(what+": pairs", func(e *Image) *Rows { return PairRows(e, &m.Edge) }); err != nil {
		return nil, err
	}
	m.Pair, err = fit(each, what+": pairs", affinity.PairFeatures, rows)
	return m, err
}
