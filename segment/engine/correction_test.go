package engine

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// What was shown many times, while other things were corrected, is not changed in
// large parts. A stroke is one gesture, however many superpixels it clicks.
func TestLateCorrectionsAreSmall(t *testing.T) {
	const width, height = 240, 160
	m, g := patchwork(width, height, 150)
	// The right half is still shown as the rest when it is first clicked.
	at := m.At(3*width/4, height/2)
	clicks := clicksOn(m.N, map[int]uint8{disc(m, width, height): 1, at: 1})
	shown := make([]uint8, m.N)
	shown[disc(m, width, height)] = 1
	var rest []int // clicks on the left
	for y := 10; y < height; y += 20 {
		rest = append(rest, m.At(5, y), m.At(width/2-10, y))
	}
	rest = slices.Compact(slices.Sorted(slices.Values(rest)))
	for _, i := range rest {
		clicks[i] = 0
	}
	correct := func(p Parameters, stroke bool, times uint8) []uint8 {
		lasted := slices.Repeat([]uint8{times - 1}, m.N)
		h := &Holds{Labels: slices.Repeat([]uint8{segment.Void}, m.N), Picked: make([]int, m.N), Clicked: make([]int, m.N)}
		h.Clicked[disc(m, width, height)], h.Clicked[at] = 100, 101
		for k, i := range rest {
			if h.Clicked[i] = 1; !stroke {
				h.Clicked[i] += k
			}
		}
		e := Evidence{Clicks: clicks, Rest: segment.Rest{Mode: segment.RestClass}, Holds: h, Shown: shown, Since: []int32{int32(at)}, Lasted: lasted}
		return first(t, NewSequence(NewModel(g, p), e, 101), 1)[0].Labels
	}
	before := DefaultParameters
	before.Trust = 0
	large := correct(before, false, 16)
	if diff := cmp.Diff(large, correct(DefaultParameters, true, 16)); diff != "" {
		t.Errorf("a stroke counts as several gestures (-no bound +after one stroke):\n%s", diff)
	}
	if diff := cmp.Diff(large, correct(DefaultParameters, false, 2)); diff != "" {
		t.Errorf("what was shown twice is trusted (-no bound +shown twice):\n%s", diff)
	}
	small := correct(DefaultParameters, false, 16)
	model := NewModel(g, DefaultParameters)
	share := func(x []uint8) float64 {
		sum := 0.0
		for i, class := range x {
			if class != shown[i] {
				sum += model.shares[i]
			}
		}
		return sum
	}
	if share(large) < 0.4 || share(small) > 0.05 || small[at] != 1 {
		t.Errorf("%d gestures: the correction changes %v of the image, without a bound %v", 2+len(rest), share(small), share(large))
	}
}

func TestGestures(t *testing.T) {
	e := Evidence{Clicks: []uint8{4, 9, 4, 4, segment.Void, 4, 4}}
	index := indexOf([]int{4, 9})
	if diff := cmp.Diff([]int{5, 1}, e.gestures(&index, 2)); diff != "" {
		t.Errorf("without times (-want +got):\n%s", diff)
	}
	// The click on superpixel 6 has no time.
	e.Holds = &Holds{Clicked: []int{3, 3, 3, 7, 8, 7, 0}}
	if diff := cmp.Diff([]int{3, 1}, e.gestures(&index, 2)); diff != "" {
		t.Errorf("with times (-want +got):\n%s", diff)
	}
}
