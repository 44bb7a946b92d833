// Package parts holds the experiments on two parts of the engine by themselves: the
// superpixels (superpixels.go) and the maximisers (map.go).
package parts

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/internal/measure"
	"collie/cmd/internal/progress"
	"collie/segment/mask"
	"collie/segment/simulate"
	"collie/superpixels"
)

// Superpixels measures superpixels against segmentations that people drew.
type Superpixels struct {
	results.Output
	Data    string `required:"" type:"path" placeholder:"DIR" help:"Folder with images/ID.jpg, .png or .tif and masks/ID.png, or masks/ID_0.png, ID_1.png … of several people."`
	Limit   int    `placeholder:"N" help:"Use the first N images only."`
	Regions int    `default:"600" help:"Superpixels of an image."`
	Labels  string `type:"path" placeholder:"DIR" help:"Write each label map here as a 16-bit PNG ID.png."`
}

// partition are the figures of one image, and their means over all.
type partition struct {
	Images             int     `json:"images"`
	Regions            float64 `json:"regions"`
	BoundaryRecall     float64 `json:"boundary_recall"`
	Undersegmentation  float64 `json:"undersegmentation_error"`
	ASA                float64 `json:"asa"`
	ExplainedVariation float64 `json:"explained_variation"`
	Compactness        float64 `json:"compactness"`
	Milliseconds       float64 `json:"milliseconds"` // median
}

// boundaryTolerance of the boundary recall, in parts of the image's diagonal.
const boundaryTolerance = 0.0025

// Run segments, measures, prints and stores.
func (c *Superpixels) Run(t *progress.Terminal) error {
	if err := flags.Regions(c.Regions); err != nil {
		return err
	}
	list, err := simulate.Pictures(c.Data, c.Limit)
	if err != nil {
		return err
	}
	if err := progress.ResultFolder("--labels", c.Labels); err != nil {
		return err
	}
	all, err := simulate.Pictures(c.Data, 0)
	if err != nil {
		return err
	}
	images := map[string]bool{}
	for _, p := range all {
		images[p.ID] = true
	}
	rows := make([]partition, len(list))
	err = t.Each("", len(list), func(i int) (err error) {
		rows[i], err = c.measure(list[i], images)
		return err
	})
	if err != nil {
		return err
	}
	mean := partition{Images: len(rows)}
	n := float64(len(rows))
	var times []float64
	for _, r := range rows {
		times = append(times, r.Milliseconds)
		mean.Regions += r.Regions / n
		mean.BoundaryRecall += r.BoundaryRecall / n
		mean.Undersegmentation += r.Undersegmentation / n
		mean.ASA += r.ASA / n
		mean.ExplainedVariation += r.ExplainedVariation / n
		mean.Compactness += r.Compactness / n
	}
	slices.Sort(times)
	mean.Milliseconds = times[len(times)/2]

	fmt.Fprintf(t.Out, "Means over the images. Boundary recall allows %.2g %% of the diagonal; ASA is the accuracy of the best labelling of the superpixels; ms to divide an image, the median.\n", 100*boundaryTolerance)
	w := t.Table()
	fmt.Fprint(w, "images\tregions\tboundary recall\tundersegmentation\tASA\texplained variation\tcompactness\tms\t\n")
	fmt.Fprintf(w, "%d\t%.1f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.1f\t\n", mean.Images, mean.Regions, mean.BoundaryRecall,
		mean.Undersegmentation, mean.ASA, mean.ExplainedVariation, mean.Compactness, mean.Milliseconds)
	if err := w.Flush(); err != nil {
		return err
	}
	return c.Write(mean)
}

// measure segments one picture and compares it with each mask it has; figures
// are means over the masks, whose void counts as a separate segment. images has the
// IDs of all pictures.
func (c *Superpixels) measure(p simulate.Picture, images map[string]bool) (partition, error) {
	img, err := p.Load()
	if err != nil {
		return partition{}, err
	}
	truths, err := segmentations(p, images, img.Rect.Size())
	if err != nil {
		return partition{}, err
	}
	start := time.Now()
	m := superpixels.NewHierarchy(img, c.Regions).At(c.Regions)
	row := partition{
		Images: 1, Regions: float64(m.N), Milliseconds: time.Since(start).Seconds() * 1000,
		ExplainedVariation: measure.ExplainedVariation(m.Labels, img),
		Compactness:        measure.Compactness(m.Labels, m.Width),
	}
	n := float64(len(truths))
	for _, truth := range truths {
		row.BoundaryRecall += measure.BoundaryRecall(m.Labels, truth, m.Width, boundaryTolerance) / n
		row.Undersegmentation += measure.Undersegmentation(m.Labels, truth, m.Width) / n
		row.ASA += measure.ASA(m.Labels, truth, m.Width) / n
	}
	if c.Labels != "" {
		if err := writeLabels(filepath.Join(c.Labels, p.ID+".png"), m); err != nil {
			return partition{}, err
		}
	}
	return row, nil
}

// segmentations reads masks/ID.png or else, of several people, each masks/ID_k.png
// that is not the mask of another image.
func segmentations(p simulate.Picture, images map[string]bool, size image.Point) ([][]int32, error) {
	files := []string{p.Mask()}
	if _, err := os.Stat(p.Mask()); errors.Is(err, fs.ErrNotExist) {
		several, err := filepath.Glob(filepath.Join(p.Dir, "masks", escapeGlob(p.ID)+"_*.png"))
		if err != nil {
			return nil, err
		}
		several = slices.DeleteFunc(several, func(file string) bool {
			name := strings.TrimSuffix(filepath.Base(file), ".png")
			_, err := strconv.ParseUint(name[len(p.ID)+1:], 10, 64)
			return err != nil || images[name]
		})
		if len(several) > 0 {
			files = several
		}
	}
	var out [][]int32
	for _, file := range files {
		img, err := simulate.Decode(file, png.Decode)
		if err != nil {
			return nil, err
		}
		if img.Bounds().Size() != size {
			return nil, fmt.Errorf("%s is %d×%d pixels, its image %d×%d", file, img.Bounds().Dx(), img.Bounds().Dy(), size.X, size.Y)
		}
		labels := make([]int32, 0, size.X*size.Y)
		for y := range size.Y {
			for x := range size.X {
				switch m := img.(type) {
				case *image.Paletted:
					labels = append(labels, int32(m.ColorIndexAt(x, y)))
				case *image.Gray:
					labels = append(labels, int32(m.GrayAt(x, y).Y))
				case *image.Gray16:
					labels = append(labels, int32(m.Gray16At(x, y).Y))
				default:
					return nil, fmt.Errorf("%s is not a mask: a mask is a PNG with a palette or grey, one index per pixel", file)
				}
			}
		}
		out = append(out, labels)
	}
	return out, nil
}

// escapeGlob makes a pattern that matches s alone.
func escapeGlob(s string) string {
	var b []rune
	for _, r := range s {
		if slices.Contains([]rune(`*?[\`), r) {
			b = append(b, '\\')
		}
		b = append(b, r)
	}
	return string(b)
}

// writeLabels stores a map as a PNG of 16-bit grey.
func writeLabels(path string, m *superpixels.Map) error {
	var b bytes.Buffer
	if err := mask.WriteSuperpixels(&b, m.Runs()); err != nil {
		return err
	}
	return progress.WriteResult(path, b.Bytes())
}
