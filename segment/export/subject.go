package export

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/segment/mask"
	"collie/segment/mask/regions"
	"collie/superpixels"
)

// subject is one image of a job in progress.
type subject struct {
	*job
	number int // in the project, from 0
	image  segment.Image
	stem   string

	annotation  *annotation.Annotation // nil for an image without evidence, unless the format holds evidence
	state       annotation.State       // that everything is made of, also while somebody works on the image
	sequence    *engine.Sequence       // of the state; nil unless hypotheses are exported
	mask        mask.Mask              // of class indices
	objects     *superpixels.Runs      // of each pixel that a person has told apart from others of the class, else -1; nil without any
	undecided   int                    // pixels, counted before they become background
	parts       *regions.Partition
	pictureName string // file of the picture in the archive, set by the encoder; empty for none
}

// subject returns the image at a position in the project, of whose record it has what
// is kept of all images.
func (j *job) subject(number int) *subject {
	l := &j.images[number]
	return &subject{job: j, number: number, image: segment.Image{ID: l.id, Name: l.name, Format: l.format, Width: int(l.width), Height: int(l.height)}, stem: l.stem}
}

// set is the name of the set that the image is in.
func (s *subject) set() string { return s.sets[s.number] }

// memory estimates how many bytes the image takes while it is processed.
func (s *subject) memory() int64 {
	pixel := int64(10) // the mask, what finds its objects and regions, and the output
	if *s.options.Pictures {
		pixel += 12 // the decoded picture, if it has to be re-encoded
	}
	if s.format.Name == "numpy" {
		pixel += 12 // a superpixel id per pixel, three times
	}
	return pixel * int64(s.image.Width) * int64(s.image.Height)
}

// piece makes what the image adds to the archive. It borrows memory before it waits for
// room, as uploads do: in another order the two could wait for each other. One image at a
// time does that, so that little memory is held for nothing.
func (s *subject) piece(ctx context.Context) (p *piece, err error) {
	im, err := s.source.Image(ctx, s.image.ID)
	if err != nil {
		return nil, err
	}
	s.image = im
	s.waiting.Lock()
	begun := sync.OnceFunc(s.waiting.Unlock)
	defer begun()
	give, err := s.source.Pictures(ctx, s.memory())
	if err != nil {
		return nil, err
	}
	defer give()
	late := paceOf(ctx)(ctx, func(ctx context.Context) {
		begun()
		if p, err = s.process(ctx); errors.Is(err, annotation.ErrRewound) {
			p, err = s.process(ctx)
		}
	})
	if late != nil {
		return nil, late
	}
	return p, err
}

// process reads the labelling and makes the piece of it.
func (s *subject) process(ctx context.Context) (*piece, error) {
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s.encode(ctx)
}

// joined says what masks of classes lose of an image in which somebody has told objects
// apart.
func (s *subject) joined() []string {
	if s.objects == nil {
		return nil
	}
	return []string{"Masks of classes don't tell objects of one class apart; label images, VOC, COCO and other formats do."}
}

// open reads the labelling.
func (s *subject) open(ctx context.Context) error {
	s.undecided, s.parts = 0, nil // of another try
	if s.image.Seq == 0 && !s.format.evidence {
		s.take(slices.Repeat([]uint8{segment.Void}, s.image.Width*s.image.Height))
		return nil
	}
	if s.annotation == nil {
		a, err := s.source.Visit(ctx, s.image.ID)
		if err != nil {
			return err
		}
		s.annotation = a
	}
	a := s.annotation
	s.state = a.State()
	if s.guess() == guessExported || slices.Contains(s.format.Uses, "hypotheses") {
		s.state, s.sequence = a.Present() // somebody may have accepted the guess since
	}
	pixels := a.PixelsOf(s.state)
	_, s.objects = a.Objects(s.state, pixels)
	if s.guess() == guessExported && s.sequence.Len() > 0 {
		h, err := s.sequence.At(ctx, 0)
		if err != nil {
			return err
		}
		guessed := s.state
		guessed.Labels = h.Labels
		pixels = a.PixelsOf(guessed)
	}
	if len(pixels) != s.image.Width*s.image.Height {
		return fmt.Errorf("a labelling of %d pixels for %d×%d", len(pixels), s.image.Width, s.image.Height)
	}
	s.take(pixels)
	return nil
}

// take turns class ids, which it keeps, into the mask.
func (s *subject) take(pixels []uint8) {
	s.mask = mask.Mask{Width: s.image.Width, Height: s.image.Height, Pixels: pixels}
	for i, class := range pixels {
		index := s.index[class]
		if index == segment.Void {
			s.undecided++
			if s.options.Undecided == "background" {
				index = 0
			}
		}
		pixels[i] = index
	}
}

// encode makes what the image adds to the archive, with its picture and its
// report.
func (s *subject) encode(ctx context.Context) (*piece, error) {
	p, err := s.encoder.image(ctx, s)
	if err != nil {
		return nil, err
	}
	if s.outdated() {
		return nil, segment.Errorf(segment.Conflict, "The project's classes changed during the export. Start it again.")
	}
	damaged := false
	if *s.options.Pictures && s.pictureName != "" {
		picture, why, err := s.picture(ctx)
		switch {
		case segment.KindOf(err) == segment.Damaged:
			damaged = true
			why = "The picture is missing: the server's file of it is lost or damaged."
		case err != nil:
			return nil, err
		case picture.Report.Name != "":
			p.files = append(p.files, picture)
		}
		if why != "" {
			p.lossy = append(p.lossy, why)
		}
	}
	if len(p.lossy) == 0 && p.note == "" && p.out < len(s.partition().Regions) {
		p.note = fmt.Sprintf("%q has no objects of its own: it is everything that no object covers.", s.project.Classes[0].Name)
	}
	im := &s.image
	split := s.set()
	if split == setAll {
		split = ""
	}
	p.report = ImageReport{
		ID: im.ID, Name: im.Name, Stem: s.stem, Split: split, Width: im.Width, Height: im.Height, Status: im.Status(),
		Guess: s.guess(), Damaged: damaged, Undecided: s.undecided, RegionsIn: len(s.partition().Regions), RegionsOut: p.out,
		Lossy: sentences(p.lossy), Note: strings.TrimSpace(p.note + " " + guessNotes[s.guess()]),
	}
	return p, nil
}

// list returns the objects of the image as the options want them, the object of each region
// or -1, and the beginning of the piece, which says what no object covers.
func (s *subject) list() (objects []regions.Object, of []int32, p *piece) {
	objects, of = s.partition().Objects(regions.Which{
		PerClass: s.options.Objects == "class" && slices.Contains(s.format.Uses, "objects"), Background: *s.options.Background,
	})
	return objects, of, &piece{lossy: s.leftOut(of)}
}

// leftOut says which regions aren't exported as objects, and what that loses. Without
// undecided pixels nothing is lost: whatever no object covers is class 0.
func (s *subject) leftOut(of []int32) []string {
	p := s.partition()
	count, pixels := 0, 0
	for i, r := range p.Regions {
		if of[i] < 0 {
			count++
			pixels += r.Area
		}
	}
	if count == 0 || !slices.Contains(p.Pixels, segment.Void) {
		return nil
	}
	return []string{fmt.Sprintf("No object covers %s of %q (%s): readers can't tell that from undecided pixels.", segment.Counted(count, "region"), s.project.Classes[0].Name, segment.Counted(pixels, "pixel"))}
}

// What becomes of a guess that nobody has accepted.
const (
	guessExported = "exported"
	guessLeftOut  = "left-out"
)

// guessNotes tell people so.
var guessNotes = map[string]string{
	guessExported: "Its labels are a guess that nobody has accepted.",
	guessLeftOut:  "It has a guess that nobody has accepted, which was left out.",
}

// guess says what becomes of the image's guess, once it is open; it is empty without
// one, or if people have said more. Who made the guess doesn't matter. A backup holds
// guesses as what they are.
func (s *subject) guess() string {
	switch {
	case s.state.Guess == nil || s.labelled() || s.format.Name == "backup":
		return ""
	case *s.options.Guesses:
		return guessExported
	}
	return guessLeftOut
}

// labelled reports whether any part of the image has a label.
func (s *subject) labelled() bool {
	return len(s.state.Repairs) > 0 || slices.ContainsFunc(s.state.Labels, func(l uint8) bool { return l != segment.Void })
}

// secret reports whether hypotheses would tell of a guess by the project that is left
// out. Scores that people import are theirs to see.
func (s *subject) secret() bool { return s.image.Guessed && s.guess() == guessLeftOut }

// outdated reports whether the image's labels may refer to other classes than
// the job's, whose names and order were read at its start.
func (s *subject) outdated() bool {
	if s.annotation == nil {
		return false
	}
	p := s.annotation.Project()
	return *p.Resolve() != *s.resolved
}

// failed says which image an error is about.
func (s *subject) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("exporting the image %s, %q: %w", s.image.ID, s.image.Name, err)
}

// close gives back the evidence.
func (s *subject) close() {
	if s.annotation != nil {
		s.annotation.Close()
	}
}

// partition divides the mask the first time it is called.
func (s *subject) partition() *regions.Partition {
	if s.parts == nil {
		s.parts = regions.Divide(s.mask, s.objects)
	}
	return s.parts
}

// blob reads one of the image's files.
func (s *subject) blob(ctx context.Context, key string) ([]byte, error) {
	blob, err := s.source.Blob(ctx, s.image, key)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	b, err := segment.ReadBlob(blob)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", key, err)
	}
	return b, nil
}
