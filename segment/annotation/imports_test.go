package annotation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/storage/workspacetest"
)

// A mask becomes the labelling, pixel by pixel; its classes are evidence for
// what it leaves undecided; it is one step that undo takes back; it comes back
// from the disk.
func TestImportMask(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	var told []string
	w.Watch(func(id string) { told = append(told, id) })
	a := workspacetest.MustAnnotate(t, w)
	im := a.Image()
	mustAppend(t, a, label("a", 1, [2]float64{10, 40}))
	mustAppend(t, a, repair("b", 1, 0, 50))
	before := a.State()

	mask := slices.Repeat([]uint8{segment.Void}, im.Width*im.Height)
	for y := range im.Height {
		for x := range im.Width {
			switch {
			case x < 33+y%3: // not where superpixels end
				mask[y*im.Width+x] = 0
			case x > 90 && y > 30:
				mask[y*im.Width+x] = 1
			}
		}
	}
	mask[5] = 1
	for range 2 {
		if seq, err := a.ImportMask(t.Context(), "mask", mask, nil); seq != 3 || err != nil {
			t.Fatalf("ImportMask = %d, %v, want event 3", seq, err)
		}
	}
	if !slices.Equal(told, []string{im.ID, im.ID}) {
		t.Errorf("told of %v", told)
	}
	if diff := cmp.Diff(mask, a.Pixels()); diff != "" {
		t.Errorf("pixels (-mask +labelling):\n%s", diff)
	}
	void := 0
	for _, l := range mask {
		if l == segment.Void {
			void++
		}
	}
	record, err := w.Image(t.Context(), im.ID)
	if want := float64(len(mask)-void) / float64(len(mask)); err != nil || record.Decided != want {
		t.Errorf("decided %v, %v, want %v", record.Decided, err, want)
	}
	// Pixels that the mask leaves undecided count as finished, further ones don't.
	status := func(want string) {
		t.Helper()
		if record, err := w.Image(t.Context(), im.ID); err != nil || record.Status() != want || record.Decided == 1 {
			t.Errorf("status %s, %v, want %s", record.Status(), err, want)
		}
	}
	status("done")
	mustAppend(t, a, segment.Event{ID: "c", Kind: segment.Clear, Points: [][2]float64{{10, 40}}})
	status("started")
	mustAppend(t, a, segment.Event{ID: "cu", Kind: segment.Undo})
	status("done")
	if overviews, err := w.Overviews(t.Context()); err != nil || overviews[0].Done != 1 {
		t.Errorf("overviews %+v, %v", overviews, err)
	}
	state, sequence := a.Present()
	h, err := sequence.At(t.Context(), 0)
	if err != nil || !slices.Equal(sequence.Classes(), []int{0, 1}) {
		t.Fatalf("classes in play %v, %v", sequence.Classes(), err)
	}
	for s, c := range state.Clicks {
		if c != segment.Void && h.Labels[s] != c || h.Labels[s] == segment.Void {
			t.Errorf("superpixel %d has class %d of the mask and %d of the hypothesis", s, c, h.Labels[s])
		}
	}
	again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), im.ID)
	if diff := cmp.Diff(state, again.State()) + cmp.Diff(mask, again.Pixels()); diff != "" {
		t.Errorf("from the disk (-before +after):\n%s", diff)
	}
	mustAppend(t, a, segment.Event{ID: "u", Kind: segment.Undo})
	after := a.State()
	after.Seq, after.Version, after.Redo, after.Repaired = before.Seq, before.Version, before.Redo, before.Repaired
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("after undo (-before +after):\n%s", diff)
	}
}

func TestRefusedMasks(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	size := a.Image().Width * a.Image().Height
	before := a.State()
	for name, tt := range map[string]struct {
		id   string
		mask []uint8
		says string
	}{
		"too small":                  {"x", make([]uint8, size-1), "120×80"},
		"no id":                      {"", make([]uint8, size), "needs an id"},
		"unknown class":              {"x", slices.Repeat([]uint8{2}, size), "Class 2 does not exist"},
		"unknown class of one pixel": {"x", append(make([]uint8, size-1), 9), "Class 9 does not exist"},
	} {
		if _, err := a.ImportMask(t.Context(), tt.id, tt.mask, nil); segment.KindOf(err) != segment.Invalid || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
	if _, err := a.Append(t.Context(), 0, segment.Event{ID: "x", Kind: segment.Import}); segment.KindOf(err) != segment.Invalid || !strings.Contains(err.Error(), "upload the mask") {
		t.Errorf("an import sent as an event: %v", err)
	}
	if diff := cmp.Diff(before, a.State()); diff != "" {
		t.Errorf("the state changed:\n%s", diff)
	}
	if _, err := a.ImportMask(t.Context(), "x", make([]uint8, size), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportMask(t.Context(), "x", slices.Repeat([]uint8{1}, size), nil); segment.KindOf(err) != segment.Conflict {
		t.Errorf("another mask with the same id: %v", err)
	}
}
