package dataset

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image/color"
	"io"
	"math"
	"slices"

	"collie/segment"
)

// errKind is returned for a shape of a kind that can't be read.
var errKind = errors.New("unknown kind of shape")

// drawLabelme draws one shape. Lines and points have no area and are left out.
// X-AnyLabeling writes rectangles with their 4 corners. It calls turned ones
// rotations, and labelme itself oriented rectangles.
func (m *Mask) drawLabelme(s labelmeShape, class uint8) (drawn bool, err error) {
	corners := len(s.Points)
	switch s.ShapeType {
	case "", "polygon", "rotation", "oriented_rectangle":
		if corners < 3 {
			return false, nil
		}
		return true, m.shade(s.Points, class)
	case "rectangle":
		switch corners {
		case 2:
			a, b := s.Points[0], s.Points[1]
			return true, m.shade([][2]float64{a, {b[0], a[1]}, b, {a[0], b[1]}}, class)
		case 4:
			return true, m.shade(s.Points, class)
		}
		return true, segment.Errorf(segment.Unreadable, "A rectangle has 2 or 4 points, not %d.", corners)
	case "circle", "mask":
		if corners != 2 {
			return true, segment.Errorf(segment.Unreadable, "A %s has 2 points, not %d.", s.ShapeType, corners)
		}
		a, b := s.Points[0], s.Points[1]
		if s.ShapeType == "circle" {
			return true, m.disc(a, math.Hypot(b[0]-a[0], b[1]-a[1]), class)
		}
		return true, m.stamp(s.Mask, a, b, class)
	case "line", "linestrip", "point", "points":
		return false, nil
	}
	return false, errKind
}

// disc sets the pixels in a circle, which reaches from the pixel with its left
// end to the one with its right end, and as far up and down.
func (m *Mask) disc(centre [2]float64, radius float64, class uint8) error {
	box := [][2]float64{{centre[0] - radius, centre[1] - radius}, {centre[0] + radius, centre[1] + radius}, centre}
	xs, ys, err := m.corners(flat(box), 1, pixelOf)
	if err != nil {
		return err
	}
	x, y := float64(xs[0]+xs[1])/2, float64(ys[0]+ys[1])/2
	halfWidth, halfHeight := float64(xs[1]-xs[0]+1)/2, float64(ys[1]-ys[0]+1)/2
	painted := 0
	for row := max(ys[0], 0); row <= min(ys[1], m.Height-1); row++ {
		away := (float64(row) - y) / halfHeight
		reach := halfWidth * math.Sqrt(1-away*away)
		painted += m.setRow(row, int(math.Ceil(x-reach)), int(math.Floor(x+reach)), class)
	}
	return m.spend(painted)
}

// pixelOf returns the pixel that labelme takes for a coordinate.
func pixelOf(v float64) int { return int(v) }

// fraction is the number of bits behind the point in the column of a crossing.
const fraction = 12

// shade sets the pixels inside a closed outline and along it to class, as labelme
// does: its corners are pixels, without the fractions of their coordinates, and
// belong to the shape like what is between them. In each row an edge is where it
// crosses the middles of pixels, rounded to the nearest one. Self-intersecting
// outlines are filled by the even-odd rule. O(length of the outline + pixels inside).
func (m *Mask) shade(outline [][2]float64, class uint8) error {
	xs, ys, err := m.corners(flat(outline), 1, pixelOf)
	if err != nil {
		return err
	}
	var crossings []int64 // row and column of each, the row first
	for i := 1; i < len(xs); i++ {
		xa, ya, xb, yb := xs[i-1], ys[i-1], xs[i], ys[i]
		if ya > yb { // an edge has the same points in both directions
			xa, ya, xb, yb = xb, yb, xa, ya
		}
		if ya == yb {
			m.setRow(ya, min(xa, xb), max(xa, xb), class)
			continue
		}
		m.setRow(yb, xb, xb, class) // where an outline only touches the row
		for y := max(ya, 0); y < min(yb, m.Height); y++ {
			x := float64(xa) + float64(xb-xa)*float64(y-ya)/float64(yb-ya)
			crossings = append(crossings, int64(y)<<32|int64(math.Round((x+float64(m.Width))*(1<<fraction))))
		}
	}
	slices.Sort(crossings)
	painted := 0
	column := func(crossing, more int64) int { return int((crossing&(1<<32-1)+more)>>fraction) - m.Width }
	const half = 1 << (fraction - 1)
	for i := 0; i+1 < len(crossings); i += 2 {
		from, to := crossings[i], crossings[i+1]
		painted += m.setRow(int(from>>32), column(from, half), column(to, half-1), class)
	}
	return m.spend(painted)
}

// setRow sets the pixels from..to of a row, as far as they are in the image, and
// returns their number.
func (m *Mask) setRow(y, from, to int, class uint8) int {
	if y < 0 || y >= m.Height {
		return 0
	}
	from, to = max(from, 0), min(to, m.Width-1)
	for x := from; x <= to; x++ {
		m.set(y*m.Width+x, class)
	}
	return max(0, to-from+1)
}

func flat(points [][2]float64) []float64 {
	out := make([]float64, 0, 2*len(points))
	for _, p := range points {
		out = append(out, p[0], p[1])
	}
	return out
}

// stamp sets the pixels where a crop, a base64 PNG, is above 0. a and b are the corners
// of its box, both included. Where somebody has moved a mask, labelme leaves its corners
// between pixels or outside the image: then the crop's own size counts, from the pixel next to
// the first corner, and what is outside is cut off.
func (m *Mask) stamp(crop string, a, b [2]float64, class uint8) error {
	raw, err := base64.StdEncoding.DecodeString(crop)
	if err != nil {
		return segment.Errorf(segment.Unreadable, "Its mask is not base64.").Because(err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	of, _, err := measurePNG(open, false)
	if err != nil {
		return err
	}
	if of.X > m.Width || of.Y > m.Height {
		return segment.Errorf(segment.Unreadable, "Its mask of %d×%d pixels is larger than the image.", of.X, of.Y)
	}
	if err := m.spend(cropEffort * of.X * of.Y); err != nil {
		return err
	}
	img, err := decodePNG(open)
	if err != nil {
		return err
	}
	size, far := img.Bounds().Size(), float64(m.Width+m.Height)
	if !(math.Abs(a[0]) <= far && math.Abs(a[1]) <= far) {
		return segment.Errorf(segment.Unreadable, "Its box (%g, %g) to (%g, %g) is far outside the image of %d×%d pixels.", a[0], a[1], b[0], b[1], m.Width, m.Height)
	}
	left, top := int(math.RoundToEven(a[0])), int(math.RoundToEven(a[1]))
	whole := func(at [2]float64) bool { return at[0] == math.Trunc(at[0]) && at[1] == math.Trunc(at[1]) }
	if whole(a) && whole(b) && (b[0]-a[0] != float64(size.X-1) || b[1]-a[1] != float64(size.Y-1)) {
		return segment.Errorf(segment.Unreadable, "Its mask of %d×%d pixels doesn't fit its box (%g, %g) to (%g, %g), both corners included.", size.X, size.Y, a[0], a[1], b[0], b[1])
	}
	for y := max(0, -top); y < min(size.Y, m.Height-top); y++ {
		for x := max(0, -left); x < min(size.X, m.Width-left); x++ {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y > 0 {
				m.set((top+y)*m.Width+left+x, class)
			}
		}
	}
	return nil
}
