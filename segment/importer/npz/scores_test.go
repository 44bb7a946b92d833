package npz

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// array is a .npy array to be written.
type array struct {
	name, descr string
	fortran     bool
	shape       string // as Python writes it
	values      any    // for binary.Write
}

func (a array) npy() []byte {
	order := "False"
	if a.fortran {
		order = "True"
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", a.descr, order, a.shape)
	text += strings.Repeat(" ", 64-(11+len(text))%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(text)))
	b.WriteString(text)
	binary.Write(&b, binary.LittleEndian, a.values)
	return b.Bytes()
}

// npz packs arrays as numpy.savez does, or with zip.Deflate as numpy.savez_compressed.
func npz(method uint16, arrays ...array) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, a := range arrays {
		w, err := z.CreateHeader(&zip.FileHeader{Name: a.name + ".npy", Method: method})
		if err != nil {
			panic(err)
		}
		w.Write(a.npy())
	}
	z.Close()
	return b.Bytes()
}

func read(b []byte, limits Limits) (*Scores, error) {
	return ReadScores(bytes.NewReader(b), int64(len(b)), limits)
}

func TestReadScores(t *testing.T) {
	// 2 high, 3 wide, 2 classes; values count up in height, width, classes.
	want := Scores{Width: 3, Height: 2, Rows: 6, Classes: 2}
	for i := range 12 {
		want.Values = append(want.Values, float32(i)/16)
	}
	single := want.Values
	double := make([]float64, 12)
	half := make([]uint16, 12)
	for i, v := range single {
		double[i] = float64(v)
		if v > 0 {
			bits := math.Float32bits(v)
			half[i] = uint16(bits>>23-112)<<10 | uint16(bits>>13&1023)
		}
	}
	// Where value (y, x, c) stands in the other orders.
	var chw, fortran, fortranCHW [12]float32
	for y := range 2 {
		for x := range 3 {
			for c := range 2 {
				v := single[(y*3+x)*2+c]
				chw[(c*2+y)*3+x] = v
				fortran[y+2*(x+3*c)] = v
				fortranCHW[c+2*(y+2*x)] = v
			}
		}
	}
	flat := want
	flat.Width, flat.Height = 0, 0
	for name, c := range map[string]struct {
		of   array
		want Scores
	}{
		"float32":          {array{"any", "<f4", false, "(2, 3, 2)", single}, want},
		"float64":          {array{"any", "<f8", false, "(2, 3, 2)", double}, want},
		"float16":          {array{"any", "<f2", false, "(2, 3, 2)", half}, want},
		"Fortran order":    {array{"any", "<f4", true, "(2, 3, 2)", fortran}, want},
		"chw":              {array{"probs_chw", "<f4", false, "(2, 2, 3)", chw}, want},
		"chw, Fortran":     {array{"scores_chw", "<f4", true, "(2, 2, 3)", fortranCHW}, want},
		"per superpixel":   {array{"probs", "<f4", false, "(6, 2)", single}, flat},
		"chw of two axes":  {array{"probs_chw", "<f4", false, "(6, 2)", single}, flat},
		"spaces in header": {array{"any", "<f4", false, "( 2,3 ,2, )", single}, want},
	} {
		c.want.Name = c.of.name
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			got, err := read(npz(method, c.of), Limits{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if d := cmp.Diff(&c.want, got); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
	bytes, err := read(npz(zip.Store, array{"a", "|u1", false, "(1, 3)", []uint8{0, 51, 255}}), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float32{0, 0.2, 1}, bytes.Values); d != "" {
		t.Error(d)
	}
}

// TestPythonArchive reads an archive written by Python's zipfile in the way
// numpy.savez_compressed does, with zip64 fields in the local header.
func TestPythonArchive(t *testing.T) {
	const archive = "UEsDBC0AAAAIAAAAIQCrlu7c//////////8JABQAcHJvYnMubnB5AQAQAJgAAAAAAAAAVgAAAAAAAACb7BfqGxDJyFDGUK2eklqcXKRupaBuk2airqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RpGOgrGmjoKtQpkAy4GBgZ7BoYGOwgGgQYgn8EOAFBLAQItAy0AAAAIAAAAIQCrlu7cVgAAAJgAAAAJAAAAAAAAAAAAAACAAQAAAABwcm9icy5ucHlQSwUGAAAAAAEAAQA3AAAAkQAAAAAA"
	b, err := base64.StdEncoding.DecodeString(archive)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(b, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&Scores{Name: "probs", Rows: 2, Classes: 3, Values: []float32{0.5, 0.25, 0.25, 0, 1, 0.125}}, got); d != "" {
		t.Error(d)
	}
}

func TestFloat16(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0x0000: 0, 0x3c00: 1, 0x3800: 0.5, 0x3555: 0.333251953125, 0x0001: math.Ldexp(1, -24), 0x03ff: math.Ldexp(1023, -24),
		0x0400: math.Ldexp(1, -14), 0x7bff: 65504, 0xbc00: -1, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		if got := float16(bits); got != want {
			t.Errorf("%#04x is %v, want %v", bits, got, want)
		}
	}
	if v := float16(0x7e00); !math.IsNaN(v) {
		t.Error(v)
	}
}

func TestSeveralArrays(t *testing.T) {
	probs := array{"probs", "<f4", false, "(1, 2)", []float32{0.5, 0.5}}
	regions := array{"superpixels", "<u4", false, "(1, 1)", []uint32{0}}
	if s, err := read(npz(zip.Deflate, regions, probs), Limits{}); err != nil || s.Name != "probs" {
		t.Error(s, err)
	}
	scores := probs
	scores.name = "scores_chw"
	for name, arrays := range map[string][]array{
		"none":      {},
		"two":       {probs, scores},
		"the same":  {probs, probs},
		"no scores": {regions, {"mask", "|u1", false, "(1, 1)", []uint8{0}}},
	} {
		if _, err := read(npz(zip.Store, arrays...), Limits{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadArrayAlone reads a file of one array, as numpy.save writes it.
func TestReadArrayAlone(t *testing.T) {
	good := array{descr: "<f4", shape: "(1, 2, 2)", values: []float32{0.25, 0.75, 1, 0}}.npy()
	got, err := read(good, Limits{})
	if d := cmp.Diff(&Scores{Name: "scores", Width: 2, Height: 1, Rows: 2, Classes: 2, Values: []float32{0.25, 0.75, 1, 0}}, got); d != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, d)
	}
	for name, c := range map[string]struct {
		file   []byte
		limits Limits
		want   error
		says   string
	}{
		"a mask":      {array{descr: "|u1", shape: "(300, 400)", values: make([]uint8, 300*400)}.npy(), Limits{}, ErrLimit, "superpixels × classes"},
		"an object":   {array{descr: "|O", shape: "()", values: []byte("pickle")}.npy(), Limits{}, ErrFormat, `its type is "|O"`},
		"cut":         {good[:len(good)-1], Limits{}, ErrFormat, "but the file has"},
		"more":        {append(bytes.Clone(good), 0), Limits{}, ErrFormat, "but the file has"},
		"a beginning": {good[:9], Limits{}, ErrFormat, "it ends early"},
		"too large":   {good, Limits{Values: 3}, ErrLimit, "the limit is 3 values"},
		"not finite":  {array{descr: "<f4", shape: "(1, 1, 2)", values: []float32{1, float32(math.NaN())}}.npy(), Limits{}, ErrValue, "finite, between 0 and 3.4e+38; embeddings must be in a .npz, in an array called embeddings"},
	} {
		if _, err := read(c.file, c.limits); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.want, c.says)
		}
	}
}

func TestReadScoresRefuses(t *testing.T) {
	good := array{"a", "<f4", false, "(1, 2, 2)", []float32{0, 1, 0.5, 0.5}}
	with := func(change func(*array)) []byte {
		a := good
		change(&a)
		return npz(zip.Store, a)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	plain := npz(zip.Store, good)
	for name, c := range map[string]struct {
		file  []byte
		want  error
		words string
	}{
		"empty":           {nil, ErrFormat, "not a .npz"},
		"no zip":          {[]byte("GIF89a"), ErrFormat, "not a .npz"},
		"cut":             {plain[:len(plain)-10], ErrFormat, "not a .npz"},
		"NaN":             {with(func(a *array) { a.values = []float32{0, 1, 0, nan} }), ErrValue, `array "a": not usable: [0, 1, 1] is NaN`},
		"infinite":        {with(func(a *array) { a.values = []float32{0, inf, nan, 0} }), ErrValue, "[0, 0, 1] is +Inf"},
		"no such name":    {with(func(a *array) { a.name, a.values = "arr_0", []float32{0, 0, -0.5, nan} }), ErrValue, "finite, between 0 and 3.4e+38; an array of embeddings must be called embeddings"},
		"negative":        {with(func(a *array) { a.values = []float32{0, 0, -0.5, nan} }), ErrValue, "[0, 1, 0] is -0.5"},
		"place, Fortran":  {with(func(a *array) { a.fortran, a.values = true, []float32{0, 0, nan, 0} }), ErrValue, "[0, 0, 1] is NaN"},
		"above float32":   {with(func(a *array) { a.descr, a.values = "<f8", []float64{0, 1e39, 0, 0} }), ErrValue, "[0, 0, 1] is 1e+39; scores must be finite, between 0 and 3.4e+38"},
		"big-endian":      {with(func(a *array) { a.descr = ">f4" }), ErrFormat, `its type is ">f4"; use '<f2'`},
		"integers":        {with(func(a *array) { a.descr = "<i4" }), ErrFormat, "its type"},
		"one axis":        {with(func(a *array) { a.shape = "(4,)" }), ErrFormat, "its shape is (4)"},
		"four axes":       {with(func(a *array) { a.shape = "(1, 1, 2, 2)" }), ErrFormat, "its shape is (1, 1, 2, 2)"},
		"no axes":         {with(func(a *array) { a.shape = "()" }), ErrFormat, "its shape"},
		"nothing":         {with(func(a *array) { a.shape, a.values = "(1, 0, 2)", []float32{} }), ErrFormat, "which is empty"},
		"too short":       {with(func(a *array) { a.shape = "(2, 2, 2)" }), ErrFormat, "needs 32 bytes after the header of 128, but the file has 144"},
		"too long":        {with(func(a *array) { a.shape = "(1, 1, 2)" }), ErrFormat, "needs 8 bytes"},
		"enormous":        {with(func(a *array) { a.shape = "(2147483647, 2147483647, 21)" }), ErrLimit, "values"},
		"past 31 bits":    {with(func(a *array) { a.shape = "(4294967297, 1, 4)" }), ErrFormat, "header"},
		"negative axis":   {with(func(a *array) { a.shape = "(-1, 2, 2)" }), ErrFormat, "header"},
		"classes":         {with(func(a *array) { a.shape = "(1, 256)" }), ErrLimit, "256 classes; the limit is 255; an array of two dimensions is superpixels × classes: for the probability"},
		"looks like chw":  {with(func(a *array) { a.shape = "(21, 2, 300)" }), ErrLimit, "probs_chw"},
		"structured":      {with(func(a *array) { a.descr = "', 'x': '" }), ErrFormat, "header"},
		"code":            {with(func(a *array) { a.shape = "(__import__('os'),)" }), ErrFormat, "header"},
		"wrong checksum":  {bytes.Replace(plain, []byte{0, 0, 128, 63}, []byte{0, 0, 128, 62}, 1), ErrFormat, "checksum"},
		"unknown method":  {bytes.Replace(plain, []byte("PK\x01\x02\x14\x00\x14\x00\x08\x00\x00\x00"), []byte("PK\x01\x02\x14\x00\x14\x00\x08\x00\x0c\x00"), 1), ErrFormat, "unsupported compression method"},
		"encrypted":       {bytes.Replace(plain, []byte("PK\x01\x02\x14\x00\x14\x00\x08\x00"), []byte("PK\x01\x02\x14\x00\x14\x00\x09\x00"), 1), ErrFormat, "encrypted"},
		"not NumPy":       {bytes.Replace(plain, []byte("\x93NUMPY"), []byte("\x93BUMPY"), 1), ErrFormat, "not a .npy array"},
		"version":         {bytes.Replace(plain, []byte("NUMPY\x01"), []byte("NUMPY\x04"), 1), ErrFormat, "version"},
		"enormous header": {bytes.Replace(plain, []byte("NUMPY\x01\x00"), []byte("NUMPY\x02\x00"), 1), ErrLimit, "header"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := read(c.file, Limits{})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v, %v; want %v and %q", s, err, c.want, c.words)
			}
		})
	}
	if _, err := read(plain, Limits{Values: 3}); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	if _, err := read(plain, Limits{Values: 4}); err != nil {
		t.Error(err)
	}
}

// TestFlatScores: one-hot scores of a photograph with one object deflate to less
// than a 400th, and are no bomb: only what their shape says is ever inflated.
func TestFlatScores(t *testing.T) {
	values := make([]float32, 600*800*3)
	for p := range 600 * 800 {
		class := 0
		if y, x := p/800, p%800; y > 200 && y < 300 && x > 100 && x < 500 {
			class = 1
		}
		values[p*3+class] = 1
	}
	hot := array{"scores", "<f4", false, "(600, 800, 3)", values}
	file := npz(zip.Deflate, hot)
	if ratio := 4 * len(values) / len(file); ratio < 400 {
		t.Fatalf("the scores deflate to a %dth", ratio)
	}
	s, err := read(file, Limits{})
	if err != nil || !slices.Equal(s.Values, values) {
		t.Errorf("flat scores: %v", err)
	}
	if _, err := read(file, Limits{Values: len(values) - 1}); !errors.Is(err, ErrLimit) {
		t.Errorf("one value too many: %v", err)
	}
	hot.shape = "(600, 800, 2)"
	if _, err := read(npz(zip.Deflate, hot), Limits{}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "but the file has") {
		t.Errorf("more than the shape says: %v", err)
	}
}

// TestManyMembers: the directory is not searched without end.
func TestManyMembers(t *testing.T) {
	arrays := slices.Repeat([]array{{"b", "|u1", false, "(1, 1)", []uint8{0}}}, 10_000)
	arrays = append(arrays, array{"probs", "|u1", false, "(1, 1)", []uint8{0}})
	if _, err := read(npz(zip.Store, arrays...), Limits{}); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	if _, err := read(npz(zip.Store, arrays[1:]...), Limits{}); err != nil {
		t.Error(err)
	}
}

// TestReaderFails: an error of the disk is not blamed on the file.
func TestReaderFails(t *testing.T) {
	b := npz(zip.Store, array{"a", "|u1", false, "(1, 3)", []uint8{1, 2, 3}})
	boom := errors.New("boom")
	if _, err := ReadScores(failing{bytes.NewReader(b), boom}, int64(len(b)), Limits{}); !errors.Is(err, boom) {
		t.Error(err)
	}
}

// failing can be read except at its beginning, where the array is.
type failing struct {
	io.ReaderAt
	err error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 && off < 160 {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

// FuzzReadScores: whatever the bytes, there is an error or what was promised.
func FuzzReadScores(f *testing.F) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add(npz(method, array{"a", "<f4", false, "(1, 2, 2)", []float32{0, 1, 0.5, 0.5}}))
		f.Add(npz(method, array{"probs_chw", "<f2", true, "(2, 1, 1)", []uint16{0, 0x3c00}}, array{"b", "|u1", false, "()", []uint8{0}}))
		f.Add(npz(method, array{"scores", "|u1", false, "(2, 2)", []uint8{0, 1, 2, 3}}))
		f.Add(npz(method, array{"probs", "|u1", false, "(2, 2)", []uint8{0, 1, 2, 3}}, array{"superpixels", "<u4", false, "(2, 3)", []uint32{0, 1, 1, 0, 0, 1}}))
	}
	f.Add(array{"", "<f4", false, "(1, 2, 2)", []float32{0, 1, 0.5, 0.5}}.npy())
	const most = 1 << 16
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := read(b, Limits{Values: most})
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrLimit) && !errors.Is(err, ErrValue) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		if len(s.Values) != s.Rows*s.Classes || len(s.Values) > most || s.Classes < 1 || s.Classes > 255 || s.Width > 0 && s.Width*s.Height != s.Rows {
			t.Fatalf("%d values, %+v", len(s.Values), s)
		}
		if s.Map != nil && (len(s.Values)+len(s.Map.Rows) > most || len(s.Map.Rows) != s.Map.Width*s.Map.Height || int(slices.Max(s.Map.Rows)) >= s.Rows) {
			t.Fatalf("a map of %d×%d for %d rows", s.Map.Width, s.Map.Height, s.Rows)
		}
		for i, v := range s.Values {
			if !(v >= 0 && v <= math.MaxFloat32) {
				t.Fatalf("value %d is %v", i, v)
			}
		}
	})
}

// FuzzHeader fuzzes the header without a checksum in the way.
func FuzzHeader(f *testing.F) {
	f.Add("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }")
	f.Add("{'shape': (5,), 'descr': \"|u1\", 'fortran_order': True}")
	f.Fuzz(func(t *testing.T, text string) {
		var h header
		if !h.parse(text) {
			return
		}
		for _, n := range h.shape {
			if n < 0 {
				t.Fatalf("%q has shape %v", text, h.shape)
			}
		}
		if a, err := h.layout(false, ofScores, Limits{Values: 1000}); err == nil && (a.values < 1 || a.values > 1000) {
			t.Fatalf("%q gives %d values", text, a.values)
		}
	})
}
