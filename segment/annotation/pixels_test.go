package annotation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/storage/workspacetest"
)

func repair(id string, class uint8, runs ...int32) segment.Event {
	return segment.Event{ID: id, Kind: segment.Pixels, Repairs: []segment.Repair{{Class: class, Runs: runs}}}
}

// Repairs show in the pixels and, pixel by pixel, in the record. Hypotheses ignore
// them; they survive a restart, and undo and redo work.
func TestRepairedPixels(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	a := workspacetest.MustAnnotate(t, w)
	im := a.Image()
	size := im.Width * im.Height
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("b", 1, [2]float64{110, 40}))
	mustAppend(t, a, segment.Event{ID: "c", Kind: segment.Accept, Pick: &segment.Pick{}})
	want := a.Pixels()
	before := a.State()
	h, err := a.Sequence().At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}

	record := func(what string) {
		t.Helper()
		void := 0
		area := map[uint8]int{}
		for _, l := range want {
			area[l]++
			if l == segment.Void {
				void++
			}
		}
		if diff := cmp.Diff(want, a.Pixels()); diff != "" {
			t.Errorf("%s: pixels (-want +got):\n%s", what, diff)
		}
		im, err := w.Image(t.Context(), im.ID)
		if err != nil || im.Decided != float64(size-void)/float64(size) {
			t.Errorf("%s: decided %v, %v, want %d of %d pixels", what, im.Decided, err, size-void, size)
		}
		for _, c := range im.Classes {
			if c.Area != area[c.ID] {
				t.Errorf("%s: class %d has %d pixels, want %d", what, c.ID, c.Area, area[c.ID])
			}
		}
	}
	mustAppend(t, a, repair("d", segment.Void, 118, 5, int32(size)-1, 1)) // over the end of a row
	for _, i := range []int{118, 119, 120, 121, 122, size - 1} {
		want[i] = segment.Void
	}
	record("erased")
	mustAppend(t, a, repair("e", 1, 120, 10))
	for i := 120; i < 130; i++ {
		want[i] = 1
	}
	record("painted")
	h2, err := a.Sequence().At(t.Context(), 0)
	if err != nil || h2.Digest != h.Digest {
		t.Errorf("repairs changed the hypotheses: %s, %v, before %s", h2.Digest, err, h.Digest)
	}
	mustAppend(t, a, segment.Event{ID: "f", Kind: segment.Accept, Pick: &segment.Pick{}})
	record("accepted again")
	mustAppend(t, a, finer("g", 5))
	record("coarser")
	if diff := cmp.Diff(a.State(), mustOpen(t, mustOpenWorkspace(t, dir, asIs), im.ID).State()); diff != "" {
		t.Errorf("state from the disk (-before +after):\n%s", diff)
	}
	m, _ := a.Superpixels()
	mustAppend(t, a, label("h", 1, [2]float64{0, 1}))
	for i, s := range m.Map().Labels {
		if int(s) == m.At(0, 1) {
			want[i] = 1
		}
	}
	record("labelled again")
	for i := range 5 {
		mustAppend(t, a, segment.Event{ID: string(rune('u' + i)), Kind: segment.Undo})
	}
	after := a.State()
	if diff := cmp.Diff(before.Labels, after.Labels) + cmp.Diff(before.Map, after.Map) + cmp.Diff(0, len(after.Repairs)); diff != "" {
		t.Errorf("after undo (-before +after):\n%s", diff)
	}
}

// An event says who made it, and a repeat by somebody else is a repeat.
func TestEventsSayWho(t *testing.T) {
	dir := t.TempDir()
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
	ann := access.With(t.Context(), access.Principal{User: "u1", Name: "Ann", Role: access.Annotator})
	e := repair("x", 1, 0, 1)
	e.By = "Eve"
	if _, err := a.Append(ann, 0, e); err != nil {
		t.Fatal(err)
	}
	if seq, err := a.Append(t.Context(), 0, e); seq != 1 || err != nil {
		t.Errorf("a repeat answers %d, %v", seq, err)
	}
	again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), a.Image().ID)
	events, err := again.Events(t.Context(), again.State())
	if err != nil {
		t.Fatal(err)
	}
	if e := events[0]; e.By != "Ann" {
		t.Errorf("event by %q, want Ann", e.By)
	}
}
