package annotation_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/storage/workspacetest"
)

var (
	mustOpenWorkspace = workspacetest.MustOpenOver
	asIs              = workspacetest.AsIs
	mustOpen          = workspacetest.MustOpenImage
	label             = workspacetest.Label
	mustAppend        = workspacetest.MustAppend
)

func TestPhotographToLabelling(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	a := workspacetest.MustAnnotate(t, w)
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("b", 1, [2]float64{110, 40}))
	h, err := a.Sequence().At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := a.Superpixels()
	wrong := 0
	for y := range m.Height {
		for x := range m.Width {
			want := uint8(0)
			if x >= 60 {
				want = 1
			}
			if h.Labels[m.At(x, y)] != want {
				wrong++
			}
		}
	}
	if share := float64(wrong) / (120 * 80); share > 0.02 {
		t.Errorf("with a click in each half, %.1f %% of the first hypothesis are wrong, want at most 2", 100*share)
	}
	mustAppend(t, a, segment.Event{ID: "c", Kind: segment.Accept, Pick: &segment.Pick{Rank: 0, Digest: h.Digest.String()}})
	if diff := cmp.Diff(h.Labels, a.State().Labels); diff != "" {
		t.Errorf("labelling after the accept (-hypothesis +labelling):\n%s", diff)
	}
	if h, err = a.Sequence().At(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	im, err := w.Image(t.Context(), a.Image().ID)
	if err != nil || im.Seq != 3 || im.Clicks != 2 || im.Decided != 1 || im.Status() != "done" {
		t.Errorf("record %+v, %v; want 3 events, 2 clicks, all decided", im, err)
	}

	again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), im.ID)
	if diff := cmp.Diff(a.State(), again.State()); diff != "" {
		t.Errorf("state from the disk (-before +after):\n%s", diff)
	}
	h2, err := again.Sequence().At(t.Context(), 0)
	if err != nil || h2.Digest != h.Digest {
		t.Errorf("first hypothesis from the disk has digest %s, %v, before %s", h2.Digest, err, h.Digest)
	}
}

func TestRefusedEventsChangeNothing(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	mustAppend(t, a, label("first", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("second", 1, [2]float64{110, 40}))
	before := a.State()
	n := int32(len(before.Labels))
	tests := map[string]struct {
		expected int
		event    segment.Event
		kind     segment.Kind
		says     string
	}{
		"no id":             {2, label("", 0, [2]float64{1, 1}), segment.Invalid, "needs an id"},
		"unknown kind":      {2, segment.Event{ID: "x", Kind: "paint"}, segment.Invalid, `"paint" is unknown`},
		"unknown class":     {2, label("x", 2, [2]float64{1, 1}), segment.Invalid, "Class 2 does not exist: this project has classes 0 to 1"},
		"negative class":    {2, label("x", -1, [2]float64{1, 1}), segment.Invalid, "Class -1"},
		"superpixel beyond": {2, segment.Event{ID: "x", Kind: segment.Clear, Superpixels: []int32{n}}, segment.Invalid, "does not exist"},
		"point outside":     {2, label("x", 0, [2]float64{120, 10}), segment.Invalid, "120×80"},
		"nothing named":     {2, label("x", 0), segment.Invalid, "at least one superpixel"},
		"behind":            {1, label("x", 0, [2]float64{1, 1}), segment.Conflict, "next one is now number 3"},
		"ahead":             {3, label("x", 0, [2]float64{1, 1}), segment.Conflict, "next one is now number 3"},
		"id of another":     {2, label("first", 1, [2]float64{110, 40}), segment.Conflict, "already has the id"},
		"no hypothesis":     {2, segment.Event{ID: "x", Kind: segment.Accept}, segment.Invalid, "must name its hypothesis"},
		"rank beyond":       {2, segment.Event{ID: "x", Kind: segment.Accept, Pick: &segment.Pick{Rank: 100}}, segment.Invalid, "0 to 99"},
		"other digest":      {2, segment.Event{ID: "x", Kind: segment.Accept, Pick: &segment.Pick{Digest: "0123456789abcdef"}}, segment.Conflict, "choose again"},
		"nothing to redo":   {2, segment.Event{ID: "x", Kind: segment.Redo}, segment.Conflict, "nothing to redo"},
		"no guess":          {2, segment.Event{ID: "x", Kind: segment.FirstGuess}, segment.Invalid, "no first guess to remove"},
		"other scores":      {2, segment.Event{ID: "x", Kind: segment.FirstGuess, Scores: &segment.Scores{Classes: []uint8{1}, Shares: make([]uint8, n+1)}}, segment.Invalid, "scores of the first guess don't fit"},
		"no embeddings":     {2, segment.Event{ID: "x", Kind: segment.Embed}, segment.Invalid, "no embeddings to remove"},
		"nothing to weigh":  {2, segment.Event{ID: "x", Kind: segment.Embed, Embedding: &segment.Embedding{}}, segment.Invalid, "no embeddings to remove or to weigh"},
		"other embeddings":  {2, segment.Event{ID: "x", Kind: segment.Embed, Embedding: &segment.Embedding{Values: []uint8{1}, Dims: 1, Scale: 1}}, segment.Invalid, "embeddings don't fit"},
		"no affinities":     {2, segment.Event{ID: "x", Kind: segment.Relate}, segment.Invalid, "learned no affinities for this image"},
		"empty affinities":  {2, segment.Event{ID: "x", Kind: segment.Relate, Affinities: &segment.Affinities{}}, segment.Invalid, "affinities are empty"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := a.Append(t.Context(), tt.expected, tt.event)
			if segment.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v (kind %d), want kind %d that says %q", err, segment.KindOf(err), tt.kind, tt.says)
			}
			if diff := cmp.Diff(before, a.State()); diff != "" {
				t.Errorf("the state changed (-before +after):\n%s", diff)
			}
		})
	}
	if seq, err := a.Append(t.Context(), 0, label("first", 0, [2]float64{10, 40})); seq != 1 || err != nil {
		t.Errorf("a repeat of event 1 answers %d, %v; want 1", seq, err)
	}
}

func TestManyHandsOneHistory(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	const hands, each = 4, 15
	var wg sync.WaitGroup
	for hand := range hands {
		wg.Go(func() {
			for i := range each {
				e := label(string(rune('a'+hand))+string(rune('A'+i)), i%2, [2]float64{float64(hand * 30), float64(i * 5)})
				for {
					_, err := a.Append(context.Background(), a.State().Seq, e)
					if err == nil {
						break
					}
					if segment.KindOf(err) != segment.Conflict {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	events, err := a.Events(t.Context(), annotation.State{Seq: hands * each})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Seq != i+1 || seen[e.ID] {
			t.Errorf("event %d has number %d and id %s (seen: %t)", i+1, e.Seq, e.ID, seen[e.ID])
		}
		seen[e.ID] = true
	}
	if len(seen) != hands*each {
		t.Errorf("%d events, want %d", len(seen), hands*each)
	}
}

// failing is a store whose disk has gone away.
type failing struct {
	segment.Store
	broken *bool
}

func (f failing) Append(ctx context.Context, id string, expected int, e segment.Event, p segment.Progress, more ...segment.Event) error {
	if *f.broken {
		return segment.Errorf(segment.Unavailable, "The disk is full.")
	}
	return f.Store.Append(ctx, id, expected, e, p, more...)
}

func TestStateFollowsTheDisk(t *testing.T) {
	broken := false
	w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store { return failing{s, &broken} })
	a := workspacetest.MustAnnotate(t, w)
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("b", 1, [2]float64{110, 40}))
	mustAppend(t, a, segment.Event{ID: "c", Kind: segment.Undo})
	before := a.State()
	broken = true
	for _, e := range []segment.Event{label("d", 1, [2]float64{60, 60}), {ID: "e", Kind: segment.Undo}, {ID: "f", Kind: segment.Redo}} {
		if _, err := a.Append(t.Context(), 3, e); segment.KindOf(err) != segment.Unavailable {
			t.Errorf("%s with a broken disk: %v, want Unavailable", e.Kind, err)
		}
		if diff := cmp.Diff(before, a.State()); diff != "" {
			t.Errorf("%s changed the state though it was not stored (-before +after):\n%s", e.Kind, diff)
		}
	}
	broken = false
	mustAppend(t, a, segment.Event{ID: "f", Kind: segment.Redo})
}

func finer(id string, regions int) segment.Event {
	return segment.Event{ID: id, Kind: segment.Granularity, Regions: regions}
}

// Clicks and labels are where they were at any granularity, undo takes a change
// of it back, and it survives a restart.
func TestGranularity(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	a := workspacetest.MustAnnotate(t, w)
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("b", 1, [2]float64{110, 40}))
	before := a.State()
	h, err := a.Sequence().At(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	im, err := w.Image(t.Context(), a.Image().ID)
	if err != nil {
		t.Fatal(err)
	}

	for i, n := range []int{a.Cells().N, 5, 12} {
		mustAppend(t, a, finer(string(rune('p'+i)), n))
		s := a.State()
		if s.Map == before.Map || s.Wanted != n || len(s.Labels) < n || len(s.Labels) > n+10 {
			t.Errorf("asked for %d superpixels there are %d, map %s (before %s), wanted %d", n, len(s.Labels), s.Map, before.Map, s.Wanted)
		}
		if diff := cmp.Diff(before.Cells(before.Labels), s.Cells(s.Labels)); diff != "" {
			t.Errorf("%d superpixels moved labels:\n%s", n, diff)
		}
		m, name := a.Superpixels()
		if m.N != len(s.Labels) || name != s.Map || s.Clicks[m.At(10, 40)] != 0 || s.Clicks[m.At(110, 40)] != 1 {
			t.Errorf("%d superpixels: a map of %d called %s, clicks %v", n, m.N, name, s.Clicks)
		}
		hypothesis, err := a.Sequence().At(t.Context(), 0)
		if err != nil || len(hypothesis.Labels) != m.N || hypothesis.Labels[m.At(10, 40)] != 0 || hypothesis.Labels[m.At(110, 40)] != 1 {
			t.Errorf("%d superpixels: hypothesis %v, %v", n, hypothesis, err)
		}
	}
	if now, err := w.Image(t.Context(), im.ID); err != nil || now.Decided != im.Decided {
		t.Errorf("decided %v, %v; before %v", now.Decided, err, im.Decided)
	}
	coarse := a.State()
	old := label("old", 0)
	old.Map, old.Superpixels = before.Map, []int32{0}
	if _, err := a.Append(t.Context(), coarse.Seq, old); !errors.Is(err, annotation.ErrOtherMap) || segment.KindOf(err) != segment.Conflict {
		t.Errorf("superpixels of the map before: %v, want ErrOtherMap", err)
	}
	for _, n := range []int{-1, 0, 1, a.Cells().N + 1} {
		if _, err := a.Append(t.Context(), coarse.Seq, finer("x", n)); segment.KindOf(err) != segment.Invalid || !strings.Contains(err.Error(), "2 to 148") {
			t.Errorf("%d superpixels: %v, want Invalid", n, err)
		}
	}
	if seq, err := a.Append(t.Context(), 0, label("a", 0, [2]float64{10, 40})); seq != 1 || err != nil {
		t.Errorf("a repeat of event 1 at another granularity answers %d, %v; want 1", seq, err)
	}
	if diff := cmp.Diff(coarse, a.State()); diff != "" {
		t.Errorf("what was refused or repeated changed the state:\n%s", diff)
	}

	again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), im.ID)
	if diff := cmp.Diff(coarse, again.State()); diff != "" {
		t.Errorf("state from the disk (-before +after):\n%s", diff)
	}
	for i := range 3 {
		mustAppend(t, a, segment.Event{ID: string(rune('u' + i)), Kind: segment.Undo})
	}
	undone := a.State()
	undone.Seq, undone.Version, undone.Redo = before.Seq, before.Version, 0
	if diff := cmp.Diff(before, undone); diff != "" {
		t.Errorf("state after undo (-before +after):\n%s", diff)
	}
	h2, err := a.Sequence().At(t.Context(), 3)
	if err != nil || h2.Digest != h.Digest {
		t.Errorf("hypothesis 3 has digest %s after undo, %v; before %s", h2.Digest, err, h.Digest)
	}
}

// Another name or colour of a class changes no hypothesis, so what has been made
// of them stays.
func TestRenamedClassesKeepTheSequence(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, func(s segment.Store) segment.Store { return s })
	a := workspacetest.MustAnnotate(t, w)
	mustAppend(t, a, segment.Event{ID: "a", Kind: segment.Label, Superpixels: []int32{0}, Class: 1})
	_, before := a.Present()
	edit := segment.ProjectEdit{ByPosition: true}
	p := a.Project()
	for _, c := range p.Classes {
		edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c})
	}
	edit.Classes[1].Name, edit.Classes[1].Color = p.Classes[1].Name+" renamed", "#123456"
	if _, err := w.EditProject(t.Context(), p.ID, edit); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, w, a.Image().ID)
	if got := again.Project().Classes[1].Name; got != p.Classes[1].Name+" renamed" {
		t.Errorf("the class is called %q", got)
	}
	if _, after := again.Present(); after != before {
		t.Error("the sequence was thrown away")
	}
}
