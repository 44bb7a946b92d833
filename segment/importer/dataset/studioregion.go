package dataset

import (
	"fmt"
	"strings"

	"collie/segment"
)

// studioRegion is an entry in the result of an annotation of Label Studio: a brush, a polygon, an
// ellipse around (x, y) or a rectangle from there on. Lengths are in per cent of the image's width
// and height.
type studioRegion struct {
	id               identifier // also of entries about the same region, such as its label or a text
	kind             string
	on               identifier // the picture of a task that has several
	class            string     // the first label; empty for what has none, such as a text, a choice or a relation
	of               [2]whole
	imageTurned      float64 // degrees
	brush            []byte
	points           labelmePoints
	x, y             float64
	radiusX, radiusY *float64
	width, height    *float64
	rotation         float64 // degrees clockwise
}

// read reads an entry, of whose brush it keeps no more than an annotation can have.
func (r *studioRegion) read(d *Document) error {
	return d.Members(func(member string) (err error) {
		switch member {
		case "id":
			err = d.Into(&r.id)
		case "to_name":
			err = d.Into(&r.on)
		case "type":
			r.kind, err = d.text()
		case "original_width":
			err = d.Into(&r.of[0])
		case "original_height":
			err = d.Into(&r.of[1])
		case "image_rotation":
			err = d.Into(&r.imageTurned)
		case "value":
			return d.Members(func(member string) error { return within(member, r.readValue(d, member)) })
		}
		return within(member, err)
	})
}

// within says in which member of an entry an error is.
func within(member string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q: %w", member, err)
}

// readValue reads a member of the entry's value. Labels are in a list that is called after the kind
// of the entry, such as brushlabels.
func (r *studioRegion) readValue(d *Document, member string) error {
	if strings.HasSuffix(member, "labels") {
		var labels []string
		err := d.Into(&labels)
		if r.class == "" && len(labels) > 0 {
			r.class = strings.TrimSpace(labels[0])
		}
		return err
	}
	if member == "rle" {
		return d.Elements(member, func() error {
			n, err := d.number()
			if err == nil && n != int(byte(n)) {
				err = d.odd(nil)
			}
			if len(r.brush) <= maxHeld {
				r.brush = append(r.brush, byte(n))
			}
			return err
		})
	}
	if into := map[string]any{
		"points": &r.points, "x": &r.x, "y": &r.y, "radiusX": &r.radiusX, "radiusY": &r.radiusY,
		"width": &r.width, "height": &r.height, "rotation": &r.rotation,
	}[member]; into != nil {
		return d.Into(into)
	}
	return nil
}

// bytes estimates the memory that the entry takes.
func (r *studioRegion) bytes() int {
	return regionBytes + len(r.id) + len(r.kind) + len(r.on) + len(r.class) + len(r.brush) + 16*len(r.points)
}

const regionBytes = 300

// placed reports whether the entry says where in the image it is.
func (r *studioRegion) placed() bool {
	return len(r.brush) > 0 || r.points != nil || r.width != nil || r.radiusX != nil
}

// drawRegion draws a region. Outlines are drawn as those of COCO are.
func (m *Mask) drawRegion(r studioRegion, class uint8) (drawn bool, err error) {
	w, h := float64(m.Width)/100, float64(m.Height)/100
	x, y := r.x*w, r.y*h
	var outline []float64
	switch {
	case len(r.brush) > 0:
		return true, m.stampBrush(r.brush, class)
	case len(r.points) >= 3:
		for _, p := range r.points {
			outline = append(outline, p[0]*w, p[1]*h)
		}
	case r.radiusX != nil && r.radiusY != nil:
		outline = turned(ellipse(x, y, *r.radiusX*w, *r.radiusY*h), x, y, r.rotation)
	case r.width != nil && r.height != nil:
		right, below := x+*r.width*w, y+*r.height*h
		outline = turned([]float64{x, y, right, y, right, below, x, below}, x, y, r.rotation)
	case r.kind == "brushlabels", r.points != nil, r.width != nil: // empty, or a point
		return false, nil
	default:
		return false, errKind
	}
	_, err = m.fill(outline, class)
	return true, err
}

// stampBrush sets the pixels of a brush: the red, green, blue and alpha of all pixels, row by row,
// packed by rle-pack. First come the number of values, their size in bits and 4 sizes of lengths,
// then runs. A run starts with a bit that says whether one value is repeated, and the index of the
// size of its length. Pixels whose alpha isn't 0 are painted.
func (m *Mask) stampBrush(packed []byte, class uint8) error {
	in := bits{data: packed}
	values, size := in.read(32), in.read(5)+1
	var lengths [4]int
	for i := range lengths {
		lengths[i] = in.read(4) + 1
	}
	if values != channels*len(m.Pixels) {
		return segment.Errorf(segment.Unreadable, "Its brush has %d values, not %d for each of the image's %d×%d pixels.", values, channels, m.Width, m.Height)
	}
	painted := 0
	for at := 0; at < values; {
		alike := in.read(1) == 1
		end := at + 1 + in.read(lengths[in.read(2)])
		for at < end {
			next := at + 1
			if alike {
				next = end
			}
			value := in.read(size)
			if in.at > 8*len(packed) || next > values {
				return segment.Errorf(segment.Unreadable, "Its brush breaks off or is damaged.")
			}
			// The alpha of pixel p is value channels·p + channels - 1.
			for p := at / channels; value != 0 && p < next/channels; p++ {
				m.set(p, class)
				painted++
			}
			at = next
		}
	}
	return m.spend(painted + 8*len(packed))
}

// channels are the values of a pixel in a brush.
const channels = 4

// bits reads numbers bit by bit, the highest first.
type bits struct {
	data []byte
	at   int // in bits; beyond the end once missing ones have been read, as zeros
}

func (b *bits) read(n int) int {
	v := 0
	for range n {
		v <<= 1
		if b.at/8 < len(b.data) {
			v |= int(b.data[b.at/8]>>(7-b.at%8)) & 1
		}
		b.at++
	}
	return v
}
