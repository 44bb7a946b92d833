package main

import (
	"fmt"

	"collie/segment/affinity"
)

// affinitiesFlag names a file of cmd/train, for every command that makes
// hypotheses.
type affinitiesFlag struct {
	Affinities string `default:"" env:"COLLIE_AFFINITIES" type:"path" placeholder:"FILE" help:"Learned affinities between superpixels, a file written by cmd/train. Without it, the built-in ones."`
}

// read returns the affinities of the file, nil without one.
func (a affinitiesFlag) read() (*affinity.Model, error) {
	if a.Affinities == "" {
		return nil, nil
	}
	m, err := affinity.ReadFile(a.Affinities)
	if err != nil {
		return nil, fmt.Errorf("--affinities: %w", err)
	}
	return m, nil
}
