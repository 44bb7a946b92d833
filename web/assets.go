package web

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/static"
)

// mediaTypes are those of the static files; the system's table could differ.
var mediaTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".map": "application/json",
}

// serveStatic serves the modules, styles, source maps and icons at the addresses
// that static.Address gives them. Browsers cache those forever. While servers
// of two versions run side by side, a page from one can ask the other, which
// answers with its own file, not to be cached.
func (s *Server) serveStatic(w http.ResponseWriter, r *http.Request) {
	version, name, _ := strings.Cut(chi.URLParam(r, "*"), "/")
	content := static.Content(name)
	if content == nil {
		s.notFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mediaTypes[path.Ext(name)])
	if version == static.Version() {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		content = static.Packed(name)
	}
	if err := s.answers.Content(w, r, time.Time{}, bytes.NewReader(content)); err != nil {
		s.answers.Problem(w, r, err)
	}
}
