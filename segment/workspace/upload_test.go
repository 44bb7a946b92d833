package workspace_test

import (
	"bytes"
	"testing"

	"collie/segment/workspace"
)

// BenchmarkUpload12MP is all that the server does with a photograph of 12
// megapixels, the store included.
func BenchmarkUpload12MP(b *testing.B) {
	file := grain(b, 4000, 3000)
	w := mustTune(b, workspace.Options{})
	p, err := w.CreateProject(b.Context(), "Large", nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.AddImage(b.Context(), p.ID, "large.jpg", bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
}
