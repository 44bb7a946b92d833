package superpixels

import (
	"bytes"
	"image"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// picture draws an image of noise on blocks, which has flat areas, edges and
// textures for any seed. grain is the side of the blocks, noise the amplitude.
func picture(width, height, grain, noise int, seed uint64) *image.NRGBA {
	rng := rand.New(rand.NewPCG(seed, 1))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	colours := make([][3]int, 16)
	for i := range colours {
		for c := range 3 {
			colours[i][c] = rng.IntN(256)
		}
	}
	for y := range height {
		for x := range width {
			block := uint64(x/grain)*0x9E3779B97F4A7C15 ^ uint64(y/grain)*0xC2B2AE3D27D4EB4F
			colour := colours[block>>32%16]
			px := img.Pix[y*img.Stride+4*x:]
			for c := range 3 {
				px[c] = uint8(min(max(colour[c]+rng.IntN(2*noise+1)-noise, 0), 255))
			}
			px[3] = 255
		}
	}
	return img
}

func drawPicture(t *rapid.T) *image.NRGBA {
	return picture(rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 60).Draw(t, "height"),
		rapid.IntRange(1, 20).Draw(t, "grain"), rapid.SampledFrom([]int{0, 0, 3, 40}).Draw(t, "noise"), rapid.Uint64().Draw(t, "seed"))
}

// checkMap fails unless m is a partition of its image into exactly n
// 4-connected regions numbered in raster order.
func checkMap(t rapid.TB, m *Map, width, height, n int) {
	t.Helper()
	if m.Width != width || m.Height != height || m.N != n || len(m.Labels) != width*height {
		t.Fatalf("map of %d×%d with %d regions and %d labels, want %d×%d with %d", m.Width, m.Height, m.N, len(m.Labels), width, height, n)
	}
	// Flood every region from its first pixel; what is left over belongs to a
	// second component.
	seen := make([]bool, len(m.Labels))
	next := int32(0)
	var stack []int
	for p, l := range m.Labels {
		if seen[p] {
			continue
		}
		if l != next {
			t.Fatalf("pixel (%d, %d) starts a component of region %d, want %d", p%width, p/width, l, next)
		}
		next++
		seen[p] = true
		for stack = append(stack[:0], p); len(stack) > 0; {
			q := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, d := range [4]struct {
				ok bool
				to int
			}{{q%width > 0, q - 1}, {(q+1)%width != 0, q + 1}, {q >= width, q - width}, {q+width < len(m.Labels), q + width}} {
				if d.ok && !seen[d.to] && m.Labels[d.to] == l {
					seen[d.to] = true
					stack = append(stack, d.to)
				}
			}
		}
	}
	if int(next) != n {
		t.Fatalf("%d regions found, want %d", next, n)
	}
}

// checkNested fails unless every region of fine lies in one region of coarse.
func checkNested(t rapid.TB, coarse, fine *Map) {
	t.Helper()
	parent := make([]int32, fine.N)
	for i := range parent {
		parent[i] = -1
	}
	for p, l := range fine.Labels {
		if parent[l] >= 0 && parent[l] != coarse.Labels[p] {
			t.Fatalf("region %d of %d lies in regions %d and %d of %d", l, fine.N, parent[l], coarse.Labels[p], coarse.N)
		}
		parent[l] = coarse.Labels[p]
	}
}

func TestHierarchyLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		img := drawPicture(t)
		width, height := img.Rect.Dx(), img.Rect.Dy()
		finest := rapid.IntRange(-1, 200).Draw(t, "finest")
		h := NewHierarchy(img, finest)
		want := min(max(finest, 1), width*height)
		if h.Finest() != want {
			t.Fatalf("Finest() = %d, want %d", h.Finest(), want)
		}
		fine := h.At(want)
		checkMap(t, fine, width, height, want)
		checkMap(t, h.At(0), width, height, 1)
		checkMap(t, h.At(want+5), width, height, want)
		for n := want - 1; n >= 1; n -= 1 + n/20 {
			m := h.At(n)
			checkMap(t, m, width, height, n)
			checkNested(t, m, fine)
			fine = m
		}
	})
}

// Where borders of many regions were straightened, every coarser level stays connected,
// also around pixels where three regions meet.
func TestStraightenedLevels(t *testing.T) {
	for seed := range uint64(12) {
		const width, height = 300, 200
		img := picture(width, height, 3+int(seed), 40, seed)
		h := NewHierarchy(img, 900)
		for n := DefaultRegions(width, height); n >= 1; n -= 1 + n/30 {
			checkMap(t, h.At(n), width, height, n)
		}
	}
}

func TestSameOnAnyNumberOfCores(t *testing.T) {
	img := picture(300, 200, 20, 10, 7)
	encode := func(cores int) []byte {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		data, err := NewHierarchy(img, 900).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	one := encode(1)
	for _, cores := range []int{2, 3, 8} {
		if !bytes.Equal(one, encode(cores)) {
			t.Errorf("%d cores give another result than one", cores)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		img := drawPicture(t)
		h := NewHierarchy(img, rapid.IntRange(1, 100).Draw(t, "finest"))
		data, err := h.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var again Hierarchy
		if err := again.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		m := h.At(h.Finest())
		if !slices.Equal(h.merges, again.merges) || !cmp.Equal(m, again.At(h.Finest())) {
			t.Fatal("the hierarchy changed")
		}
		if data, err = m.Runs().MarshalBinary(); err != nil {
			t.Fatal(err)
		}
		var m2 Runs
		if err := m2.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, m2.Map()); d != "" {
			t.Fatal(d)
		}
		g := Describe(img, m)
		if data, err = g.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
		var g2 Graph
		if err := g2.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(g, &g2); d != "" {
			t.Fatal(d)
		}
	})
}
