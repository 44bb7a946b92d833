package dataset

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"collie/segment"
	"collie/segment/rle"
)

// segmented reports whether an annotation has a segmentation: those that are only
// boxes lack it, or it is null or an empty list.
func segmented(raw json.RawMessage) bool {
	text := bytes.Join(bytes.Fields(raw[:min(len(raw), 100)]), nil)
	return len(text) > 0 && string(text) != "null" && string(text) != "[]"
}

// measure returns the area of a segmentation in pixels; of what is wrong with it,
// drawing it says more.
func (m *Mask) measure(raw json.RawMessage) (area float64) {
	if jsontext.Value(raw).Kind() == '[' {
		_ = eachOutline(raw, func(outline []float64) error {
			twice, n := 0., len(outline)&^1
			for i := 0; i < n; i += 2 {
				next := (i + 2) % n
				twice += outline[i]*outline[next+1] - outline[next]*outline[i+1]
			}
			area += math.Abs(twice) / 2
			return nil
		})
		return area
	}
	var runs struct {
		Counts json.RawMessage `json:"counts"`
	}
	_ = json.Unmarshal(raw, &runs)
	counts, _ := parseCounts(runs.Counts, len(m.Pixels))
	return float64(counts.Area())
}

// drawSegmentation draws outlines or run lengths and returns the number of
// pixels. One outline at a time is in memory.
func (m *Mask) drawSegmentation(raw json.RawMessage, class uint8) (int, error) {
	if !segmented(raw) {
		return 0, nil
	}
	if jsontext.Value(raw).Kind() == '[' {
		total := 0
		err := eachOutline(raw, func(outline []float64) error {
			if len(outline) < 6 && len(outline)%2 == 0 { // some programs write points and lines, or nothing
				m.thin++
				return nil
			}
			n, err := m.fill(outline, class)
			total += n
			return err
		})
		return total, err
	}
	var runs struct {
		Size   [2]whole        `json:"size"` // height, width
		Counts json.RawMessage `json:"counts"`
	}
	if err := json.Unmarshal(raw, &runs); err != nil {
		return 0, noSegmentation(err)
	}
	if runs.Size != [2]whole{whole(m.Height), whole(m.Width)} {
		return 0, segment.Errorf(segment.Unreadable, "Its RLE mask is for an image of %d×%d pixels, not %d×%d.", runs.Size[1], runs.Size[0], m.Width, m.Height)
	}
	counts, err := parseCounts(runs.Counts, len(m.Pixels))
	if err != nil {
		return 0, segment.Errorf(segment.Unreadable, "Its RLE mask can't be read: %v.", err)
	}
	area := counts.Area()
	if err := m.spend(columnEffort*area + len(counts)); err != nil {
		return 0, err
	}
	rle.PaintColumns(counts, m.Pixels, m.Width, m.Height, class)
	if m.Objects != nil {
		rle.PaintColumns(counts, m.Objects, m.Width, m.Height, m.object)
	}
	return area, nil
}

func noSegmentation(err error) error {
	return segment.Errorf(segment.Unreadable, "Its segmentation is neither a list of polygons nor an RLE mask.").Because(err)
}

// eachOutline calls do with each of a list of lists of numbers, all in the same memory. VIA
// writes a single list of numbers, which is one outline.
func eachOutline(raw []byte, do func(outline []float64) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	if _, err := d.ReadToken(); err != nil {
		return noSegmentation(err)
	}
	outline := make([]float64, 0, min(len(raw)/2, 2*maxVertices+1)) // room for all, since growing takes several times as much
	single := d.PeekKind() == '0'
	for single || d.PeekKind() == '[' {
		if !single {
			if _, err := d.ReadToken(); err != nil {
				return noSegmentation(err)
			}
		}
		outline = outline[:0]
		for d.PeekKind() == '0' && len(outline) <= 2*maxVertices {
			t, err := d.ReadToken()
			if err != nil {
				return noSegmentation(err)
			}
			outline = append(outline, t.Float())
		}
		if len(outline) <= 2*maxVertices {
			if t, err := d.ReadToken(); err != nil || t.Kind() != ']' {
				return noSegmentation(err)
			}
		}
		if err := do(outline); err != nil || single {
			return err
		}
	}
	if t, err := d.ReadToken(); err != nil || t.Kind() != ']' {
		return noSegmentation(err)
	}
	return nil
}

// parseCounts reads run lengths written as text or as numbers.
func parseCounts(raw json.RawMessage, pixels int) (rle.Counts, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return rle.ParseCOCO(text, pixels)
	}
	var numbers []int
	if json.Unmarshal(raw, &numbers) == nil {
		return rle.Check(numbers, pixels)
	}
	var floats []whole // which take longer
	if err := json.Unmarshal(raw, &floats); err != nil {
		return nil, rle.ErrFormat
	}
	numbers = numbers[:0]
	for _, n := range floats {
		numbers = append(numbers, int(n))
	}
	return rle.Check(numbers, pixels)
}
