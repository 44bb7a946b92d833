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

// mediaTypes are fixed for what static has, because the system's table can
// differ.
var mediaTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// serveStatic serves the embedded modules, styles and icons at the addresses
// that static.Address gives them. Browsers keep those for good. While servers of
// two versions run side by side, a page from one may ask the other, which then
// answers with its own file, not to be kept.
func (s *Server) serveStatic(w http.ResponseWriter, r *http.Request) {
	version, name, _ := strings.Cut(chi.URLParam(r, "*"), "/")
	content, ok := static.Files[name]
	if !ok {
		s.notFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mediaTypes[path.Ext(name)])
	if version == static.Version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
