package annotation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/storage/workspacetest"
)

// The supposed result of a label is its actual result, and asking changes nothing.
func TestSuppose(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	before, present := a.Present()

	b := label("b", 1, [2]float64{110, 40})
	supposed, err := a.Suppose(t.Context(), 1, b)
	if err != nil {
		t.Fatal(err)
	}
	want, err := supposed.At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if after, same := a.Present(); same != present || !cmp.Equal(before, after) {
		t.Errorf("supposing changed the state (-before +after):\n%s", cmp.Diff(before, after))
	}

	mustAppend(t, a, b)
	if a.Sequence() != supposed {
		t.Error("what was supposed is made again")
	}
	mustAppend(t, a, segment.Event{ID: "c", Kind: segment.Undo})
	mustAppend(t, a, label("d", 1, [2]float64{110, 40}))
	if h, err := a.Sequence().At(t.Context(), 0); err != nil || h.Digest != want.Digest || a.Sequence() == supposed {
		t.Errorf("the first hypothesis of a sequence of its own is %s, %v, and was supposed to be %s", h.Digest, err, want.Digest)
	}
}

// A supposition that does not come true leaves nothing behind.
func TestSupposedOtherwise(t *testing.T) {
	t.Parallel()
	supposing := label("x", 1, [2]float64{110, 40})
	for name, events := range map[string][]segment.Event{
		"another class":      {label("b", 0, [2]float64{110, 40})},
		"another superpixel": {label("b", 1, [2]float64{70, 40})},
		"a step before":      {label("b", 0, [2]float64{70, 40}), label("c", 1, [2]float64{110, 40})},
		"other superpixels":  {{ID: "b", Kind: segment.Granularity}},
		"a guess":            {{Kind: segment.FirstGuess}},
	} {
		t.Run(name, func(t *testing.T) {
			a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
			mustAppend(t, a, label("a", 1, [2]float64{110, 40})) // so that the supposed label changes no click
			supposed, err := a.Suppose(t.Context(), 1, supposing)
			if err != nil {
				t.Fatal(err)
			}
			for _, then := range events {
				switch then.Kind {
				case segment.FirstGuess:
					if _, err := a.SetGuess(t.Context(), "b", []uint8{0, 1}, slices.Repeat([]float64{1}, 2*a.Cells().N)); err != nil {
						t.Fatal(err)
					}
					continue
				case segment.Granularity:
					then.Regions = len(a.State().Labels) // as many, and maybe others
				}
				mustAppend(t, a, then)
			}
			if a.Sequence() == supposed {
				t.Error("the present sequence is the supposed one")
			}
		})
	}

	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	for name, test := range map[string]struct {
		expected int
		event    segment.Event
		want     segment.Kind
	}{
		"an older state":   {0, supposing, segment.Conflict},
		"an unknown class": {1, label("x", 9, [2]float64{1, 1}), segment.Invalid},
		"an undo":          {1, segment.Event{ID: "x", Kind: segment.Undo}, segment.Invalid},
	} {
		if _, err := a.Suppose(t.Context(), test.expected, test.event); segment.KindOf(err) != test.want {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
