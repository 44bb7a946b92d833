package dataset

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"collie/segment"
)

// studioTask is a task of Label Studio: an image, and the annotation of it that counts.
type studioTask struct {
	number    int    // from 1, in its file
	image     string // path of the image; empty if the task names none
	regions   []studioRegion
	submitted int   // annotations, of which one counts
	truth     bool  // which is marked as the ground truth
	bad       error // why its regions can't be read
}

// errStopped ends the reading of a file of which no more tasks are wanted.
var errStopped = errors.New("no more tasks wanted")

// studioSet is what the files of a data set have in common.
type studioSet struct {
	files   Files
	classes *classNames
	options Options
}

// openStudio reads Label Studio's JSON, each file a list of tasks. If a task has several
// annotations, the one that is marked as the ground truth counts, or else the last one. Tasks
// without an annotation are skipped. Regions are drawn in their order, later ones over earlier ones.
func openStudio(files Files, names []string, o Options) (*Set, error) {
	set := &studioSet{files: files, classes: newClassNames(o), options: o}
	d := &Set{format: formatStudio, Photos: files.photos()}
	var images imageNames
	for _, name := range names {
		err := set.each(name, func(t *studioTask) error {
			if err := images.add(name, t.image, ""); err != nil {
				return err
			}
			for _, r := range t.regions {
				if r.class == "" {
					continue
				}
				if err := set.classes.add(r.class); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(images.list) == 0 {
		return nil, segment.Errorf(segment.Unsupported, "No task in %s has an annotation that somebody has submitted.", names[0])
	}
	d.Classes, d.Images = set.classes.list, images.list
	d.Masks = inTurn(names, set.masks)
	return d, nil
}

// each calls do with the tasks of a file that have an annotation, one after the other.
func (s *studioSet) each(name string, do func(t *studioTask) error) error {
	d, err := OpenJSON(s.files, name)
	if err != nil {
		return err
	}
	defer d.Close()
	number := 0
	err = d.Elements("", func() error {
		number++
		t := &studioTask{number: number}
		if err := t.read(d); err != nil {
			return fmt.Errorf("task %d: %w", number, err)
		}
		if t.submitted == 0 {
			return nil
		}
		return do(t)
	})
	if err != nil {
		return err
	}
	return d.end()
}

// read reads a task. Its image is the first text in its data that ends like the name of a
// picture, or else the file that was uploaded for it, or else the first text in its data.
func (t *studioTask) read(d *Document) error {
	uploaded, first := "", ""
	err := d.Members(func(member string) (err error) {
		switch {
		case member == "data":
			return d.Members(func(string) error {
				if d.PeekKind() != '"' {
					return nil
				}
				address, err := d.text()
				name := addressed(address)
				if t.image == "" && pictureEnding(name) {
					t.image = name
				}
				if first == "" {
					first = name
				}
				return err
			})
		case member == "file_upload" && d.PeekKind() == '"':
			uploaded, err = d.text()
		case member == "annotations" && d.PeekKind() == '[':
			return d.Elements(member, func() error { return t.annotation(d) })
		}
		return err
	})
	for _, name := range []string{uploaded, first} {
		if t.image == "" {
			t.image = slashed(name)
		}
	}
	return err
}

// addressed is the path in the address of an image: of an upload, in a bucket, on another server,
// or among the files of Label Studio's own machine, where it is the parameter d.
func addressed(address string) string {
	if scheme, place, ok := strings.Cut(address, "://"); ok && !strings.HasPrefix(scheme, "http") { // in a bucket, unescaped
		_, key, _ := strings.Cut(place, "/")
		return slashed(key)
	}
	at, err := url.Parse(address)
	if err != nil || len(at.Scheme) == 1 { // the drive of a path on Windows
		return slashed(address)
	}
	if local := at.Query().Get("d"); local != "" {
		return slashed(local)
	}
	return slashed(at.Path)
}

// annotation reads an annotation, which takes the place of those before it unless somebody has
// skipped the task with it, or one of those is the ground truth.
func (t *studioTask) annotation(d *Document) error {
	if d.PeekKind() != '{' { // only its id, which says nothing
		return d.Skip()
	}
	var regions []studioRegion
	var bad error
	cancelled, truth := false, false
	err := d.Members(func(member string) (err error) {
		switch member {
		case "was_cancelled":
			cancelled = d.PeekKind() == 't'
		case "ground_truth":
			truth = d.PeekKind() == 't'
		case "result":
			if d.PeekKind() == 'n' { // nothing was drawn
				return nil
			}
			bad, err = d.excusing(func() error {
				regions, err = readRegions(d)
				return err
			})
			return err
		}
		return nil
	})
	if err != nil || cancelled {
		return err
	}
	if t.submitted++; truth || !t.truth {
		t.regions, t.truth, t.bad = regions, truth, bad
	}
	return nil
}

// readRegions reads the result of an annotation, all of it or nothing.
func readRegions(d *Document) (regions []studioRegion, err error) {
	number, held := 0, 0
	err = d.Elements("result", func() error {
		number++
		var r studioRegion
		if err := r.read(d); err != nil {
			return fmt.Errorf("region %d: %w", number, err)
		}
		if held += r.bytes(); held > maxHeld {
			return segment.Errorf(segment.TooLarge, "Its annotation is larger than %d MiB, which is the limit for one image.", maxHeld>>20)
		}
		regions = append(regions, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return regions, nil
}

// masks yields the masks of a file's tasks. It reports whether yield wants more.
func (s *studioSet) masks(name string, yield func(*Mask, error) bool) bool {
	more := true
	err := s.each(name, func(t *studioTask) error {
		if t.image == "" {
			more = yield(nil, &MaskError{fmt.Sprintf("task %d", t.number), segment.Errorf(segment.Unreadable, "It names no image.")})
		} else {
			m := &Mask{Image: t.image, File: t.image}
			m.Draw = func() (func(), error) { return m.drawStudio(t, s.classes, s.options) }
			more = yield(m, nil)
		}
		if !more {
			return errStopped
		}
		return nil
	})
	if err == nil || !more {
		return more
	}
	return yield(nil, OfFile(name, err))
}

// survey returns the size of the task's picture, 0 if it isn't said, and which regions have a
// label, some of them in an entry of its own.
func (t *studioTask) survey() (width, height int, labelled map[identifier]bool, err error) {
	on := identifier("")
	labelled = map[identifier]bool{}
	for _, r := range t.regions {
		if r.class != "" {
			labelled[r.id] = true
		}
		if width == 0 || height == 0 {
			width, height = int(r.of[0]), int(r.of[1])
		}
		if on == "" && r.placed() {
			on = r.on
		}
		switch {
		case r.imageTurned != 0:
			err = segment.Errorf(segment.Unsupported, "It was annotated when it was turned by %g°, which can't be read. Turn it back in Label Studio.", r.imageTurned)
		case r.placed() && r.on != on:
			err = segment.Errorf(segment.Unsupported, "It has regions on several pictures, %.40q and %.40q, which can't be told apart. Make a task of each picture.", string(on), string(r.on))
		}
		if err != nil {
			return 0, 0, nil, err
		}
	}
	return width, height, labelled, nil
}

// drawStudio draws the regions of a task that have a label.
func (m *Mask) drawStudio(t *studioTask, classes *classNames, o Options) (give func(), err error) {
	if t.bad != nil {
		return func() {}, t.bad
	}
	width, height, labelled, err := t.survey()
	if err != nil {
		return func() {}, err
	}
	if width, height, err = m.measured(width, height); err != nil {
		return func() {}, err
	}
	give, err = m.start(width, height, o.uncovered(), objectBytes, o)
	if err != nil {
		return give, err
	}
	m.trackObjects()
	out := drawing{mask: m, classes: classes, drawn: map[string]int{}}
	unlabelled := 0
	for i, r := range t.regions {
		if err := o.context.Err(); err != nil {
			return give, err
		}
		if r.class == "" {
			if r.placed() && !labelled[r.id] {
				labelled[r.id] = true // counted once
				unlabelled++
			}
			continue
		}
		m.Regions++
		m.object = int32(i)
		area, err := m.drawRegion(r, classes.index[r.class])
		if err := out.note(r.kind, r.class, area, err); err != nil {
			return give, fmt.Errorf("region %d (%.40q): %w", i+1, r.class, err)
		}
	}
	m.Lossy = append(m.Lossy, out.lossy()...)
	if t.submitted > 1 {
		m.Lossy = append(m.Lossy, fmt.Sprintf("other annotations of the task, left out: %d", t.submitted-1))
	}
	if unlabelled > 0 {
		m.Lossy = append(m.Lossy, fmt.Sprintf("regions without a label, skipped: %d", unlabelled))
	}
	m.tellUncovered(o)
	return give, nil
}
