package web

import (
	"net/http"

	"collie/segment"
)

// healthz says that the process answers.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if _, err := w.Write([]byte("ok\n")); err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
}

// readyz says whether work can be done: the store answers a look-up and the
// server is not stopping.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if s.stopping.Load() {
		return segment.Errorf(segment.Unavailable, "The server is stopping.")
	}
	if _, err := s.workspace.Project(r.Context(), segment.NewID()); segment.KindOf(err) != segment.NotFound {
		return segment.Errorf(segment.Unavailable, "The store does not answer.").Because(err)
	}
	s.healthz(w, r)
	return nil
}
