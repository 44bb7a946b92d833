//go:build amd64 && !amd64.v3

package main

import (
	"bytes"
	"testing"

	"collie/segment/sample"
)

// The files in the repository are those that this program makes. Processors
// that fuse multiplications with additions round the odd pixel differently, so
// this is compared on the others only.
func TestFilesAreThoseOfTheSample(t *testing.T) {
	made, err := files(rendered(), truth())
	if err != nil {
		t.Fatal(err)
	}
	for name, kept := range map[string][]byte{"photograph.png": sample.Photograph, "mask.png": sample.Mask} {
		if !bytes.Equal(made[name], kept) {
			t.Errorf("segment/sample/%s (%d bytes) differs from what is rendered (%d bytes); if that is intended: go generate ./segment/sample", name, len(kept), len(made[name]))
		}
	}
}
