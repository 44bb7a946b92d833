// Package storagetest holds the contracts of segment.Store and segment.Blobs as
// test suites, one for all implementations: what is kept, what is refused, what
// cancelling, crashing and a full disk may and may not do.
//
// An implementation passes a function that opens it at a place, which is a
// folder of the test's own; opening the same place again after Close, or after
// the process was killed, must bring back all that was acknowledged.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// Store is what is tested.
type Store interface {
	segment.Store
	Close() error
}

// TestStore checks the contract of segment.Store.
func TestStore(t *testing.T, open func(tb testing.TB, place string) Store) {
	t.Parallel()
	fresh := func(t *testing.T) Store {
		s := open(t, t.TempDir())
		t.Cleanup(func() { closeStore(t, s) })
		return s
	}
	t.Run("model", func(t *testing.T) { testModel(t, open) })
	t.Run("events", func(t *testing.T) { testEvents(t, fresh(t)) })
	t.Run("overviews", func(t *testing.T) { testOverviews(t, fresh(t)) })
	t.Run("order", func(t *testing.T) { testOrder(t, fresh(t)) })
	t.Run("revision", func(t *testing.T) { testRevision(t, fresh(t)) })
	t.Run("unknown", func(t *testing.T) { testUnknown(t, fresh(t)) })
	t.Run("twice", func(t *testing.T) { testTwice(t, fresh(t)) })
	t.Run("trash", func(t *testing.T) { testTrash(t, fresh(t)) })
	t.Run("trash many", func(t *testing.T) { testTrashMany(t, fresh(t)) })
	t.Run("full project", func(t *testing.T) { testFullProject(t, fresh(t)) })
	t.Run("remove empty", func(t *testing.T) { testRemoveEmpty(t, fresh(t)) })
	t.Run("erased", func(t *testing.T) { testErased(t, fresh(t)) })
	t.Run("several events", func(t *testing.T) { testSeveral(t, fresh(t)) })
	t.Run("taken back", func(t *testing.T) { testTakenBack(t, fresh(t)) })
	t.Run("competing", func(t *testing.T) { testCompeting(t, fresh(t)) })
	t.Run("cancelled", func(t *testing.T) { testCancelled(t, fresh(t)) })
	t.Run("closed", func(t *testing.T) { testClosed(t, open(t, t.TempDir())) })
}

func closeStore(tb testing.TB, s Store) {
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Errorf("Close: %v", err)
	}
}

// testRevision lets many change a project at once, each from what it has read:
// every change is made once, and none is lost.
func testRevision(t *testing.T, s Store) {
	const writers, each = 4, 10
	p, im := mustStoreImage(t, s)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for made := 0; made < each; {
				p, err := s.Project(t.Context(), p.ID)
				if err != nil {
					t.Errorf("Project: %v", err)
					return
				}
				p.Classes = append(p.Classes, segment.Class{ID: uint8(w*each + made + 2), Name: fmt.Sprint(w, made), Color: "#012345"})
				switch err := s.UpdateProject(t.Context(), p); {
				case err == nil:
					made++
				case segment.KindOf(err) != segment.Conflict:
					t.Errorf("UpdateProject: %v", err)
					return
				}
			}
		})
	}
	wait.Wait()
	got, err := s.Project(t.Context(), p.ID)
	must(t, err)
	if changes := len(got.Classes) - len(p.Classes); changes != writers*each || got.Revision != writers*each {
		t.Errorf("%d changes are there and the revision is %d, want %d", changes, got.Revision, writers*each)
	}
	must(t, s.Append(t.Context(), im.ID, 0, label("x", 1), segment.Progress{}))
	fresh, gone := newImage(p.ID, "fresh"), newImage(p.ID, "gone")
	must(t, s.CreateImage(t.Context(), fresh, 0))
	must(t, s.CreateImage(t.Context(), gone, 0))
	must(t, s.TrashImages(t.Context(), p.ID, []string{gone.ID}))
	heads, err := s.Heads(t.Context(), []string{im.ID, fresh.ID, gone.ID, segment.NewID()})
	must(t, err)
	if diff := cmp.Diff(map[string]segment.Head{im.ID: {Seq: 1, Last: "x", Revision: writers * each}, fresh.ID: {Revision: writers * each}}, heads); diff != "" {
		t.Errorf("heads (-want +got):\n%s", diff)
	}
}

// testUnknown checks that what was never there is NotFound.
func testUnknown(t *testing.T, s Store) {
	ctx, id := t.Context(), segment.NewID()
	_, project := s.Project(ctx, id)
	_, image := s.Image(ctx, id)
	_, count := s.CountImages(ctx, id)
	_, after := s.ImagesAfter(ctx, id, "", 1)
	_, place := s.Place(ctx, id)
	_, efforts := s.Efforts(ctx, id)
	_, events := s.Events(ctx, id, 0)
	_, restore := s.Restore(ctx, id, 0)
	for what, err := range map[string]error{
		"Project":       project,
		"Image":         image,
		"CountImages":   count,
		"ImagesAfter":   after,
		"Place":         place,
		"Efforts":       efforts,
		"Events":        events,
		"UpdateProject": s.UpdateProject(ctx, segment.Project{ID: id, Name: "x"}),
		"TrashProject":  s.TrashProject(ctx, id),
		"RemoveEmpty":   s.RemoveEmpty(ctx, id),
		"TrashImages":   s.TrashImages(ctx, id, []string{id}),
		"RestoreImages": s.RestoreImages(ctx, id, []string{id}, 0),
		"Restore":       restore,
		"CreateImage":   s.CreateImage(ctx, newImage(id, "x"), 0),
		"Append":        s.Append(ctx, id, 0, label("x", 1), segment.Progress{}),
	} {
		if segment.KindOf(err) != segment.NotFound {
			t.Errorf("%s of an unknown id: error %v, want NotFound", what, err)
		}
	}
}

// testTwice checks that ids can't be used twice and that the first use stays.
// Idempotency is the caller's: to the store a repeat is a conflict.
func testTwice(t *testing.T, s Store) {
	ctx := t.Context()
	p, im := newProject("p"), segment.Image{}
	must(t, s.CreateProject(ctx, p))
	im = newImage(p.ID, "im")
	must(t, s.CreateImage(ctx, im, 0))
	must(t, s.Append(ctx, im.ID, 0, label("one", 1), segment.Progress{}))

	again, imAgain := p, im
	again.Name, imAgain.Name = "other", "other"
	wantKind(t, segment.Conflict, s.CreateProject(ctx, again))
	wantKind(t, segment.Conflict, s.CreateImage(ctx, imAgain, 0))
	wantConflict(t, 1, s.Append(ctx, im.ID, 0, label("one", 1), segment.Progress{}))
	wantConflict(t, 1, s.Append(ctx, im.ID, 1, label("one", 2), segment.Progress{Clicks: 9}))
	two := label("two", 2)
	two.After = "lost" // what the database had before a failover
	wantConflict(t, 1, s.Append(ctx, im.ID, 1, two, segment.Progress{Clicks: 9}))
	wantConflict(t, 1, s.Append(ctx, im.ID, 0, two, segment.Progress{Clicks: 9}))

	got, err := s.Project(ctx, p.ID)
	must(t, err)
	gotImage, err := s.Image(ctx, im.ID)
	must(t, err)
	im.Seq = 1
	if diff := cmp.Diff(p, got) + cmp.Diff(im, gotImage); diff != "" {
		t.Errorf("the first ones changed (-want +got):\n%s", diff)
	}
	other := newImage(p.ID, "other") // an event's id is an image's own
	must(t, s.CreateImage(ctx, other, 0))
	wantConflict(t, 0, s.Append(ctx, other.ID, 0, two, segment.Progress{}))
	must(t, s.Append(ctx, other.ID, 0, label("one", 1), segment.Progress{}))
	two.After = "one"
	must(t, s.Append(ctx, other.ID, 1, two, segment.Progress{}))
}

// testSeveral checks that events that are stored together are all stored or none.
func testSeveral(t *testing.T, s Store) {
	ctx := t.Context()
	_, im := mustStoreImage(t, s)
	must(t, s.Append(ctx, im.ID, 0, label("one", 1), segment.Progress{Clicks: 1}))
	wantConflict(t, 1, s.Append(ctx, im.ID, 0, label("two", 1), segment.Progress{}, label("three", 1)))
	wantConflict(t, 1, s.Append(ctx, im.ID, 1, label("two", 1), segment.Progress{}, label("three", 1), label("one", 1)))
	checkLog(t, s, im.ID, 1)
	must(t, s.Append(ctx, im.ID, 1, label("two", 1), segment.Progress{Clicks: 4}, label("three", 2), label("four", 3)))
	checkLog(t, s, im.ID, 4)
	got, err := s.Image(ctx, im.ID)
	must(t, err)
	events, err := s.Events(ctx, im.ID, 1)
	must(t, err)
	var ids []string
	for _, e := range events {
		ids = append(ids, fmt.Sprint(e.Seq, e.ID, e.Superpixels))
	}
	if diff := cmp.Diff([]string{"2two[1]", "3three[2]", "4four[3]"}, ids); diff != "" || got.Clicks != 4 {
		t.Errorf("%d clicks, events (-want +got):\n%s", got.Clicks, diff)
	}
}

// testTakenBack checks that a write which fails half-way, here on a share that
// is no number, is taken back as a whole and alone.
func testTakenBack(t *testing.T, s Store) {
	p := newProject("p")
	must(t, s.CreateProject(t.Context(), p))
	var images [16]segment.Image
	for i := range images {
		images[i] = newImage(p.ID, fmt.Sprint(i))
		must(t, s.CreateImage(t.Context(), images[i], 0))
	}
	var wait sync.WaitGroup
	for i, im := range images { // together, so that good and bad ones share a commit
		wait.Go(func() {
			progress := segment.Progress{Clicks: 1}
			if i%2 == 1 {
				progress.Decided = math.NaN()
			}
			if err := s.Append(t.Context(), im.ID, 0, label("x", 1), progress); (err != nil) != (i%2 == 1) {
				t.Errorf("Append with progress %v: error %v", progress, err)
			}
		})
	}
	wait.Wait()
	for i, im := range images {
		checkLog(t, s, im.ID, 1-i%2)
	}
}

// testClosed checks that nothing is acknowledged after Close.
func testClosed(t *testing.T, s Store) {
	must(t, s.Close())
	wantKind(t, segment.Unavailable, s.CreateProject(context.Background(), newProject("late")))
}

func newProject(name string) segment.Project {
	return segment.Project{ID: segment.NewID(), Name: name, Classes: segment.DefaultClasses(), Rest: segment.Rest{Mode: segment.RestUndecided}, Unaided: true, Created: moment()}
}

// mustStoreImage stores a new project with an image.
func mustStoreImage(tb testing.TB, s Store) (segment.Project, segment.Image) {
	tb.Helper()
	p := newProject("p")
	must(tb, s.CreateProject(tb.Context(), p))
	im := newImage(p.ID, "im")
	must(tb, s.CreateImage(tb.Context(), im, 0))
	return p, im
}

func newImage(project, name string) segment.Image {
	return segment.Image{
		ID: segment.NewID(), ProjectID: project, Name: name, Format: "png",
		Width: 640, Height: 480, Regions: 600, Bytes: 1 << 40, Created: moment(),
	}
}

// label is an event that labels one superpixel.
func label(id string, superpixel int32) segment.Event {
	return segment.Event{ID: id, Kind: segment.Label, Superpixels: []int32{superpixel}, Class: 1, Created: moment()}
}

// moment is a time as stores keep it, in whole milliseconds.
func moment() time.Time { return time.Date(2025, 3, 4, 5, 6, 7, 89e6, time.UTC) }

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func wantKind(tb testing.TB, kind segment.Kind, err error) {
	tb.Helper()
	if segment.KindOf(err) != kind {
		tb.Errorf("error %v of kind %d, want kind %d", err, segment.KindOf(err), kind)
	}
}

func wantConflict(tb testing.TB, seq int, err error) {
	tb.Helper()
	var e *segment.Error
	if !errors.As(err, &e) || e.Kind != segment.Conflict || e.Seq != seq || strings.TrimSpace(e.Detail) == "" {
		tb.Errorf("error %v, want a conflict at %d", err, seq)
	}
}
