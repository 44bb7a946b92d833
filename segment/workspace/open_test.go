package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/gauge"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// counter is an Observer that counts.
type counter struct {
	mu sync.Mutex
	n  map[gauge.Happening]int
}

func (c *counter) Took(gauge.Time, time.Duration) {}

func (c *counter) Happened(what gauge.Happening) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[gauge.Happening]int{}
	}
	c.n[what]++
}

// mustTune opens a workspace with options in a temporary folder.
func mustTune(tb testing.TB, o workspace.Options) *workspace.Workspace {
	tb.Helper()
	return workspacetest.MustOpenFolder(tb, tb.TempDir()).Workspace(o)
}

// mustAdd adds a grainy picture of w×h pixels to a new project.
func mustAdd(tb testing.TB, ws *workspace.Workspace, w, h int) segment.Image {
	tb.Helper()
	p, err := ws.CreateProject(tb.Context(), "Grain", nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	im, err := ws.AddImage(tb.Context(), p.ID, "grain.jpg", bytes.NewReader(grain(tb, w, h)))
	if err != nil {
		tb.Fatal(err)
	}
	return im.Image
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

func TestOpenImagesAreShared(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), asIs)
	a := workspacetest.MustAnnotate(t, w)
	id := a.Image().ID
	if b := mustOpen(t, w, id); a != b {
		t.Error("two who work on one image have different annotations")
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			b, err := w.Open(context.Background(), id)
			if err != nil {
				t.Error(err)
				return
			}
			defer b.Close()
			if b != a {
				t.Error("an annotation was loaded again while in use")
			}
		})
	}
	wg.Wait()
	if err := w.TrashProject(t.Context(), a.Image().ProjectID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Open(t.Context(), id); segment.KindOf(err) != segment.NotFound {
		t.Errorf("opening an image of a project in the trash: %v, want NotFound", err)
	}
	if _, err := w.Open(t.Context(), segment.NewID()); segment.KindOf(err) != segment.NotFound {
		t.Errorf("opening an unknown image: %v, want NotFound", err)
	}
}

// When images in use take as much as they may, no other is opened, but for a visit; who
// has one goes on, and when one has been closed there is room again.
func TestImagesInUseAreBounded(t *testing.T) {
	one := mustTune(t, workspace.Options{})
	mustOpen(t, one, mustAdd(t, one, 120, 80).ID)
	w := mustTune(t, workspace.Options{Most: one.Load().Bytes * 3 / 2})
	var open []*annotation.Annotation
	for {
		a, err := w.Open(t.Context(), mustAdd(t, w, 120, 80).ID)
		if segment.KindOf(err) == segment.Busy {
			break
		}
		if err != nil || len(open) == 2 {
			t.Fatalf("with %d images open the next one: %v, want Busy after 2", len(open), err)
		}
		open = append(open, a)
	}
	further := mustAdd(t, w, 120, 80).ID
	for _, step := range []struct {
		name  string
		enter func(context.Context, string) (*annotation.Annotation, error)
		id    string
	}{{"a visit", w.Visit, further}, {"an image in use", w.Open, open[0].Image().ID}} {
		a, err := step.enter(t.Context(), step.id)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		a.Close()
	}
	open[0].Close()
	a, err := w.Open(t.Context(), further)
	if err != nil {
		t.Fatalf("after one was closed: %v", err)
	}
	a.Close()
	open[1].Close()
}

// Clicks make an image grow while it is in use, which counts as soon as hypotheses are made
// of them, but for what it remembers of them.
func TestImagesInUseGrow(t *testing.T) {
	fresh := mustTune(t, workspace.Options{})
	mustOpen(t, fresh, mustAdd(t, fresh, 120, 80).ID)
	w := mustTune(t, workspace.Options{Most: fresh.Load().Bytes * 3})
	a, err := w.Open(t.Context(), mustAdd(t, w, 120, 80).ID)
	if err != nil {
		t.Fatal(err)
	}
	mustOpen(t, w, mustAdd(t, w, 120, 80).ID) // for which there is room
	for i := range 60 {
		mustAppend(t, a, segment.Event{ID: fmt.Sprint(i), Kind: segment.Click, Class: i % 2, Points: [][2]float64{{float64(i * 37 % 120), float64(i * 23 % 80)}}})
		if _, err := a.Sequence().At(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Open(t.Context(), mustAdd(t, w, 120, 80).ID); segment.KindOf(err) != segment.Busy {
		t.Errorf("opening an image when one in use has grown: %v, want Busy; they take %d bytes, one without clicks %d", err, w.Load().Bytes, fresh.Load().Bytes)
	}
	used := w.Load().Bytes
	a.Close()
	if now := w.Load().Bytes; now <= used {
		t.Errorf("it takes %d bytes with what it remembers, %d without", now, used)
	}
}

// The longest idle images are dropped when memory is short, those in use never
// are.
func TestImagesMakeRoom(t *testing.T) {
	var events counter
	one := mustTune(t, workspace.Options{})
	mustOpen(t, one, mustAdd(t, one, 120, 80).ID)
	size := one.Load().Bytes

	w := mustTune(t, workspace.Options{Memory: size * 5 / 2, Observer: &events})
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
		if events.n[gauge.Miss] != step.misses || events.n[gauge.Evicted] != step.evicted {
			t.Fatalf("%+v: %v", step, events.n)
		}
	}
	for i := range id {
		mustOpen(t, w, id[i])
	}
	if l := w.Load(); l.Images != 4 || l.Bytes < 3*size {
		t.Errorf("four images are in use; %d are in memory, with %d bytes, and one takes %d", l.Images, l.Bytes, size)
	}
	misses := events.n[gauge.Miss]
	visit(3)
	if events.n[gauge.Miss] != misses {
		t.Error("an image in use was not in memory")
	}
}

// A page's requests find the image that the first of them loaded, even where images in
// use need more than the whole budget.
func TestIdleImagesHaveRoom(t *testing.T) {
	var events counter
	one := mustTune(t, workspace.Options{})
	mustOpen(t, one, mustAdd(t, one, 60, 40).ID)
	w := mustTune(t, workspace.Options{Memory: one.Load().Bytes * 8 * 5 / 2, Observer: &events})
	for l := w.Load(); l.Bytes <= l.Budget; l = w.Load() {
		mustOpen(t, w, mustAdd(t, w, 60, 40).ID)
	}
	var id []string
	for range 3 {
		id = append(id, mustAdd(t, w, 60, 40).ID)
	}
	full := events.n[gauge.Miss]
	for _, step := range []struct{ image, misses int }{
		{0, 1}, {0, 1}, {1, 2}, {0, 2}, // two have room
		{2, 3}, {0, 3}, {1, 4}, // 1 goes
	} {
		a, err := w.Open(t.Context(), id[step.image])
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		if misses := events.n[gauge.Miss] - full; misses != step.misses {
			t.Fatalf("%+v: %d misses", step, misses)
		}
	}
}

// The budget follows the limit on memory that the program has been given.
func TestImageBudget(t *testing.T) {
	old := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(old)
	for limit, want := range map[int64]int64{math.MaxInt64: 256 << 20, 3 << 30: 1 << 30} {
		debug.SetMemoryLimit(limit)
		if got := workspace.New(nil, nil, nil).Load().Budget; got != want {
			t.Errorf("with a memory limit of %d the budget is %d, want %d", limit, got, want)
		}
	}
}

// BenchmarkOpened measures operations on all pixels of an open image with a
// hundred clicks.
func BenchmarkOpened(b *testing.B) {
	for _, size := range []image.Point{{500, 375}, {4000, 3000}} {
		w := mustTune(b, workspace.Options{})
		a := mustOpen(b, w, mustAdd(b, w, size.X, size.Y).ID)
		event := func(e segment.Event) {
			e.ID = segment.NewID()
			if _, err := a.Append(b.Context(), a.State().Seq, e); err != nil {
				b.Fatal(err)
			}
		}
		label := func(i int) {
			event(segment.Event{Kind: segment.Label, Superpixels: []int32{int32(i * 3 % 600)}, Class: i % 2})
		}
		for i := range 100 {
			label(i)
		}
		for _, task := range []struct {
			name string
			do   func(i int)
		}{
			{"labelling", func(int) { a.Pixels() }},
			{"map", func(int) {
				m, _ := a.Superpixels()
				if _, err := m.MarshalBinary(); err != nil {
					b.Fatal(err)
				}
			}},
			{"point", func(i int) {
				event(segment.Event{Kind: segment.Label, Points: [][2]float64{{float64(i * 997 % size.X), float64(i * 991 % size.Y)}}, Class: i % 2})
			}},
			{"label", label},
			{"stroke", func(i int) { // 30 rows of up to 600 pixels
				r := segment.Repair{Class: uint8(i % 2)}
				long := size.X * 3 / 20
				for row := range 30 {
					r.Runs = append(r.Runs, int32((i*31%(size.Y-30)+row)*size.X+i*7%(size.X-long)), int32(long))
				}
				event(segment.Event{Kind: segment.Pixels, Repairs: []segment.Repair{r}})
			}},
		} {
			b.Run(fmt.Sprintf("%s/%dx%d", task.name, size.X, size.Y), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					task.do(i)
				}
			})
		}
	}
}

// BenchmarkOpen measures opening an image that is no longer in memory, with a
// hundred clicks.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []image.Point{{500, 375}, {4000, 3000}} {
		b.Run(fmt.Sprintf("%dx%d", size.X, size.Y), func(b *testing.B) {
			w := mustTune(b, workspace.Options{Memory: 1})
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
