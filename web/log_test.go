package web

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/storage/sqlite"
	"collie/web/wire"
)

// lockedBuffer can be written to by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Health checks that succeed, and the answer of a server that is about to stop, are no
// news. A page that opens an image has switched protocols.
func TestLogOfHealthChecks(t *testing.T) {
	var log lockedBuffer
	s := MustServe(t, func(c *Config, _ *sqlite.Store) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	s.get("/healthz")
	s.get("/readyz")
	if text := log.String(); text != "" {
		t.Errorf("health checks that succeed are logged:\n%s", text)
	}
	s.greet(s.photo().ID)
	s.server.Drain()
	s.get("/readyz")
	s.server.Close()
	text := log.String()
	// The line of a socket follows its end, which is all that Close waits for.
	for end := time.Now().Add(2 * time.Minute); strings.Count(text, "\n") < 4 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		text = log.String()
	}
	if strings.Contains(text, "ERROR") {
		t.Errorf("a server that is about to stop logs an error:\n%s", text)
	}
	for _, want := range []string{"path=/readyz status=503", "/socket status=101"} {
		if !strings.Contains(text, want) {
			t.Errorf("no line with %q in\n%s", want, text)
		}
	}
}

// The log has a line for each request, and nothing that people write, upload or
// put into a query.
func TestLogHoldsNoContents(t *testing.T) {
	var log lockedBuffer
	s := MustServe(t, func(c *Config, _ *sqlite.Store) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	var p wire.Project
	s.post("/api/v1/projects", `{"name":"secret-project"}`).into(t, http.StatusCreated, &p)
	var images []wire.Image
	s.upload(p.ID, file{"secret-file.png", picture()}).into(t, http.StatusCreated, &images)
	s.upload(p.ID, file{"secret-broken.png", []byte("\x89PNG\r\n\x1a\n secret-bytes")}, file{"secret-other.png", picture()})
	s.get("/api/v1/images/" + images[0].ID + "/hypotheses?count=2")
	s.get("/images/" + images[0].ID + "?token=secret-query")
	s.post("/api/v1/images/"+images[0].ID+"/evidence", strings.Replace(labelAt("secret-event", 0, inSky, 0), `"label"`, `"secret-kind"`, 1))
	s.send("PUT", "/api/v1/projects/"+p.ID+"/members/secret-user@example.org", strings.NewReader(`{"role":"viewer"}`))
	s.send("GET", "/api/v1/projects", nil, "Authorization: Bearer secret-token", "Cookie: x=secret-cookie", "Referer: http://secret-page/")

	text := log.String()
	if strings.Contains(text, "secret") {
		t.Errorf("the log tells secrets:\n%s", text)
	}
	for _, want := range []string{"method=POST path=/api/v1/projects status=201", "path=/api/v1/images/" + images[0].ID + "/hypotheses status=200", "/members/{user} status=404"} {
		if !strings.Contains(text, want) {
			t.Errorf("no line with %q in\n%s", want, text)
		}
	}
}
