package web

import (
	"net/http"
	"testing"
)

func TestHealth(t *testing.T) {
	s := MustServe(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := s.get(path); a.status != http.StatusOK || string(a.body) != "ok\n" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	s.server.Drain()
	s.get("/readyz").problem(t, http.StatusServiceUnavailable)
	if a := s.get("/api/v1/projects"); a.status != http.StatusOK {
		t.Errorf("projects while draining: %d", a.status)
	}
	s.server.Close()
	if a := s.get("/healthz"); a.status != http.StatusOK {
		t.Errorf("healthz while stopping: %d", a.status)
	}
	s.get("/readyz").problem(t, http.StatusServiceUnavailable)
}
