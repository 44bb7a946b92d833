package export

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"collie/segment"
)

// After any number of images every set has its share, off by less than two
// images; images added later move none; the seed decides.
func TestDeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		train := rapid.IntRange(0, 100).Draw(t, "train")
		val := rapid.IntRange(0, 100-train).Draw(t, "val")
		s := &Split{By: "share", Train: &train, Val: &val, Test: new(100 - train - val), Seed: rapid.Uint32().Draw(t, "seed")}
		images := make([]listed, rapid.IntRange(0, 400).Draw(t, "images"))
		all := s.sets(images)
		count := map[string]int{}
		for i, set := range all {
			count[set]++
			for name, share := range map[string]int{"train": train, "val": val, "test": 100 - train - val} {
				if off := share*(i+1) - 100*count[name]; off >= 200 || off <= -200 {
					t.Fatalf("after %d images %s has %d of %d %%", i+1, name, count[name], share)
				}
			}
		}
		some := rapid.IntRange(0, len(images)).Draw(t, "some")
		if !slices.Equal(s.sets(images[:some]), all[:some]) {
			t.Fatal("images added later move earlier ones")
		}
	})
	half, none := 50, 0
	one, other := Split{Train: &half, Val: &half, Test: &none}, Split{Train: &half, Val: &half, Test: &none, Seed: 1}
	if images := make([]listed, 64); slices.Equal(one.sets(images), other.sets(images)) {
		t.Error("another seed divides in the same way")
	}
}

func TestSetInName(t *testing.T) {
	for name, want := range map[string]string{
		"train/a.jpg": "train", "VAL/a.jpg": "val", "a_test.png": "test", "validation-07.png": "val", "street.jpg": "train",
		"contest.jpg": "train", "values/a.jpg": "train", "test/train_1.jpg": "test", "valid2.png": "val",
	} {
		if got := setNames[setInName(name)]; got != want {
			t.Errorf("%s is in %s, want %s", name, got, want)
		}
	}
}

func TestSplitRefused(t *testing.T) {
	for name, s := range map[string]Split{
		"sum": {Train: new(80), Val: new(30)}, "negative": {Train: new(120), Val: new(-20)}, "by": {By: "size"}, "nothing": {Train: new(0), Val: new(0), Test: new(0)},
	} {
		if _, err := s.resolve(); segment.KindOf(err) != segment.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Only a split without any share has the usual ones.
func TestSharesOfSplits(t *testing.T) {
	for name, c := range map[string]struct {
		split Split
		want  [3]int
	}{
		"none": {Split{}, [3]int{80, 20, 0}},
		"some": {Split{Val: new(30), Test: new(70)}, [3]int{0, 30, 70}},
	} {
		s, err := c.split.resolve()
		if err != nil {
			t.Fatal(name, err)
		}
		if got := [3]int{*s.Train, *s.Val, *s.Test}; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
