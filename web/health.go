package web

import (
	"net/http"

	"collie/segment"
	"collie/segment/access"
	"collie/web/problem"
)

// healthz answers while the process runs.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	s.answers.Bytes(w, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
}

// getMetrics sends the server's metrics to admins and to API tokens for metrics.
func (s *Server) getMetrics(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.May(r.Context(), access.Observe); err != nil {
		return err
	}
	s.metrics.ServeHTTP(w, r)
	return nil
}

// readyz reports whether the stores can be used and the server is not stopping.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if s.stopping.Load() {
		return &problem.Refusal{Status: http.StatusServiceUnavailable, Detail: "The server is stopping."}
	}
	if err := s.ready(r.Context()); segment.KindOf(err) != 0 {
		return err
	} else if err != nil {
		return segment.Errorf(segment.Unavailable, "The data folder can't be used right now; see the server's log.").Because(err)
	}
	s.healthz(w, r)
	return nil
}
