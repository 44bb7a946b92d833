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
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
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

// Long logs, which take much memory while they are played, are read one at a time, to open
// images and to look back.
func TestLongLogsOneAtATime(t *testing.T) {
	read := &readStore{}
	w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store { read.Store = s; return read })
	var images []string
	for range 4 {
		im := mustAdd(t, w, 60, 40)
		events := make([]segment.Event, 10_001)
		for i := range events {
			events[i] = segment.Event{ID: segment.NewID(), Kind: segment.Label, Superpixels: []int32{0}, Class: i % 2}
		}
		if err := read.Append(t.Context(), im.ID, 0, events[0], segment.Progress{}, events[1:]...); err != nil {
			t.Fatal(err)
		}
		images = append(images, im.ID)
	}
	var opening sync.WaitGroup
	for _, id := range images {
		opening.Go(func() {
			a, err := w.Open(t.Context(), id)
			if err != nil {
				t.Error(err)
				return
			}
			defer a.Close()
			if _, err := a.PixelsAfter(t.Context(), 1); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	if n := read.most.Load(); n != 1 {
		t.Errorf("%d long logs were read at once", n)
	}
}

// readStore knows how many logs were read at once.
type readStore struct {
	segment.Store
	now, most atomic.Int64
}

func (s *readStore) Events(ctx context.Context, imageID string, after int) ([]segment.Event, error) {
	n := s.now.Add(1)
	defer s.now.Add(-1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	return s.Store.Events(ctx, imageID, after)
}

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
