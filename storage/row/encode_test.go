package row

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
)

func TestEncodeSuperpixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Int32()).Draw(t, "superpixels")
		got, err := decodeSuperpixels(encodeSuperpixels(want))
		if err != nil || len(got) != len(want) || len(want) > 0 && !cmp.Equal(got, want) {
			t.Fatalf("got %v, error %v", got, err)
		}
	})
}

// TestEncodeCompact states what a gesture over neighbouring superpixels costs.
func TestEncodeCompact(t *testing.T) {
	gesture := make([]int32, 100)
	for i := range gesture {
		gesture[i] = int32(400 + 3*(i%7) - i)
	}
	if n := len(encodeSuperpixels(gesture)); n > 101 {
		t.Errorf("100 superpixels near each other take %d bytes", n)
	}
}

// TestEncodeRepairs states what a stroke costs: a run a row of a 12 MP image.
func TestEncodeRepairs(t *testing.T) {
	stroke := segment.Repair{Class: 3}
	for row := range int32(50) {
		stroke.Runs = append(stroke.Runs, 6_000_000+4000*row+row%7, 60+row%5)
	}
	b := encodeRepairs([]segment.Repair{stroke})
	if len(b) > 2+4+3*50 {
		t.Errorf("a stroke of 50 runs takes %d bytes", len(b))
	}
	if got, err := decodeRepairs(b); err != nil || !cmp.Equal(got, []segment.Repair{stroke}) {
		t.Errorf("got %v, error %v", got, err)
	}
}

// Scores that older versions have stored mean what they meant.
func TestDecodeOlderScores(t *testing.T) {
	oldest := []byte{2, 1, 4, 255, 0, 128, 127}
	version1 := slices.Concat([]byte{0, 1}, make([]byte, 6), []byte{0xe0, 0x3f}, make([]byte, 6), []byte{0xf0, 0x3f}, make([]byte, 8), []byte{2, 7, 9}, oldest)
	want := segment.Scores{Classes: []uint8{1, 4}, Shares: []uint8{255, 0, 128, 127}}
	learned := want
	learned.Strength, learned.Exponent, learned.Regions, learned.Model, learned.Learnt = 0.5, 1, 2, 7, 9
	version2 := slices.Concat([]byte{0, 2}, version1[2:29], []byte{1, 4}, oldest)
	reserve := learned
	reserve.Reserve = []uint8{4}
	for name, c := range map[string]struct {
		stored []byte
		want   segment.Scores
	}{"without a strength": {oldest, want}, "version 1": {version1, learned}, "version 2": {version2, reserve}} {
		got, err := decodeScores(c.stored)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(&c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	for _, damaged := range [][]byte{version1[:28], slices.Concat([]byte{0, 4}, version1[2:]), slices.Concat([]byte{0, 3}, version2[2:33]), {0, 2}, {5, 1}} {
		if s, err := decodeScores(damaged); err == nil {
			t.Errorf("%x became %+v", damaged, s)
		}
	}
}

// Runs of a pixel each take two bytes, the fewest there are.
func TestDecodeShortRuns(t *testing.T) {
	want := []segment.Repair{{Class: 3, Runs: []int32{0, 1, 2, 1, 4, 1, 6, 1}}}
	b := encodeRepairs(want)
	if got, err := decodeRepairs(b); len(b) != 2+2*4 || err != nil || !cmp.Equal(got, want) {
		t.Errorf("%d bytes became %v, error %v", len(b), got, err)
	}
}

// Whether people have worked on an image means what it meant to older versions.
func TestDecodeWork(t *testing.T) {
	type work struct{ untouched, guessed, hinted bool }
	for stored, want := range map[[2]int]work{
		{-1, 4}: {false, false, true}, {0, 4}: {false, false, false},
		{1, 3}: {true, true, true}, {1, 4}: {true, false, false}, // the project has guessed, or undone that
		{2, 3}: {true, false, false}, {3, 4}: {true, true, true},
	} {
		untouched, guessed, hinted := decodeWork(stored[0], stored[1])
		got := work{untouched, guessed, hinted}
		if got != want {
			t.Errorf("%d after %d events: %+v, want %+v", stored[0], stored[1], got, want)
		}
		if code := encodeWork(segment.Progress{Untouched: untouched, Guessed: guessed, Hinted: hinted}); stored[0] != 1 && code != stored[0] {
			t.Errorf("%+v is stored as %d, want %d", got, code, stored[0])
		}
	}
}

// What can be in the trash is said to be.
func TestNotFound(t *testing.T) {
	for what, want := range map[string]string{
		"project": "This project doesn't exist or is in the trash.", "image": "This image doesn't exist or is in the trash.", "job": "This job doesn't exist.",
	} {
		if err := ReadError(what, sql.ErrNoRows); segment.KindOf(err) != segment.NotFound || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := ReadError("job", sql.ErrConnDone); !errors.Is(err, sql.ErrConnDone) || segment.KindOf(err) == segment.NotFound {
		t.Errorf("a broken connection: %v", err)
	}
}

// Bytes that are damaged or from a later version are an error.
func TestDecodeDamaged(t *testing.T) {
	later := func(b []byte, at int) []byte {
		b[at]++
		return b
	}
	shares := func(b []byte) error { _, err := decodeShares(b); return err }
	scores := func(b []byte) error { _, err := decodeScores(b); return err }
	repairs := func(b []byte) error { _, err := decodeRepairs(b); return err }
	drawn := func(b []byte) error { _, err := decodeDrawn(b); return err }
	superpixels := func(b []byte) error { _, err := decodeSuperpixels(b); return err }
	for name, c := range map[string]struct {
		decode func([]byte) error
		stored []byte
	}{
		"superpixels that end early":   {superpixels, []byte{0x80}},
		"a superpixel out of range":    {superpixels, binary.AppendVarint(nil, math.MaxInt32+1)},
		"points that end early":        {func(b []byte) error { _, err := decodePoints(b); return err }, make([]byte, 17)},
		"shares without a version":     {shares, []byte{}},
		"shares of a later version":    {shares, later(encodeShares([]segment.ClassShare{{ID: 3, Area: 5, Clicks: 1}}), 0)},
		"shares that end early":        {shares, []byte{sharesVersion, 3, 5}},
		"a share without an area":      {shares, []byte{sharesVersion, 3}},
		"repairs without a length":     {repairs, []byte{3}},
		"fewer runs than announced":    {repairs, []byte{3, 2, 2, 1}},
		"a run before the first pixel": {repairs, encodeRepairs([]segment.Repair{{Runs: []int32{-1, 2}}})},
		"a run beyond the last pixel":  {repairs, encodeRepairs([]segment.Repair{{Runs: []int32{math.MaxInt32, 1}}})},
		"a run without its length":     {repairs, []byte{3, 1, 2, 0x80}},
		"a run that is too long":       {repairs, binary.AppendUvarint([]byte{3, 1, 2}, 1<<63)},
		"a gap that is too long":       {repairs, append([]byte{3, 1}, bytes.Repeat([]byte{0xff}, 11)...)},
		"an object without a number":   {drawn, []byte{3, 0}},
		"a number with pixels":         {drawn, encodeRepairs([]segment.Repair{{Class: 3, Runs: []int32{1, 1}}})},
		"scores of no version":         {scores, make([]byte, 64)},
		"scores of a later version":    {scores, later(encodeScores(&segment.Scores{Classes: []uint8{1, 4}, Shares: []uint8{9, 0}}), 1)},
		"scores that are empty":        {scores, []byte{}},
		"scores that end early":        {scores, []byte{2, 1}},
	} {
		if err := c.decode(c.stored); !errors.Is(err, errEncoding) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode checks that damaged bytes are an error or mean something that
// encodes to what decodes the same.
func FuzzDecode(f *testing.F) {
	f.Add(encodeSuperpixels([]int32{5, -3, 1 << 30, -1 << 31}))
	f.Add(encodePoints([][2]float64{{1, 2}}))
	f.Add(encodeShares([]segment.ClassShare{{ID: 3, Area: 1 << 20, Clicks: 5}}))
	f.Add(encodeRepairs([]segment.Repair{{Class: 3, Runs: []int32{5, 2, 100, 1}}, {Class: 255, Runs: []int32{0, 1}}}))
	f.Add(encodeScores(&segment.Scores{Classes: []uint8{1, 4}, Shares: []uint8{9, 0}, Reserve: []uint8{4}, Strength: 0.1, Patience: 4, Model: 300}))
	f.Add(bytes.Repeat([]byte{0xff}, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		if superpixels, err := decodeSuperpixels(b); err == nil {
			again, err := decodeSuperpixels(encodeSuperpixels(superpixels))
			if err != nil || !cmp.Equal(superpixels, again) {
				t.Errorf("%v became %v, error %v", superpixels, again, err)
			}
		}
		if shares, err := decodeShares(b); err == nil {
			again, err := decodeShares(encodeShares(shares))
			if err != nil || !cmp.Equal(shares, again) {
				t.Errorf("%v became %v, error %v", shares, again, err)
			}
		}
		if repairs, err := decodeRepairs(b); err == nil {
			again, err := decodeRepairs(encodeRepairs(repairs))
			if err != nil || !cmp.Equal(repairs, again) {
				t.Errorf("%v became %v, error %v", repairs, again, err)
			}
		}
		if scores, err := decodeScores(b); err == nil {
			again, err := decodeScores(encodeScores(scores))
			if err != nil || scores.Same(scores) && !scores.Same(again) { // no NaN is the same
				t.Errorf("%+v became %+v, error %v", scores, again, err)
			}
		}
		if points, err := decodePoints(b); err == nil && !bytes.Equal(encodePoints(points), b) {
			t.Errorf("%x became %x", b, encodePoints(points))
		}
	})
}
