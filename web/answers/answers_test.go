package answers

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/templates"
)

// A file that can't be read is an error of the handler, not plain text to the client.
func TestContentThatCannotBeRead(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	err := New(slog.New(slog.DiscardHandler)).Content(w, r, time.Time{}, stuck{strings.NewReader("x")})
	if err == nil || err.Error() != "stuck" || w.Body.Len() != 0 {
		t.Errorf("error %v, sent %q", err, w.Body)
	}
}

// stuck is a file that can't seek.
type stuck struct{ io.Reader }

func (stuck) Seek(int64, int) (int64, error) { return 0, errors.New("stuck") }

// A stream that fails before its first byte is answered as a problem. Later the
// connection is cut, so that half a file is not taken for a whole one.
func TestStreamThatFails(t *testing.T) {
	var log strings.Builder
	s, fails := New(slog.New(slog.NewTextHandler(&log, nil))), errors.New("the disk fails")
	for _, first := range []string{"", "half a fi"} {
		w := httptest.NewRecorder()
		var err error
		var cut any
		func() {
			defer func() { cut = recover() }()
			err = s.Stream(w, "image/png", func(to io.Writer) error {
				if first == "" {
					return fails
				}
				_, err := io.WriteString(to, first)
				return cmp.Or(err, fails)
			})
		}()
		if first == "" && (!errors.Is(err, fails) || cut != nil || w.Header().Get("Content-Type") != "" || log.Len() > 0) {
			t.Errorf("before the first byte: %v, panic %v, %v, logged %q", err, cut, w.Header(), &log)
		}
		if first != "" && (cut != http.ErrAbortHandler || !strings.Contains(log.String(), "the disk fails")) {
			t.Errorf("after the first byte: %v, panic %v, logged %q", err, cut, &log)
		}
	}
}

// What isn't there may be out of the reach of an API token, which the answer mentions.
func TestScopeInProblems(t *testing.T) {
	s := New(slog.New(slog.DiscardHandler))
	const mention = "API token of scope read."
	for _, c := range []struct {
		scope access.Scope
		kind  segment.Kind
		want  bool
	}{{access.ReadOnly, segment.NotFound, true}, {access.ReadOnly, segment.Invalid, false}, {"", segment.NotFound, false}} {
		ctx := access.With(t.Context(), access.Principal{Scope: c.scope})
		p := s.Failed(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), segment.Errorf(c.kind, "No."))
		if strings.Contains(p.Detail, mention) != c.want || !c.want && p.Detail != "No." {
			t.Errorf("scope %q, status %d: %s", c.scope, p.Status, p.Detail)
		}
	}
}

// A client that leaves while its page is rendered is no error in the log.
func TestLeftPage(t *testing.T) {
	var log strings.Builder
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	New(slog.New(slog.NewTextHandler(&log, nil))).HTML(httptest.NewRecorder(), r, http.StatusOK, templates.Start(templates.StartView{}))
	if log.Len() > 0 {
		t.Errorf("the log says %s", &log)
	}
}

func TestAttachmentNames(t *testing.T) {
	for name, want := range map[string]string{
		"beach.png":               `attachment; filename=beach.png`,
		"a b.png":                 `attachment; filename="a b.png"`,
		"../../etc/passwd":        `attachment; filename=-..-etc-passwd`,
		`x"; filename="evil.html`: `attachment; filename="x-; filename=-evil.html"`,
		"мор\u0435.jpg":           `attachment; filename*=utf-8''%D0%BC%D0%BE%D1%80%D0%B5.jpg`,
		"...":                     `attachment; filename=image`,
		"a\r\nSet-Cookie: x":      `attachment; filename="a--Set-Cookie- x"`,
	} {
		if got := Attachment(name); got != want {
			t.Errorf("attachment(%q) = %s, want %s", name, got, want)
		}
	}
}

// While a database is away, which fails every request, the log says so now and then.
func TestOutageInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := New(slog.New(slog.NewTextHandler(&log, nil)))
		fail := func(kind segment.Kind, text string) {
			s.Problem(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/x", nil), segment.Errorf(kind, "%s", text).Because(errors.New("the cause")))
		}
		for range 100 {
			fail(segment.Unavailable, "No database.")
		}
		time.Sleep(sayAgain)
		fail(segment.Unavailable, "No database.")
		fail(segment.Unavailable, "No bucket.")
		for range 2 {
			fail(segment.Damaged, "Damaged.")
		}
		if got := strings.Count(log.String(), "No database."); got != 2 {
			t.Errorf("%d lines of the database, want 2", got)
		}
		for text, want := range map[string]int{"No bucket.": 1, "Damaged.": 2, "unlogged=99": 1, "unlogged=": 1, "the cause": 5} {
			if got := strings.Count(log.String(), text); got != want {
				t.Errorf("%q %d times, want %d:\n%s", text, got, want, &log)
			}
		}
	})
}
