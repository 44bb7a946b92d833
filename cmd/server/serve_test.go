package main

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/photo"
	"collie/storage/blob"
	"collie/storage/cache"
	"collie/storage/disk"
	"collie/storage/postgres/postgrestest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(suite{m}) }

// suite runs the tests, and ends the database that they share.
type suite struct{ *testing.M }

func (s suite) Run() int { return postgrestest.Main(s.M) }

// keepProcess takes back, at the end of a test, what a start of the server sets for the
// whole process.
func keepProcess(t *testing.T) {
	processors, memory := runtime.GOMAXPROCS(0), debug.SetMemoryLimit(-1)
	t.Cleanup(func() { runtime.GOMAXPROCS(processors); debug.SetMemoryLimit(memory) })
}

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
	keepProcess(t)
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

// A start removes what a killed command has left in the data folder, and not what a command
// is still making there.
func TestStartRemovesRemains(t *testing.T) {
	keepProcess(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	folder := t.TempDir()
	inUse, remove, err := disk.TemporaryFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	killed := filepath.Join(folder, ".collie-part-1", databaseFile)
	if err := errors.Join(os.Mkdir(filepath.Dir(killed), 0o700), os.WriteFile(killed, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	state, err := json.Marshal(sweepState{time.Now(), time.Now()}) // a sweep would write to the folder, too
	if err := errors.Join(err, os.WriteFile(filepath.Join(folder, sweepFile), state, 0o600)); err != nil {
		t.Fatal(err)
	}
	c, err := parse(t, "--data", folder, "--listen", taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Serve.Run(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "already listens") {
		t.Errorf("an address that is taken: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".collie-part-*")); err != nil || !slices.Equal(left, []string{inUse}) {
		t.Errorf("%q, %v are left, want %q", left, err, inUse)
	}
}
