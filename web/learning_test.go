package web

import (
	"net/http"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/learner"
	"collie/web/wire"
)

// The setting of a project is stored. Programs can ask for what it has learned, for
// pre-labelling and for a guess, even where there is nothing to learn from.
func TestLearningCalls(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/projects/" + im.Project
	for _, on := range []string{"false", "true"} {
		var p wire.Project
		s.send("PATCH", path, strings.NewReader(`{"learning":`+on+`}`)).into(t, http.StatusOK, &p)
		if p.Learning != (on == "true") {
			t.Errorf("learning %v after setting it to %s", p.Learning, on)
		}
		s.send("PATCH", path, strings.NewReader(`{"name":"other"}`)).into(t, http.StatusOK, &p)
		var l learningJSON
		s.get(path+"/learning").into(t, http.StatusOK, &l)
		if l.On != (on == "true") || l.Fewest < 1 || l.Model != 0 || len(l.Images) != 1 || l.Images[0].Guessed || l.Done == nil {
			t.Errorf("%+v", l)
		}
	}
	var l learningJSON
	s.post(path+"/guesses", ``).into(t, http.StatusAccepted, &l)
	if !strings.Contains(l.Detail, "before 5 images are finished; 0 are") {
		t.Errorf("guesses that can't be made: %q", l.Detail)
	}
	var g guessJSON
	s.post("/api/v1/images/"+im.ID+"/guess", ``).into(t, http.StatusOK, &g)
	if g.Guessed {
		t.Error("a guess by a project that has learned nothing")
	}
	for _, wrong := range []string{`{"learning":1}`, `{"learning":"yes"}`} {
		if a := s.send("PATCH", path, strings.NewReader(wrong)); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d, want 422", wrong, a.status)
		}
	}
	for _, missing := range []string{"/api/v1/projects/none/learning"} {
		if a := s.get(missing); a.status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", missing, a.status)
		}
	}
}

// A script that asks for guesses learns why none come.
func TestWithoutGuess(t *testing.T) {
	able := learner.Learning{On: true, Fewest: 5, Finished: 6, Model: 2, Guessing: true, Images: make([]segment.Image, 1)}
	for says, change := range map[string]func(*learner.Learning){
		"":                     func(*learner.Learning) {},
		"is off":               func(l *learner.Learning) { l.On = false },
		"before 5 images":      func(l *learner.Learning) { l.Model, l.Finished = 0, 4 },
		"doing now":            func(l *learner.Learning) { l.Model, l.Training = 0, true },
		"learned nothing":      func(l *learner.Learning) { l.Model = 0 },
		"wouldn't save":        func(l *learner.Learning) { l.Guessing = false },
		"newer model":          func(l *learner.Learning) { l.Training = true },
		"every image has been": func(l *learner.Learning) { l.Images = nil },
	} {
		l := able
		change(&l)
		if got := withoutGuess(l); !strings.Contains(got, says) || (got == "") != (says == "") {
			t.Errorf("%q, want something with %q", got, says)
		}
	}
}
