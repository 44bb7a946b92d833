package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"collie/segment"
	"collie/storage/blob"
	"collie/storage/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An image that another server has erased leaves this one's copies.
func TestNewsOfImages(t *testing.T) {
	behind, err := blob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer behind.Close()
	folder := t.TempDir()
	c, err := cache.Open(t.Context(), behind, folder, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	copies := func() (n int) {
		for _, pattern := range []string{"*/*", "*/*/*"} {
			found, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range found {
				if strings.Contains(name, "image") {
					n++
				}
			}
		}
		return n
	}
	for _, im := range []segment.Image{{ID: "image1"}, {ID: "image2"}} {
		for _, key := range im.Keys() {
			if err := behind.Put(t.Context(), key, func(w io.Writer) error { _, err := io.WriteString(w, key); return err }); err != nil {
				t.Fatal(err)
			}
			file, err := c.Open(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			file.Close()
		}
	}
	keys := len(new(segment.Image).Keys())
	if n := copies(); n != 2*keys {
		t.Fatalf("%d copies, want %d", n, 2*keys)
	}
	(&data{blobs: &bucket{Blobs: c, cache: c}}).news(nil)(segment.News{About: segment.ImageErased, ID: "image1"})
	if n := copies(); n != keys {
		t.Errorf("%d copies after one of two images was erased, want %d", n, keys)
	}
}
