package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/storage/blob"
	"collie/storage/storagetest"
)

// behind is a folder store that counts what is read.
type behind struct {
	*blob.Store
	opened atomic.Int32
	before func(key string) // called before each Open
	away   bool             // no Open succeeds
}

func (b *behind) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	b.opened.Add(1)
	if b.before != nil {
		b.before(key)
	}
	if b.away {
		return nil, segment.Errorf(segment.Unavailable, "nobody answers")
	}
	return b.Store.Open(ctx, key)
}

type fatal interface{ Fatal(...any) }

func mustBehind(tb fatal, dir string) *behind {
	b, err := blob.OpenFast(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return &behind{Store: b}
}

// both closes a cache and what is behind it.
type both struct {
	*Cache
	behind io.Closer
}

func (b both) Close() error { return errors.Join(b.Cache.Close(), b.behind.Close()) }

// TestBlobs checks that a cache keeps the contract of the store behind it.
func TestBlobs(t *testing.T) {
	storagetest.TestBlobs(t, func(tb testing.TB, place string) storagetest.Blobs {
		tb.Helper()
		b := mustBehind(tb, filepath.Join(place, "behind"))
		c, err := Open(tb.Context(), b, filepath.Join(place, "cache"), 1<<20)
		if err != nil {
			tb.Fatal(err)
		}
		return both{c, b}
	})
}

// text is n bytes that tell which key they belong to.
func text(key string, n int) []byte { return bytes.Repeat([]byte(key+" "), n/len(key)+1)[:n] }

func put(ctx context.Context, b segment.Blobs, key string, content []byte) error {
	return b.Put(ctx, key, func(w io.Writer) error { _, err := w.Write(content); return err })
}

func read(ctx context.Context, b segment.Blobs, key string) ([]byte, error) {
	file, err := b.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// onDisk are the files below a folder, with their sizes.
func onDisk(tb fatal, dir string) (names []string, bytes int64) {
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			names, bytes = append(names, name), bytes+info.Size()
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return names, bytes
}

// TestModel plays random histories against a model of the cache: contents are right,
// the folder has what the model says, and so it never exceeds its bound.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "cache-*")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		ctx, place := context.Background(), filepath.Join(dir, "cache")
		b := mustBehind(t, filepath.Join(dir, "behind"))
		defer b.Store.Close()
		room := rapid.Int64Range(0, 4000).Draw(t, "room")
		clock := time.Now()
		now := func() time.Time { return clock }
		c, err := open(ctx, b, place, room, now)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { c.Close() }()

		stored := map[string][]byte{}
		var order []string // in the folder, least recently used first
		since := map[string]time.Time{}
		drop := func(key string) { order = slices.DeleteFunc(order, func(k string) bool { return k == key }) }
		used := func() (n int64) {
			for _, key := range order {
				n += int64(len(stored[key])) + overhead
			}
			return n
		}
		expire := func() {
			order = slices.DeleteFunc(order, func(k string) bool { return clock.Sub(since[k]) >= keepFor })
		}
		key := rapid.SampledFrom([]string{"original/a", "display/b", "hierarchy/c", "graph/d", "thumbnail/e", "features/f", "learnt/g", "export/h/file"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				k, content := key.Draw(t, "key"), text("x", rapid.IntRange(0, 2000).Draw(t, "size"))
				if err := put(ctx, c, k, content); (err != nil) != (stored[k] != nil) {
					t.Fatalf("Put: %v", err)
				}
				if stored[k] == nil {
					stored[k] = content
				}
			},
			"open": func(t *rapid.T) {
				k := key.Draw(t, "key")
				before := b.opened.Load()
				got, err := read(ctx, c, k)
				if stored[k] == nil {
					if segment.KindOf(err) != segment.NotFound {
						t.Fatalf("%s: %v", k, err)
					}
					return
				}
				if err != nil || !bytes.Equal(got, stored[k]) {
					t.Fatalf("%s: %d bytes, %v, want %d", k, len(got), err, len(stored[k]))
				}
				hit := slices.Contains(order, k) && clock.Sub(since[k]) < keepFor
				if asked := b.opened.Load() != before; asked == hit {
					t.Fatalf("%s: asked behind: %v, in the folder: %v", k, asked, hit)
				}
				size := int64(len(stored[k])) + overhead
				switch drop(k); {
				case hit:
					order = append(order, k)
				case k == "features/f" || k == "learnt/g" || k == "export/h/file":
				case true:
					if expire(); size > room {
						return
					}
					for used()+size > room {
						order = order[1:]
					}
					order, since[k] = append(order, k), clock
				}
			},
			"remove": func(t *rapid.T) {
				k := key.Draw(t, "key")
				if err := c.Remove(ctx, k); err != nil {
					t.Fatal(err)
				}
				drop(k)
				delete(stored, k)
			},
			"forget": func(t *rapid.T) {
				k := key.Draw(t, "key")
				c.Forget(k)
				drop(k)
			},
			"wait": func(t *rapid.T) {
				clock = clock.Add(time.Duration(rapid.Int64Range(0, int64(keepFor)).Draw(t, "time")))
			},
			"damage": func(t *rapid.T) {
				names, _ := onDisk(t, place)
				if len(names) == 0 {
					return
				}
				name := rapid.SampledFrom(names).Draw(t, "file")
				if err := os.WriteFile(name, []byte("damaged"), 0o600); err != nil {
					t.Fatal(err)
				}
				k, err := filepath.Rel(place, name[:len(name)-len(blob.SealedName(""))])
				if err != nil {
					t.Fatal(err)
				}
				if got, err := read(ctx, c, filepath.ToSlash(k)); err != nil || !bytes.Equal(got, stored[k]) {
					t.Fatalf("%s, damaged: %d bytes, %v", k, len(got), err)
				}
				drop(k)
				expire()
				order, since[k] = append(order, k), clock
			},
			"": func(t *rapid.T) {
				_, bytes := onDisk(t, place)
				if bytes > room {
					t.Fatalf("%d bytes in a cache of %d", bytes, room)
				}
				var got []string
				for at := c.order.Front(); at != nil; at = at.Next() {
					got = append(got, at.Value.(*entry).key)
				}
				if diff := cmp.Diff(order, got); diff != "" && len(order)+len(got) > 0 {
					t.Fatalf("in the folder, least recently used first (-want +got):\n%s", diff)
				}
				if c.used != used() {
					t.Fatalf("%d bytes counted, want %d", c.used, used())
				}
			},
		})
	})
}

// TestConcurrent reads, forgets and removes from many goroutines: contents are right,
// what was removed never comes back, and the bound holds.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := mustBehind(t, filepath.Join(dir, "behind"))
	defer b.Store.Close()
	const room = 20_000
	place := filepath.Join(dir, "cache")
	c, err := Open(t.Context(), b, place, room)
	if err != nil {
		t.Fatal(err)
	}
	var removed [40]atomic.Bool
	for i := range removed {
		if err := put(t.Context(), b, fmt.Sprint("display/", i), text(fmt.Sprint(i), 1000)); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 300 {
				i := rand.N(len(removed))
				key, gone := fmt.Sprint("display/", i), removed[i].Load()
				switch rand.N(30) {
				case 0:
					c.Forget(key)
				case 1:
					if err := c.Remove(t.Context(), key); err != nil {
						t.Error(err)
					}
					removed[i].Store(true)
				default:
					got, err := read(t.Context(), c, key)
					if segment.KindOf(err) == segment.NotFound && !gone {
						continue // removed meanwhile
					}
					if gone && segment.KindOf(err) != segment.NotFound {
						t.Errorf("%s was removed, and came back: %d bytes, %v", key, len(got), err)
					} else if !gone && (err != nil || !bytes.Equal(got, text(fmt.Sprint(i), 1000))) {
						t.Errorf("%s: %d bytes, %v", key, len(got), err)
					}
				}
			}
		})
	}
	wait.Wait()
	if _, bytes := onDisk(t, place); bytes > room {
		t.Errorf("%d bytes in a cache of %d", bytes, room)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
