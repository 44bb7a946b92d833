package engine

import (
	"image"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

func TestClassesInPlay(t *testing.T) {
	m := NewModel(gridGraph(4, 1), DefaultParameters)
	class := func(id uint8) segment.Rest { return segment.Rest{Mode: segment.RestClass, Class: id} }
	box, other := Box{Class: 5, Outside: make([]bool, 16)}, Box{Class: 6, Outside: make([]bool, 16)}
	for name, c := range map[string]struct {
		e    Evidence
		want []int
	}{
		"nothing clicked":               {Evidence{Rest: class(0)}, nil},
		"nothing clicked, undecided":    {Evidence{Rest: segment.Rest{Mode: segment.RestUndecided}}, nil},
		"one class, rest nothing":       {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7})}, []int{7}},
		"one class and the rest":        {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7}), Rest: class(9)}, []int{7, 9}},
		"the rest itself":               {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 9}), Rest: class(9)}, []int{9}},
		"two classes and the rest":      {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7, 4: 8}), Rest: class(0)}, []int{0, 7, 8}},
		"undecided":                     {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7, 4: 8}), Rest: segment.Rest{Mode: segment.RestUndecided}}, []int{7, 8, segment.Void}},
		"undecided first":               {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7}), Rest: segment.Rest{Mode: segment.RestFirst}}, []int{7, segment.Void}},
		"undecided first, two classes":  {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7, 4: 8}), Rest: segment.Rest{Mode: segment.RestFirst}}, []int{7, 8}},
		"a box alone":                   {Evidence{Boxes: []Box{box}}, []int{5, segment.Void}},
		"a box and the rest":            {Evidence{Boxes: []Box{box}, Rest: class(0)}, []int{0, 5}},
		"boxes of two classes":          {Evidence{Boxes: []Box{box, other}}, []int{5, 6, segment.Void}},
		"excluded from its only class":  {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7}), Excluded: []Exclusion{{2, 7}}}, []int{7, segment.Void}},
		"excluded where others remain":  {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7, 4: 8}), Excluded: []Exclusion{{2, 7}}}, []int{7, 8}},
		"excluded from all that remain": {Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7, 4: 8}), Excluded: []Exclusion{{2, 7}, {2, 8}}}, []int{7, 8, segment.Void}},
	} {
		if c.e.Clicks == nil {
			c.e.Clicks = clicksOn(16, nil)
		}
		s := NewSequence(m, c.e, 1)
		if diff := cmp.Diff(c.want, s.Classes()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for rank := range min(s.Len(), 5) {
			h, err := s.At(t.Context(), rank)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i, l := range h.Labels {
				if !slices.Contains(c.want, int(l)) {
					t.Fatalf("%s: hypothesis %d gives superpixel %d class %d", name, rank, i, l)
				}
			}
		}
	}
}

// With all classes in play there is no label for undecided.
func TestAllClasses(t *testing.T) {
	m := NewModel(gridGraph(17, 1), DefaultParameters)
	at := map[int]uint8{}
	for class := range segment.MaxClasses {
		at[class] = uint8(class)
	}
	box, excluded := Box{Class: 5, Outside: make([]bool, 289)}, []Exclusion{}
	box.Outside[280] = true
	var boxes []Box
	for class := range segment.MaxClasses {
		excluded = append(excluded, Exclusion{288, uint8(class)})
		boxes = append(boxes, Box{Class: uint8(class), Outside: box.Outside})
	}
	for name, e := range map[string]Evidence{
		"undecided":             {Rest: segment.Rest{Mode: segment.RestUndecided}},
		"a box":                 {Boxes: []Box{box}},
		"outside all boxes":     {Boxes: boxes},
		"excluded from all":     {Excluded: excluded},
		"the rest is a class":   {Rest: segment.Rest{Mode: segment.RestClass, Class: 9}},
		"corrected, with a box": {Boxes: []Box{box}, Shown: clicksOn(289, nil), Since: []int32{3}},
	} {
		e.Clicks = clicksOn(289, at)
		s := NewSequence(m, e, 1)
		if n := len(s.Classes()); n != segment.MaxClasses {
			t.Errorf("%s: %d classes in play", name, n)
		}
		first(t, s, 3)
		if _, err := s.Suggest(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// disc is the superpixel in the middle of the disc of patchwork.
func disc(m interface{ At(x, y int) int }, width, height int) int { return m.At(width/4, height/2) }

func TestOneClickIsEnoughToChooseFrom(t *testing.T) {
	const width, height = 240, 160
	m, g := patchwork(width, height, 150)
	model := NewModel(g, DefaultParameters)
	clicks := clicksOn(m.N, map[int]uint8{disc(m, width, height): 4})
	for _, rest := range []segment.Rest{{Mode: segment.RestClass}, {Mode: segment.RestClass, Class: 9}, {Mode: segment.RestUndecided}, {Mode: segment.RestFirst}} {
		s := NewSequence(model, Evidence{Clicks: clicks, Rest: rest}, 1)
		other := uint8(segment.Void)
		if rest.Mode == segment.RestClass {
			other = rest.Class
		}
		seen := map[string]bool{}
		for rank, h := range first(t, s, 5) {
			seen[string(h.Labels)] = true
			if rank > 0 {
				continue
			}
			for i, r := range g.Regions {
				dx, dy := float64(r.Centroid[0])-width/4, float64(r.Centroid[1])-height/2
				want := other
				if squareOf(dx, dy) < 25*25 {
					want = 4
				} else if squareOf(dx, dy) < 40*40 {
					continue
				}
				if h.Labels[i] != want {
					t.Errorf("rest %v: superpixel %d at %v has class %d, want %d", rest, i, r.Centroid, h.Labels[i], want)
				}
			}
		}
		if len(seen) != 5 {
			t.Errorf("rest %v: %d different cards among the first 5", rest, len(seen))
		}
	}
}

func TestRestGivesWayToClicks(t *testing.T) {
	const width, height = 240, 160
	m, g := patchwork(width, height, 150)
	rest := segment.Rest{Mode: segment.RestClass}
	clicks := clicksOn(m.N, map[int]uint8{disc(m, width, height): 1, m.At(0, 0): 2, m.At(width-1, height-1): 3})
	h := first(t, NewSequence(NewModel(g, DefaultParameters), Evidence{Clicks: clicks, Rest: rest}, 3), 1)[0]
	count := map[uint8]int{}
	for _, l := range h.Labels {
		count[l]++
	}
	if count[2] < m.N/4 || count[3] < m.N/4 || count[1] < 5 {
		t.Errorf("superpixels per class %v; the clicks on both halves should drive the rest, 0, out", count)
	}
}

func TestBoxAlone(t *testing.T) {
	const width, height = 240, 160
	_, g := patchwork(width, height, 150)
	model := NewModel(g, DefaultParameters)
	box := image.Rect(width/4-36, height/2-36, width/4+36, height/2+36)
	e := Evidence{Clicks: clicksOn(len(g.Regions), nil), Rest: segment.Rest{Mode: segment.RestClass}, Boxes: []Box{model.NewBox(1, box)}}
	cards := first(t, NewSequence(model, e, 1), 6)
	for i, r := range g.Regions {
		if outside := !r.Bounds.Rect().Overlaps(box); outside && cards[0].Labels[i] != 0 {
			t.Errorf("superpixel %d at %v lies outside the box and has class %d", i, r.Centroid, cards[0].Labels[i])
		}
		if dx, dy := float64(r.Centroid[0])-width/4, float64(r.Centroid[1])-height/2; squareOf(dx, dy) < 20*20 && cards[0].Labels[i] != 1 {
			t.Errorf("superpixel %d at %v is of the object and has class %d", i, r.Centroid, cards[0].Labels[i])
		}
	}
}

// Every correction changes what is joined to the click and nothing else, and what
// the evidence alone says comes after them.
func TestCorrectionIsLocal(t *testing.T) {
	const width, height = 240, 160
	m, g := patchwork(width, height, 150)
	model := NewModel(g, DefaultParameters)
	at := m.At(width-20, height/2)
	clicks := clicksOn(m.N, map[int]uint8{disc(m, width, height): 1, at: 1})
	// The shown hypothesis had the disc and, far from both clicks, a stray region.
	shown := make([]uint8, m.N)
	odd := m.At(5, 5)
	shown[odd], shown[disc(m, width, height)] = 1, 1
	e := Evidence{Clicks: clicks, Rest: segment.Rest{Mode: segment.RestClass}, Shown: shown, Since: []int32{int32(at)}}
	clicks[m.At(width-1, 0)] = 0 // the first click's question is answered
	cards := first(t, NewSequence(model, e, 3), corrected+1)
	e.Shown = nil
	whole := first(t, NewSequence(model, e, 3), 1)[0]
	n := slices.IndexFunc(cards, func(h Hypothesis) bool { return slices.Equal(h.Labels, whole.Labels) })
	if n < 2 {
		t.Fatalf("what the evidence alone says is card %d", n)
	}
	for rank, h := range cards[:n] {
		if h.Labels[odd] != 1 || h.Labels[at] != 1 {
			t.Errorf("card %d: the odd superpixel has class %d, the clicked one %d; want 1 and 1", rank, h.Labels[odd], h.Labels[at])
		}
		part := model.joined([]int32{int32(at)}, func(i int32) bool { return h.Labels[i] != shown[i] })
		for i, l := range h.Labels {
			if l != shown[i] && clicks[i] == segment.Void && !slices.Contains(part, int32(i)) {
				t.Errorf("card %d changes superpixel %d, which nothing joins to the click", rank, i)
			}
		}
	}
}
