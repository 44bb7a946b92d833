package engine

import (
	"image"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/herding"
	"collie/segment"
	"collie/segment/schedule"
	"collie/superpixels"
)

func TestExcludedClassesNeverCome(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	model := NewModel(g, DefaultParameters)
	e := Evidence{
		Clicks:   clicksOn(m.N, map[int]uint8{10: 1, 60: 2, 140: 3}),
		Excluded: []Exclusion{{11, 1}, {11, 1}, {59, 2}, {59, 3}, {100, 1}, {100, 2}, {100, 3}, {10, 1}, {12, 77}},
	}
	for rank, h := range first(t, NewSequence(model, e, 1), 40) {
		if h.Labels[11] == 1 || h.Labels[59] != 1 && h.Labels[59] != segment.Void || h.Labels[100] != segment.Void {
			t.Fatalf("hypothesis %d: superpixels 11, 59 and 100 have classes %d, %d and %d", rank, h.Labels[11], h.Labels[59], h.Labels[100])
		}
		if h.Labels[10] != 1 {
			t.Fatalf("hypothesis %d contradicts the click on 10, which wins over an exclusion", rank)
		}
	}
}

// Nor do corrections of a labelling that has them, as after a merge of classes.
func TestCorrectionsHaveNoExcludedClass(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	model := NewModel(g, DefaultParameters)
	shown := slices.Repeat([]uint8{2}, m.N)
	for _, since := range [][]int32{nil, {10}} {
		e := Evidence{
			Clicks: clicksOn(m.N, map[int]uint8{10: 1, 60: 2}), Excluded: []Exclusion{{11, 2}, {100, 2}},
			Shown: shown, Since: since,
		}
		for rank, h := range first(t, NewSequence(model, e, 1), 10) {
			if h.Labels[11] == 2 || h.Labels[100] == 2 {
				t.Errorf("since %v, hypothesis %d: superpixels 11 and 100 have classes %d and %d", since, rank, h.Labels[11], h.Labels[100])
			}
		}
	}
}

// Nor does a region that is forced bring them.
func TestForcedRegionsHaveNoExcludedClass(t *testing.T) {
	h, g := superpixels.Divide(patches(240, 160), 150)
	m := h.At(150)
	model := NewModel(g, DefaultParameters).Divide(h.Level(8))
	clicks := clicksOn(m.N, map[int]uint8{m.At(20, 20): 1, m.At(200, 80): 2})
	for i := 0; i < m.N; i += 7 {
		for _, class := range []uint8{1, 2} {
			e := Evidence{Clicks: clicks, Excluded: []Exclusion{{i, class}}}
			for rank, h := range first(t, NewSequence(model, e, 1), 20) {
				if clicks[i] == segment.Void && h.Labels[i] == class {
					t.Errorf("hypothesis %d gives superpixel %d class %d, which it is not", rank, i, class)
				}
			}
		}
	}
}

// The area moments are those of the probabilities without the excluded classes.
func TestAreaMomentsOfExclusions(t *testing.T) {
	h, g := superpixels.Divide(patches(240, 160), 150)
	m := h.At(150)
	model := NewModel(g, DefaultParameters).Divide(h.Level(8))
	e := Evidence{Clicks: clicksOn(m.N, map[int]uint8{m.At(20, 20): 1, m.At(200, 80): 2})}
	region := model.regions[m.At(60, 80)]
	for i, r := range model.regions {
		if r == region && e.Clicks[i] == segment.Void {
			e.Excluded = append(e.Excluded, Exclusion{i, 1})
		}
	}
	p, err := NewSequence(model, e, 1).problem(t.Context(), schedule.First)
	if err != nil {
		t.Fatal(err)
	}
	within, inside := make([]float64, 2), 0.0
	image := make([]float64, 2)
	for i, share := range model.shares {
		for l, mu := range p.UnaryMoments[2*i : 2*i+2] {
			image[l] += share * mu
			if model.regions[i] == region {
				within[l] += share * mu
				inside += share * mu
			}
		}
	}
	within[0], within[1] = within[0]/inside, within[1]/inside
	near := cmpopts.EquateApprox(0, 1e-9)
	if diff := cmp.Diff(image, p.AreaMoments, near); diff != "" {
		t.Errorf("of the image (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(within, p.Regions[0].Moments[2*region:][:2], near); diff != "" {
		t.Errorf("of the region (-want +got):\n%s", diff)
	}
	if p.Regions[0].Eta != model.RateRegion {
		t.Errorf("the rate of regions is %v", p.Regions[0].Eta)
	}
}

// Nothing goes beyond the box of its class: no hypothesis, no rung of the ladder, no
// correction and no guess; whatever is clicked elsewhere, in a box of another class, too.
func TestNothingLeavesItsBox(t *testing.T) {
	const width, height = 240, 160
	m, g := patchwork(width, height, 150)
	model := NewModel(g, DefaultParameters)
	rest := segment.Rest{Mode: segment.RestClass}
	half := model.NewBox(1, image.Rect(10, 10, 60, 150)) // of the disc, and of what is around it
	right := model.NewBox(2, image.Rect(100, 20, 200, 140))
	inside, beside, far := m.At(50, 80), m.At(80, 80), m.At(230, 10)
	picked, everywhere := newHolds(m.N), newHolds(m.N)
	picked.pick(1, clicksOn(m.N, map[int]uint8{inside: 1}), inside)
	everywhere.pick(1, slices.Repeat([]uint8{1}, m.N), beside, far)
	for name, e := range map[string]Evidence{
		"alone":         {Boxes: []Box{half}, Rest: rest},
		"undecided":     {Boxes: []Box{half}},
		"clicked":       {Boxes: []Box{half}, Rest: rest, Clicks: clicksOn(m.N, map[int]uint8{inside: 1})},
		"two boxes":     {Boxes: []Box{half, right}, Rest: rest},
		"another class": {Boxes: []Box{half, right}, Clicks: clicksOn(m.N, map[int]uint8{beside: 3, far: 2})},
		"corrected":     {Boxes: []Box{half}, Rest: rest, Clicks: clicksOn(m.N, map[int]uint8{inside: 1}), Shown: make([]uint8, m.N), Since: []int32{int32(inside)}},
		"guessed":       {Boxes: []Box{half}, Rest: rest, Guess: halves(m, m.N, width, 0.9)},
		"held inside":   {Boxes: []Box{half}, Rest: rest, Holds: picked, Clicks: clicksOn(m.N, map[int]uint8{far: 0})},
		"excluded, too": {Boxes: []Box{half}, Rest: rest, Excluded: []Exclusion{{far, 0}, {inside, 1}}},
		"all excluded":  {Boxes: []Box{half, right}, Rest: rest, Excluded: []Exclusion{{far, 0}, {far, 2}}},
	} {
		if e.Clicks == nil {
			e.Clicks = clicksOn(m.N, nil)
		}
		if e.Guess != nil {
			e.Guess.Classes = []uint8{0, 1} // the right half is of the class of the box
		}
		s := NewSequence(model, e, 1)
		check := func(what string, n int, labels []uint8) {
			t.Helper()
			for i, l := range labels {
				for _, b := range e.Boxes {
					if l == b.Class && b.Outside[i] && e.Clicks[i] != l && !e.leaves(b) {
						t.Fatalf("%s: %s %d gives class %d to superpixel %d outside of its box", name, what, n, l, i)
					}
				}
			}
		}
		found := false
		for n, h := range first(t, s, 30) {
			check("hypothesis", n, h.Labels)
			found = found || slices.Contains(h.Labels, 1)
		}
		if !found {
			t.Errorf("%s: no hypothesis has class 1", name)
		}
		if len(s.Classes()) == 2 {
			l, err := s.Ladder(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for n := range l.Rungs {
				check("rung", n, l.labels(n))
			}
		}
		extents, err := model.Extents(e)
		if err != nil {
			t.Fatal(err)
		}
		for n, x := range extents {
			for i, in := range x.Mask {
				if in && half.Outside[i] {
					t.Fatalf("%s: extent %d has superpixel %d outside of the box", name, n, i)
				}
			}
		}
		if e.Guess != nil {
			h, err := s.Guessed(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			check("guess", 0, h.Labels)
		}
		supposed, err := s.Alternatives(t.Context(), []int32{int32(m.At(200, 150))})
		if err != nil {
			t.Fatal(err)
		}
		for n, a := range supposed {
			check("alternative", n, a.Labels)
		}
	}

	for name, e := range map[string]Evidence{
		"clicked": {Clicks: clicksOn(m.N, map[int]uint8{beside: 1})},
		"picked":  {Clicks: clicksOn(m.N, nil), Holds: everywhere},
	} {
		e.Boxes, e.Rest = []Box{half}, rest
		p, err := NewSequence(model, e, 1).problem(t.Context(), schedule.First)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Model.Nodes {
			if herding.RuledOut(p.Model, i, 1) {
				t.Fatalf("%s outside the box: superpixel %d can't be of its class", name, i)
			}
		}
	}
	// Where the object's own class is the rest, the box says what lies inside.
	e := Evidence{Clicks: clicksOn(m.N, map[int]uint8{inside: 0}), Boxes: []Box{half}, Rest: segment.Rest{Mode: segment.RestClass, Class: 1}}
	if labels := first(t, NewSequence(model, e, 1), 1)[0].Labels; labels[far] != 1 {
		t.Errorf("the rest has class %d, want 1", labels[far])
	}
}

// A box leaves alone what was accepted as its class before it moved to another object;
// everything else outside it leans to the rest.
func TestBoxesLeaveAcceptedObjectsAlone(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	model := NewModel(g, DefaultParameters)
	ours, others := m.At(60, 80), m.At(20, 20)
	holds := newHolds(m.N)
	holds.pick(1, clicksOn(m.N, map[int]uint8{ours: 1, others: 0}), ours, others)
	e := Evidence{Clicks: clicksOn(m.N, map[int]uint8{m.At(200, 80): 1}), Rest: segment.Rest{Mode: segment.RestClass}, Holds: holds}
	_, _, without := model.Terms(e)
	e.Boxes = []Box{model.NewBox(1, image.Rect(150, 20, 230, 140))}
	_, _, with := model.Terms(e)
	if with.Weight[ours] != without.Weight[ours] || with.Share[2*ours+1] != without.Share[2*ours+1] {
		t.Errorf("the box draws an accepted object outside it with %v to the rest; without the box with %v", with.Weight[ours]*with.Share[2*ours], without.Weight[ours]*without.Share[2*ours])
	}
	if with.Weight[others] != without.Weight[others]+model.Outside {
		t.Errorf("the box draws what else was accepted outside it with %v instead of %v", with.Weight[others], without.Weight[others]+model.Outside)
	}
}
