package superpixels

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoRegions is a map of 3×2 pixels with 2 regions, byte by byte.
var twoRegions = []byte{
	'C', 'S', 'P', 'M', 1, 0, 0, 0,
	3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0,
	0, 1, 1, 2,
	0, 3,
}

func TestMapLayout(t *testing.T) {
	m := &Map{Width: 3, Height: 2, N: 2, Labels: []int32{0, 1, 1, 0, 0, 0}}
	got, err := m.Runs().MarshalBinary()
	if err != nil || !bytes.Equal(got, twoRegions) {
		t.Errorf("encoded as % x, %v, want % x", got, err, twoRegions)
	}
	var again Runs
	if err := again.UnmarshalBinary(twoRegions); err != nil || !cmp.Equal(m, again.Map()) {
		t.Errorf("decoded as %v, %v", again, err)
	}
}

func TestMapRefusals(t *testing.T) {
	// with returns twoRegions with bytes replaced from an offset on.
	with := func(offset int, b ...byte) []byte {
		data := bytes.Clone(twoRegions)
		copy(data[offset:], b)
		return data
	}
	size := func(width, height, n uint32) []byte {
		data := bytes.Clone(twoRegions)
		for i, v := range []uint32{width, height, n} {
			binary.LittleEndian.PutUint32(data[8+4*i:], v)
		}
		return data
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "too early"},
		{"cut header", twoRegions[:19], "too early"},
		{"cut runs", twoRegions[:23], "too early"},
		{"trailing byte", append(bytes.Clone(twoRegions), 0), "follow"},
		{"magic", with(0, 'X'), "magic"},
		{"version", with(4, 2), "version"},
		{"reserved", with(5, 1), "version"},
		{"no width", size(0, 2, 2), "size"},
		{"side too long", size(1<<16+1, 1, 2), "size"},
		{"too many pixels", size(1<<16, 1<<16, 2), "size"},
		{"no regions", size(3, 2, 0), "regions"},
		{"more regions than pixels", size(3, 2, 7), "regions"},
		{"unused id", size(3, 2, 3), "regions"},
		{"id out of order", with(20, 1), "region id"},
		{"run of length 0", with(21, 0), "length 0"},
		{"run past the row", with(23, 3), "run length"},
		{"overlong number", with(20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "too early"},
	} {
		m := Runs{N: -1}
		err := m.UnmarshalBinary(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || m.N != -1 {
			t.Errorf("%s: error %v, want one with %q; map %v", c.name, err, c.want, m)
		}
	}
}

func TestTooLargeToEncode(t *testing.T) {
	m := &Map{Width: MaxSide + 1, Height: 1, N: 1, Labels: make([]int32, MaxSide+1)}
	if _, err := m.Runs().MarshalBinary(); err == nil {
		t.Error("a map that no reader accepts was encoded")
	}
}

func FuzzUnmarshal(f *testing.F) {
	img := picture(20, 15, 5, 5, 1)
	h := NewHierarchy(img, 12)
	m := h.At(5)
	_, whole := Divide(img, 12)
	for _, v := range []interface{ MarshalBinary() ([]byte, error) }{h, m.Runs(), Describe(img, m), whole} {
		data, err := v.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(twoRegions)
	f.Add(firstVersion(f, whole))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m Runs
		if m.UnmarshalBinary(data) == nil {
			again, err := m.MarshalBinary()
			var m2 Runs
			if err != nil || m2.UnmarshalBinary(again) != nil || !equal(&m, &m2) || !equal(&m, m.Map().Runs()) {
				t.Fatalf("a decoded map doesn't survive a round trip: %v", err)
			}
		}
		var h Hierarchy
		if h.UnmarshalBinary(data) == nil {
			for n := range min(h.Finest(), 50) {
				if got := h.At(n + 1).N; got != n+1 {
					t.Fatalf("At(%d) has %d regions", n+1, got)
				}
			}
		}
		var g Graph
		if g.UnmarshalBinary(data) == nil {
			again, err := g.MarshalBinary()
			var g2 Graph
			if err != nil || g2.UnmarshalBinary(again) != nil || !cmp.Equal(g, g2) || data[4] == graphVersion && !canonical(&g, data, again) {
				t.Fatalf("a decoded graph doesn't survive a round trip: %v", err)
			}
		}
	})
}

// canonical reports whether a graph's two encodings are the same but for numbers
// of merges that take more bytes than they need.
func canonical(g *Graph, data, again []byte) bool {
	fixed := graphHeader + (regionBytes+shareBytes)*len(g.Regions) + edgeBytes*len(g.Edges)
	return bytes.Equal(data[:fixed], again[:fixed])
}

// firstVersion encodes a graph as version 1 did, without shares and merges.
func firstVersion(t testing.TB, g *Graph) []byte {
	plain := *g
	plain.Merges = nil
	data, err := plain.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.Clone(data[:graphHeader])
	out[4] = 1
	rest := data[graphHeader:]
	for range g.Regions {
		out = append(out, rest[:regionBytes]...)
		rest = rest[regionBytes+shareBytes:]
	}
	return append(out, rest...)
}

// Graphs that were stored before shares and merges are read without them.
func TestFirstVersionOfGraph(t *testing.T) {
	_, g := Divide(picture(40, 30, 7, 5, 3), 20)
	old := firstVersion(t, g)
	var got Graph
	if err := got.UnmarshalBinary(old); err != nil {
		t.Fatal(err)
	}
	want := Graph{Regions: slices.Clone(g.Regions), Edges: g.Edges}
	for i := range want.Regions {
		want.Regions[i].Colours, want.Regions[i].Directions = [3][ColourBins]uint8{}, [DirectionBins]uint8{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, data := range map[string][]byte{
		"trailing byte": append(bytes.Clone(old), 0), "cut": old[:len(old)-1], "version 0": append([]byte{'C', 'S', 'P', 'G', 0}, old[5:]...),
	} {
		if err := new(Graph).UnmarshalBinary(data); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A graph's merges are all there or not at all.
func TestGraphRefusesHalfTheMerges(t *testing.T) {
	_, g := Divide(picture(40, 30, 7, 5, 3), 20)
	data, err := g.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var again Graph
	if err := again.UnmarshalBinary(data); err != nil || !cmp.Equal(*g, again) {
		t.Fatalf("a graph doesn't survive a round trip: %v", err)
	}
	for cut := 1; cut < 2*len(g.Merges); cut++ {
		if err := new(Graph).UnmarshalBinary(data[:len(data)-cut]); err == nil {
			t.Errorf("accepted without the last %d bytes", cut)
		}
	}
}

func FuzzSegment(f *testing.F) {
	f.Add(uint8(7), uint8(5), uint8(3), []byte("pixels"))
	f.Fuzz(func(t *testing.T, width, height, finest uint8, pixels []byte) {
		w, h := int(width)%48+1, int(height)%48+1
		img := picture(w, h, 1, 0, 0)
		for i := range img.Pix {
			if len(pixels) > 0 {
				img.Pix[i] = pixels[i%len(pixels)]
			}
		}
		n := min(max(int(finest), 1), w*h)
		tree := NewHierarchy(img, n)
		fine := tree.At(n)
		checkMap(t, fine, w, h, n)
		coarse := tree.At((n + 1) / 2)
		checkMap(t, coarse, w, h, (n+1)/2)
		checkNested(t, coarse, fine)
		Describe(img, fine)
	})
}
