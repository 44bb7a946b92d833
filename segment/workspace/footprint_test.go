package workspace_test

import (
	"fmt"
	"runtime"
	"testing"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// The estimated memory of an image is close to the real one, and small.
func TestFootprint(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: measures memory")
	}
	for _, c := range []struct {
		width, height, clicks int
		most                  int64 // KiB
	}{{500, 375, 30, 3700}, {500, 375, 300, 19000}, {2000, 1500, 30, 8000}} {
		w := mustTune(t, workspace.Options{})
		im := mustAdd(t, w, c.width, c.height)
		before := heapInUse()
		a, err := w.Open(t.Context(), im.ID)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.clicks {
			e := segment.Event{ID: fmt.Sprint(i), Kind: segment.Label, Superpixels: []int32{int32(i * 17)}, Class: i % 2}
			if i >= 20 {
				e.Kind, e.Superpixels, e.Points = segment.Click, nil, [][2]float64{{float64(i * 7919 % c.width), float64(i * 104729 % c.height)}}
			}
			mustAppend(t, a, e)
			if i < c.clicks-6 {
				continue // the last few show as well what sequences keep
			}
			sequence := a.Sequence()
			if _, err := sequence.At(t.Context(), 5); err != nil {
				t.Fatal(err)
			}
			sequence.Rest()
		}
		took := heapInUse() - before
		a.Close() // weighs it
		said := w.Load().Bytes
		t.Logf("%d×%d takes %d KiB, said to take %d KiB", c.width, c.height, took>>10, said>>10)
		if took>>10 > c.most {
			t.Errorf("an open image of %d×%d takes %d KiB, want at most %d", c.width, c.height, took>>10, c.most)
		}
		if r := float64(said) / float64(took); r < 0.85 || r > 1.2 {
			t.Errorf("the image of %d×%d takes %d bytes and is said to take %d", c.width, c.height, took, said)
		}
	}
}

// The memory of an open image doesn't grow with the work done on it.
func TestFootprintOfALongPast(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: measures memory")
	}
	w := mustTune(t, workspace.Options{})
	im := mustAdd(t, w, 500, 375)
	a := workspacetest.MustOpenImage(t, w, im.ID)
	clicks := func(from, to int) int64 {
		for i := from; i < to; i++ {
			mustAppend(t, a, segment.Event{ID: fmt.Sprintf("%036d", i), Kind: segment.Label, Superpixels: []int32{int32(i * 17 % 500)}, Points: [][2]float64{{1, 1}}, Class: i % 2})
		}
		return heapInUse()
	}
	before := clicks(0, 255) // as many as are ever held
	if grown := clicks(255, 255+1280) - before; grown > 64<<10 {
		t.Errorf("after 1280 further clicks the image takes %d KiB more, want at most 64", grown>>10)
	}
}

// What looking at the history takes counts as long as it is kept.
func TestFootprintOfTheHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: measures memory")
	}
	f := workspacetest.MustOpenFolder(t, t.TempDir())
	w := f.Workspace()
	im := mustAdd(t, w, 500, 375)
	events := make([]segment.Event, 20_000)
	for i := range events {
		events[i] = segment.Event{ID: segment.NewID(), Kind: segment.Label, Superpixels: []int32{int32(i * 17 % 500)}, Points: [][2]float64{{1, 1}}, Class: i % 2}
	}
	if err := f.Store.Append(t.Context(), im.ID, 0, events[0], segment.Progress{}, events[1:]...); err != nil {
		t.Fatal(err)
	}
	open := func() *annotation.Annotation {
		a, err := w.Open(t.Context(), im.ID)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	editor, reader := open(), open()
	heap, said := heapInUse(), w.Load().Bytes
	if _, err := reader.PixelsAfter(t.Context(), 10_000); err != nil {
		t.Fatal(err)
	}
	reader.Close() // weighs the image
	took, counted := heapInUse()-heap, w.Load().Bytes-said
	t.Logf("the history takes %d KiB, said to take %d KiB", took>>10, counted>>10)
	if r := float64(counted) / float64(took); r < 0.75 || r > 1.35 {
		t.Errorf("the history takes %d bytes and is said to take %d", took, counted)
	}
	editor.Close()
	if now := w.Load().Bytes; now > said {
		t.Errorf("the image takes %d bytes when nobody has it open, %d before anybody looked at its history", now, said)
	}
	runtime.KeepAlive(events)
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
