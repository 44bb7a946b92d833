package s3

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"collie/segment"
	"collie/storage/s3/s3test"
)

// TestStandstill: a request ends when the server says nothing, or stops in the middle of
// a body, in either direction, but not when it answers slowly and goes on.
func TestStandstill(t *testing.T) {
	t.Parallel()
	const stall, pieces = time.Second, 8
	const pause = 2 * stall / pieces // longer than stall in all
	for name, c := range map[string]struct {
		size   int
		method string
		handle func(w http.ResponseWriter, r *http.Request, pass http.Handler)
		want   segment.Kind
	}{
		"reading stops": {100_000, http.MethodGet, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(&half{w, 50_000}, r)
			<-r.Context().Done()
		}, segment.Unavailable},
		"nothing comes": {100_000, http.MethodGet, func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
			<-r.Context().Done()
		}, segment.Unavailable},
		"reading is slow": {100_000, http.MethodGet, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			pass.ServeHTTP(&slow{w, 100_000 / pieces, pause}, r)
		}, 0},
		"sending stops": {partBytes, http.MethodPut, func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
			<-r.Context().Done()
		}, segment.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			address := proxy(t, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if r.Method == c.method && r.URL.Query().Get("list-type") == "" {
					asked.Add(1)
					c.handle(w, r, pass)
					return
				}
				pass.ServeHTTP(w, r)
			})
			folder := t.TempDir()
			direct := openAt(t, folder).(*Store)
			defer direct.Close()
			s := mustOpenWithin(t, address, direct.place.Prefix, folder, stall)
			defer s.Close()
			began := time.Now()
			if c.method == http.MethodPut {
				wantKind(t, c.want, s.Put(t.Context(), "key", write(text(c.size))))
			} else {
				wantKind(t, 0, direct.Put(t.Context(), "key", write(text(c.size))))
				began = time.Now()
				file, err := s.Open(t.Context(), "key")
				wantKind(t, c.want, err)
				if err == nil {
					file.Close()
				}
			}
			if took := time.Since(began); took < stall {
				t.Errorf("it took %v, want at least %v", took, stall)
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("asked %d times, want once", n)
			}
		})
	}
}

// Only the first of several files waits long for a server that stands still; those
// after it get through as soon as the server is back.
func TestStandstillOfMany(t *testing.T) {
	t.Parallel()
	gateway := s3test.MustStart(t)
	const stall = 2 * time.Second
	s := mustOpenWithin(t, gateway.Address(), "", t.TempDir(), stall)
	defer s.Close()
	put := func(key string, want segment.Kind) (took time.Duration) {
		t.Helper()
		began := time.Now()
		wantKind(t, want, s.Put(t.Context(), key, write(text(1000))))
		return time.Since(began)
	}
	put("before", 0)
	thaw := gateway.MustFreeze(t)
	if took := put("first", segment.Unavailable); took < stall {
		t.Errorf("the first file was given up after %v", took)
	}
	began := time.Now()
	for i := range 10 {
		put(fmt.Sprint("next-", i), segment.Unavailable)
		_, err := s.Open(t.Context(), "before")
		wantKind(t, segment.Unavailable, err)
	}
	if took := time.Since(began); took > 5*stall { // 20 requests
		t.Errorf("the next ten files took %v", took)
	}
	thaw()
	for end := time.Now().Add(time.Minute); ; time.Sleep(stall / 20) {
		err := s.Put(t.Context(), "back", write(text(1000)))
		if err == nil {
			break
		}
		if wantKind(t, segment.Unavailable, err); time.Now().After(end) {
			t.Fatal("the server is back, and its store doesn't notice")
		}
	}
}

// While a request is sent slowly, its answer is waited for; a server that takes
// nothing more is not.
func TestSlowSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const within, piece = time.Minute, 64 << 10
		ours, theirs := net.Pipe()
		defer theirs.Close()
		conn := &steady{Conn: ours, within: within}
		defer conn.Close()
		var answer sync.WaitGroup
		answer.Go(func() {
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Errorf("the answer: %v", err)
			}
		})
		go func() {
			for range 10 {
				time.Sleep(within - time.Second)
				_, _ = io.ReadFull(theirs, make([]byte, piece))
			}
			_, _ = theirs.Write([]byte("!"))
		}()
		if n, err := conn.Write(make([]byte, 10*piece)); n != 10*piece || err != nil {
			t.Errorf("sent %d bytes, %v", n, err)
		}
		answer.Wait()
		began := time.Now()
		if n, err := conn.Write(make([]byte, piece)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != within {
			t.Errorf("sent %d bytes to nobody in %v: %v", n, time.Since(began), err)
		}
	})
}

// slow passes an answer on in pieces with pauses between them.
type slow struct {
	http.ResponseWriter
	piece int
	pause time.Duration
}

func (s *slow) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		time.Sleep(s.pause)
		var m int
		m, err = s.ResponseWriter.Write(b[n:min(len(b), n+s.piece)])
		n += m
		s.ResponseWriter.(http.Flusher).Flush()
	}
	return n, err
}
