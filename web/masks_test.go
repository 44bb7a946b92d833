package web

import (
	"bytes"
	"testing"
	"time"

	"collie/segment/gauge"
	"collie/segment/workspace"
)

// queued does something when a step first comes to its turn.
type queued struct {
	gauge.Nobody
	do func()
}

func (q *queued) Took(what gauge.Time, _ time.Duration) {
	if do := q.do; what == gauge.Queue && do != nil {
		q.do = nil
		do()
	}
}

// While a mask waits, somebody changes the classes: it has the new ones.
func TestClassesChangeWhileMaskWaits(t *testing.T) {
	q := &queued{}
	s := mustServe(t, Limits{}, workspace.Options{Observer: q, Memory: 1}) // images are dropped as soon as nobody has them open
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.clickThree(path)
	repaint := func(color string) {
		s.patchProject(im.Project, `{"classes":[{"id":2},{"id":0,"color":"`+color+`"},{"id":1}]}`)
	}
	same := func(what string, got, want answer) {
		t.Helper()
		if got.status != 200 || got.header.Get("ETag") != want.header.Get("ETag") || !bytes.Equal(got.body, want.body) {
			t.Errorf("%s still has the old classes: %d", what, got.status)
		}
	}

	hypothesis := path + "/mask.png?of=hypothesis&style=colour"
	q.do = func() { repaint("#010203") }
	got := s.get(hypothesis)
	same("a hypothesis that waits for its turn", got, s.get(hypothesis))

	give, err := s.server.workspace.Pictures(t.Context(), s.server.workspace.PhotoLimits().Memory)
	if err != nil {
		t.Fatal(err)
	}
	overlay, answered := path+"/mask.png?style=overlay", make(chan answer)
	go func() { answered <- s.get(overlay) }()
	for s.server.workspace.Load().Images == 0 { // it opens the image, and then waits for memory
		time.Sleep(time.Millisecond)
	}
	repaint("#f0e0d0")
	give()
	got = <-answered
	same("an overlay that waits for memory", got, s.get(overlay))
}
