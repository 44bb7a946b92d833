package main

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/photo"
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

// A server that can't start waits for what it has begun, such as a question to an OpenID
// provider that doesn't answer.
func TestFailedStart(t *testing.T) {
	processors, memory := runtime.GOMAXPROCS(0), debug.SetMemoryLimit(-1)
	defer func() { runtime.GOMAXPROCS(processors); debug.SetMemoryLimit(memory) }()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	address, folder := silent.Addr().String(), t.TempDir()
	d, err := openData(t.Context(), dataFlag{Data: folder}, 0, photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.store.CreateUser(t.Context(), accounts.User{ID: segment.NewID(), Name: "ann", Role: access.Admin}), d.Close()); err != nil {
		t.Fatal(err)
	}
	c, err := parse(t, "--data", folder, "--listen", address, "--auth", "--origin", "https://collie.example", "--openid-issuer", "http://"+address, "--openid-client", "collie")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Serve.Run(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "already listens") {
		t.Errorf("an address that is taken: %v", err)
	}
	stacks := make([]byte, 1<<20)
	if stacks = stacks[:runtime.Stack(stacks, true)]; strings.Contains(string(stacks), "openid.(*Provider)") {
		t.Errorf("the provider is still being asked:\n%s", stacks)
	}
}
