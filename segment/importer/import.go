// Package importer puts into projects what other programs made: masks, scores of a
// classifier and embeddings, with the photographs that come with them. It also makes
// projects of backups. Nothing in the files is trusted, and errors about them are for
// people. Package dataset reads the formats of masks; here masks find their images and
// their values become classes.
package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"strings"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/importer/dataset"
	"collie/segment/workspace"
)

// Report is the result of an import.
type Report struct {
	Classes []string // names of classes that were added to the project
	Values  []Value  // in the masks, by index
	Images  []ImageReport
}

// Imported is the number of masks that were imported.
func (r *Report) Imported() (n int) {
	for _, im := range r.Images {
		if im.Problem == "" {
			n++
		}
	}
	return n
}

// ImageReport is the result for one image's mask.
type ImageReport struct {
	Mask     string   // name in the data set
	Image    string   // id of the project's image; empty if no image was found
	Added    bool     // whether the image came with the data set
	Replaces bool     // whether the image had labels, whose place the mask takes
	Empty    bool     // whether the files have no shape for the image, where they have shapes
	Seq      int      // number of evidence events after the import
	Regions  int      // shapes, annotations or numbered objects, where the format has them
	Decided  int      // pixels with a class
	Lossy    []string // what the labelling can't hold
	Columns  []string // classes of the columns of scores
	Embedded string   // size of the embeddings; empty for anything else
	Problem  string   // why nothing was imported; empty after success

	Thumbnail []byte // PNG of the mask, in a review and for the first few
}

// Import puts the masks of a data set into a project: each becomes one event in
// its image's evidence, which can be undone. Masks are matched to images by
// file name, with or without the extension; photographs that the project lacks
// are added from the data set. The mapping of the options says what values in
// the masks become. Without one, classes are matched by name, those missing for a
// mask that is imported are added at the end, with all others that the data set lists,
// and indices without names are positions in the project's list; the report says what
// each value became.
//
// A problem with one mask goes into the report, and the import continues with
// the others. A picture or array by itself that can't be used is an error of [OfData]
// instead, like a file that can't be read. After an error the report
// lists what was done before it. report, unless nil, is called after each image. The data
// set is held in memory one mask at a time.
func Import(ctx context.Context, w *workspace.Workspace, projectID string, files dataset.Files, o dataset.Options, report func(ImageReport)) (Report, error) {
	return (&importing{workspace: w, project: projectID}).run(ctx, files, o, report)
}

// Review reports what Import would do with the files, and stores nothing. The
// report has thumbnails of the first masks.
func Review(ctx context.Context, w *workspace.Workspace, projectID string, files dataset.Files, o dataset.Options) (Report, error) {
	return (&importing{workspace: w, project: projectID, review: true, thumbnails: reviewed}).run(ctx, files, o, nil)
}

// reviewed is the number of thumbnails in a review.
const reviewed = 3

func (i *importing) run(ctx context.Context, files dataset.Files, o dataset.Options, report func(ImageReport)) (Report, error) {
	w := i.workspace
	give, err := w.Documents(ctx, files.Memory())
	if err != nil {
		return Report{}, err
	}
	defer give()
	limits := w.PhotoLimits()
	o.MaxPixels, o.MaxSide = limits.Pixels, limits.Side
	p, err := w.Project(ctx, i.project)
	if err != nil {
		return Report{}, err
	}
	files = files.During(ctx)
	d, err := dataset.Open(ctx, files, o, p.Classes, w.Pictures)
	if err != nil {
		return Report{}, cmp.Or(ctx.Err(), err)
	}
	i.files = files
	i.last, i.meaning = p, mean(p, d, o.Mapping)
	if err := i.index(ctx, d); err != nil {
		return i.report, err
	}
	single := files.Alone != nil && !i.shapes && len(d.Images)+len(files.Scores()) == 1
	done := func(r ImageReport, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if bad := new(dataset.MaskError); single && errors.As(err, &bad) {
			return bad.Err
		}
		if r, err = settle(r, err); err == nil {
			i.report.Images = append(i.report.Images, r)
			if report != nil {
				report(r)
			}
		}
		return err
	}
	for _, name := range files.Twice {
		if err := done(ImageReport{Mask: name}, segment.Errorf(segment.Invalid, "The zip archive has more than one file of this name; the first one was taken.")); err != nil {
			return i.report, err
		}
	}
	for m, err := range d.Masks {
		var r ImageReport
		if err == nil {
			r, err = i.apply(ctx, m)
		}
		if err := done(r, err); err != nil {
			return i.report, err
		}
		i.report.Values = i.meaning.used()
	}
	for _, name := range files.Scores() {
		if err := done(i.guess(ctx, name)); err != nil {
			return i.report, err
		}
	}
	return i.report, nil
}

// importing is a running import.
type importing struct {
	workspace *workspace.Workspace
	project   string
	files     dataset.Files
	report    Report
	last      segment.Project // as the import last saw it
	meaning   *meaning
	names     names
	masked    map[string]string // the mask that an image has got, by image id
	shapes    bool              // whether the files have shapes

	review     bool // stores nothing
	thumbnails int  // still to draw
}

// index lists the images by their names, and notes whether the files have shapes. In
// Collie's own exports, which have a manifest, exported names take precedence over others.
func (i *importing) index(ctx context.Context, d *dataset.Set) error {
	i.names, i.masked = newNames(d, imagesOf(i.files.Scores())), map[string]string{}
	var stems export.Stems
	exported := map[string]string{} // image ids by lower-case name in exports
	for im, err := range segment.EachImage(ctx, i.project, i.workspace.ImagesAfter) {
		if err != nil {
			return err
		}
		i.names.addStored(im)
		exported[segment.Folded(stems.Next(im.Name))] = im.ID
	}
	i.names.addExported(exported, i.files.Exported())
	i.shapes = d.Shapes()
	i.names.pictured = i.shapes && pictured(i.files)
	return nil
}

// pictured reports whether Collie exported the files with photographs.
func pictured(files dataset.Files) bool {
	if !files.Exported() {
		return false
	}
	d, err := dataset.OpenJSON(files, "manifest.json")
	if err != nil {
		return false
	}
	defer d.Close()
	var parameters struct{ Pictures bool }
	_ = d.Members(func(member string) error { // another program's manifest says nothing
		if member != "parameters" {
			return nil
		}
		return cmp.Or(d.Into(&parameters), io.EOF) // that is enough
	})
	return parameters.Pictures
}

// settle handles an error of one image: problems with the image or its file go
// into the report, any other error ends the import.
func settle(r ImageReport, err error) (ImageReport, error) {
	bad := &dataset.MaskError{Image: r.Mask, Err: err}
	switch kind := segment.KindOf(err); {
	case err == nil:
		return r, nil
	case errors.As(err, &bad):
	case kind == 0, kind == segment.Unavailable, kind == segment.Full:
		return r, err
	}
	return ImageReport{Mask: bad.Image, Problem: detail(bad.Err)}, nil
}

// OfData reports whether an error of an import is about the files, so that others
// can be imported all the same, and what is wrong with them.
func OfData(err error) (problem string, ok bool) {
	if !dataset.Faulty(err) {
		return "", false
	}
	return detail(err), true
}

// detail is the part of an error that is for people.
func detail(err error) string {
	if e := new(segment.Error); errors.As(err, &e) {
		return strings.TrimSuffix(err.Error(), fmt.Sprintf(" (%v)", e.Unwrap()))
	}
	return err.Error()
}

// apply adds the mask to its image's evidence.
func (i *importing) apply(ctx context.Context, m *dataset.Mask) (r ImageReport, err error) {
	r.Mask = m.Image
	id, added, err := i.image(ctx, m.Image, m.Beside)
	if err != nil {
		return r, err
	}
	if first, twice := i.masked[id]; twice && id != "" {
		return r, segment.Errorf(segment.Invalid, "The data set has more than one mask for this image; %s was taken.", first)
	}
	defer func() {
		if err == nil { // a mask with a problem doesn't stand in the way of another
			i.masked[id] = m.Image
		}
	}()
	r.Image, r.Added = id, added
	m.SizeOf = func() (image.Point, error) { return i.sizeOf(ctx, id, m) }
	give := func() {}
	defer func() { give() }()
	err = insist(ctx, func() (err error) {
		give, err = m.Draw()
		return err
	})
	if err != nil {
		return r, &dataset.MaskError{Image: m.File, Err: err}
	}
	r.Regions, r.Lossy, r.Empty = m.Regions, m.Lossy, i.shapes && m.Regions == 0
	if id != "" {
		im, err := i.workspace.Image(ctx, id)
		if err != nil {
			return r, err
		}
		if err := fits(m, im); err != nil {
			return r, &dataset.MaskError{Image: m.Image, Err: err}
		}
		r.Replaces = im.Clicks > 0 || im.Decided > 0
	}
	i.meaning.count(m)
	if i.review {
		return i.look(r, m)
	}
	if err := i.meaning.check(m.Pixels); err != nil {
		return r, err
	}
	if err := i.addClasses(ctx, m.Pixels); err != nil {
		return r, err
	}
	i.meaning.translate(m.Pixels)
	r.Decided = decided(m.Pixels)
	a, err := i.workspace.Open(ctx, id)
	if err != nil {
		return r, err
	}
	defer a.Close()
	cells, drawn, ragged, err := objectsOf(m, a.Cells(), a.Graph())
	if err != nil {
		return r, err
	}
	if ragged {
		r.Lossy = append(r.Lossy, fmt.Sprintf("borders between objects that touch, which follow superpixels because they are too ragged: more than %d runs of pixels", mostDrawn))
	}
	r.Seq, err = a.ImportMask(ctx, segment.NewID(), m.Pixels, cells, drawn...)
	return r, err
}

// decided is how many of the pixels have a class.
func decided(pixels []uint8) int { return len(pixels) - bytes.Count(pixels, []byte{segment.Void}) }

// fits returns an error for a mask whose size isn't its image's.
func fits(m *dataset.Mask, im segment.Image) error {
	switch {
	case im.Width == m.Height && im.Height == m.Width && m.Width != m.Height:
		return segment.Errorf(segment.Invalid, "The mask has %d×%d pixels, but the image has %d×%d as it is displayed: turn the mask too.", m.Width, m.Height, im.Width, im.Height)
	case im.Width != m.Width || im.Height != m.Height:
		return segment.Errorf(segment.Invalid, "The mask has %d×%d pixels, but the image has %d×%d.", m.Width, m.Height, im.Width, im.Height)
	}
	return nil
}

// look reports on a mask in a review.
func (i *importing) look(r ImageReport, m *dataset.Mask) (ImageReport, error) {
	r.Decided = decided(m.Pixels)
	if i.thumbnails == 0 {
		return r, nil
	}
	i.thumbnails--
	var err error
	r.Thumbnail, err = i.meaning.thumbnail(m)
	return r, err
}

// image finds the image of a mask, or adds it if the data set has its
// photograph.
func (i *importing) image(ctx context.Context, name, beside string) (id string, added bool, err error) {
	id, photo, as, err := i.names.find(name, beside)
	switch {
	case err != nil || photo == "":
		return id, false, err
	case i.review:
		return "", true, nil
	}
	var im segment.Image
	err = insist(ctx, func() (err error) {
		im, err = i.add(ctx, photo, as)
		return err
	})
	if err != nil {
		return "", false, err
	}
	i.names.add(im)
	note(i.names.images, segment.Folded(name), im.ID) // its name can have been cut
	return im.ID, true, nil
}

// sizeOf returns the size of a mask's image, which has no id yet if a review found its
// photograph in the data set.
func (i *importing) sizeOf(ctx context.Context, id string, m *dataset.Mask) (image.Point, error) {
	if id != "" {
		im, err := i.workspace.Image(ctx, id)
		return image.Pt(im.Width, im.Height), err
	}
	_, photo, _, err := i.names.find(m.Image, m.Beside)
	if err != nil {
		return image.Point{}, err
	}
	file, err := i.files.Open(photo)
	if err != nil {
		return image.Point{}, err
	}
	defer file.Close()
	return i.workspace.PhotoSize(ctx, i.project, file)
}

// add adds a photograph of the data set to the project under a name.
func (i *importing) add(ctx context.Context, photo, as string) (segment.Image, error) {
	file, err := i.files.Open(photo)
	if err != nil {
		return segment.Image{}, err
	}
	defer file.Close()
	added, err := i.workspace.AddImage(ctx, i.project, as, file)
	return added.Image, err
}
