package engine

import (
	"image"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/chooser"
	"collie/segment/schedule"
)

// drawCorrection draws clicks, and what was shown before the last of them.
func drawCorrection(t *rapid.T, m *Model) Evidence {
	n := len(m.shares)
	classes := rapid.IntRange(2, 4).Draw(t, "classes")
	class := rapid.Custom(func(t *rapid.T) uint8 { return uint8(rapid.IntRange(0, classes-1).Draw(t, "class")) })
	e := Evidence{Clicks: slices.Repeat([]uint8{segment.Void}, n), Rest: segment.Rest{Mode: segment.RestClass}, Shown: make([]uint8, n)}
	shown := rapid.SliceOfN(class, 4, 4).Draw(t, "shown")
	for i := range e.Shown {
		e.Shown[i] = shown[i*4/n]
	}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 2, 6, rapid.ID).Draw(t, "clicks") {
		e.Clicks[i] = class.Draw(t, "clicked")
		e.Since = []int32{int32(i)}
	}
	for i, c := range e.Clicks { // what was shown followed the clicks before
		if c != segment.Void && int32(i) != e.Since[0] {
			e.Shown[i] = c
		}
	}
	return e
}

// Whatever was shown and clicked, corrections keep the clicks, differ from each
// other, and change only what is joined to the click; all but the first change it to
// the class of the click. Their features are finite.
func TestCorrections(t *testing.T) {
	m := NewModel(gridGraph(8, 6), DefaultParameters)
	several := 0
	rapid.Check(t, func(t *rapid.T) {
		e := drawCorrection(t, m)
		all, classes, err := m.Corrections(e)
		if err != nil {
			t.Fatal(err)
		}
		click := e.Since[0]
		if len(all) > 1 {
			several++
		}
		seen := map[string]bool{}
		for n, c := range all {
			if seen[string(c.Labels)] {
				t.Errorf("correction %d comes twice", n)
			}
			seen[string(c.Labels)] = true
			part := m.joined([]int32{click}, func(i int32) bool { return classes[c.Labels[i]] != int(e.Shown[i]) })
			for i, l := range c.Labels {
				now, was, clicked := classes[l], int(e.Shown[i]), e.Clicks[i]
				switch {
				case !slices.Contains(classes, was): // nothing says that it stays
				case clicked != segment.Void && now != int(clicked):
					t.Errorf("correction %d gives superpixel %d class %d, clicked was %d", n, i, now, clicked)
				case now != was && clicked == segment.Void && !slices.Contains(part, int32(i)):
					t.Errorf("correction %d changes superpixel %d, which nothing joins to the click", n, i)
				case (now != was && int32(i) != click) != slices.Contains(c.changed, int32(i)):
					t.Errorf("correction %d changes superpixel %d from class %d to %d, and counts %v as changed", n, i, was, now, c.changed)
				case n > 0 && now != was && now != int(e.Clicks[click]):
					t.Errorf("correction %d changes superpixel %d to class %d, clicked was %d", n, i, now, e.Clicks[click])
				}
			}
			for j, v := range c.Features {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("feature %d of correction %d is %v", j, n, v)
				}
			}
		}
	})
	if several == 0 {
		t.Error("there was never a choice, so the test shows little")
	}
}

// A click that confirms what is shown, and many at once, are not asked what they mean.
func TestNothingToCorrect(t *testing.T) {
	m := NewModel(gridGraph(8, 6), DefaultParameters)
	n := len(m.shares)
	e := Evidence{Clicks: clicksOn(n, map[int]uint8{3: 0, 20: 1}), Rest: segment.Rest{Mode: segment.RestClass}, Shown: slices.Repeat([]uint8{1}, n), Since: []int32{20}}
	if all, _, err := m.Corrections(e); err != nil || len(all) != 1 {
		t.Errorf("a click that confirms: %d corrections, %v; want 1", len(all), err)
	}
	many := map[int]uint8{}
	e.Since = nil
	for i := range manyClicks + 1 {
		many[i] = 0
		e.Since = append(e.Since, int32(i))
	}
	e.Clicks = clicksOn(n, many)
	e.Clicks[40] = 1
	if all, _, err := m.Corrections(e); err != nil || len(all) != 1 {
		t.Errorf("many clicks: %d corrections, %v; want 1", len(all), err)
	}
	e.Since = nil // an accepted labelling stays
	all, classes, err := m.Corrections(e)
	if err != nil || len(all) != 1 {
		t.Fatalf("no click since: %d corrections, %v; want 1", len(all), err)
	}
	for i, l := range all[0].Labels {
		if c := e.Clicks[i]; classes[l] != int(e.Shown[i]) && c == segment.Void {
			t.Errorf("superpixel %d becomes class %d without a click", i, classes[l])
		}
	}
}

// Turning superpixels to the class of a click changes the energy of the choice by as
// much as that of the problem, whatever classes they had.
func TestTurningBetweenClasses(t *testing.T) {
	m := NewModel(gridGraph(8, 6), DefaultParameters)
	rapid.Check(t, func(t *rapid.T) {
		e := drawCorrection(t, m)
		s := NewSequence(m, e, 0)
		if s.model == nil {
			return
		}
		p, err := s.problem(t.Context(), schedule.First)
		if err != nil {
			t.Fatal(err)
		}
		index := indexOf(s.classes)
		now := make([]uint8, len(e.Shown))
		for i, l := range e.shown(&index) {
			if now[i] = uint8(max(l, 0)); p.Model.Fixed[i] >= 0 {
				now[i] = uint8(p.Model.Fixed[i])
			}
		}
		turn := m.turn(p, now, now, e.Since[0], s.rest, nil)
		choice := turn.choice()
		energy := func(turned func(i int) bool) (gain, binary float64) {
			x, y := slices.Clone(now), make([]uint8, len(now))
			for i, f := range choice.Fixed {
				if f > 0 {
					y[i] = 1
				}
				if turn.turnable[i] && turned(i) {
					x[i], y[i] = uint8(turn.class), 1
				}
			}
			return p.Model.Energy(x), choice.Energy(y)
		}
		turned := rapid.SliceOfN(rapid.Bool(), len(now), len(now)).Draw(t, "turned")
		whole, binary := energy(func(int) bool { return false })
		after, binaryAfter := energy(func(i int) bool { return turned[i] })
		if d := math.Abs((after - whole) - (binaryAfter - binary)); d > 1e-9 {
			t.Errorf("the energy rises by %v, that of the choice by %v", after-whole, binaryAfter-binary)
		}
	})
}

// A stroke counts as one mark. After nine others the largest change is still offered,
// but not first, unless its class is new.
func TestLateClicksChangeLittle(t *testing.T) {
	m := NewModel(gridGraph(20, 4), DefaultParameters) // 400 superpixels in rows of 20
	stroke := func(clicks map[int]uint8, from, to int, class uint8) {
		for i := from; i < to; i++ {
			clicks[i] = class
		}
	}
	for _, c := range []struct {
		name  string
		marks int
		isNew bool
		late  bool
	}{{"early", 8, false, false}, {"late", 9, false, true}, {"late, a new class", 9, true, false}} {
		clicks := map[int]uint8{210: 1}
		for n := range c.marks {
			class := uint8(0)
			if n == 0 && !c.isNew {
				class = 1
			}
			stroke(clicks, 40*n+1, 40*n+5, class)
		}
		shown := slices.Repeat([]uint8{0}, 400)
		for i, class := range clicks {
			if i != 210 {
				shown[i] = class
			}
		}
		e := Evidence{Clicks: clicksOn(400, clicks), Rest: segment.Rest{Mode: segment.RestClass}, Shown: shown, Since: []int32{210}}
		all, _, err := m.Corrections(e)
		if err != nil {
			t.Fatal(err)
		}
		late := 0
		for _, x := range all {
			if x.late {
				late++
			}
		}
		if (late > 0) != c.late {
			t.Errorf("%s: %d of %d corrections are late", c.name, late, len(all))
		}
		best := m.best(all, corrected)
		if len(best) != corrected || best[0].late {
			t.Errorf("%s: %d corrections, the first late: %v", c.name, len(best), best[0].late)
		}
	}
}

// With a box, features say how well its class would still fill it. Without one they are 0.
func TestCorrectionInBox(t *testing.T) {
	m := NewModel(gridGraph(8, 6), DefaultParameters)
	n := len(m.shares)
	box := m.NewBox(1, image.Rectangle{Min: m.bounds[9].Min, Max: m.bounds[n-10].Max})
	shown := make([]uint8, n)
	for i, outside := range box.Outside {
		if !outside {
			shown[i] = 1
		}
	}
	e := Evidence{
		Clicks: clicksOn(n, map[int]uint8{20: 0}), Rest: segment.Rest{Mode: segment.RestClass},
		Boxes: []Box{box}, Shown: shown, Since: []int32{20},
	}
	all, classes, err := m.Corrections(e)
	if err != nil {
		t.Fatal(err)
	}
	least, most := 1.0, 0.0
	for n, c := range all {
		var covered, area float64
		for i, outside := range box.Outside {
			if !outside {
				area += m.shares[i]
				if classes[c.Labels[i]] == 1 {
					covered += m.shares[i]
				}
			}
		}
		f := &c.Features
		if f[hasBox] != 1 || math.Abs(f[boxCovered]-covered/area) > 1e-12 || f[fillGain] > 0 || f[partOutside] != 0 {
			t.Errorf("correction %d: box %v, covered %v, fill %v more than before, outside %v; want 1, %v, none and 0", n, f[hasBox], f[boxCovered], f[fillGain], f[partOutside], covered/area)
		}
		if (covered == 0) != (f[filled] == 0) {
			t.Errorf("correction %d fills %v of the box and covers %v", n, f[filled], covered/area)
		}
		least, most = min(least, f[filled]), max(most, f[filled])
	}
	if least != 0 || most != 1 {
		t.Errorf("%d corrections fill %v to %v of the box; want 0 to 1", len(all), least, most)
	}
	e.Clicks, e.Since = clicksOn(n, map[int]uint8{20: 1, 0: 1}), []int32{0} // outside
	if all, _, err = m.Corrections(e); err != nil {
		t.Fatal(err)
	}
	for n, c := range all {
		if share := c.Features[partOutside]; (len(c.part) > 0) != (share > 0) || share > 1 {
			t.Errorf("correction %d from a click outside turns %d superpixels, a share of %v outside", n, len(c.part), share)
		}
	}
	e.Boxes = nil
	if all, _, err = m.Corrections(e); err != nil {
		t.Fatal(err)
	}
	for n, c := range all {
		if f := &c.Features; f[hasBox] != 0 || f[filled] != 0 || f[fillGain] != 0 || f[boxCovered] != 0 || f[partOutside] != 0 {
			t.Errorf("correction %d has features of a box without one: %v", n, f)
		}
	}
}

// What the evidence says can turn the same part as another correction and, with it,
// much of the image to other classes. It isn't the better one for coming first.
func TestCorrectionThatChangesMore(t *testing.T) {
	m := NewModel(gridGraph(8, 6), DefaultParameters)
	unit := chooser.Unit{Weight: -1, Own: make([]float64, correctionFeatureCount), First: make([]float64, correctionFeatureCount)}
	unit.Own[turnedAway] = 1
	scale := slices.Repeat([]float64{1}, int(correctionFeatureCount))
	m.Chooser = &chooser.Chooser{Mean: make([]float64, correctionFeatureCount), Scale: scale, Units: []chooser.Unit{unit}}
	all := []Correction{
		{Features: CorrectionFeatures{turnedAway: 5}, part: []int32{1, 2}, changed: []int32{1, 2, 3, 4, 5, 6}},
		{part: []int32{1, 2}, changed: []int32{1, 2}},
	}
	if best := m.best(all, 1); len(best[0].changed) != 2 {
		t.Errorf("the first changes superpixels %v; want only %v, which is more probable", best[0].changed, all[1].changed)
	}
	all[1].late = true
	if best := m.best(all, 2); len(best) != 2 || best[0].late || !best[1].late {
		t.Errorf("the first of %d corrections is late: %v; want the other one first", len(best), best[0].late)
	}
}
