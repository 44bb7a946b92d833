package main

import (
	"bytes"
	"testing"

	"collie/cmd/internal/output"
	"collie/segment/importer"
)

func TestTellImported(t *testing.T) {
	for want, im := range map[string]importer.ImageReport{
		"a: 1 pixel has a class\n":                  {Mask: "a", Decided: 1},
		"a: 2 pixels have a class\n  one overlap\n": {Mask: "a", Decided: 2, Lossy: []string{"one overlap"}},
		"a: 2 pixels have a class\n  replaces the labels that the image had; undo brings them back\n  no shapes, so all of it is outside every shape\n": {Mask: "a", Decided: 2, Replaces: true, Empty: true},
		"a.npz: scores of sky, sea\n  labels are not read\n": {Mask: "a.npz", Columns: []string{"sky", "sea"}, Lossy: []string{"labels are not read"}},
		"a.npz: 7×5 embeddings of 2 numbers\n":               {Mask: "a.npz", Embedded: "7×5 embeddings of 2 numbers"},
	} {
		var out bytes.Buffer
		tellImported(streams{stdout: &output.Printed{To: &out}}, im)
		if got := out.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
