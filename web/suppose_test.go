package web

import (
	"fmt"
	"image"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/segment/schedule"
	"collie/segment/workspace"
)

// supposed wraps the body of a POST of a label as a supposition.
func supposed(body string) string {
	return `{"type":"suppose",` + strings.TrimPrefix(body, "{")
}

// A page hears of the first hypothesis while the button is still pressed; the
// click then brings the same one, and nobody else has noticed anything.
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

// gate is an observer that lets no step begin while it is locked.
type gate struct{ sync.RWMutex }

func (g *gate) Took(what workspace.Time, _ time.Duration) {
	if what == workspace.TimeQueue {
		g.RLock()
		defer g.RUnlock()
	}
}

func (g *gate) Happened(workspace.Happening) {}

// A supposition that waits for its turn leaves the queue when a label comes, and
// is not answered: neither is another label kept by it, nor does the supposed one
// wait among those that may never come.
func TestSupposedInTheQueue(t *testing.T) {
	for name, class := range map[string]int{"the label": 1, "another": 2} {
		t.Run(name, func(t *testing.T) {
			g := new(gate)
			s := mustServe(t, Limits{}, workspace.Options{Schedule: schedule.Limits{Workers: 1}, Observer: g})
			until := func(what string, so func(workspace.Load) bool) {
				t.Helper()
				for end := time.Now().Add(time.Minute); !so(s.server.hub.workspace.Load()); time.Sleep(time.Millisecond) {
					if time.Now().After(end) {
						t.Fatal("not within a minute: " + what)
					}
				}
			}
			im := s.photo()
			s.clickThree("/api/v1/images/" + im.ID)
			g.Lock()
			open := sync.OnceFunc(g.Unlock)
			t.Cleanup(open) // before the server waits for its steps
			r, c := s.member(im.ID)
			until("the run has the only worker", func(l workspace.Load) bool { return l.Running[schedule.First] == 1 })
			label := func(class int) evidenceJSON {
				expected := 3
				return evidenceJSON{ID: "x", Kind: "label", Points: [][2]float64{{float64(inSky.X), float64(inSky.Y)}}, Class: &class, ExpectedSeq: &expected}
			}
			if err := c.suppose(&clientMessage{evidenceJSON: label(1)}); err != nil {
				t.Fatal(err)
			}
			until("the supposition waits", func(l workspace.Load) bool { return l.Waiting[schedule.Supposed] == 1 })
			e := label(class)
			if stored, err := c.evidence(&e); err != nil || !stored {
				t.Fatalf("the label is stored: %v, %v", stored, err)
			}
			until("the next run waits and the supposition does not", func(l workspace.Load) bool {
				return l.Waiting[schedule.First] == 1 && l.Waiting[schedule.Supposed] == 0
			})
			open()
			s.server.hub.running.Wait()
			r.mu.Lock()
			defer r.mu.Unlock()
			if c.supposed != nil {
				t.Error("the supposition is answered after the label")
			}
		})
	}
}
