package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"unique"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/export/zipfile"
)

// Source provides the project; [workspace.Workspace] implements it.
type Source interface {
	Project(ctx context.Context, id string) (segment.Project, error)
	ImagesAfter(ctx context.Context, projectID, after string, limit int) ([]segment.Image, error) // in order of upload
	Image(ctx context.Context, id string) (segment.Image, error)
	Visit(ctx context.Context, imageID string) (*annotation.Annotation, error)
	Blob(ctx context.Context, im segment.Image, key string) (io.ReadSeekCloser, error)
	// Pictures lends bytes of memory for pixels; see [workspace.Workspace.Pictures].
	Pictures(ctx context.Context, bytes int64) (give func(), err error)
	// MayIn returns a NotFound when the principal of ctx can't do a in a project.
	MayIn(ctx context.Context, projectID string, a access.Action) error
}

// Progress is called with the number of images done and their total.
type Progress func(done, total int)

// Write writes an export of a project to w, as a zip, and returns its report.
// An image whose stored files are lost or damaged is exported without its picture, or
// left out if its labels or a backup need them; one that is moved to the trash before
// its turn comes is left out, too. The report says so.
// Images are processed on all cores and written in project order; memory grows
// only by some hundred bytes per image, for its name and the zip's table. After
// an error, discard what was written to w. progress can be nil; it is called
// from one goroutine at a time. A panic is returned as an error: it ends this
// export, not the program.
func Write(ctx context.Context, w io.Writer, source Source, projectID, format string, o Options, progress Progress) (report *Report, err error) {
	err = guarded(func() error {
		report, err = writeArchive(ctx, w, source, projectID, format, o, progress)
		return err
	})
	return report, err
}

// Check returns the error that Write would return at once: an unknown format,
// project or option.
func Check(ctx context.Context, source Source, projectID, format string, o Options) error {
	_, m, err := newJob(ctx, source, projectID, format, o)
	return errors.Join(err, m.Close())
}

func writeArchive(ctx context.Context, w io.Writer, source Source, projectID, format string, o Options, progress Progress) (report *Report, err error) {
	j, m, err := newJob(ctx, source, projectID, format, o)
	defer func() { err = errors.Join(err, m.Close()) }()
	if err != nil {
		return nil, err
	}
	if j.encoder, err = j.format.encoder(j); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	out := zipfile.NewWriter(w, m.file)
	err = j.write(ctx, out, m, progress, func(ctx context.Context, number int) (*piece, error) {
		s := j.subject(number)
		defer s.close()
		p, err := s.piece(ctx)
		switch segment.KindOf(err) {
		case segment.NotFound:
			if _, err := j.source.Project(ctx, projectID); segment.KindOf(err) == segment.NotFound { // not only the image is gone
				return nil, segment.Errorf(segment.NotFound, "This project was moved to the trash during the export, or you are no longer a member of it. Start the export again when it is back.").Because(err)
			} else if err != nil {
				return nil, err
			}
			err = segment.Errorf(segment.NotFound, "The image was moved to the trash during the export.")
			fallthrough
		case segment.Damaged:
			return &piece{left: s.failed(err)}, nil
		}
		return p, s.failed(err)
	})
	if err != nil {
		return nil, err
	}
	return m.report, m.end(out)
}

// job is one export: what all its images share.
type job struct {
	source   Source
	project  segment.Project
	format   Format
	encoder  encoder
	options  Options
	images   []listed            // of the whole project
	names    map[string]bool     // of them, folded; true: several have this one
	stems    Stems               // of them
	sets     []string            // names of the sets that images are in
	chosen   []int               // indices into images of those that are exported
	index    *segment.ClassTable // index in the project of each class id
	resolved *segment.ClassTable // class that each class id counts as
	waiting  sync.Mutex          // of the image that waits for memory and room
}

// listed is what an export keeps of each image's record while it goes through the others.
type listed struct {
	id, name, stem string // stem: its file name
	format         string
	width, height  int32
}

// newJob reads the project's records and begins the manifest, which the caller
// closes, also after an error.
func newJob(ctx context.Context, source Source, projectID, name string, o Options) (*job, *manifest, error) {
	m := &manifest{}
	format, err := formatOf(name)
	if err != nil {
		return nil, m, err
	}
	j := &job{source: source, format: format, names: map[string]bool{}}
	if j.project, err = source.Project(ctx, projectID); err != nil {
		return nil, m, err
	}
	if j.options, err = format.Resolve(o, j.project.Classes); err != nil {
		return nil, m, err
	}
	m.report = &Report{
		Tool: Tool{"Collie", version()}, Format: name,
		Project: ProjectReport{ID: j.project.ID, Name: j.project.Name},
		Images:  []ImageReport{}, Skipped: []SkippedImage{},
	}
	j.index, j.resolved = j.project.Positions(), j.project.Resolve()
	for i, c := range j.project.Classes {
		m.report.Project.Classes = append(m.report.Project.Classes, ClassReport{i, c.Name, c.Color})
	}
	if format.Name == "backup" {
		j.options.Split = nil
	}
	m.report.Parameters = j.options
	chooser := j.options.chooser()
	for im, err := range segment.EachImage(ctx, projectID, source.ImagesAfter) {
		if err != nil {
			return nil, m, err
		}
		switch ok, why := chooser.take(&im); {
		case ok:
			j.chosen = append(j.chosen, len(j.images))
		case why != "":
			if err := m.skip(SkippedImage{ID: im.ID, Name: im.Name, Why: why}); err != nil {
				return nil, m, err
			}
		}
		name := segment.Folded(im.Name)
		_, shared := j.names[name]
		j.names[name] = shared
		j.images = append(j.images, listed{im.ID, im.Name, j.stems.Next(im.Name), unique.Make(im.Format).Value(), int32(im.Width), int32(im.Height)})
	}
	j.sets = j.options.Split.sets(j.images)
	return j, m, chooser.missing()
}

// write writes everything but the manifest. pieces returns what the image at a
// position in the project adds; it is called concurrently.
func (j *job) write(ctx context.Context, out *zipfile.Writer, m *manifest, progress Progress, pieces func(ctx context.Context, number int) (*piece, error)) (err error) {
	lists := map[string]*zipfile.Spool{}
	defer func() {
		for _, list := range lists {
			err = errors.Join(err, list.Close())
		}
	}()
	for _, set := range j.setsIn() {
		if lists[set], err = zipfile.NewSpool(j.encoder.document(set)); err != nil {
			return err
		}
	}
	progress(0, len(j.chosen))
	var kept []int // of the chosen
	var left error
	err = ordered(ctx, len(j.chosen), func(ctx context.Context, i int) (*piece, error) {
		return pieces(ctx, j.chosen[i])
	}, func(i int, p *piece) error {
		number := j.chosen[i]
		if p.left != nil {
			left = cmp.Or(left, p.left)
			progress(i+1, len(j.chosen))
			var why *segment.Error
			errors.As(p.left, &why)
			return m.skip(SkippedImage{ID: j.images[number].id, Name: j.images[number].name, Why: why.Detail, Damaged: why.Kind == segment.Damaged})
		}
		kept = append(kept, number)
		for _, f := range p.files {
			if err := out.Add(f); err != nil {
				return err
			}
		}
		for _, e := range p.entries {
			if err := lists[j.sets[number]].Entry(e); err != nil {
				return err
			}
		}
		progress(i+1, len(j.chosen))
		return m.add(p.report)
	})
	if err != nil {
		return err
	}
	if kept == nil && left != nil {
		return left // rather than an export of nothing
	}
	j.chosen = kept
	last, err := j.encoder.finish()
	if err != nil {
		return err
	}
	if j.format.splits {
		last = append(last, j.lists("splits/")...)
	}
	for _, f := range last {
		if err := out.Add(f); err != nil {
			return err
		}
	}
	for _, set := range j.setsIn() {
		if lists[set].Name == "" {
			continue
		}
		if err := lists[set].Into(out); err != nil {
			return err
		}
	}
	return nil
}
