package answers

import "testing"

func TestAttachmentNames(t *testing.T) {
	for name, want := range map[string]string{
		"beach.png":               `attachment; filename=beach.png`,
		"a b.png":                 `attachment; filename="a b.png"`,
		"../../etc/passwd":        `attachment; filename=-..-etc-passwd`,
		`x"; filename="evil.html`: `attachment; filename="x-; filename=-evil.html"`,
		"мор\u0435.jpg":           `attachment; filename*=utf-8''%D0%BC%D0%BE%D1%80%D0%B5.jpg`,
		"...":                     `attachment; filename=image`,
		"a\r\nSet-Cookie: x":      `attachment; filename="a--Set-Cookie- x"`,
	} {
		if got := Attachment(name); got != want {
			t.Errorf("attachment(%q) = %s, want %s", name, got, want)
		}
	}
}
