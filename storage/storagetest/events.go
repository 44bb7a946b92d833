package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// testEvents checks that every field of every kind of event comes back to the
// last bit.
func testEvents(t *testing.T, s Store) {
	ctx := t.Context()
	p, im := mustStoreImage(t, s)

	many := make([]int32, 20_000)
	for i := range many {
		many[i] = int32(i * 7919 % len(many))
	}
	labels := make([]uint8, 256)
	for i := range labels {
		labels[i] = uint8(i)
	}
	want := []segment.Event{
		{ID: "a", Kind: segment.Label, Superpixels: []int32{0}, Class: 0},
		{ID: "p", Kind: segment.Click, Points: [][2]float64{{3.5, 7}}, Class: 2, Pick: &segment.Pick{Rank: 2, Digest: "0123456789abcdef", Labels: []uint8{0, 2, 255}}},
		{ID: "q", Kind: segment.Click, Points: [][2]float64{{3.5, 7}}, Class: 1},
		{ID: "b", Kind: segment.Label, Superpixels: []int32{5, 3, 3, math.MaxInt32, 0, math.MinInt32}, Class: 254},
		{ID: "c", Kind: segment.Label, Superpixels: []int32{1}, Points: [][2]float64{{0.1, 1. / 3}, {math.Copysign(0, -1), 5e-324}, {math.MaxFloat64, math.Nextafter(1, 2)}}},
		{ID: "d", Kind: segment.Clear, Superpixels: many},
		{ID: "e", Kind: segment.Accept, Pick: &segment.Pick{Rank: 0, Digest: "0011", Labels: labels}},
		{ID: "f", Kind: segment.Accept, Superpixels: []int32{9}, Pick: &segment.Pick{Rank: 19}},
		{ID: "merged", Kind: segment.Click, Points: [][2]float64{{3.5, 7}}, Class: 2, Former: []uint8{0, 1, 254}, Pick: &segment.Pick{Labels: labels[:2]}},
		{ID: "unlock", Kind: segment.Unlock, Class: 2, Former: []uint8{0}},
		{ID: "g", Kind: segment.Undo},
		{ID: "h", Kind: segment.Redo},
		{ID: "i", Kind: segment.Granularity, Regions: math.MaxInt32},
		{ID: "j", Kind: segment.Pixels, By: "Ann “ß” 😀", Repairs: []segment.Repair{{Class: 254, Runs: []int32{0, 1, 5, math.MaxInt32 - 5}}, {Class: segment.Void, Runs: []int32{7, 3, 2, 1}}}},
		{ID: "no scores", Kind: segment.FirstGuess},
		{ID: "scores", Kind: segment.FirstGuess, Scores: &segment.Scores{Classes: []uint8{0, 7}, Shares: []uint8{0, 255, 100, 155}}},
		{ID: "learnt", Kind: segment.FirstGuess, By: segment.ByProject, Scores: &segment.Scores{
			Classes: []uint8{3}, Shares: []uint8{1, 2, 3}, Regions: 3, Strength: 1. / 3, Exponent: 0.5, Proof: 0.35, Model: 1 << 20, Learnt: 10_000,
		}},
		{ID: "reserve", Kind: segment.FirstGuess, By: segment.ByProject, Scores: &segment.Scores{
			Classes: []uint8{0, 3, 254}, Shares: []uint8{1, 2, 3}, Regions: 1, Reserve: []uint8{0, 254}, Strength: 0.01, Exponent: 1, Proof: 0.15, Patience: 4, Model: 2, Learnt: 7,
		}},
		{ID: "no embedding", Kind: segment.Embed},
		{ID: "embedding", Kind: segment.Embed, By: "Ann", Embedding: &segment.Embedding{Values: []uint8{1, 128, 255, 0}, Dims: 2, Scale: 0.1, Borders: segment.Likelihood{Bias: 2, Slope: -3}, Pairs: segment.Likelihood{Bias: 1. / 3, Slope: -0.5}, Learnt: 300}},
		{ID: "weight", Kind: segment.Embed, By: segment.ByProject, Embedding: &segment.Embedding{Pairs: segment.Likelihood{Slope: -1e-9}}},
		{ID: "no affinities", Kind: segment.Relate},
		{ID: "affinities", Kind: segment.Relate, By: segment.ByProject, Affinities: &segment.Affinities{Model: []byte{0, 255, 7}, Learnt: 300}},
		{ID: "m", Kind: segment.Import, Cells: labels, Repairs: []segment.Repair{{Class: 0, Runs: []int32{3, 3}}}},
		{ID: "n", Kind: segment.Instance, Points: [][2]float64{{3.5, 7}}, Class: 2, Instances: []int32{segment.MaxObjects}},
		{ID: "o", Kind: segment.Import, Cells: labels[:3], Instances: []int32{0, 2, 1}, Drawn: []segment.ObjectPixels{{Class: 1, Number: 2, Runs: []int32{3, 4, 9, 1}}, {Class: 254, Number: segment.MaxObjects, Runs: []int32{0, 2}}}},
		{ID: "k", Kind: segment.Restore},
		{ID: "l", Kind: segment.Restore, To: 7},
		{ID: "~!'\"; --", Kind: "later", Class: -1},
	}
	for i := range want {
		want[i].Seq = i + 1
		want[i].Created = moment().Add(time.Duration(i) * time.Millisecond)
		given := want[i]
		given.Seq = 0 // given by the store
		progress := segment.Progress{Clicks: 3 * i, Decided: 1 / (1 + float64(i)), Untouched: i%3 < 2, Guessed: i%3 == 0, Hinted: i%3 == 0 || i%6 == 2}
		must(t, s.Append(ctx, im.ID, i, given, progress))
		got, err := s.Image(ctx, im.ID)
		must(t, err)
		if got.Seq != i+1 || got.Clicks != progress.Clicks || got.Decided != progress.Decided || got.Untouched != progress.Untouched || got.Guessed != progress.Guessed || got.Hinted != progress.Hinted {
			t.Errorf("after event %d the record says %d, %+v, want %+v", i+1, got.Seq, got.Progress, progress)
		}
	}
	bits := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	for after := range len(want) + 2 {
		got, err := s.Events(ctx, im.ID, after)
		must(t, err)
		if diff := cmp.Diff(slices.Clone(want[min(after, len(want)):]), got, bits, emptyIsNil()); diff != "" {
			t.Fatalf("events after %d (-want +got):\n%s", after, diff)
		}
	}
	for _, e := range want {
		got, err := s.FindEvent(ctx, im.ID, e.ID)
		must(t, err)
		if diff := cmp.Diff(&e, got, bits, emptyIsNil()); diff != "" {
			t.Fatalf("event %s (-want +got):\n%s", e.ID, diff)
		}
	}
	other := newImage(p.ID, "other")
	must(t, s.CreateImage(ctx, other, 0))
	namesake := newImage(p.ID, "of an old user whose name was the project's")
	must(t, s.CreateImage(ctx, namesake, 0))
	for i, kind := range []segment.EventKind{segment.Click, segment.Label, segment.Accept} {
		must(t, s.Append(ctx, namesake.ID, i, segment.Event{ID: string(kind), Kind: kind, By: segment.ByProject}, segment.Progress{}))
	}
	copied := newImage(p.ID, "with the labelling of another image as its guess")
	must(t, s.CreateImage(ctx, copied, 0))
	must(t, s.Append(ctx, copied.ID, 0, segment.Event{ID: "guess", Kind: segment.FirstGuess, By: "jane"}, segment.Progress{}))
	efforts, err := s.Efforts(ctx, p.ID)
	must(t, err)
	if diff := cmp.Diff(map[string]segment.Effort{im.ID: {Actions: len(want) - 9, Guessed: true}, namesake.ID: {Actions: 3}, copied.ID: {Actions: 1, Guessed: true}}, efforts); diff != "" {
		t.Errorf("efforts (-want +got):\n%s", diff)
	}
	for image, id := range map[string]string{im.ID: "z", other.ID: "a", "unknown": "a"} {
		if got, err := s.FindEvent(ctx, image, id); got != nil || err != nil {
			t.Errorf("an event %s of image %s was found: %v, %v", id, image, got, err)
		}
	}
}

// emptyIsNil lets an empty list come back as a nil one.
func emptyIsNil() cmp.Option {
	return cmp.FilterValues(func(a, b []segment.Event) bool { return len(a)+len(b) == 0 }, cmp.Ignore())
}

// testCompeting lets several writers append to each of several images at the
// same time. Each event must be stored once, each log be without gaps, and a
// refused event must not spoil those that are committed together with it.
func testCompeting(t *testing.T, s Store) {
	const images, writers, each = 4, 3, 15
	ctx := t.Context()
	p := newProject("p")
	must(t, s.CreateProject(ctx, p))
	var wait sync.WaitGroup
	var all []segment.Image
	for i := range images {
		im := newImage(p.ID, fmt.Sprint(i))
		must(t, s.CreateImage(ctx, im, 0))
		all = append(all, im)
		for w := range writers {
			wait.Go(func() {
				seq := 0
				for e := 0; e < each; {
					err := s.Append(ctx, im.ID, seq, label(fmt.Sprintf("%d-%d", w, e), int32(e)), segment.Progress{Clicks: seq + 1})
					var conflict *segment.Error
					switch {
					case err == nil:
						seq++
						e++
					case errors.As(err, &conflict) && conflict.Kind == segment.Conflict && conflict.Seq > seq:
						seq = conflict.Seq
					default:
						t.Errorf("Append at %d: %v", seq, err)
						return
					}
				}
			})
		}
		wait.Go(func() { // a reader sees a log without gaps at any time
			for seen := 0; seen < writers*each && !t.Failed(); {
				events, err := s.Events(ctx, im.ID, seen)
				if err != nil {
					t.Errorf("Events: %v", err)
					return
				}
				for i, e := range events {
					if e.Seq != seen+i+1 {
						t.Errorf("event %d follows event %d", e.Seq, seen+i)
						return
					}
				}
				if seen += len(events); len(events) == 0 {
					time.Sleep(time.Millisecond) // readers that don't pause keep the writers from writing
				}
			}
		})
	}
	wait.Wait()
	for _, im := range all {
		checkLog(t, s, im.ID, writers*each)
	}
}

// checkLog checks that an image's log has events 1..want, each id once, and
// that its record agrees.
func checkLog(t *testing.T, s Store, image string, want int) []segment.Event {
	t.Helper()
	events, err := s.Events(t.Context(), image, 0)
	must(t, err)
	seen := map[string]bool{}
	for i, e := range events {
		if e.Seq != i+1 || seen[e.ID] {
			t.Errorf("place %d of the log has event %d, id %q, seen before: %v", i+1, e.Seq, e.ID, seen[e.ID])
		}
		seen[e.ID] = true
	}
	im, err := s.Image(t.Context(), image)
	must(t, err)
	if len(events) != want || im.Seq != want || im.Clicks != want {
		t.Errorf("log of %d events, record says %d and %d clicks, want %d", len(events), im.Seq, im.Clicks, want)
	}
	return events
}

// testCancelled lets callers leave at all moments: an event is in the log if
// and only if its Append returned nil.
func testCancelled(t *testing.T, s Store) {
	const writers, each = 24, 15
	p := newProject("p")
	must(t, s.CreateProject(t.Context(), p))
	var wait sync.WaitGroup
	var all []segment.Image
	acked := make([]int, writers)
	for w := range writers {
		im := newImage(p.ID, fmt.Sprint(w))
		must(t, s.CreateImage(t.Context(), im, 0))
		all = append(all, im)
		wait.Go(func() {
			for e := range each {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(e*w)*10*time.Microsecond)
				err := s.Append(ctx, im.ID, acked[w], label(fmt.Sprint(e), 1), segment.Progress{Clicks: acked[w] + 1})
				cancel()
				switch {
				case err == nil:
					acked[w]++
				case !errors.Is(err, context.DeadlineExceeded):
					t.Errorf("Append: %v", err)
				}
			}
		})
	}
	wait.Wait()
	total := 0
	for w, im := range all {
		checkLog(t, s, im.ID, acked[w])
		total += acked[w]
	}
	if total == 0 || total == writers*each {
		t.Errorf("%d of %d appends got through; the test needs some of each", total, writers*each)
	}
}
