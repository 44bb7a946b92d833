package npz

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"collie/superpixels"
)

// Errors that Read, PerSuperpixel and Reduce wrap.
var (
	ErrFormat = errors.New("not readable")
	ErrLimit  = errors.New("over a limit")
	ErrValue  = errors.New("not usable")
	ErrSize   = errors.New("wrong size for the image")
)

// Scores are one score per class for every pixel or for every superpixel.
type Scores struct {
	Name          string // of the array in its archive
	Width, Height int    // of the image; 0 when the scores are per superpixel
	Rows          int    // pixels or superpixels
	Classes       int

	// Values are Rows×Classes row-major, pixels in raster order: finite and
	// not negative.
	Values []float32

	Names []string // of the classes; nil if the archive has none

	Map *Map // of the superpixels that the rows are of; nil if the archive has none
}

// PerPixel reports whether the scores, or their map, say something of each pixel of an
// image of a size.
func (s *Scores) PerPixel(width, height int) bool { return s.Width > 0 || s.Map.fits(width, height) }

// Misread is what an error about the number of classes adds: the columns may come first,
// which the name of the array should say, or it may be a mask. It can be empty.
func (s *Scores) Misread() string {
	switch {
	case s.Width == 0:
		return "; an array of two dimensions is superpixels × classes: save a mask as PNG or TIFF instead"
	case !strings.HasSuffix(s.Name, "_chw"):
		return ofScores.columnsFirst()
	}
	return ""
}

// PerSuperpixel returns the scores of the regions of m, m.N×Classes row-major:
// the means over their pixels, or the scores themselves when they are per
// superpixel without a map. Scores for another image size or number of superpixels are
// ErrSize, those that are all 0 ErrValue. O(pixels·classes), deterministic; the result is the caller's.
func (s *Scores) PerSuperpixel(m *superpixels.Runs) ([]float64, error) {
	k := s.Classes
	out := make([]float64, m.N*k)
	mapped := s.Map.fits(m.Width, m.Height)
	if s.Width == 0 && !mapped {
		if s.Rows != m.N {
			hint := ""
			if s.Rows == m.Height && s.Classes == m.Width {
				hint = onePerPixel
			}
			return nil, fmt.Errorf("array %s has scores for %d superpixels, but the image has %d%s: %w", quote(s.Name), s.Rows, m.N, hint, ErrSize)
		}
	} else if !mapped && (s.Width != m.Width || s.Height != m.Height) {
		hint := ""
		if s.Height == m.Width && s.Classes == m.Height || s.Width == m.Height && s.Classes == m.Width {
			hint = ofScores.columnsFirst()
		}
		hint += taken(s.Name)
		return nil, fmt.Errorf("array %s has scores for %d×%d pixels and %d classes, but the image has %d×%d pixels%s: %w",
			quote(s.Name), s.Width, s.Height, s.Classes, m.Width, m.Height, hint, ErrSize)
	}
	if !slices.ContainsFunc(s.Values, func(v float32) bool { return v > 0 }) {
		return nil, fmt.Errorf("array %s: %w: all scores are 0", quote(s.Name), ErrValue)
	}
	if s.Width == 0 && !mapped {
		for i, v := range s.Values {
			out[i] = float64(v)
		}
		return out, nil
	}
	pixels := make([]float64, m.N)
	for run := range m.All() {
		row := out[run.Region*k : (run.Region+1)*k]
		for p := run.Start; p < run.End; p++ {
			at := p
			if mapped {
				at = int(s.Map.Rows[p])
			}
			for c, v := range s.Values[at*k : (at+1)*k] {
				row[c] += float64(v)
			}
		}
		pixels[run.Region] += float64(run.End - run.Start)
	}
	for i := range out {
		out[i] /= pixels[i/k]
	}
	return out, nil
}

// quote shows a name from a file, which may be long or odd.
func quote(name string) string { return fmt.Sprintf("%.64q", name) }
