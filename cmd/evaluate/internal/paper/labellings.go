package paper

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/segment"
	"collie/segment/mask"
	"collie/segment/simulate"
	"collie/superpixels"
)

// Labellings measures labellings that other programs made.
type Labellings struct {
	flags.Images
	results.Output
	Labellings []string `required:"" placeholder:"DIR" help:"Folders of labellings, masks of classes like the true ones: DIR/ID/*.png in the order of their names, or DIR/ID.png. The first is the one that the others are compared with."`
}

// labellingsRow is a folder and its row of the table.
type labellingsRow struct {
	trial
	Folder string `json:"labellings"`
	// Ahead is how far the oracle is ahead of the first folder's.
	Ahead *stats.Interval `json:"ahead,omitempty"`

	files [][]string          // of each image
	best  []*simulate.Overlap // the oracle's of each image, nil when it is all void
}

// Run reads, measures, prints and stores.
func (c *Labellings) Run(t *progress.Terminal) error {
	if err := c.CheckClasses(1); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	rows := make([]*labellingsRow, len(c.Labellings))
	for i, dir := range c.Labellings {
		if rows[i], err = openLabellings(dir, list); err != nil {
			return err
		}
		rows[i].open(c.Classes)
	}
	var classes scene.Held
	err = t.Each("", len(list), func(i int) error {
		for _, row := range rows {
			if err := row.read(list[i], i, c.Classes, &classes); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := classes.Enough(c.Data, len(list)); err != nil {
		return err
	}
	for i, row := range rows {
		row.finish(c.Classes)
		if i > 0 {
			row.compare(rows[0], c.Classes)
		}
	}
	c.print(t, rows)
	return c.Write(map[string]any{"results": rows})
}

// openLabellings finds the labellings of all images in a folder.
func openLabellings(dir string, list []simulate.Picture) (*labellingsRow, error) {
	row := &labellingsRow{Folder: dir, best: make([]*simulate.Overlap, len(list))}
	row.Images, row.Draws = len(list), 1
	for _, p := range list {
		files, err := masksOf(dir, p.ID)
		if err != nil {
			return nil, err
		}
		row.files = append(row.files, files)
		row.Hypotheses = max(row.Hypotheses, len(files))
	}
	return row, nil
}

// masksOf are the files with the labellings of an image.
func masksOf(dir, id string) (files []string, err error) {
	single := filepath.Join(dir, id+".png")
	if _, err := os.Stat(single); err == nil {
		return []string{single}, nil
	}
	entries, err := os.ReadDir(filepath.Join(dir, id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--labellings: %w", err)
	}
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".png") {
			files = append(files, filepath.Join(dir, id, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("--labellings %s has no labellings of %s; each is a PNG of classes in the folder %s, or a single one %s.png", dir, id, id, id)
	}
	return files, nil
}

// read adds the labellings of an image, and the classes of its mask to those of all. Its
// pixels with the same class in each of them, and so with the same outcome, count as one
// region.
func (row *labellingsRow) read(p simulate.Picture, image, classes int, all *scene.Held) error {
	img, truth, err := p.LoadLabelled()
	if err != nil {
		return err
	}
	all.Note(truth)
	size := img.Rect.Size()
	masks := make([][]uint8, len(row.files[image]))
	for m, file := range row.files[image] {
		if masks[m], err = simulate.ReadMask(file, size); err != nil {
			return err
		}
		if at := slices.IndexFunc(masks[m], func(class uint8) bool { return int(class) >= classes && class != segment.Void }); at >= 0 {
			return fmt.Errorf("%s: pixel (%d, %d) has class %d; with %d classes labellings hold 0 to %d, and %d for none",
				file, at%size.X, at/size.X, masks[m][at], classes, classes-1, segment.Void)
		}
	}
	regions := &superpixels.Map{Width: size.X, Height: size.Y, Labels: make([]int32, len(truth))}
	known, key, hypotheses := map[string]int32{}, make([]uint8, len(masks)), make([][]uint8, len(masks))
	for p := range truth {
		for m := range masks {
			key[m] = masks[m][p]
		}
		region, there := known[string(key)]
		if !there {
			region = int32(len(known))
			known[string(key)] = region
			for m, class := range key {
				hypotheses[m] = append(hypotheses[m], class)
			}
		}
		regions.Labels[p] = region
	}
	regions.N = len(known)
	cover, err := simulate.Cover(regions, truth, classes)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Mask(), err)
	}
	if !slices.ContainsFunc(cover.Area, func(a float64) bool { return a > 0 }) {
		return nil
	}
	row.add(image, 0, cover, hypotheses, 0)
	best := slices.MaxFunc(hypotheses, func(a, b []uint8) int {
		return cmp.Compare(simulate.MeanIoU(cover, a), simulate.MeanIoU(cover, b))
	})
	row.best[image] = simulate.NewOverlap(classes)
	row.best[image].Add(cover, best)
	return nil
}

// compare says how far the oracle is ahead of another one of the same images.
func (row *labellingsRow) compare(with *labellingsRow, classes int) {
	pooled := func(of *labellingsRow, sample []int) float64 {
		sum := simulate.NewOverlap(classes)
		for _, i := range sample {
			if of.best[i] != nil {
				sum.Join(of.best[i])
			}
		}
		return sum.Mean()
	}
	ahead := stats.Bootstrap(row.Images, func(sample []int) float64 { return pooled(row, sample) - pooled(with, sample) })
	row.Ahead = &ahead
}

func (c *Labellings) print(t *progress.Terminal, rows []*labellingsRow) {
	fmt.Fprintf(t.Out, "Mean IoU in per cent over %s, void ignored; the oracle takes the labelling of best mean IoU of each image. In brackets means over the images; on the right how far the oracle is ahead of the first row's, with a 95 %% interval.\n",
		segment.Counted(rows[0].Images, "image"))
	w := t.Table()
	defer w.Flush()
	fmt.Fprint(w, "labellings\tM\toracle\t\tfirst\t\tmode\t\tahead\t\n")
	for _, r := range rows {
		ahead := ""
		if r.Ahead != nil {
			ahead = r.Ahead.String()
		}
		fmt.Fprintf(w, "%s\t%d\t%.1f\t(%.1f)\t%.1f\t(%.1f)\t%.1f\t(%.1f)\t%s\t\n", r.Folder, r.Hypotheses,
			100*r.Oracle, 100*r.PerImage.Oracle, 100*r.First, 100*r.PerImage.First, 100*r.Mode, 100*r.PerImage.Mode, ahead)
	}
}

// writeMask writes a class for each region as a mask of the map's size.
func writeMask(m *superpixels.Map, labels []uint8, path ...string) error {
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := mask.WriteIndex(&b, mask.Of(m.Runs(), labels)); err != nil {
		return err
	}
	return progress.WriteResult(file, b.Bytes())
}
