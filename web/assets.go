package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/static"
)

// asset is one file of the pages, held in memory.
type asset struct {
	content []byte
	kind    string // media type
	etag    string
}

// serveStatic serves the embedded modules, styles and icons. Their addresses
// carry no version, since modules import each other by plain relative paths, so
// browsers keep them and ask each time whether the hash is still the same.
func (s *Server) serveStatic() http.HandlerFunc {
	assets := map[string]asset{}
	for name, b := range static.Files {
		sum := sha256.Sum256(b)
		assets[name] = asset{b, mediaType(name), `"` + hex.EncodeToString(sum[:12]) + `"`}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		a, ok := assets[chi.URLParam(r, "*")]
		if !ok {
			s.notFound(w, r)
			return
		}
		w.Header().Set("Content-Type", a.kind)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", a.etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
	}
}

// mediaType is fixed for what we have, because the system's table can differ.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json":
		return "application/json"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
