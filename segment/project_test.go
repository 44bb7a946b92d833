package segment

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNormalizeClasses(t *testing.T) {
	long := strings.Repeat("é", MaxName)
	many := make([]Class, MaxClasses+1)
	tests := map[string]struct {
		in   []Class
		want []Class
		err  string
	}{
		"colours from the palette": {
			in:   []Class{{Name: " sky "}, {Name: "sea", Color: "#AbCdEf"}},
			want: []Class{{Name: "sky", Color: PaletteColor(0)}, {Name: "sea", Color: "#abcdef"}},
		},
		"longest name":      {in: []Class{{ID: 7, Name: long, Color: "#000000"}}, want: []Class{{7, long, "#000000"}}},
		"too long":          {in: []Class{{Name: long + "é"}}, err: "longer than 100"},
		"none":              {in: nil, err: "at least one"},
		"too many":          {in: many, err: "up to 255"},
		"empty name":        {in: []Class{{Name: " "}}, err: "is empty"},
		"same name":         {in: []Class{{Name: "Sky"}, {Name: "sky"}}, err: "must differ"},
		"control character": {in: []Class{{Name: "a\x00b"}}, err: "control"},
		"right-to-left":     {in: []Class{{Name: "a\u202eb"}}, err: "text-direction"},
		"no width":          {in: []Class{{Name: "a\u200bb"}}, err: "invisible"},
		"byte order mark":   {in: []Class{{Name: "a\ufeffb"}}, err: "invisible"},
		"soft hyphen":       {in: []Class{{Name: "a\u00adb"}}, err: "invisible"},
		"empty letter":      {in: []Class{{Name: "\u3164"}}, err: "invisible"},
		"tag":               {in: []Class{{Name: "a\U000e0041"}}, err: "invisible"},
		"joiner in ASCII":   {in: []Class{{Name: "a\u200db"}}, err: "invisible"},
		"not UTF-8":         {in: []Class{{Name: "a\xff"}}, err: "UTF-8"},
		"bad colour":        {in: []Class{{Name: "a", Color: "red"}}, err: "#rrggbb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := NormalizeClasses(tt.in)
			if tt.err == "" && err != nil {
				t.Fatal(err)
			}
			if tt.err != "" && (KindOf(err) != Invalid || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("error %v, want one that says %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewID(t *testing.T) {
	a, b := NewID(), NewID()
	pattern := regexp.MustCompile(`^[a-z2-7]{26}$`)
	if !pattern.MatchString(a) || !pattern.MatchString(b) || a == b {
		t.Errorf("NewID gave %q and %q, want two different ids of the form %v", a, b, pattern)
	}
}
