package superpixels

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// unexported lets cmp look into runs.
var unexported = cmp.AllowUnexported(Runs{}, span{})

func equal(a, b *Runs) bool { return cmp.Equal(a, b, unexported) }

// drawMap draws a map whose runs are of all lengths, also over whole rows; its
// regions need not be connected.
func drawMap(t *rapid.T) *Map {
	m := &Map{Width: rapid.IntRange(1, 12).Draw(t, "width"), Height: rapid.IntRange(1, 9).Draw(t, "height")}
	for area := m.Width * m.Height; len(m.Labels) < area; {
		region := rapid.IntRange(0, m.N).Draw(t, "region")
		m.N = max(m.N, region+1)
		length := rapid.IntRange(1, 20).Draw(t, "length")
		m.Labels = append(m.Labels, slices.Repeat([]int32{int32(region)}, min(length, area-len(m.Labels)))...)
	}
	return m
}

// Runs say of every pixel what the map says, and no run could be longer.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		r := m.Runs()
		if d := cmp.Diff(m, r.Map()); d != "" {
			t.Fatalf("there and back: %s", d)
		}
		for y := range m.Height {
			for x := range m.Width {
				if got := r.At(x, y); got != m.At(x, y) {
					t.Fatalf("pixel (%d, %d) is in region %d, want %d", x, y, got, m.At(x, y))
				}
			}
		}
		start := rapid.IntRange(0, r.Area()).Draw(t, "start")
		end := rapid.IntRange(start, r.Area()).Draw(t, "end")
		at, before := start, -1
		for run := range r.Between(start, end) {
			if run.Start != at || run.End <= at || run.Region == before {
				t.Fatalf("between %d and %d, run %+v after pixel %d of region %d", start, end, run, at, before)
			}
			for ; at < run.End; at++ {
				if int(m.Labels[at]) != run.Region {
					t.Fatalf("run %+v, but pixel %d is in region %d", run, at, m.Labels[at])
				}
			}
			before = run.Region
		}
		if at != end {
			t.Fatalf("the runs end at pixel %d, want %d", at, end)
		}
	})
}

// What is read row by row says what the pixels do, one by one.
func TestRowsOfRuns(t *testing.T) {
	type side struct {
		X, From, To int
		Below       bool
	}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		r := m.Runs()
		rows := make([]int32, len(m.Labels))
		r.rowByRow(func(region int32, y, from, to int) {
			for x := from; x < to; x++ {
				rows[y*m.Width+x] = region
			}
		})
		if d := cmp.Diff(m.Labels, rows); d != "" {
			t.Fatalf("row by row: %s", d)
		}
		for y := range m.Height {
			var got, want []side
			r.sides(y, func(x int, from, to int32, below bool) { got = append(got, side{x, int(from), int(to), below}) })
			for x := range m.Width {
				here := m.At(x, y)
				if x+1 < m.Width && m.At(x+1, y) != here {
					want = append(want, side{x, here, m.At(x+1, y), false})
				}
				if y+1 < m.Height && m.At(x, y+1) != here {
					want = append(want, side{x, here, m.At(x, y+1), true})
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("sides of row %d: %s", y, d)
			}
		}
		width, height := rapid.IntRange(1, m.Width).Draw(t, "sampled"), rapid.IntRange(1, m.Height).Draw(t, "rows")
		sample := r.sampled(width, height).Map()
		for y := range height {
			for x := range width {
				if got, want := sample.At(x, y), m.At(middle(x, m.Width, width), middle(y, m.Height, height)); got != want {
					t.Fatalf("sample (%d, %d) is in region %d, want %d", x, y, got, want)
				}
			}
		}
	})
}

// Values of regions come to their pixels.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		values := rapid.SliceOfN(rapid.SampledFrom([]uint8{0, 1, 255}), m.N, m.N).Draw(t, "values")
		want := make([]uint8, len(m.Labels))
		for p, region := range m.Labels {
			want[p] = values[region]
		}
		if d := cmp.Diff(want, m.Runs().Spread(values)); d != "" {
			t.Fatal(d)
		}
	})
}

// Coarser runs are the runs of the coarser map.
func TestCoarsenedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		n := rapid.IntRange(1, m.N).Draw(t, "n")
		parent := make([]int32, m.N)
		for i := range parent {
			parent[i] = int32(min(i, rapid.IntRange(0, n-1).Draw(t, "parent")))
		}
		want := &Map{Width: m.Width, Height: m.Height, N: n}
		for _, region := range m.Labels {
			want.Labels = append(want.Labels, parent[region])
		}
		if got := m.Runs().Coarsen(parent, n); !equal(got, want.Runs()) {
			t.Fatalf("got %+v, want %+v", got, want.Runs())
		}
	})
}

// Bytes that divide runs give the same runs as those that do not.
func TestDividedRuns(t *testing.T) {
	whole, divided := twoRegions, slices.Concat(twoRegions[:24], []byte{0, 1, 0, 2})
	var a, b Runs
	if err := a.UnmarshalBinary(whole); err != nil {
		t.Fatal(err)
	}
	if err := b.UnmarshalBinary(divided); err != nil || !equal(&a, &b) {
		t.Errorf("%+v and %+v, %v", a, b, err)
	}
	c, err := b.MarshalBinary()
	if err != nil || !slices.Equal(c, whole) {
		t.Errorf("encoded as % x, %v", c, err)
	}
}

// Decoded runs have no more room than they fill.
func TestRoomOfRuns(t *testing.T) {
	data, err := photoRuns(300, 200).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var r Runs
	if err := r.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if room := 8*cap(r.spans) + 4*cap(r.rows); room > r.Bytes()*21/20 {
		t.Errorf("%d bytes of runs have room for %d", r.Bytes(), room)
	}
}

// photoRuns are the finest runs of what passes for a photograph.
func photoRuns(width, height int) *Runs {
	return NewHierarchy(photo(width, height), 4*DefaultRegions(width, height)).Runs()
}
