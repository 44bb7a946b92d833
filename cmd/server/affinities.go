package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"collie/segment/affinity"
)

// affinitiesFlag names a file of cmd/train, for every command that makes
// hypotheses.
type affinitiesFlag struct {
	Affinities string `env:"COLLIE_AFFINITIES" type:"path" placeholder:"FILE" help:"Learnt affinities between superpixels, a file written by cmd/train. Without it, the built-in ones."`
}

// mostAffinities is far more than any such file holds.
const mostAffinities = 1 << 20

// read returns the affinities of the file, nil without one.
func (a affinitiesFlag) read() (*affinity.Model, error) {
	if a.Affinities == "" {
		return nil, nil
	}
	f, err := os.Open(a.Affinities)
	if err != nil {
		return nil, fmt.Errorf("--affinities: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostAffinities+1))
	if err == nil && len(data) > mostAffinities {
		err = errors.New("this is no file of affinities: it is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("--affinities %s: %w", a.Affinities, err)
	}
	m, err := affinity.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("--affinities %s: %w", a.Affinities, err)
	}
	return m, nil
}
