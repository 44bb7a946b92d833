package main

import (
	"fmt"
	"slices"

	"collie/segment"
	"collie/segment/affinity/fit"
	"collie/segment/simulate"
	"collie/superpixels"
)

// open reads an image to learn from.
func open(p simulate.Picture, regions, classes int) (*fit.Image, error) {
	img, mask, err := p.LoadLabelled()
	if err != nil {
		return nil, err
	}
	h, g := superpixels.Divide(img, regions)
	truth, err := simulate.Cover(h.Runs().Map(), mask, classes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Mask(), err)
	}
	return fit.NewImage(g, simulate.Majority(truth), simulate.Hash(p.ID)), nil
}

// unlabelled reports whether there is nothing to learn from an image, such as one that
// nobody has worked on in an exported project.
func unlabelled(e *fit.Image) bool {
	return !slices.ContainsFunc(e.Class, func(class uint8) bool { return class != segment.Void })
}
