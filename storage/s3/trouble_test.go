package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/minio/minio-go/v7"

	"collie/segment"
	"collie/storage/s3/s3test"
	"collie/storage/storagetest"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// answer is an error of an S3 server.
func answer(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>of the test</Message></Error>", code)
}

// cut ends the connection of a request.
func cut(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

// discard is a ResponseWriter for answers that get lost.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// TestTroubles lets the server fail in the middle of requests: those that can be
// repeated are, and a file that was stored although the answer got lost is not a
// Conflict.
func TestTroubles(t *testing.T) {
	t.Parallel()
	large := func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") }
	puts := func(r *http.Request) bool { return r.Method == http.MethodPut }
	gets := func(r *http.Request) bool { return r.Method == http.MethodGet && !r.URL.Query().Has("list-type") }
	for name, c := range map[string]struct {
		size    int
		when    func(*http.Request) bool
		times   int32
		trouble func(w http.ResponseWriter, r *http.Request, pass http.Handler)
		want    segment.Kind
	}{
		"503 twice":    {1000, puts, 2, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { answer(w, 503, "SlowDown") }, 0},
		"503 for good": {1000, puts, 100, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { answer(w, 503, "SlowDown") }, segment.Unavailable},
		"409 twice": {1000, puts, 2, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			answer(w, 409, "ConditionalRequestConflict")
		}, 0},
		"409 for good": {1000, puts, 100, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			answer(w, 409, "ConditionalRequestConflict")
		}, segment.Unavailable},
		"cut before": {1000, puts, 2, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { cut(w) }, 0},
		"cut after": {1000, puts, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(discard{http.Header{}}, r)
			cut(w)
		}, 0},
		"cut after, parts": {partBytes + 1, large, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(discard{http.Header{}}, r)
			cut(w)
		}, 0},
		"503 after, parts": {partBytes + 1, large, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(discard{http.Header{}}, r)
			answer(w, 503, "SlowDown")
		}, 0},
		"full":               {1000, puts, 100, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { answer(w, 507, "XMinioStorageFull") }, segment.Full},
		"quota":              {1000, puts, 100, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { answer(w, 403, "QuotaExceeded") }, segment.Full},
		"forbidden":          {1000, puts, 100, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { answer(w, 403, "AccessDenied") }, segment.Unavailable},
		"away while reading": {1000, gets, 2, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { cut(w) }, 0},
		"reading ends early": {1000, gets, 2, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(&half{w, 500}, r)
			cut(w)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left atomic.Int32
			left.Store(c.times)
			address := proxy(t, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if c.when(r) && left.Add(-1) >= 0 {
					c.trouble(w, r, pass)
					return
				}
				pass.ServeHTTP(w, r)
			})
			folder := t.TempDir()
			direct := openAt(t, folder).(*Store)
			defer direct.Close()
			s := mustOpen(t, address, direct.place.Prefix, folder)
			defer s.Close()
			content := text(c.size)
			wantKind(t, c.want, s.Put(t.Context(), "key", write(content)))
			if c.want != 0 {
				_, err := direct.Open(t.Context(), "key")
				wantKind(t, segment.NotFound, err)
				return
			}
			if got := mustRead(t, s, "key"); !bytes.Equal(got, content) {
				t.Errorf("%d bytes came back or other ones", len(got))
			}
			if left.Load() > 0 {
				t.Error("the trouble did not happen")
			}
		})
	}
}

// half passes on only the first bytes of an answer.
type half struct {
	http.ResponseWriter
	left int
}

func (h *half) Write(b []byte) (int, error) {
	n := min(len(b), h.left)
	h.left -= n
	if _, err := h.ResponseWriter.Write(b[:n]); err != nil {
		return 0, err
	}
	h.ResponseWriter.(http.Flusher).Flush()
	return len(b), nil
}

// When the caller leaves while the file is sent, the key doesn't exist afterwards,
// even if the server had stored it.
func TestLeft(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]bool{"before it is stored": false, "after it is stored": true} {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			address := proxy(t, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if r.Method != http.MethodPut {
					pass.ServeHTTP(w, r)
					return
				}
				if stored {
					pass.ServeHTTP(discard{http.Header{}}, r)
				} else {
					_, _ = io.Copy(io.Discard, r.Body)
				}
				leave()
				<-r.Context().Done()
			})
			folder := t.TempDir()
			direct := openAt(t, folder).(*Store)
			defer direct.Close()
			s := mustOpen(t, address, direct.place.Prefix, folder)
			defer s.Close()
			if err := s.Put(ctx, "key", write(text(1000))); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			_, err := direct.Open(t.Context(), "key")
			wantKind(t, segment.NotFound, err)
		})
	}
}

// A server that can't be reached is not mistaken for a missing file.
func TestAway(t *testing.T) {
	t.Parallel()
	l := listen(t)
	l.Close()
	s := mustOpen(t, fmt.Sprintf("s3://collie?endpoint=http://%s", l.Addr()), "", t.TempDir())
	_, err := s.Open(t.Context(), "key")
	wantKind(t, segment.Unavailable, err)
	wantKind(t, segment.Unavailable, s.Put(t.Context(), "key", write(nil)))
	wantKind(t, segment.Unavailable, s.Remove(t.Context(), "key"))
	_, err = s.Sum("key")
	wantKind(t, segment.Unavailable, err)
	for _, err := range s.All(t.Context()) {
		wantKind(t, segment.Unavailable, err)
	}
	err = s.Examine(t.Context())
	if err == nil || !strings.Contains(err.Error(), "can't be reached") || !strings.Contains(err.Error(), "--blobs") {
		t.Errorf("examined: %v", err)
	}
}

// TestExamine examines a bucket that can do everything, and some that lack
// something.
func TestExamine(t *testing.T) {
	t.Parallel()
	type trouble = func(w http.ResponseWriter, r *http.Request, pass http.Handler)
	when := func(is func(*http.Request) bool, do trouble) trouble {
		return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			if is(r) {
				do(w, r, pass)
				return
			}
			pass.ServeHTTP(w, r)
		}
	}
	says := func(status int, code string) trouble {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { answer(w, status, code) }
	}
	all := func(*http.Request) bool { return true }
	puts := func(r *http.Request) bool { return r.Method == http.MethodPut }
	for name, c := range map[string]struct {
		trouble trouble
		want    string
	}{
		"good":        {when(func(*http.Request) bool { return false }, nil), ""},
		"no bucket":   {when(all, says(404, "NoSuchBucket")), "doesn't exist; create it, or correct --blobs"},
		"wrong keys":  {when(all, says(403, "SignatureDoesNotMatch")), "doesn't know these keys"},
		"unknown key": {when(all, says(404, "XAdminUserNotFound")), "doesn't know these keys"},
		"clock":       {when(all, says(403, "RequestTimeTooSkewed")), "its clock is wrong"},
		"region":      {when(puts, says(400, "AuthorizationHeaderMalformed")), "correct region="},
		"read-only":   {when(puts, says(403, "AccessDenied")), "can't take files with these keys"},
		"full":        {when(puts, says(507, "XMinioStorageFull")), "is full"},
		"no deleting": {when(func(r *http.Request) bool { return r.Method == http.MethodDelete }, says(403, "AccessDenied")), "can't remove files"},
		"no listing":  {when(func(r *http.Request) bool { return r.URL.Query().Has("list-type") }, says(403, "AccessDenied")), "can't list its files"},
		"no reading":  {when(func(r *http.Request) bool { return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "test") }, says(403, "AccessDenied")), "can't be read"},
		"no condition": {when(puts, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			w.Header().Set("ETag", `"x"`)
			_, _ = io.Copy(io.Discard, r.Body)
		}), "8 of 8 writers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			direct := openAt(t, folder).(*Store)
			defer direct.Close()
			s := mustOpen(t, proxy(t, c.trouble), direct.place.Prefix, folder)
			defer s.Close()
			err := s.Examine(t.Context())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			for info := range direct.core.ListObjectsIter(t.Context(), direct.place.Bucket, minio.ListObjectsOptions{Prefix: direct.place.Prefix, Recursive: true}) {
				if name != "no deleting" {
					t.Errorf("left behind: %s, %v", info.Key, info.Err)
				}
			}
		})
	}
}

// A server that refuses to take the owner's name is asked a few times, not for ever.
func TestClaimRefused(t *testing.T) {
	t.Parallel()
	for _, times := range []int32{2, 1000} {
		var left, asked atomic.Int32
		left.Store(times)
		address := proxy(t, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			if r.Method == http.MethodPut {
				asked.Add(1)
				if left.Add(-1) >= 0 {
					answer(w, http.StatusConflict, "OperationAborted")
					return
				}
			}
			pass.ServeHTTP(w, r)
		})
		folder := t.TempDir()
		direct := openAt(t, folder).(*Store)
		s := mustOpen(t, address, direct.place.Prefix, folder)
		owner, err := s.Claim(t.Context(), "us")
		if times < tries && (owner != "us" || err != nil) || times > tries && (err == nil || asked.Load() != tries) {
			t.Errorf("refused %d times, asked %d times: owner %q, %v", times, asked.Load(), owner, err)
		}
		if err := errors.Join(s.Close(), direct.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A bucket belongs to the first installation that claims it, until that one releases it.
func TestClaim(t *testing.T) {
	t.Parallel()
	s := openAt(t, t.TempDir()).(*Store)
	defer s.Close()
	var got []string
	for _, id := range []string{"one", "two", "one"} {
		owner, err := s.Claim(t.Context(), id)
		wantKind(t, 0, err)
		got = append(got, owner)
	}
	if diff := cmp.Diff([]string{"one", "one", "one"}, got); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	for _, step := range []struct{ by, next, want string }{{"two", "two", "one"}, {"one", "two", "two"}} {
		wantKind(t, 0, s.Release(t.Context(), step.by))
		if owner, err := s.Claim(t.Context(), step.next); err != nil || owner != step.want {
			t.Errorf("%q released and %q claimed the bucket: it belongs to %q, %v; want %q", step.by, step.next, owner, err, step.want)
		}
	}
}

func TestParsePlace(t *testing.T) {
	for address, want := range map[string]Place{
		"s3://bucket": {Bucket: "bucket", Endpoint: amazon, Secure: true},
		"s3://bucket/a/b/?endpoint=http://localhost:9000&region=r": {Bucket: "bucket", Prefix: "a/b/", Endpoint: "localhost:9000", Region: "r"},
		"s3://my.bucket?endpoint=https://s3.example.org/":          {Bucket: "my.bucket", Endpoint: "s3.example.org", Secure: true},
	} {
		if got, err := ParsePlace(address); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", address, got, err, want)
		}
	}
	for _, address := range []string{
		"", "bucket", "http://bucket", "s3://", "s3://B", "s3://a:b@bucket", "s3://bucket?endpoint=localhost:9000", "s3://bucket?endpoint=ftp://x",
		"s3://bucket?endpoint=https://u:p@x", "s3://bucket?endpoint=https://x/path", "s3://bucket?secret=x", "s3://bucket?region=a&region=b", "s3://bucket/a.b", "s3://bucket/../x", "s3://bucket?%zz", "s3://\x00",
	} {
		if p, err := ParsePlace(address); err == nil {
			t.Errorf("%q was taken as %+v", address, p)
		} else if strings.Contains(err.Error(), "a:b@") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

// On a machine whose disk is nearly full, files can't be stored, but read.
func TestReserve(t *testing.T) {
	t.Parallel()
	scratch, enlarge := storagetest.SmallDisk(t)
	server, err := s3test.Start(t.TempDir())
	if server == nil {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	s := mustOpen(t, server.Address(), "", scratch)
	defer s.Close()
	wantKind(t, 0, s.Put(t.Context(), "before", write(text(100_000))))
	storagetest.Leave(t, scratch, 200_000) // a twentieth are 209,715
	wantKind(t, segment.Full, s.Put(t.Context(), "after", write(text(1000))))
	if got := mustRead(t, s, "before"); len(got) != 100_000 {
		t.Errorf("%d bytes came back", len(got))
	}
	enlarge()
	wantKind(t, 0, s.Put(t.Context(), "after", write(text(1000))))
}

// A full bucket refuses files that don't fit, and works again once it has space.
func TestFullBucket(t *testing.T) {
	t.Parallel()
	dir, enlarge := storagetest.SmallDisk(t)
	server, err := s3test.Start(dir)
	if server == nil {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	s := mustOpen(t, server.Address(), "", t.TempDir())
	defer s.Close()
	wantKind(t, 0, s.Put(t.Context(), "small", write(text(1000))))
	wantKind(t, segment.Full, s.Put(t.Context(), "large", write(text(8<<20))))
	_, err = s.Open(t.Context(), "large")
	wantKind(t, segment.NotFound, err)
	enlarge()
	wantKind(t, 0, s.Put(t.Context(), "large", write(text(8<<20))))
	if got := mustRead(t, s, "small"); len(got) != 1000 {
		t.Errorf("%d bytes came back", len(got))
	}
}
