package answers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"collie/segment"
)

// Memory is lent for a complete answer while the client takes it. An answer that finds
// none is not kept: it is made again when there is some.
func TestComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := NewMemory(), New(slog.New(slog.DiscardHandler))
		made := 0
		large := func(http.ResponseWriter, *http.Request) ([]byte, error) {
			made++
			return make([]byte, 2*SmallAnswer), nil
		}
		get := func(w http.ResponseWriter, produce func(http.ResponseWriter, *http.Request) ([]byte, error)) error {
			return s.Complete(m, "image/png", produce)(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		}
		w := &looking{ResponseRecorder: httptest.NewRecorder(), look: func() {
			if m.Idle() {
				t.Error("no memory is lent while the answer is sent")
			}
		}}
		if err := get(w, large); err != nil || w.Body.Len() != 2*SmallAnswer || made != 1 || !m.Idle() {
			t.Errorf("error %v, %d bytes, made %d times, idle %v", err, w.Body.Len(), made, m.Idle())
		}
		give, err := m.Lend(t.Context(), memoryShare)
		if err != nil {
			t.Fatal(err)
		}
		if err := get(httptest.NewRecorder(), large); segment.KindOf(err) != segment.Busy {
			t.Errorf("without memory: %v", err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := s.Complete(m, "image/png", large)(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, http.MethodGet, "/", nil)); !errors.Is(err, context.Canceled) {
			t.Errorf("without memory or client: %v", err)
		}
		made = 0
		answered := make(chan error)
		go func() { answered <- get(httptest.NewRecorder(), large) }()
		synctest.Wait()
		give()
		if err := <-answered; err != nil || made != 2 {
			t.Errorf("with memory again: %v, made %d times, want twice", err, made)
		}
		fails := errors.New("fails")
		if err := get(httptest.NewRecorder(), func(http.ResponseWriter, *http.Request) ([]byte, error) { return nil, fails }); !errors.Is(err, fails) || !m.Idle() {
			t.Errorf("error %v, idle %v", err, m.Idle())
		}
	})
}

// looking is a client that looks at something when the answer comes.
type looking struct {
	*httptest.ResponseRecorder
	look func()
}

func (l *looking) Write(b []byte) (int, error) {
	l.look()
	return l.ResponseRecorder.Write(b)
}
