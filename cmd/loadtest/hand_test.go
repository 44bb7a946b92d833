package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Equal seeds make equal presses, one after the other, as often as is wanted.
func TestHand(t *testing.T) {
	p := &plan{Every: time.Second, Warmup: time.Minute, Duration: 10 * time.Minute, Overload: 3, Seed: 5}
	draw := func(p *plan, annotator int) []press {
		r := p.recorder()
		h := p.hand(annotator, r)
		var all []press
		for q := h.next(); q.down < r.end(); q = h.next() {
			all = append(all, q)
		}
		return all
	}
	all := draw(p, 3)
	if diff := cmp.Diff(all, draw(p, 3), cmp.AllowUnexported(press{})); diff != "" {
		t.Errorf("the same annotator once more (-first +second):\n%s", diff)
	}
	other := *p
	other.Seed++
	if cmp.Equal(all[0], draw(p, 4)[0], cmp.AllowUnexported(press{})) || cmp.Equal(all[0], draw(&other, 3)[0], cmp.AllowUnexported(press{})) {
		t.Error("another annotator or another seed makes the same presses")
	}

	r := p.recorder()
	var up time.Duration
	var long, moved int
	usual, overload := 0, 0
	for _, q := range all {
		if held := q.up - q.down; q.down < up || held < shortest || held >= longest {
			t.Fatalf("%+v, with the button up at %v", q, up)
		} else if held > (shortest+longest)/2 {
			long++
		}
		if q.drag {
			moved++
		}
		up = q.up
		switch ph := r.phase(q.down); {
		case ph == nil:
		case ph.name == "usual":
			usual++
		case ph.name == "overload":
			overload++
		}
	}
	if n := len(all); usual < 500 || usual > 700 || overload < 800 || overload > 1000 || long < n*4/10 || long > n*6/10 || moved < n/20 || moved > n*3/20 {
		t.Errorf("%d presses in ten minutes and %d in five of the overload; of %d are %d long and %d drags", usual, overload, n, long, moved)
	}
}
