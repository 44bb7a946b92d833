package segment_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"collie/segment"
	"collie/storage/workspacetest"
)

// counter is an Observer that counts.
type counter struct {
	mu sync.Mutex
	n  map[segment.Happening]int
}

func (c *counter) Took(segment.Time, time.Duration) {}

func (c *counter) Happened(what segment.Happening) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[segment.Happening]int{}
	}
	c.n[what]++
}

// mustTune opens a workspace with options in a temporary folder.
func mustTune(tb testing.TB, o segment.Options) *segment.Workspace {
	tb.Helper()
	return workspacetest.MustOpenFolder(tb, tb.TempDir()).Workspace(o)
}

// mustAdd adds a grainy picture of w×h pixels to a new project.
func mustAdd(tb testing.TB, ws *segment.Workspace, w, h int) segment.Image {
	tb.Helper()
	p, err := ws.CreateProject(tb.Context(), "Grain", nil)
	if err != nil {
		tb.Fatal(err)
	}
	im, err := ws.AddImage(tb.Context(), p.ID, "grain.jpg", bytes.NewReader(grain(tb, w, h)))
	if err != nil {
		tb.Fatal(err)
	}
	return im
}

// grain returns a grainy picture of w×h pixels as a JPEG.
func grain(tb testing.TB, w, h int) []byte {
	tb.Helper()
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			grain := uint8(rng.IntN(30))
			c := color.NRGBA{R: 60 + uint8(x*120/w) + grain, G: 40 + grain, B: uint8(y * 150 / h), A: 255}
			if dx, dy := x-w/2, y-h/2; dx*dx+dy*dy < h*h/9 {
				c.G += 120
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// The longest idle images go when memory is short, those in use never do.
func TestImagesMakeRoom(t *testing.T) {
	var events counter
	one := mustTune(t, segment.Options{})
	mustOpen(t, one, mustAdd(t, one, 120, 80).ID)
	size := one.Load().Bytes

	w := mustTune(t, segment.Options{Memory: size * 5 / 2, Observer: &events})
	var id []string
	for range 4 {
		id = append(id, mustAdd(t, w, 120, 80).ID)
	}
	visit := func(i int) {
		t.Helper()
		a, err := w.Open(t.Context(), id[i])
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
	}
	for _, step := range []struct {
		image, misses, evicted int
	}{
		{0, 1, 0},
		{1, 2, 0},
		{0, 2, 0}, // is in memory; 1 is the longest idle now
		{2, 3, 1}, // 1 goes
		{0, 3, 1}, // is still there
		{1, 4, 2}, // 2 goes
		{2, 5, 3}, // 0 goes
	} {
		visit(step.image)
		if events.n[segment.Miss] != step.misses || events.n[segment.Evicted] != step.evicted {
			t.Fatalf("%+v: %v", step, events.n)
		}
	}
	for i := range id {
		mustOpen(t, w, id[i])
	}
	if l := w.Load(); l.Images != 4 || l.Bytes < 3*size {
		t.Errorf("four images are in use; in memory are %d with %d bytes, one of which takes %d", l.Images, l.Bytes, size)
	}
	misses := events.n[segment.Miss]
	visit(3)
	if events.n[segment.Miss] != misses {
		t.Error("an image in use was not in memory")
	}
}

// The budget follows the limit on memory that the program has been given.
func TestImageBudget(t *testing.T) {
	old := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(old)
	for limit, want := range map[int64]int64{math.MaxInt64: 256 << 20, 3 << 30: 1 << 30} {
		debug.SetMemoryLimit(limit)
		if got := segment.NewWorkspace(nil, nil, nil).Load().Budget; got != want {
			t.Errorf("with a memory limit of %d the budget is %d, want %d", limit, got, want)
		}
	}
}

// What an image is said to take is about what it takes, and no more than 2 MiB
// for one of VOC's size that is worked on.
func TestFootprint(t *testing.T) {
	w := mustTune(t, segment.Options{})
	im := mustAdd(t, w, 500, 375)
	before := heapInUse()
	a, err := w.Open(t.Context(), im.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		mustAppend(t, a, segment.Event{ID: fmt.Sprint(i), Kind: segment.Label, Superpixels: []int32{int32(i * 17)}, Class: i % 2})
		if _, err := a.Sequence().At(t.Context(), 5); err != nil && i > 0 {
			t.Fatal(err)
		}
	}
	took := heapInUse() - before
	a.Close() // weighs it
	said := w.Load().Bytes
	t.Logf("takes %d KiB, said to take %d KiB", took>>10, said>>10)
	if took > 2<<20 {
		t.Errorf("an open image takes %d KiB, want at most 2048", took>>10)
	}
	if r := float64(said) / float64(took); r < 0.75 || r > 1.33 {
		t.Errorf("the image takes %d bytes and is said to take %d", took, said)
	}
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkOpen is how long an image takes that is not in memory any more, with
// a hundred clicks.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []image.Point{{500, 375}, {4000, 3000}} {
		b.Run(fmt.Sprintf("%dx%d", size.X, size.Y), func(b *testing.B) {
			w := mustTune(b, segment.Options{Memory: 1})
			im := mustAdd(b, w, size.X, size.Y)
			a, err := w.Open(b.Context(), im.ID)
			if err != nil {
				b.Fatal(err)
			}
			for i := range 100 {
				if _, err := a.Append(b.Context(), i, segment.Event{ID: fmt.Sprint(i), Kind: segment.Label, Superpixels: []int32{int32(i * 3)}, Class: i % 2}); err != nil {
					b.Fatal(err)
				}
			}
			a.Close()
			for b.Loop() {
				a, err := w.Open(b.Context(), im.ID)
				if err != nil {
					b.Fatal(err)
				}
				a.Close()
			}
		})
	}
}
