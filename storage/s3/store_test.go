package s3

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/minio/minio-go/v7"

	"collie/segment"
	"collie/storage/s3/s3test"
	"collie/storage/storagetest"
)

// addressVariable names the server's bucket, also to the processes that tests
// start to have them killed.
const addressVariable = "COLLIE_TEST_BUCKET"

// problem says why there is no server.
var problem error

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if os.Getenv(addressVariable) == "" {
			dir, err := os.MkdirTemp("", "s3-*")
			if err != nil {
				panic(err)
			}
			defer os.RemoveAll(dir)
			server, err := s3test.Start(dir)
			if problem = err; err == nil {
				defer server.Stop()
				os.Setenv(addressVariable, server.Address())
			}
		}
		return m.Run()
	}())
}

// openAt opens the part of the bucket that belongs to a folder, which is where
// temporary files go.
func openAt(tb testing.TB, folder string) storagetest.Blobs {
	tb.Helper()
	return mustOpen(tb, os.Getenv(addressVariable), fmt.Sprintf("%x/", sha256.Sum256([]byte(folder))), folder)
}

func mustOpen(tb testing.TB, address, prefix, scratch string) *Store {
	tb.Helper()
	return mustOpenWithin(tb, address, prefix, scratch, stallWithin)
}

func mustOpenWithin(tb testing.TB, address, prefix, scratch string, stall time.Duration) *Store {
	tb.Helper()
	if problem != nil {
		tb.Skip(problem)
	}
	place, err := ParsePlace(address)
	if err != nil {
		tb.Fatal(err)
	}
	place.Prefix = prefix
	s, err := newStore(place, scratch, stall)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestBlobs(t *testing.T) { storagetest.TestBlobs(t, openAt) }

func TestKilled(t *testing.T) { storagetest.TestKilledBlobs(t, openAt) }

// text is n bytes.
func text(n int) []byte { return bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n] }

func write(b []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}

func wantKind(t *testing.T, want segment.Kind, err error) {
	t.Helper()
	if segment.KindOf(err) != want || (err == nil) != (want == 0) {
		t.Errorf("error %v, want kind %v", err, want)
	}
}

func mustRead(t *testing.T, s segment.Blobs, key string) []byte {
	t.Helper()
	file, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Files that are sent in parts come back, and don't replace others either.
func TestParts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openAt(t, folder)
	defer s.Close()
	for _, n := range []int{partBytes, partBytes + 1, 2*partBytes + 1000} {
		key, content := fmt.Sprint("parts/", n), text(n)
		wantKind(t, 0, s.Put(t.Context(), key, write(content)))
		if got := mustRead(t, s, key); !bytes.Equal(got, content) {
			t.Errorf("%d bytes came back as %d or other ones", n, len(got))
		}
		wantKind(t, segment.Conflict, s.Put(t.Context(), key, write(text(n))))
		if sum, err := s.Sum(key); err != nil || sum != fmt.Sprintf("%x", sha256.Sum256(content)) {
			t.Errorf("sum %s, %v", sum, err)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("temporary files %v, %v", entries, err)
	}
}

// Of several writers of one key exactly one wins, even with equal contents, and
// the others get a Conflict.
func TestRace(t *testing.T) {
	t.Parallel()
	s := openAt(t, t.TempDir())
	defer s.Close()
	for round := range 10 {
		var wait sync.WaitGroup
		var won atomic.Int32
		for i := range 16 {
			wait.Go(func() {
				err := s.Put(t.Context(), fmt.Sprint("race/", round), write(text(1000+(i+round)%2)))
				switch segment.KindOf(err) {
				case 0:
					if err != nil {
						t.Error(err)
					}
					won.Add(1)
				case segment.Conflict:
				default:
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if won.Load() != 1 {
			t.Errorf("%d of 16 writers won", won.Load())
		}
	}
}

// A file that was changed in the bucket is Damaged.
func TestDamaged(t *testing.T) {
	t.Parallel()
	s := openAt(t, t.TempDir()).(*Store)
	defer s.Close()
	content := text(100_000)
	wantKind(t, 0, s.Put(t.Context(), "a", write(content)))
	wantKind(t, 0, s.Put(t.Context(), "b", write(content)))
	for name, change := range map[string]func(b []byte, sum map[string]string) ([]byte, map[string]string){
		"a bit":       func(b []byte, m map[string]string) ([]byte, map[string]string) { b[5] ^= 1; return b, m },
		"shorter":     func(b []byte, m map[string]string) ([]byte, map[string]string) { return b[:len(b)-1], m },
		"empty":       func(b []byte, m map[string]string) ([]byte, map[string]string) { return nil, m },
		"no checksum": func(b []byte, m map[string]string) ([]byte, map[string]string) { return b, nil },
		"other sum": func(b []byte, m map[string]string) ([]byte, map[string]string) {
			return b, map[string]string{sumName: strings.Repeat("0", 64)}
		},
		"a's as b's":         func(b []byte, m map[string]string) ([]byte, map[string]string) { return append(b, 1), m },
		"control: as it was": func(b []byte, m map[string]string) ([]byte, map[string]string) { return b, m },
	} {
		b, m := change(bytes.Clone(content), map[string]string{sumName: fmt.Sprintf("%x", sha256.Sum256(content))})
		if _, err := s.core.Client.PutObject(t.Context(), s.place.Bucket, s.name("a"), bytes.NewReader(b), int64(len(b)), minio.PutObjectOptions{UserMetadata: m}); err != nil {
			t.Fatal(err)
		}
		file, err := s.Open(t.Context(), "a")
		if strings.HasPrefix(name, "control") {
			wantKind(t, 0, err)
			file.Close()
		} else if segment.KindOf(err) != segment.Damaged {
			t.Errorf("%s: error %v, want Damaged", name, err)
		}
	}
	if got := mustRead(t, s, "b"); !bytes.Equal(got, content) {
		t.Error("another file is affected")
	}
}

// Objects whose names are not keys, such as those of other programs, are left alone.
func TestForeignObjects(t *testing.T) {
	t.Parallel()
	s := openAt(t, t.TempDir()).(*Store)
	defer s.Close()
	for _, name := range []string{"README.md", "Upper", "original/x.s", ownerName} {
		if _, err := s.core.Client.PutObject(t.Context(), s.place.Bucket, s.name(name), strings.NewReader("x"), 1, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, 0, s.Put(t.Context(), "original/x", write(nil)))
	var keys []string
	for info, err := range s.All(t.Context()) {
		wantKind(t, 0, err)
		keys = append(keys, info.Key)
	}
	if diff := cmp.Diff([]string{"original/x"}, keys); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
}

// proxy passes requests on to the server, unless trouble answers.
func proxy(t *testing.T, trouble func(w http.ResponseWriter, r *http.Request, pass http.Handler)) string {
	t.Helper()
	if problem != nil {
		t.Skip(problem)
	}
	place, err := ParsePlace(os.Getenv(addressVariable))
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: place.Endpoint})
		r.Out.Host = r.In.Host // is signed
	}}
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { trouble(w, r, pass) })}
	listener := listen(t)
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return fmt.Sprintf("s3://%s?endpoint=http://%s&region=us-east-1", s3test.Bucket, listener.Addr())
}
