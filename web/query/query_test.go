package query_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"collie/segment"
	"collie/web/query"
)

// Parameters are read within their bounds; what is absent has its default.
func TestOf(t *testing.T) {
	count := query.Int{Name: "x", Fallback: 5, Low: 1, High: 20}
	mode := query.Word{Name: "x", Words: []string{"one", "two"}}
	for _, c := range []struct {
		parameter any
		text      string
		want      any // nil for an error
	}{
		{count, "", 5},
		{count, "1", 1},
		{count, "20", 20},
		{count, "0", nil},
		{count, "21", nil},
		{count, "1.5", nil},
		{count, "one", nil},
		{query.Int{Name: "x", Fallback: -1, Low: 0, High: 9}, "", -1},
		{mode, "", "one"},
		{mode, "one", "one"},
		{mode, "two", "two"},
		{mode, "three", nil},
		{mode, "One", nil},
		{query.ID{Name: "x"}, "", ""},
		{query.ID{Name: "x"}, strings.Repeat("a2", 13), strings.Repeat("a2", 13)},
		{query.ID{Name: "x"}, strings.Repeat("a", 25), nil},
		{query.ID{Name: "x"}, strings.Repeat("a", 27), nil},
		{query.ID{Name: "x"}, strings.Repeat("A", 26), nil},
		{query.Numbers{Name: "x", Most: 3}, "14,3,14", []int32{3, 14}},
		{query.Numbers{Name: "x", Most: 3}, "3", []int32{3}},
		{query.Numbers{Name: "x", Most: 3}, "", nil},
		{query.Numbers{Name: "x", Most: 3}, "1,2,3,4", nil},
		{query.Numbers{Name: "x", Most: 3}, "1,,2", nil},
		{query.Numbers{Name: "x", Most: 3}, "2147483648", nil},
	} {
		r := httptest.NewRequest("GET", "/?y=7&x="+url.QueryEscape(c.text), nil)
		var got any
		var err error
		switch p := c.parameter.(type) {
		case query.Int:
			got, err = p.Of(r)
		case query.Word:
			got, err = p.Of(r)
		case query.ID:
			got, err = p.Of(r)
		case query.Numbers:
			got, err = p.Of(r)
		}
		if c.want == nil {
			if segment.KindOf(err) != segment.Invalid {
				t.Errorf("%+v of %q: %v, %v; want an Error of kind Invalid", c.parameter, c.text, got, err)
			}
		} else if fmt.Sprint(got) != fmt.Sprint(c.want) || err != nil {
			t.Errorf("%+v of %q: %v, %v; want %v", c.parameter, c.text, got, err, c.want)
		}
	}
}

// A fallback outside the bounds is not described as the default.
func TestParameter(t *testing.T) {
	for fallback, want := range map[int]bool{0: false, 1: true, 20: true, 21: false} {
		p := query.Int{Name: "x", Fallback: fallback, Low: 1, High: 20}.Parameter()
		if got, has := p.Schema["default"]; has != want || has && got != fallback {
			t.Errorf("the default of %d is %v", fallback, got)
		}
	}
}
