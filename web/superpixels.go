package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"sync"
	"time"

	"collie/segment/mask"
	"collie/web/query"
)

func (s *Server) getSuperpixelsPNG(w http.ResponseWriter, r *http.Request) error {
	a, err := s.annotation(r)
	if err != nil {
		return err
	}
	shut := sync.OnceFunc(a.Close)
	defer shut()
	name, m := a.Divided()
	if unchanged(w, r, mapTag(name)) {
		return nil
	}
	w.Header().Set("Content-Type", "image/png")
	return s.sendMap(w, r, "png "+a.Image().ID+" "+name, shut, func() ([]byte, error) {
		var png bytes.Buffer
		err := mask.WriteSuperpixels(&png, m())
		return png.Bytes(), err
	})
}

// Which map superpixels.bin is; the first is the default.
const (
	mapDivided = "divided"
	mapWhole   = "whole"
	mapFinest  = "finest"
)

var mapQuery = query.Word{Name: "of", Words: []string{mapDivided, mapWhole, mapFinest}, Doc: "whole is the map without the parts that fine labels divide it into; finest that of the finest superpixels, which never changes"}

func (s *Server) getSuperpixelsBin(w http.ResponseWriter, r *http.Request) error {
	of, err := mapQuery.Of(r)
	if err != nil {
		return err
	}
	a, err := s.annotation(r)
	if err != nil {
		return err
	}
	shut := sync.OnceFunc(a.Close)
	defer shut()
	name, m := mapFinest, a.Cells
	switch of {
	case mapDivided:
		name, m = a.Divided()
	case mapWhole:
		name, m = a.Whole()
	}
	if unchanged(w, r, mapTag(name)) {
		return nil
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Encoding", "gzip")
	return s.sendMap(w, r, "bin "+a.Image().ID+" "+name, shut, func() ([]byte, error) {
		b, err := m().MarshalBinary()
		if err != nil {
			return nil, err
		}
		z := packers.Get().(*gzip.Writer)
		defer packers.Put(z)
		gz, err := packed(z, b)
		return gz.Bytes(), err
	})
}

// sendMap sends a superpixel map, which clients who take it at the same time share.
// It shuts the image once the map is written: a slow client keeps none open.
func (s *Server) sendMap(w http.ResponseWriter, r *http.Request, key string, shut func(), write func() ([]byte, error)) error {
	body, leave, err := s.shared.Get(key, write)
	if err != nil {
		return err
	}
	defer leave()
	shut()
	return s.answers.Content(w, r, time.Time{}, bytes.NewReader(body))
}

// packers are reused because each takes 800 KB. The fastest level makes maps 6
// % larger than the best.
var packers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level exists
	}
	return z
}}

// packed returns b as z packs it. Afterwards z keeps no reference to the result,
// so it can return to the pool.
func packed(z *gzip.Writer, b []byte) (*bytes.Buffer, error) {
	defer z.Reset(nil)
	gz := new(bytes.Buffer)
	z.Reset(gz)
	_, err := z.Write(b)
	return gz, errors.Join(err, z.Close())
}

// mapTag is the ETag of a superpixel map: its name, which the state also has.
func mapTag(name string) string { return `"` + name + `"` }
