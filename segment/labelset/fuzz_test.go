package labelset

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// FuzzRead looks for panics, for errors that are not for people, and for classes
// that are not the same after they have been written and read again.
func FuzzRead(f *testing.F) {
	f.Add(uint8(0), []byte("sky\nsea\n# note\nsand"))
	f.Add(uint8(1), []byte(`{"classes":[{"name":"sky","color":"#112233"},"sea"]}`))
	f.Add(uint8(2), []byte("# label:color_rgb:parts:actions\nsky:1,2,3::\nsea:4,5,6::"))
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		format := []Format{Text, JSON, VOC}[which%3]
		classes, err := Read(bytes.NewReader(b), format)
		if err != nil {
			if segment.KindOf(err) == 0 {
				t.Errorf("%v is not for people", err)
			}
			return
		}
		var out bytes.Buffer
		if err := Write(&out, JSON, classes); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&out, JSON)
		if err != nil {
			t.Fatalf("%+v is not read again: %v", classes, err)
		}
		if diff := cmp.Diff(classes, again); diff != "" {
			t.Errorf("after writing and reading (-want +got):\n%s", diff)
		}
	})
}
