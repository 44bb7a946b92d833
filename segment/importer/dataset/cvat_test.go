package dataset

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

const cvatHead = `<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <meta><task><name>cats</name><labels>
    <label><name>cat</name><color>#ff0000</color><type>any</type><attributes><attribute><name>breed</name></attribute></attributes></label>
    <label><name>a &amp; b</name><attributes></attributes></label>
  </labels></task><dumped>2023-04-27 14:18:49</dumped></meta>
`

// Shapes of 'CVAT for images' have the pixels that CVAT gives them in its masks, the higher
// z_order above the lower one.
func TestCVAT(t *testing.T) {
	images := func(shapes ...string) string {
		var b strings.Builder
		b.WriteString(cvatHead)
		for i, s := range shapes {
			b.WriteString(`<image id="` + string(rune('0'+i)) + `" name="s\` + string(rune('a'+i)) + `.jpg" subset="default" width="6" height="4">` + s + "</image>\n")
		}
		return b.String() + "</annotations>"
	}
	classes, masks := readAll(t, fstest.MapFS{"job_7.xml": file([]byte(images(
		`<polygon label="cat" source="manual" occluded="0" points="1.00,1.00;4.00,1.00;4.00,3.00;1.00,3.00" z_order="0"><attribute name="breed">old</attribute></polygon>`,
		`<mask label="a &amp; b" source="manual" occluded="0" rle="1, 1, 1, 2" left="2" top="1" width="3" height="2" z_order="0"></mask>`,
		`<box label="a &amp; b" xtl="0" ytl="0" xbr="3" ybr="2" z_order="2"></box><box label="cat" xtl="2" ytl="1" xbr="5" ybr="4" z_order="1"/>`,
		`<box label="cat" xtl="1" ytl="0" xbr="4" ybr="3" rotation="90.0"/><box label="a &amp; b" xtl="1" ytl="1" xbr="4" ybr="2" rotation="90"/>`,
		`<ellipse label="cat" cx="3" cy="2" rx="2" ry="1.2"/>`,
		`<tag label="cat"/><polyline label="cat" points="0,0;5,0"/><points label="cat" points="1,1"/><skeleton label="cat"><points label="1" points="1,1"/></skeleton>`,
		``,
		`<mask label="cat" rle="0, 4" left="5" top="1" width="2" height="2"/>`,
		`<mask label="cat" rle="0, 5" left="0" top="0" width="2" height="2"/>`,
		`<polygon label="cat" points="1,1;x,1;1,3"/>`,
	)))}, Options{})
	want := []string{
		"s/a.jpg 000000/011100/011100/000000",
		"s/b.jpg 000000/000200/002200/000000",
		"s/c.jpg 222000/222110/001110/001110",
		"s/d.jpg 012100/012100/012100/000000",
		"s/e.jpg 000000/011110/011110/000000",
		`s/f.jpg 000000/000000/000000/000000 shapes without area, such as lines and points, skipped: 2 shapes of kinds that can't be read, such as "skeleton", skipped: 1`,
		"s/g.jpg 000000/000000/000000/000000",
		`s\h.jpg: mask 1 ("cat"): Its box of 2×2 pixels at (5, 1) is not in the image of 6×4 pixels.`,
		`s\i.jpg: mask 1 ("cat"): Its runs of pixels are longer than its box of 2×2.`,
		`s\j.jpg: polygon 1 ("cat"): "x" is no number.`,
	}
	if d := cmp.Diff(want, masks); d != "" || classes != " cat a & b" {
		t.Errorf("classes %q, %s", classes, d)
	}
}

// In the archive of a project images of several subsets can have one name.
func TestCVATSubsets(t *testing.T) {
	image := func(subset string) string {
		return `<image id="0" name="a.jpg" subset="` + subset + `" width="2" height="1"><box label="` + subset + `" xtl="0" ytl="0" xbr="1" ybr="1"/></image>`
	}
	_, masks := readAll(t, fstest.MapFS{
		"annotations.xml":    file([]byte("<annotations>" + image("Train") + image("Test") + "</annotations>")),
		"images/Train/a.jpg": file(nil), "images/Test/a.jpg": file(nil),
	}, Options{})
	if d := cmp.Diff([]string{"Train/a.jpg 10", "Test/a.jpg 20"}, masks); d != "" {
		t.Error(d)
	}
}

// XML that isn't CVAT's is no data set, and CVAT's that breaks off is refused.
func TestOtherXML(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "a.xml is not XML in the expected form.",
		"cats":                      "a.xml is not XML in the expected form.",
		"<":                         "a.xml is not XML in the expected form.",
		"<annotation></annotation>": "a.xml is XML, but not of CVAT for images: its outermost element is \"annotation\"",
		"<?xml version=\"1.0\" encoding=\"latin1\"?><annotations/>":      "a.xml is in the encoding \"latin1\". Save it as UTF-8.",
		"<annotations><image id=\"0\" name=\"a.jpg\">":                   "a.xml is not XML in the expected form.",
		"<!DOCTYPE a [<!ENTITY b \"c\">]><annotations>&b;</annotations>": "a.xml is not XML in the expected form.",
	} {
		if _, err := open(t, fstest.MapFS{"a.xml": file([]byte(text))}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	masks := fstest.MapFS{"a.xml": file([]byte("<annotation/>")), "a.png": file(nil)}
	if d, err := open(t, masks, Options{}); err != nil || d.format != formatVOC {
		t.Errorf("masks beside XML: %+v, %v", d, err)
	}
	deep := []byte(strings.Repeat("<annotations>", 1000))
	if _, err := open(t, fstest.MapFS{"a.xml": file(deep)}, Options{}); err == nil || !strings.Contains(err.Error(), "deeper") {
		t.Errorf("elements in elements: %v", err)
	}
	long := append([]byte(cvatHead+`<image id="0" name="`), bytes.Repeat([]byte("a"), maxElement+1<<20)...)
	if _, err := open(t, fstest.MapFS{"a.xml": file(long)}, Options{}); segment.KindOf(err) != segment.TooLarge {
		t.Errorf("a long name: %v", err)
	}
}
