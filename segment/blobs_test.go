package segment_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"collie/segment"
)

// A blob is read from its beginning, whatever has been read of it, into as much
// memory as it takes.
func TestReadBlob(t *testing.T) {
	for _, size := range []int{0, 1, 70_000} {
		want := strings.Repeat("x", size)
		blob := strings.NewReader(want)
		if _, err := io.CopyN(io.Discard, blob, int64(size/2)); err != nil {
			t.Fatal(err)
		}
		got, err := segment.ReadBlob(blob)
		if err != nil || !bytes.Equal(got, []byte(want)) || cap(got) != size {
			t.Errorf("%d bytes: got %d with room for %d, %v", size, len(got), cap(got), err)
		}
	}
}

// A blob that ends early is an error, not a shorter blob.
func TestReadBlobCut(t *testing.T) {
	if got, err := segment.ReadBlob(shorter{strings.NewReader("abc")}); err == nil {
		t.Errorf("got %q without an error", got)
	}
}

// shorter ends before the size that it states.
type shorter struct{ *strings.Reader }

func (s shorter) Seek(offset int64, whence int) (int64, error) {
	n, err := s.Reader.Seek(offset, whence)
	return n + 1, err
}
