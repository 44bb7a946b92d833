package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"collie/segment/workspace"
)

// asking is a client that looks, when it gets the first bytes of an answer, whether
// something holds.
type asking struct {
	*httptest.ResponseRecorder
	look func()
}

func (a *asking) Write(b []byte) (int, error) {
	a.look()
	return a.ResponseRecorder.Write(b)
}

// While a client takes its answer, no memory for pictures is lent for it: a slow one
// would keep others from uploading.
func TestNoLoanWhileSending(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.importFiles("/api/v1/projects/"+im.Project+"/imports", file{"beach.png", halfMask()})
	s.post(path+"/evidence", `{"id":"a","expected_seq":1,"kind":"instance","class":1,"points":[[5,5]],"number":1}`)
	all := s.server.workspace.PhotoLimits().Memory
	for _, of := range []string{"/objects", "/mask.png", "/mask.png?style=overlay"} {
		looked := sync.OnceFunc(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			give, err := s.server.workspace.Pictures(ctx, all)
			if err != nil {
				t.Errorf("%s: while it is sent, %v", of, err)
				return
			}
			give()
		})
		w := &asking{httptest.NewRecorder(), looked}
		s.server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path+of, nil))
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: status %d", of, w.Code)
		}
	}
}

// While a client takes its answer, its image is not open: slow ones for many images
// would keep all of them in memory.
func TestNoImageOpenWhileSending(t *testing.T) {
	s := mustServe(t, Limits{}, workspace.Options{Memory: 1}) // images are dropped as soon as nobody has them open
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.clickThree(path)
	s.post(path+"/evidence", `{"id":"a","expected_seq":3,"kind":"instance","class":1,"points":[[5,5]],"number":1}`)
	for _, of := range []string{
		"", "/evidence", "/objects", "/mask.png", "/mask.png?style=overlay", "/mask.png?of=hypothesis", "/superpixels.png", "/superpixels.bin",
		"/hypotheses", "/alternatives?superpixels=0",
	} {
		w := &asking{httptest.NewRecorder(), func() {
			if n := s.server.workspace.Load().Images; n > 0 {
				t.Errorf("%s: while it is sent, the image is open", of)
			}
		}}
		s.server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path+of, nil))
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: status %d %s", of, w.Code, w.Body)
		}
	}
}
