package web

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"time"
)

// supposed wraps the body of a POST of a label as a supposition.
func supposed(body string) string {
	return `{"type":"suppose",` + strings.TrimPrefix(body, "{")
}

// A page gets the first hypothesis while the button is still pressed; the click
// then brings the same one, and nobody else notices anything.
func TestSuppose(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	one, two := s.greet(im.ID), s.greet(im.ID)
	for i, at := range []image.Point{inSky, inSea} {
		one.say(evidence(labelAt(fmt.Sprint("click", i), i, at, i)))
		one.until("done")
		two.until("done")
	}

	one.say(supposed(labelAt("x", 2, inSand, 2)))
	first := one.expect("hypothesis").frame
	if first.Run != 0 || first.Seq != 3 || first.Rank != 0 {
		t.Errorf("run %d, event %d, rank %d; want 0, 3 and 0", first.Run, first.Seq, first.Rank)
	}
	two.quiet(100 * time.Millisecond)
	one.say(evidence(labelAt("c", 2, inSand, 2)))
	messages := one.until("hypothesis")
	if h := messages[len(messages)-1].frame; h.Digest != first.Digest || h.Run == 0 || h.Seq != 3 {
		t.Errorf("the first hypothesis of run %d for event %d is %s, and was supposed to be %s", h.Run, h.Seq, h.Digest, first.Digest)
	}
	one.until("done")

	one.say(supposed(labelAt("late", 2, inSky, 1)))
	one.say(supposed(`{"expected_seq":3}`))
	if m := one.expect("error"); !strings.Contains(m.Detail, "class") {
		t.Errorf("a supposition without a class: %+v", m)
	}
}
