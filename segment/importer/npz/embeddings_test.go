package npz

import (
	"archive/zip"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/superpixels"
)

func readEmbeddings(b []byte) (*Embeddings, error) {
	s, e, err := Read(strings.NewReader(string(b)), int64(len(b)), Limits{Values: 1 << 16})
	if s != nil && e != nil || (s == nil && e == nil) != (err != nil) {
		panic("neither, or both")
	}
	return e, err
}

// stripes is a map of one-pixel wide regions.
func stripes(width, height int) *superpixels.Runs {
	m := &superpixels.Map{Width: width, Height: height, N: width, Labels: make([]int32, width*height)}
	for p := range m.Labels {
		m.Labels[p] = int32(p % width)
	}
	return m.Runs()
}

// The same array in every order that NumPy writes gives the same points.
func TestEmbeddingsInAnyOrder(t *testing.T) {
	// height 2, width 3, 4 dimensions
	at := func(y, x, d int) float32 { return float32(y*100+x*10+d) / 8 }
	var hwc, chw, fortran []float32
	for y := range 2 {
		for x := range 3 {
			for d := range 4 {
				hwc = append(hwc, at(y, x, d))
			}
		}
	}
	for d := range 4 {
		for y := range 2 {
			for x := range 3 {
				chw = append(chw, at(y, x, d))
			}
		}
		for x := range 3 {
			for y := range 2 {
				fortran = append(fortran, at(y, x, d))
			}
		}
	}
	want, err := readEmbeddings(npz(zip.Store, array{"embeddings", "<f4", false, "(2, 3, 4)", hwc}))
	if err != nil {
		t.Fatal(err)
	}
	if want.Width != 3 || want.Height != 2 || want.Dims != 4 || !slices.Equal(want.Values, hwc) {
		t.Fatalf("%+v", want)
	}
	for name, a := range map[string]array{
		"channels first": {"embeddings_chw", "<f4", false, "(4, 2, 3)", chw},
		"Fortran":        {"embeddings", "<f4", true, "(2, 3, 4)", fortran},
	} {
		got, err := readEmbeddings(npz(zip.Deflate, array{"names", "<f4", false, "(1,)", []float32{1}}, a))
		if err != nil || !slices.Equal(got.Values, want.Values) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Every mistake has an explanation.
func TestBadEmbeddings(t *testing.T) {
	grid := func(shape string, values any) []byte {
		return npz(zip.Deflate, array{"embeddings", "<f4", false, shape, values})
	}
	good := grid("(1, 2, 2)", []float32{1, 2, 3, 5})
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		content []byte
		kind    error
		words   string
	}{
		"two axes":        {grid("(2, 2)", []float32{1, 2, 3, 4}), ErrFormat, "use height × width × dimensions"},
		"four axes":       {grid("(1, 1, 2, 2)", []float32{1, 2, 3, 4}), ErrFormat, "its shape is (1, 1, 2, 2)"},
		"empty":           {grid("(0, 2, 2)", []float32{}), ErrFormat, "empty"},
		"NaN":             {grid("(1, 1, 2)", []float32{1, nan}), ErrValue, "[0, 0, 1] is NaN; embeddings must be finite"},
		"infinite":        {grid("(1, 1, 2)", []float32{1, float32(math.Inf(-1))}), ErrValue, "-Inf"},
		"enormous":        {grid("(1, 1, 2)", []float32{1, 2e6}), ErrValue, "between -1,000,000 and 1,000,000"},
		"many dimensions": {grid("(1, 1, 1537)", make([]float32, 1537)), ErrLimit, "1537 dimensions; the limit is 1536"},
		"too large":       {grid("(300, 300, 2)", []float32{}), ErrLimit, "the limit is 65536 values"},
		"a bomb":          {grid("(9000000, 9000000, 1536)", []float32{}), ErrLimit, "the limit is 65536 values"},
		"too short":       {grid("(2, 2, 2)", []float32{1}), ErrFormat, "needs 32 bytes"},
		"objects":         {npz(zip.Store, array{"embeddings", "|O", false, "(1, 1, 2)", []float32{1, 2}}), ErrFormat, "its type is"},
		"two arrays":      {npz(zip.Store, array{"embeddings", "<f4", false, "(1, 1, 2)", []float32{1, 2}}, array{"scores", "<f4", false, "(1, 2)", []float32{1, 2}}), ErrFormat, "exactly one"},
		"cut short":       {good[:len(good)-30], ErrFormat, "not a .npz file"},
		"no zip":          {[]byte("embeddings"), ErrFormat, "not a .npz file"},
	} {
		_, err := readEmbeddings(c.content)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
	constant := &Embeddings{Name: "embeddings", Width: 2, Height: 2, Dims: 2, Values: []float32{1, 2, 2, 4, 3, 6, 0.5, 1}}
	if _, err := constant.Reduce(stripes(4, 4)); !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "same at every place") {
		t.Errorf("one direction everywhere: %v", err)
	}
	zero := &Embeddings{Width: 2, Height: 2, Dims: 2, Values: make([]float32, 8)}
	if _, err := zero.Reduce(stripes(4, 4)); !errors.Is(err, ErrValue) {
		t.Errorf("zeros: %v", err)
	}
	fine := &Embeddings{Name: "embeddings", Width: 5, Height: 2, Dims: 1, Values: make([]float32, 10)}
	if _, err := fine.Reduce(stripes(4, 4)); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "its grid of 5×2 embeddings is finer than the image of 4×4 pixels") {
		t.Errorf("a grid finer than the image: %v", err)
	}
}

// Distances between points are those between the embeddings, scaled to length 1,
// as far as the bytes go, when these differ in few directions; the same input
// gives the same bytes; a positive factor changes nothing.
func TestReduceKeepsDistances(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		dims, rank, width := rapid.IntRange(1, 60).Draw(rt, "dims"), rapid.IntRange(1, 10).Draw(rt, "rank"), rapid.IntRange(2, 30).Draw(rt, "width")
		basis := make([]float64, dims*rank)
		for i := range basis {
			basis[i] = rng.NormFloat64()
		}
		e := &Embeddings{Width: width, Height: 1, Dims: dims, Values: make([]float32, width*dims)}
		for place := range width {
			for r := range rank {
				along := rng.NormFloat64()
				for d := range dims {
					e.Values[place*dims+d] += float32(along * basis[r*dims+d])
				}
			}
		}
		larger := *e
		larger.Values = slices.Clone(e.Values)
		for i := range larger.Values {
			larger.Values[i] *= 4
		}
		unit := make([][]float64, width)
		for place := range unit {
			sum := 0.0
			for _, v := range e.row(place) {
				sum += float64(v) * float64(v)
			}
			for _, v := range e.row(place) {
				unit[place] = append(unit[place], float64(v)/math.Sqrt(sum))
			}
		}
		m := stripes(width, 1)
		got, err := e.Reduce(m)
		if errors.Is(err, ErrValue) && min(dims, rank) == 1 {
			return // all on one side
		}
		if err != nil || !got.Fits(m.N) {
			rt.Fatal(got, err)
		}
		if again, err := larger.Reduce(m); err != nil || !cmp.Equal(got, again) {
			rt.Fatalf("four times as large: %v", err)
		}
		for i := range width {
			for j := range i {
				var want, is float64
				for d := range dims {
					v := unit[i][d] - unit[j][d]
					want += v * v
				}
				for d := range got.Dims {
					v := (float64(got.Values[i*got.Dims+d]) - float64(got.Values[j*got.Dims+d])) * got.Scale
					is += v * v
				}
				if off := math.Abs(math.Sqrt(is) - math.Sqrt(want)); off > 0.001+got.Scale*math.Sqrt(float64(got.Dims)) {
					rt.Fatalf("places %d and %d are %v apart, want %v", i, j, math.Sqrt(is), math.Sqrt(want))
				}
			}
		}
	})
}

// Between places of the grid, points change linearly; beyond the outermost ones
// they stay.
func TestReduceInterpolates(t *testing.T) {
	e := &Embeddings{Width: 2, Height: 1, Dims: 2, Values: []float32{1, 0, 0, 1}}
	got, err := e.Reduce(stripes(8, 2))
	if err != nil {
		t.Fatal(err)
	}
	first := func(i int) float64 { // along the line from one end to the other
		d := 0.0
		for c := range 2 {
			v := float64(got.Values[2*i+c]) - float64(got.Values[c])
			d += v * v
		}
		return math.Sqrt(d) * got.Scale / math.Sqrt2
	}
	for i, want := range []float64{0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1} {
		if math.Abs(first(i)-want) > 0.01 {
			t.Errorf("stripe %d is %.3f of the way, want %.3f", i, first(i), want)
		}
	}
}

// FuzzReadEmbeddings: whatever the bytes, there is an error or points that an
// event can have.
func FuzzReadEmbeddings(f *testing.F) {
	f.Add(npz(zip.Store, array{"embeddings", "<f4", false, "(1, 2, 2)", []float32{0, 1, 0.5, 0.5}}))
	f.Add(npz(zip.Deflate, array{"embeddings_chw", "<f2", true, "(2, 1, 2)", []uint16{0, 0x3c00, 0x3c00, 7}}))
	m := stripes(9, 7)
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := readEmbeddings(b)
		if e == nil {
			if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrLimit) && !errors.Is(err, ErrValue) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		reduced, err := e.Reduce(m)
		if err != nil {
			if !errors.Is(err, ErrSize) && !errors.Is(err, ErrValue) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		if !reduced.Fits(m.N) {
			t.Fatalf("%+v", reduced)
		}
		b, err = reduced.MarshalBinary()
		var back segment.Embedding
		if err != nil || back.UnmarshalBinary(b) != nil || !back.Same(reduced) {
			t.Fatalf("%+v comes back as %+v: %v", reduced, back, err)
		}
	})
}
