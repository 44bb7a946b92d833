package segment_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"collie/segment"
)

// EachImage has every image once, in order, however many parts there are; the error of a
// part ends it, and so does the reader.
func TestEachImage(t *testing.T) {
	for _, n := range []int{0, 1, 999, 1000, 1001, 2500} {
		all := make([]segment.Image, n)
		for i := range all {
			all[i].ID = strconv.Itoa(i)
		}
		most, failAt := 0, -1
		list := func(_ context.Context, project, after string, limit int) ([]segment.Image, error) {
			from := slices.IndexFunc(all, func(im segment.Image) bool { return im.ID == after }) + 1
			if project != "p" || from == failAt {
				return nil, errors.New("lost")
			}
			some := all[from:min(from+limit, n)]
			most = max(most, len(some))
			return some, nil
		}
		var got []segment.Image
		for im, err := range segment.EachImage(t.Context(), "p", list) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, im)
		}
		if len(got) != n || !slices.EqualFunc(got, all, func(a, b segment.Image) bool { return a.ID == b.ID }) || most > 1000 {
			t.Errorf("%d images of %d, %d in a part", len(got), n, most)
		}
		failAt = n / 1000 * 1000
		seen, failed := 0, 0
		for _, err := range segment.EachImage(t.Context(), "p", list) {
			if err != nil {
				failed++
				continue
			}
			seen++
		}
		if failed != 1 || seen != failAt {
			t.Errorf("%d images and %d errors, want %d and 1", seen, failed, failAt)
		}
		for range segment.EachImage(t.Context(), "p", list) {
			break
		}
	}
}
