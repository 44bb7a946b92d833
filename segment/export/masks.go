package export

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/export/zipfile"
	"collie/segment/mask"
)

// indexPNG is a palette PNG per image, and the names of the indices.
type indexPNG struct {
	single
	*job
}

func newIndexPNG(j *job) (encoder, error) { return indexPNG{job: j}, nil }

func (p indexPNG) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = s.inOneFolder()
	mask, err := zipfile.Written("masks/"+s.stem+".png", func(w io.Writer) error { return mask.WriteIndex(w, s.mask) })
	return &piece{files: []zipfile.Member{mask}, out: len(s.partition().Regions), lossy: append(s.joined(), p.misread(s.mask.Pixels)...)}, err
}

func (p indexPNG) finish() ([]zipfile.Member, error) { return p.labelmap(inPalette) }

// colourPNG is an RGB PNG per image, and the names of the colours.
type colourPNG struct {
	single
	*job
}

func newColourPNG(j *job) (encoder, error) { return colourPNG{job: j}, nil }

func (p colourPNG) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = s.inOneFolder()
	mask, err := zipfile.Written("masks/"+s.stem+".png", func(w io.Writer) error {
		return mask.WriteColour(w, s.mask, s.project.Classes)
	})
	out := &piece{files: []zipfile.Member{mask}, out: len(s.partition().Regions), lossy: append(s.joined(), p.misread(s.mask.Pixels)...)}
	if alike := p.alike(s.mask.Pixels); len(alike) > 0 {
		out.lossy = append(out.lossy, "Another class, or what is undecided, has the colour of "+strings.Join(alike, ", ")+".")
	}
	return out, err
}

func (p colourPNG) finish() ([]zipfile.Member, error) {
	return p.labelmap(func(index int) (color.RGBA, error) { return mask.ParseColor(p.project.Classes[index].Color) })
}

// alike names the classes in a mask whose colours don't tell them from others.
func (p colourPNG) alike(pixels []uint8) (names []string) {
	with := map[string]int{mask.FormatColor(mask.VOCColor(segment.Void)): 1} // classes by colour
	for _, c := range p.project.Classes {
		with[c.Color]++
	}
	there := present(pixels)
	for i, c := range p.project.Classes {
		if there[i] && with[c.Color] > 1 {
			names = append(names, c.Name)
		}
	}
	return names
}

// present tells which classes a mask has.
func present(pixels []uint8) (there [256]bool) {
	for _, class := range pixels {
		there[class] = true
	}
	return there
}

// misread says which classes in a mask have names that other programs don't find in
// labelmap.txt: it has no way to write their characters so that they mean nothing.
func (j *job) misread(pixels []uint8) []string {
	odd := func(c segment.Class) bool { return strings.HasPrefix(c.Name, "#") || strings.Contains(c.Name, ":") }
	if !slices.ContainsFunc(j.project.Classes, odd) {
		return nil // as nearly always, without a look at the pixels
	}
	var names []string
	there := present(pixels)
	for i, c := range j.project.Classes {
		if there[i] && odd(c) {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return nil
	}
	return []string{"Other programs misread labelmap.txt where a class has a colon or begins with #: " + strings.Join(names, ", ") + "."}
}

// labelmap makes labelmap.txt, which names the classes of indices and colours.
func (j *job) labelmap(colour func(index int) (color.RGBA, error)) ([]zipfile.Member, error) {
	var b bytes.Buffer
	fmt.Fprintln(&b, "# label:color_rgb:parts:actions")
	for i, c := range j.project.Classes {
		rgb, err := colour(i)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%d,%d,%d::\n", c.Name, rgb.R, rgb.G, rgb.B)
	}
	return []zipfile.Member{zipfile.Stored("labelmap.txt", b.Bytes())}, nil
}

// inPalette is the colour of an index in the palette.
func inPalette(index int) (color.RGBA, error) { return mask.VOCColor(uint8(index)), nil }
