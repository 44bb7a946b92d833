package labelset

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		format Format
		in     string
		want   string // name=colour …, or part of the error
	}{
		{"names", Text, "sky\n\n# a comment\n sea \r\n", "sky= sea="},
		{"colours", Text, "sky #0000FF\nnight sky\t#000000\n#hash is a comment", "sky=#0000ff night sky=#000000"},
		{"names with #", Text, "# sky #0000ff\n# sky", "# sky=#0000ff"},
		{"labelmap's names with #", VOC, "# sky:1,2,3::\n# sky:blue::", "# sky=#010203"},
		{"byte order mark", Text, "\ufeffsky", "sky="},
		{"byte order mark in JSON", JSON, "\ufeff[\"sky\"]", "sky="},
		{"UTF-16", VOC, "\xff\xfes\x00k\x00y\x00:\x001\x00,\x002\x00,\x003\x00:\x00:\x00", "sky=#010203"},
		{"labelme's names", Text, "__ignore__\n_background_\ncat", "background= cat="},
		{"classes with labelme's names", Text, "background #000000\n_background_ #000001\n__ignore__ #000002", "background=#000000 _background_=#000001 __ignore__=#000002"},
		{"labelmap with labelme's names", VOC, "background:0,0,0::\n_background_:0,0,1::", "background=#000000 _background_=#000001"},
		{"labelmap", VOC, "# label:color_rgb:parts:actions\nbackground:0,0,0::\ncat:64,0,0:head,tail:\nscale 1:2:1,2,3::", "background=#000000 cat=#400000 scale 1:2=#010203"},
		{"labelmap without colours", VOC, "cat\ndog::", "cat= dog="},
		{"JSON names", JSON, `["sky","sea"]`, "sky= sea="},
		{"JSON objects", JSON, `[{"name":"sky","color":"#0000FF","attributes":[]},"sea"]`, "sky=#0000ff sea="},
		{"JSON with more around it", JSON, `{"version":1,"classes":["sky"]}`, "sky="},

		{"nothing", Text, "\n", "at least one class"},
		{"twice", Text, "sky\nSKY", "must differ"},
		{"bad colour", VOC, "cat:1,2,256::", "Line 1"},
		{"bad JSON", JSON, `{"labels":["sky"]}`, "not a JSON list"},
		{"text as JSON", JSON, "sky", "not a JSON list"},
		{"control character", Text, "s\x07ky", "control"},
		{"too many", Text, strings.Join(numbers(256), "\n"), "the limit is 255"},
		{"too long", Text, strings.Repeat("#\n", MaxBytes), "KiB"},
		{"unknown format", "xml", "sky", "not \"xml\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			classes, err := Read(strings.NewReader(c.in), c.format)
			if err != nil {
				if segment.KindOf(err) == 0 || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
				return
			}
			var got []string
			for _, k := range classes {
				got = append(got, k.Name+"="+k.Color)
			}
			if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func numbers(n int) []string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprint("class ", i)
	}
	return s
}

// What is written is read back the same, whatever the names.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[#a-zA-Zäß日][a-z:,.0-9 #_-]{0,12}[a-z]`)
		names := rapid.SliceOfNDistinct(name, 1, 20, strings.ToLower).Draw(t, "names")
		classes := make([]segment.Class, len(names))
		for i, n := range names {
			classes[i] = segment.Class{Name: n, Color: rapid.StringMatching(`#[0-9a-f]{6}`).Draw(t, "colour")}
		}
		for _, format := range []Format{Text, JSON, VOC} {
			var b bytes.Buffer
			if err := Write(&b, format, classes); err != nil {
				t.Fatal(err)
			}
			got, err := Read(&b, format)
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			if d := cmp.Diff(classes, got); d != "" {
				t.Fatalf("%s: %s", format, d)
			}
		}
	})
}
