package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/rle"
)

// cocoFile is the part of a COCO instances file that says something of pixels.
type cocoFile struct {
	Images []struct {
		ID       int64  `json:"id"`
		FileName string `json:"file_name"`
		Width    int    `json:"width"`
		Height   int    `json:"height"`
	} `json:"images"`
	Categories []struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	} `json:"categories"`
	Annotations []cocoAnnotation `json:"annotations"`
}

type cocoAnnotation struct {
	ID           int64           `json:"id"`
	Image        int64           `json:"image_id"`
	Category     int64           `json:"category_id"`
	Area         float64         `json:"area"`
	Segmentation json.RawMessage `json:"segmentation"` // outlines, or {size, counts} with counts as numbers or as text
}

// openCOCO reads one JSON for all images. A pixel has one class: where
// annotations overlap the smaller one wins, as in COCO's panoptic data.
func openCOCO(files Files, name string, o Options) (*Dataset, error) {
	var f cocoFile
	if err := readJSON(files, name, &f); err != nil {
		return nil, err
	}
	classes := newClassNames()
	categories := map[int64]uint8{}
	for _, c := range f.Categories {
		label := strings.TrimSpace(c.Name)
		if err := classes.add(label); err != nil {
			return nil, err
		}
		categories[c.ID] = classes.index[label]
	}
	byImage := map[int64][]cocoAnnotation{}
	for _, im := range f.Images {
		if _, twice := byImage[im.ID]; twice {
			return nil, segment.Errorf(segment.Unreadable, "%s has two images with the id %d.", name, im.ID)
		}
		byImage[im.ID] = nil
	}
	var strays []error
	for _, a := range f.Annotations {
		_, ok := byImage[a.Image]
		if _, known := categories[a.Category]; !ok || !known {
			strays = append(strays, &MaskError{fmt.Sprintf("annotation %d", a.ID), segment.Errorf(segment.Unreadable, "It belongs to image %d and category %d, which the file doesn't both have.", a.Image, a.Category)})
			continue
		}
		byImage[a.Image] = append(byImage[a.Image], a)
	}
	return &Dataset{Format: COCO, Classes: classes.list, Photos: files.photos(), Masks: func(yield func(*Mask, error) bool) {
		for _, err := range strays {
			if !yield(nil, err) {
				return
			}
		}
		for _, im := range f.Images {
			base := path.Base(strings.ReplaceAll(im.FileName, `\`, "/"))
			m, err := newMask(base, im.Width, im.Height, segment.Void, o)
			if err == nil {
				err = m.drawCOCO(byImage[im.ID], categories, o)
			}
			if err != nil {
				m, err = nil, &MaskError{base, err}
			}
			if !yield(m, err) {
				return
			}
		}
	}}, nil
}

// drawCOCO draws the annotations of one image onto a mask that is void.
func (m *Mask) drawCOCO(annotations []cocoAnnotation, categories map[int64]uint8, o Options) error {
	slices.SortStableFunc(annotations, func(a, b cocoAnnotation) int { return cmp.Compare(b.Area, a.Area) })
	m.Regions = len(annotations)
	drawn := 0
	for _, a := range annotations {
		n, err := m.drawSegmentation(a.Segmentation, categories[a.Category])
		if err != nil {
			return fmt.Errorf("annotation %d: %w", a.ID, err)
		}
		drawn += n
	}
	covered := 0
	for i, p := range m.Pixels {
		if p != segment.Void {
			covered++
		} else {
			m.Pixels[i] = o.uncovered()
		}
	}
	if drawn > covered {
		m.Lossy = append(m.Lossy, fmt.Sprintf("annotations overlap on %d pixels, where the smaller one was taken", drawn-covered))
	}
	return nil
}

// drawSegmentation draws outlines or run lengths and returns the number of
// pixels.
func (m *Mask) drawSegmentation(raw json.RawMessage, class uint8) (int, error) {
	var outlines [][]float64
	if err := json.Unmarshal(raw, &outlines); err == nil {
		total := 0
		for _, outline := range outlines {
			n, err := m.fill(outline, class)
			if err != nil {
				return 0, err
			}
			total += n
		}
		return total, nil
	}
	var runs struct {
		Size   [2]int          `json:"size"` // height, width
		Counts json.RawMessage `json:"counts"`
	}
	if err := json.Unmarshal(raw, &runs); err != nil {
		return 0, segment.Errorf(segment.Unreadable, "Its segmentation is neither a list of outlines nor run lengths.").Because(err)
	}
	if runs.Size != [2]int{m.Height, m.Width} {
		return 0, segment.Errorf(segment.Unreadable, "Its run lengths are of an image of %d×%d pixels, not %d×%d.", runs.Size[1], runs.Size[0], m.Width, m.Height)
	}
	counts, err := parseCounts(runs.Counts, len(m.Pixels))
	if err != nil {
		return 0, segment.Errorf(segment.Unreadable, "Its run lengths can't be read: %v.", err)
	}
	counts.PaintColumns(m.Pixels, m.Width, m.Height, class)
	return counts.Area(), nil
}

// parseCounts reads run lengths written as text or as numbers.
func parseCounts(raw json.RawMessage, pixels int) (rle.Counts, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return rle.ParseCOCO(text, pixels)
	}
	var numbers []int
	if err := json.Unmarshal(raw, &numbers); err != nil {
		return nil, rle.ErrFormat
	}
	return rle.Check(numbers, pixels)
}
