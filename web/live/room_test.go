package live

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/schedule"
	"collie/segment/workspace"
)

// taken empties the outbox without giving the sequence a chance to go on.
func taken(c *socket) (kinds []string) {
	for {
		next, ok := c.outbox.next()
		switch {
		case !ok:
			return kinds
		case next.binary:
			kinds = append(kinds, "hypothesis")
		default:
			var m message
			if err := json.Unmarshal(next.body, &m); err != nil {
				panic(err)
			}
			kinds = append(kinds, m.Type+" "+m.Reason)
		}
	}
}

func TestRunsAreSupersededAndStopped(t *testing.T) {
	h := mustOpen(t, Limits{})
	im := h.image()
	h.clickThree(im)
	r, c := h.member(im)

	r.mu.Lock() // no hypothesis can be published meanwhile
	r.start(20)
	taken(c)
	r.start(30)
	if diff := cmp.Diff([]string{"done superseded", "run "}, taken(c)); diff != "" {
		t.Errorf("a run that takes the place of another (-want +got):\n%s", diff)
	}
	r.start(40)
	r.start(50)
	if diff := cmp.Diff([]string{"done superseded", "run "}, taken(c)); diff != "" {
		t.Errorf("a run that nobody heard of is not ended (-want +got):\n%s", diff)
	}
	old := r.run
	r.mu.Unlock()
	r.stop()
	r.mu.Lock()
	got := taken(c)
	r.mu.Unlock()
	if len(got) == 0 || got[len(got)-1] != "done stopped" {
		t.Errorf("after stop: %v", got)
	}
	if r.publish(old, []byte("late")) {
		t.Error("a stopped run takes more hypotheses")
	}
}

// However many pages join a room, the state is in memory once.
func TestPagesShareTheState(t *testing.T) {
	h := mustOpen(t, Limits{})
	im := h.image()
	h.clickThree(im)
	_, a := h.member(im)
	_, b := h.member(im)
	if a.state != b.state {
		t.Error("the second page was given a state of its own")
	}
	before := a.state
	if _, err := h.hub.Append(h.owner(), im, 3, segment.Event{ID: "next", Kind: segment.Undo}); err != nil {
		t.Fatal(err)
	}
	if a.state == before || a.state != b.state {
		t.Error("after an event the pages don't share its state")
	}
}

// A server that has no time for a sequence says so and tries again by itself,
// until somebody stops it.
func TestBusyRunsStartAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{}, workspace.Options{Schedule: schedule.Limits{Patience: -1}})
		im := h.image()
		h.clickThree(im)
		r, c := h.member(im)
		said := func() []string {
			synctest.Wait()
			r.mu.Lock()
			defer r.mu.Unlock()
			return taken(c)
		}
		if diff := cmp.Diff([]string{"state ", "run ", "done busy"}, said()); diff != "" {
			t.Errorf("at first (-want +got):\n%s", diff)
		}
		time.Sleep(busyPause - 1)
		if got := said(); got != nil {
			t.Errorf("before the shortest pause is over: %v", got)
		}
		time.Sleep(busyPause + 1)
		if diff := cmp.Diff([]string{"run ", "done busy"}, said()); diff != "" {
			t.Errorf("after the longest pause (-want +got):\n%s", diff)
		}
		r.stop()
		said()
		time.Sleep(time.Hour)
		if got := said(); got != nil {
			t.Errorf("after it was stopped: %v", got)
		}
	})
}

// An event that others have overtaken goes on top of theirs if its sender wants that, is
// sent again for free, and is refused as any other; without rebase, the control, it is
// stale.
func TestRebase(t *testing.T) {
	h := mustOpen(t, Limits{})
	im := h.image()
	h.clickThree(im)
	c := h.greet(im)
	for _, a := range []struct{ id, fields, want string }{
		{"a", `"points":[[1,1]],"class":1`, "reject 3 stale"},
		{"a", `"points":[[1,1]],"class":1,"rebase":true`, "ack 4 "},
		{"a", `"points":[[1,1]],"class":1,"rebase":true`, "ack 4 "},
		{"a", `"points":[[1,1]],"class":0,"rebase":true`, "reject 4 invalid"}, // another event of the same id
		{"a", `"points":[[1,1]],"class":0`, "reject 4 invalid"},               // which no newer state helps
		{"b", `"superpixels":[1],"map":"0000000000000000","class":1,"rebase":true`, "reject 4 map"},
	} {
		c.say(`{"type":"evidence","id":"` + a.id + `","expected_seq":1,"kind":"label",` + a.fields + `}`)
		var got message
		for got.ID != a.id {
			var err error
			if got, err = c.read(); err != nil {
				t.Fatal(err)
			}
		}
		if answer := fmt.Sprintf("%s %d %s", got.Type, got.Seq, got.Reason); answer != a.want {
			t.Errorf("%s: %q, want %q", a.fields, answer, a.want)
		}
	}
}

// A room ends with its last visitor, its sequence with the last member.
func TestRoomsEnd(t *testing.T) {
	h := mustOpen(t, Limits{})
	im := h.image()
	r, err := h.hub.enter(h.owner(), im)
	if err != nil {
		t.Fatal(err)
	}
	c := &socket{outbox: newOutbox(), room: r, seat: &seat{ctx: t.Context()}}
	r.join(c)
	if again, err := h.hub.enter(h.owner(), im); err != nil || again != r {
		t.Fatalf("a second visitor got %p, %v, want %p", again, err, r)
	}
	r.leave()
	r.part(c)
	if r.run != nil {
		t.Error("a sequence runs for nobody")
	}
	r.leave()
	if n := len(h.hub.rooms); n != 0 {
		t.Errorf("%d rooms are left", n)
	}
}

// A state that was read before a newer one was sent does not replace it.
func TestRoomKeepsTheNewestState(t *testing.T) {
	h := mustOpen(t, Limits{})
	im := h.image()
	r, c := h.member(im)
	old, sequence := r.annotation.Present()
	if _, err := h.hub.Append(h.owner(), im, 0, segment.Event{ID: "a", Kind: segment.Label, Superpixels: []int32{0}, Class: 0}); err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	taken(c)
	r.adopt(old, sequence)
	if got := taken(c); r.state.Seq != 1 || slices.Contains(got, "state ") {
		t.Errorf("state %d, messages %v", r.state.Seq, got)
	}
}

// Nor does a project that was read before a newer one was sent, as when two people edit the
// classes at once.
func TestRoomKeepsTheNewestProject(t *testing.T) {
	h := mustOpen(t, Limits{})
	r, c := h.member(h.image())
	old, _ := r.annotation.Present()
	project := r.annotation.Project()
	edit := segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{Name: "forest"}, New: true}}}
	for _, had := range project.Classes {
		edit.Classes = append(edit.Classes, segment.ClassEdit{Class: had})
	}
	if _, err := h.workspace.EditProject(h.owner(), h.project, edit); err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(project, old.Tables)
	if !strings.Contains(string(c.project), "forest") {
		t.Errorf("pages are told %s", c.project)
	}
}

// Pages are told when the database has lost events, and then get what it has.
func TestRoomSaysWhatIsLost(t *testing.T) {
	h := mustOpen(t, Limits{})
	r, c := h.member(h.image())
	state, sequence := r.annotation.Present()
	r.mu.Lock()
	defer r.mu.Unlock()
	taken(c)
	state.Version++
	r.adopt(state, sequence)
	if got := taken(c); slices.Contains(got, "lost ") {
		t.Errorf("nothing is lost, messages %v", got)
	}
	state.Version++
	state.Rewound++
	r.adopt(state, sequence)
	got := taken(c)
	if lost := slices.Index(got, "lost "); lost < 0 || lost > slices.Index(got, "state ") {
		t.Errorf("events are lost, messages %v", got)
	}
}

// What a socket receives, whatever happens in whatever order: every answer, in
// order; never a state older than an answer before it; of each run first its
// beginning, then its hypotheses by rank without a gap, then its end; repairs when
// they are others than before, and only then.
func TestOutbox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOutbox()
		runs := []*run{}
		var replies, gotReplies []string
		seq, lastState, runSeen, frames, ended := 0, -1, -1, 0, true
		repaired, knows := map[int]int{}, unknown // number of the repairs, by state; those that were sent last
		take := func() bool {
			message, ok := o.next()
			if !ok {
				return false
			}
			b, binary := string(message.body), message.binary
			var kind string
			var a, n int
			if _, err := fmt.Sscanf(strings.Trim(b, `"`), "%s %d %d", &kind, &a, &n); err != nil {
				t.Fatalf("message %q", b)
			}
			if binary != (kind == "frame") {
				t.Fatalf("%s is sent as binary: %v", b, binary)
			}
			switch kind {
			case "ack":
				gotReplies = append(gotReplies, b)
			case "state":
				if a < lastState {
					t.Fatalf("state %d after %d", a, lastState)
				}
				lastState = a
				if has := message.repairs != nil; has != (knows != repaired[a]) {
					t.Fatalf("state %d has repairs: %v; they are those of %d, known are those of %d", a, has, repaired[a], knows)
				}
				knows = repaired[a]
			case "run":
				runSeen, frames, ended = a, 0, false
			case "frame":
				if a != runSeen || n != frames || ended {
					t.Fatalf("%s in run %d after %d hypotheses", b, runSeen, frames)
				}
				frames++
			case "done":
				if a != runSeen || ended {
					t.Fatalf("%s in run %d, ended %v", b, runSeen, ended)
				}
				ended = true
			}
			return true
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"event", "start", "frame", "frame", "finish", "take", "take", "allow"}).Draw(t, "step") {
			case "event":
				seq++
				ack := fmt.Sprintf("ack %d 0", seq)
				replies = append(replies, `"`+ack+`"`)
				o.reply(ack)
				repaired[seq] = rapid.IntRange(0, 2).Draw(t, "repaired")
				o.setState(&broadcast{repaired: repaired[seq], known: fmt.Appendf(nil, "state %d 0", seq)})
			case "start":
				if n := len(runs); n > 0 && runs[n-1].done == nil {
					runs[n-1].done = fmt.Appendf(nil, "done %d 0", n-1)
				}
				next := &run{announce: fmt.Appendf(nil, "run %d 0", len(runs))}
				runs = append(runs, next)
				o.follow(next)
			case "frame":
				if n := len(runs); n > 0 && runs[n-1].done == nil {
					runs[n-1].frames = append(runs[n-1].frames, fmt.Appendf(nil, "frame %d %d", n-1, len(runs[n-1].frames)))
				}
			case "finish":
				if n := len(runs); n > 0 && runs[n-1].done == nil {
					runs[n-1].done = fmt.Appendf(nil, "done %d 0", n-1)
				}
			case "take":
				take()
			case "allow":
				o.allow(rapid.IntRange(0, 3).Draw(t, "n"))
			}
		}
		o.allow(1000)
		for take() {
		}
		if diff := cmp.Diff(replies, gotReplies); diff != "" {
			t.Fatalf("answers (-want +got):\n%s", diff)
		}
		if seq > 0 && lastState != seq {
			t.Fatalf("the last state sent is %d, want %d", lastState, seq)
		}
		if n := len(runs); n > 0 && (runSeen != n-1 || frames != len(runs[n-1].frames) || ended != (runs[n-1].done != nil)) {
			t.Fatalf("of run %d with %d hypotheses, the client saw %d of run %d", n-1, len(runs[n-1].frames), frames, runSeen)
		}
	})
}

// Waiting for the disk holds up nobody at another image.
func TestSlowDiskOfOneRoom(t *testing.T) {
	h := mustOpen(t, Limits{})
	im, other := h.image(), h.image()
	h.clickThree(im)
	h.greet(im) // there is a whole sequence now, and the next to close the image notes its doubt
	waits, goOn := make(chan struct{}, 1), make(chan struct{})
	h.store.Synced(func(time.Duration) {
		token(waits)
		<-goOn
	})
	var second sync.WaitGroup
	defer second.Wait()
	defer close(goOn)
	second.Go(func() {
		r, err := h.hub.enter(h.owner(), im)
		if err != nil {
			t.Error(err)
			return
		}
		r.leave()
	})
	<-waits
	h.greet(other)
}
