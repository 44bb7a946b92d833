package assistant

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/timeline"
)

// excludedTimeline excludes classes from all superpixels but the last.
func excludedTimeline(tb testing.TB, classes int) *timeline.Timeline {
	tb.Helper()
	t := newPerson(tb).Timeline
	var all []int32
	for s := range t.Base().N - 1 {
		all = append(all, int32(s))
	}
	for class := range classes {
		t.Apply(segment.Event{ID: fmt.Sprint(class), Kind: segment.Exclude, Class: class, Superpixels: all})
	}
	return t
}

// Exclusions of several cells of a superpixel are one.
func TestExcludedSuperpixels(t *testing.T) {
	const classes = 3
	tl := excludedTimeline(t, classes)
	got := excluded(tl, tl.Constraints().Excluded)
	seen := map[engine.Exclusion]int{}
	for _, x := range got {
		seen[x]++
	}
	want := map[engine.Exclusion]int{}
	for s := range tl.Base().N - 1 {
		for class := range classes {
			want[engine.Exclusion{Superpixel: s, Class: uint8(class)}] = 1
		}
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("how often superpixels are excluded (-want +got):\n%s", diff)
	}
}

// BenchmarkExcluded converts the exclusions of many classes, as each state of an
// image does.
func BenchmarkExcluded(b *testing.B) {
	for _, classes := range []int{12, 120} {
		b.Run(fmt.Sprintf("classes=%d", classes), func(b *testing.B) {
			t := excludedTimeline(b, classes)
			for b.Loop() {
				excluded(t, t.Constraints().Excluded)
			}
		})
	}
}
