package segment

import (
	"testing"
	"time"
)

func TestRestText(t *testing.T) {
	for _, r := range []Rest{{}, {Mode: RestUndecided}, {Mode: RestFirst}, {RestClass, 0}, {RestClass, 254}} {
		text, err := r.MarshalText()
		var back Rest
		if err == nil {
			err = back.UnmarshalText(text)
		}
		if err != nil || back != r {
			t.Errorf("%v as %q came back as %v, %v", r, text, back, err)
		}
	}
	for _, wrong := range []string{"", "255", "-1", "1.5", "Nothing", "256"} {
		r := Rest{RestClass, 7}
		if err := r.UnmarshalText([]byte(wrong)); err == nil || r != (Rest{RestClass, 7}) {
			t.Errorf("%q was read as %v, %v", wrong, r, err)
		}
	}
}

func TestDefaultRest(t *testing.T) {
	for name, want := range map[string]Rest{
		"background": {RestClass, 3}, "Background": {RestClass, 3}, "BG": {RestClass, 3}, "other": {RestClass, 3},
		"背景": {RestClass, 3}, "Фон": {RestClass, 3}, "الخلفية": {RestClass, 3}, "arrie\u0300re-plan": {RestClass, 3},
		"sky": {Mode: RestFirst}, "backgrounds": {Mode: RestFirst},
	} {
		if got := DefaultRest([]Class{{ID: 3, Name: name}, {ID: 0, Name: "background"}}); got != want {
			t.Errorf("a list that starts with %q has rest %v, want %v", name, got, want)
		}
	}
	if got := DefaultRest(nil); got != (Rest{Mode: RestFirst}) {
		t.Errorf("no classes: %v", got)
	}
}

// A rest whose class is deleted goes where its labels go, and comes back with it.
func TestPresentRest(t *testing.T) {
	p := Project{Classes: []Class{{ID: 0, Name: "a"}, {ID: 2, Name: "b"}}, Rest: Rest{RestClass, 1}}
	for _, c := range []struct {
		target uint8
		want   Rest
	}{{2, Rest{RestClass, 2}}, {Void, Rest{Mode: RestUndecided}}} {
		p.Deleted = []DeletedClass{{Class: Class{ID: 1, Name: "gone"}, Target: c.target, Deleted: time.Now()}}
		if got := p.PresentRest(); got != c.want {
			t.Errorf("deleted in favour of %d: %v, want %v", c.target, got, c.want)
		}
	}
	p.Deleted, p.Classes = nil, append(p.Classes, Class{ID: 1, Name: "gone"})
	if got := p.PresentRest(); got != p.Rest {
		t.Errorf("restored: %v, want %v", got, p.Rest)
	}
}
