package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/importer/dataset"
	"collie/segment/importer/npz"
)

// maxScores is the memory limit for an image's scores in bytes, including their
// file if that has to be in memory.
const maxScores = 256 << 20

// scoreMark is what ilastik puts behind the name of an image when it names its scores.
var scoreMark = regexp.MustCompile(`(?i)[-_]probabilities\.np[yz]$`)

// imagesOf lists the names of the images that files of scores belong to.
func imagesOf(scores []string) []string {
	names := make([]string, len(scores))
	for i, name := range scores {
		names[i] = scored(name)
	}
	return names
}

// scored returns the name of the image of such a file: the file's name, or its
// folder's if every image has one, with the file's ending, as dots are part of a folder's name.
func scored(name string) string {
	if folder := path.Dir(name); path.Base(name) == "probs.npz" && folder != "." {
		return folder + ".npz"
	}
	return name
}

// guess makes the scores in a file the first guess of the image with the
// same name, or gives it the embeddings there.
func (i *importing) guess(ctx context.Context, name string) (r ImageReport, err error) {
	r.Mask = name
	if labels := path.Join(path.Dir(name), "labels.npz"); i.files.Exported() && slices.Contains(i.files.Names, labels) {
		r.Lossy = append(r.Lossy, "the labels in "+labels+" are not read, only the scores; index PNGs, COCO, VOC and labelme bring labels back")
	}
	id, added, err := i.image(ctx, scored(name), "")
	if err != nil {
		return r, err
	}
	r.Image, r.Added = id, added
	defer func() { err = dataset.OfFile(name, err) }()
	var size image.Point
	if id != "" {
		im, err := i.workspace.Image(ctx, id)
		if err != nil {
			return r, err
		}
		size = image.Pt(im.Width, im.Height)
	}
	s, e, give, err := i.scores(ctx, name, size)
	if err != nil {
		return r, refusal(err)
	}
	defer give()
	if e != nil {
		return i.embed(ctx, r, e)
	}
	if i.review {
		p, err := i.workspace.Project(ctx, i.project)
		if err != nil {
			return r, err
		}
		_, r.Columns, err = columns(p, s)
		return r, err
	}
	a, err := i.workspace.Open(ctx, id)
	if err != nil {
		return r, err
	}
	defer a.Close()
	classes, called, err := columns(a.Project(), s)
	if err != nil {
		return r, err
	}
	r.Columns = called
	values, err := perCell(a, s)
	if err != nil {
		return r, refusal(err)
	}
	ids, values := byID(classes, values)
	r.Seq, err = a.SetGuess(ctx, segment.NewID(), ids, values)
	return r, err
}

// embed gives an image embeddings, which it has been matched with.
func (i *importing) embed(ctx context.Context, r ImageReport, e *npz.Embeddings) (ImageReport, error) {
	r.Embedded = fmt.Sprintf("%d×%d embeddings of %s", e.Width, e.Height, segment.Counted(e.Dims, "number"))
	if r.Image == "" {
		return r, nil // a review, and the image comes with the data set
	}
	a, err := i.workspace.Visit(ctx, r.Image)
	if err != nil {
		return r, err
	}
	defer a.Close()
	var reduced *segment.Embedding
	if err := i.workspace.Long(ctx, func() { reduced, err = e.Reduce(a.Cells()) }); err != nil {
		return r, err
	}
	if err != nil {
		return r, refusal(err)
	}
	if !i.review {
		r.Seq, err = a.SetEmbedding(ctx, segment.NewID(), reduced)
	}
	return r, err
}

// columns returns the classes of the columns of scores, and their names: those that the
// file names, or else the project's classes in their order.
func columns(p segment.Project, s *npz.Scores) (classes []segment.Class, called []string, err error) {
	switch {
	case s.Names != nil:
		if classes, err = classesCalled(s.Names, p); err != nil {
			return nil, nil, err
		}
	case s.Classes > len(p.Classes):
		return nil, nil, segment.Errorf(segment.Invalid, "The scores have %d classes and the project has %d. Columns are the project's classes in their order%s.", s.Classes, len(p.Classes), s.Misread())
	default:
		classes = p.Classes[:s.Classes]
	}
	for _, c := range classes {
		called = append(called, c.Name)
	}
	return classes, called, nil
}

// classesCalled finds classes of a project by their names. Each is there once.
func classesCalled(names []string, p segment.Project) (classes []segment.Class, err error) {
	var unknown []string
	for i, name := range names {
		at := slices.IndexFunc(p.Classes, named(name))
		switch {
		case at < 0:
			unknown = append(unknown, fmt.Sprintf("%.64q", name))
			continue
		case slices.Contains(classes, p.Classes[at]):
			return nil, segment.Errorf(segment.Invalid, "Column %d of the scores is the second one of the class %q. Each class has one column.", i+1, p.Classes[at].Name)
		}
		classes = append(classes, p.Classes[at])
	}
	if unknown != nil {
		return nil, segment.Errorf(segment.Invalid, "The array classes names %s, but the classes of the project are %s. Rename or add classes, or leave the array out; then columns are the project's classes in their order.",
			strings.Join(unknown, ", "), namesOf(p.Classes))
	}
	return classes, nil
}

// scores reads a .npz or .npy file for an image of a size, or of an unknown one; one of
// several files is read into memory first. give returns the memory of the scores or
// embeddings.
func (i *importing) scores(ctx context.Context, name string, size image.Point) (s *npz.Scores, e *npz.Embeddings, give func(), err error) {
	content, whole := i.files.Alone, int64(0)
	if content == nil {
		whole = i.files.Sizes[name]
	}
	if whole > maxScores {
		return nil, nil, nil, segment.Errorf(segment.TooLarge, "%s is larger than %d MiB, which is the limit for such a file among others. Send it on its own, or make its array smaller, for example with float16.", name, maxScores>>20)
	}
	give, err = i.workspace.Pictures(ctx, maxScores)
	if err != nil {
		return nil, nil, nil, err
	}
	if content == nil {
		b, err := i.files.Read(name, maxScores)
		if err != nil {
			give()
			return nil, nil, nil, err
		}
		content = io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
	}
	s, e, err = npz.Read(content, content.Size(), npz.Limits{Values: int(maxScores-whole) / npz.ValueBytes, Size: size})
	if err != nil {
		give()
		return nil, nil, nil, err
	}
	return s, e, give, nil
}

// perCell gives each cell its scores. Scores per superpixel without a map belong to the
// cells, or to the image's current superpixels.
func perCell(a *annotation.Annotation, s *npz.Scores) ([]float64, error) {
	if cells := a.Cells(); s.PerPixel(cells.Width, cells.Height) || s.Rows == cells.N {
		return s.PerSuperpixel(cells)
	}
	m, _ := a.Superpixels()
	coarse, err := s.PerSuperpixel(m)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, superpixel := range a.State().Parent {
		out = append(out, coarse[int(superpixel)*s.Classes:][:s.Classes]...)
	}
	return out, nil
}

// byID sorts columns by the classes' ids.
func byID(classes []segment.Class, values []float64) (ids []uint8, sorted []float64) {
	k := len(classes)
	columns := make([]int, k)
	for i := range columns {
		columns[i] = i
	}
	slices.SortFunc(columns, func(a, b int) int { return cmp.Compare(classes[a].ID, classes[b].ID) })
	for _, c := range columns {
		ids = append(ids, classes[c].ID)
	}
	for row := range slices.Chunk(values, k) {
		for _, c := range columns {
			sorted = append(sorted, row[c])
		}
	}
	return ids, sorted
}

// refusal turns an error of a file of scores into one for people.
func refusal(err error) error {
	for cause, kind := range map[error]segment.Kind{
		npz.ErrFormat: segment.Unreadable, npz.ErrLimit: segment.TooLarge, npz.ErrValue: segment.Invalid, npz.ErrSize: segment.Invalid,
	} {
		if errors.Is(err, cause) {
			return segment.Errorf(kind, "The array can't be used: %s.", strings.TrimSuffix(err.Error(), "."))
		}
	}
	return err
}
