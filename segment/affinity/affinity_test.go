package affinity

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/superpixels"
)

// graph is that of an image of noisy blocks.
func graph(width, height, grain, regions int, seed uint64) *superpixels.Graph {
	rng := rand.New(rand.NewPCG(seed, 7))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	colours := make([][3]int, 64)
	for i := range colours {
		colours[i] = [3]int{rng.IntN(220), rng.IntN(220), rng.IntN(220)}
	}
	for y := range height {
		for x := range width {
			c := colours[(x/grain*5+y/grain*3)%len(colours)]
			p := img.Pix[y*img.Stride+4*x:]
			for k := range 3 {
				p[k] = uint8(c[k] + rng.IntN(30))
			}
			p[3] = 255
		}
	}
	_, g := superpixels.Divide(img, regions)
	return g
}

// random is a model with random weights.
func random(seed uint64) *Model {
	rng := rand.New(rand.NewPCG(seed, 8))
	m := &Model{}
	for _, p := range m.parts() {
		p.Bias = float32(rng.NormFloat64())
		p.Terms = make([]Term, len(p.features))
		for f := range p.Terms {
			p.Terms[f] = Term{float32(rng.NormFloat64() / 50), float32(rng.NormFloat64() / 10), -20, 20 + rng.Float32()}
		}
	}
	return m
}

// TestGolden pins the features and the model's predictions for them, which must be
// the same on every machine, for every GOAMD64.
func TestGolden(t *testing.T) {
	g := graph(160, 120, 12, 150, 1)
	s := NewScene(g)
	sum := sha256.New()
	write := func(v any) {
		if err := binary.Write(sum, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	features := make([]float32, len(EdgeFeatures))
	for i := range g.Edges {
		s.Edge(features, i)
		write(features)
	}
	f := Default().Field(g)
	write(f.Edges())
	s.Pairs(3, f.costs, func(_ int, features []float32) { write(features) })
	write(f.Pairs(3))
	const want = "1ab32ad409d8f0e9"
	if got := hex.EncodeToString(sum.Sum(nil)[:8]); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// TestGoldenWithFusedMultiplyAdd runs it in a build whose compiler may fuse a
// product and a sum into one rounding.
func TestGoldenWithFusedMultiplyAdd(t *testing.T) {
	if runtime.GOARCH != "amd64" || os.Getenv("GOAMD64") == "v3" {
		t.Skip("only from an amd64 build of the base level")
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err != nil || !strings.Contains(string(info), " fma ") {
		t.Skip("this processor has no fused multiply-add")
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^TestGolden$", ".")
	cmd.Env = append(os.Environ(), "GOAMD64=v3")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("with GOAMD64=v3: %v\n%s", err, out)
	}
}

// Features that a model doesn't look at are not computed, which changes nothing.
func TestPredictionsOfAllFeatures(t *testing.T) {
	for channel, name := range []string{"lightness", "a", "b"} {
		if got, want := comparison[histogramsAt+channel].Name, "histogram-"+name; got != want {
			t.Errorf("%s is where %s should be", got, want)
		}
		if got, want := comparison[transportAt+channel].Name, "transport-"+name; got != want {
			t.Errorf("%s is where %s should be", got, want)
		}
	}
	g := graph(80, 60, 9, 30, 3)
	m := Default()
	s, f := NewScene(g), m.Field(g)
	features := make([]float32, len(EdgeFeatures))
	for i, odds := range f.Edges() {
		s.Edge(features, i)
		if want := float64(m.Edge.Logit(features)); odds != want {
			t.Errorf("edge %d: log odds %v, want %v", i, odds, want)
		}
	}
	for i := range g.Regions {
		odds := f.Pairs(i)
		s.Pairs(i, f.costs, func(j int, features []float32) {
			if want := m.Pair.Logit(features); odds[j] != want {
				t.Errorf("pair %d, %d: log odds %v, want %v", i, j, odds[j], want)
			}
		})
	}
}

// Every feature is a finite number, whatever the image.
func TestFeaturesAreFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graph(rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 60).Draw(t, "height"),
			rapid.IntRange(1, 30).Draw(t, "grain"), rapid.IntRange(1, 100).Draw(t, "regions"), rapid.Uint64().Draw(t, "seed"))
		f := random(rapid.Uint64().Draw(t, "model")).Field(g)
		for i, v := range f.Edges() {
			if !(math.Abs(v) <= mostLogit) {
				t.Fatalf("log odds %v at edge %d", v, i)
			}
		}
		features := make([]float32, len(EdgeFeatures))
		check := func(names []Feature, features []float32) {
			for k, x := range features {
				if !(math.Abs(float64(x)) < 1e6) || names[k].Distance && x < 0 {
					t.Fatalf("%s is %v", names[k].Name, x)
				}
			}
		}
		s := NewScene(g)
		for i := range g.Edges {
			s.Edge(features, i)
			check(EdgeFeatures, features)
		}
		i := rapid.IntRange(0, len(g.Regions)-1).Draw(t, "region")
		s.Pairs(i, f.costs, func(_ int, features []float32) { check(PairFeatures, features) })
		if odds := f.Pairs(i); odds[i] != mostLogit {
			t.Fatalf("a region is of its own class with log odds %v", odds[i])
		}
	})
}

// Features don't depend on the position in the image: they are the same in its
// mirror image.
func TestFeaturesOfTheMirrorImage(t *testing.T) {
	g := graph(120, 90, 11, 80, 4)
	mirrored := *g
	mirrored.Regions = append([]superpixels.Region(nil), g.Regions...)
	for i := range mirrored.Regions {
		r := &mirrored.Regions[i]
		r.Centroid[0], r.Centroid[1] = 119-r.Centroid[0], 89-r.Centroid[1]
		b := r.Bounds
		r.Bounds = superpixels.Box{MinX: 120 - b.MaxX, MinY: 90 - b.MaxY, MaxX: 120 - b.MinX, MaxY: 90 - b.MinY}
	}
	m := random(5)
	here, there := m.Field(g), m.Field(&mirrored)
	if diff := cmp.Diff(here.Edges(), there.Edges()); diff != "" {
		t.Errorf("edges (-image +mirror image):\n%s", diff)
	}
	for i := range g.Regions {
		a, b := here.Pairs(i), there.Pairs(i)
		for j := range a {
			if math.Abs(float64(a[j]-b[j])) > 1e-3 {
				t.Fatalf("pair %d, %d: %v, in the mirror %v", i, j, a[j], b[j])
			}
		}
	}
}

// Two regions compare the same in both directions, but for the path, whose
// largest edge may be another when two paths are equally long.
func TestPairsAreSymmetric(t *testing.T) {
	g := graph(120, 90, 11, 60, 6)
	f := random(2).Field(g)
	n := len(g.Regions)
	all := make([][]float32, n*n)
	for i := range n {
		f.scene.Pairs(i, f.costs, func(j int, features []float32) { all[i*n+j] = append([]float32(nil), features...) })
	}
	last := len(PairFeatures) - 2
	for i := range n {
		for j := range i {
			a, b := all[i*n+j], all[j*n+i]
			for k := range last {
				if math.Abs(float64(a[k]-b[k])) > 1e-4*(1+math.Abs(float64(a[k]))) {
					t.Fatalf("%s of %d, %d is %v and %v", PairFeatures[k].Name, i, j, a[k], b[k])
				}
			}
		}
	}
}

// Cells predicts for whole regions what the field does; its predictions for parts
// don't depend on the order of the sides or on earlier calls.
func TestCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, 140, 100))
	for p := range img.Pix {
		img.Pix[p] = uint8(50*(p/4%140/20%4) + 30*(p/560/25) + rng.IntN(30))
	}
	h, finest := superpixels.Divide(img, 160)
	cut := h.Cut(finest, 40, make([]uint8, h.Finest()), 0)
	g := finest.Coarsen(cut.Parent, cut.N)
	f := Default().Field(g)
	odds := func(z float32) float64 { return float64(z) }
	cells := f.Cells(finest, cut.Parent, odds, 1_000_000)
	regions := make([]int32, cut.N)
	for i := range regions {
		regions[i] = int32(i)
	}
	for i := range g.Edges {
		if e := &g.Edges[i]; cells.Edge(e, e.A, e.B) != f.Edges()[i] {
			t.Fatalf("edge %d: %v, in the field %v", i, cells.Edge(e, e.A, e.B), f.Edges()[i])
		}
	}
	var want []float64
	for _, z := range f.Pairs(7) {
		want = append(want, odds(z))
	}
	similarities := func(c *Cells, party int32, others []int32) []float64 {
		return c.Similarities(nil, party, c.Places(others))
	}
	if diff := cmp.Diff(want, similarities(cells, 7, regions)); diff != "" {
		t.Errorf("pairs (-field +cells):\n%s", diff)
	}
	divided := cut.Divide([]int32{7, 8, 20})
	d := finest.Divided(g, divided)
	var parties []int32
	for r, cell := range d.Cell {
		if cell >= 0 {
			r = int(cells.Part(cell))
		}
		parties = append(parties, int32(r))
	}
	fresh := f.Cells(finest, cut.Parent, odds, 1_000_000)
	for i := range d.Graph.Edges {
		e := &d.Graph.Edges[i]
		z := cells.Edge(e, parties[e.A], parties[e.B])
		if back := fresh.Edge(e, parties[e.B], parties[e.A]); z != back || !(math.Abs(z) <= mostLogit) {
			t.Fatalf("edge %d: %v, from the other side %v", i, z, back)
		}
	}
	for _, i := range []int{7, 3, 20} {
		if diff := cmp.Diff(similarities(fresh, parties[i], parties), similarities(cells, parties[i], parties)); diff != "" {
			t.Errorf("pairs of %d (-fresh +used):\n%s", i, diff)
		}
	}
	clicks := []Clicked{{parties[20], 1}, {parties[3], 0}, {parties[7], 1}}
	places := cells.Places(parties)
	sum := cells.Sum(clicks, 3)
	for more := cells.Part(0); sum.Next(); more++ { // others are asked for meanwhile
		cells.Places([]int32{more})
	}
	of, each := sum.At(places)
	wantOf, wantEach := make([]float64, 3*len(parties)), make([]float64, len(parties))
	for _, click := range clicks {
		for i, v := range similarities(fresh, click.Party, parties) {
			wantOf[3*i+click.Label] += v
			wantEach[i] += v
		}
	}
	if diff := cmp.Diff([][]float64{wantOf, wantEach}, [][]float64{of, each}); diff != "" {
		t.Errorf("sums (-one by one +at once):\n%s", diff)
	}
	cells.columns.Clear()
	cells.most, cells.paths = 10*len(cells.parties), NewKept[[]int32](5)
	for range 200 { // others are forgotten and computed again
		i := rng.IntN(len(parties))
		if diff := cmp.Diff(similarities(fresh, parties[i], parties), similarities(cells, parties[i], parties)); diff != "" {
			t.Fatalf("pairs of %d (-fresh +forgetful):\n%s", i, diff)
		}
	}
	if got := cells.columns.Len(); got != 10 {
		t.Errorf("%d columns are kept, want 10", got)
	}
}

// Cheapest paths are those of Bellman and Ford.
func TestCheapestPaths(t *testing.T) {
	g := graph(100, 80, 9, 60, 3)
	f := random(3).Field(g)
	n := len(g.Regions)
	for _, from := range []int{0, 17, n - 1} {
		want := make([]float64, n)
		for i := range want {
			want[i] = math.Inf(1)
		}
		want[from] = 0
		for range n {
			for k, e := range g.Edges {
				want[e.A] = min(want[e.A], want[e.B]+f.costs[k])
				want[e.B] = min(want[e.B], want[e.A]+f.costs[k])
			}
		}
		ways, last := f.scene.cheapest(from, f.costs)
		var r routes
		r.start(int32(from), last)
		for i, w := range ways {
			if again := *r.to(f.scene, int32(i), f.costs); again != w {
				t.Errorf("from %d to %d: %+v, by the last edges %+v", from, i, w, again)
			}
			if math.Abs(w.sum-want[i]) > 1e-9 || w.largest > w.sum || float64(w.hops)*w.largest < w.sum-1e-9 {
				t.Errorf("from %d to %d: %+v, want a sum of %v", from, i, w, want[i])
			}
		}
	}
}

// The level at which two regions become one is the lowest at which Coarsen keeps
// them apart.
func TestMeetings(t *testing.T) {
	g := graph(80, 60, 9, 30, 3)
	s := NewScene(g)
	n := len(g.Regions)
	for i := range n {
		met := s.meetings(i)
		for left := 1; left <= n; left++ {
			of := level(g, left)
			for j := range n {
				if together := of[i] == of[j]; together != (met[j] <= superpixels.Ln(float32(n)/float32(left))) {
					t.Fatalf("%d and %d meet at %v, together %v of %d left", i, j, met[j], together, left)
				}
			}
		}
		for j := range n {
			if node := s.meeting(int32(i), int32(j)); s.merged[node] != met[j] {
				t.Fatalf("%d and %d meet in node %d at %v, or at %v", i, j, node, s.merged[node], met[j])
			}
		}
	}
}

// Integers have the order of the numbers that they represent; -0 equals 0.
func TestOrdered(t *testing.T) {
	values := []float32{-1e30, -7.5, -1e-30, 0, 1e-30, 0.5, 7.5, 1e30}
	for i, v := range values {
		if got := unordered(ordered(v)); got != v {
			t.Errorf("%v becomes %v", v, got)
		}
		if i > 0 && ordered(values[i-1]) >= ordered(v) {
			t.Errorf("%v is not below %v", values[i-1], v)
		}
	}
	if ordered(float32(math.Copysign(0, -1))) != ordered(0) {
		t.Error("-0 is not 0")
	}
}

func TestLn(t *testing.T) {
	for x := float32(1e-3); x < 1e5; x *= 1.0137 {
		if got, want := superpixels.Ln(x), math.Log(float64(x)); math.Abs(float64(got)-want) > 1.4e-4 {
			t.Errorf("superpixels.Ln(%v) = %v, want %v", x, got, want)
		}
	}
}

func BenchmarkField(b *testing.B) {
	g := graph(500, 375, 40, 630, 1)
	m := Default()
	f := m.Field(g)
	b.Run("once", func(b *testing.B) {
		for b.Loop() {
			m.Field(g)
		}
	})
	b.Run("click", func(b *testing.B) {
		for b.Loop() {
			f.Pairs(300)
		}
	})
}
