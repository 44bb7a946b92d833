package segment

import (
	"context"
	"iter"
	"time"
)

// Image is the record of an uploaded photograph. Its pixels and its superpixel
// hierarchy are blobs under the keys below.
type Image struct {
	ID        string
	ProjectID string
	Name      string // file name as uploaded, cleaned; for people only
	Format    string // jpeg, png, webp, gif, bmp or tiff
	Width     int    // pixels, as displayed (EXIF orientation applied)
	Height    int
	Regions   int   // initial number of superpixels
	Bytes     int64 // size of the original
	Created   time.Time

	Seq int // number of evidence events
	Progress

	// Doubt is the expected share of the area, 0..1, that is wrong, from the
	// hypotheses of a state that people saw; nil without hypotheses.
	Doubt *float64

	Review   Review
	Assignee string // name of the user who is to work on the image; empty for nobody
}

// part is how many records EachImage reads at a time.
const part = 1000

// EachImage goes through the images of a project in order of upload. It reads their
// records in parts with list, which is ImagesAfter of a store or workspace, so that it
// takes the same memory for any number of them.
func EachImage(ctx context.Context, projectID string, list func(ctx context.Context, projectID, after string, limit int) ([]Image, error)) iter.Seq2[Image, error] {
	return func(yield func(Image, error) bool) {
		for after := ""; ; {
			some, err := list(ctx, projectID, after, part)
			if err != nil {
				yield(Image{}, err)
				return
			}
			for _, im := range some {
				if !yield(im, nil) {
					return
				}
			}
			if len(some) < part {
				return
			}
			after = some[len(some)-1].ID
		}
	}
}

// Progress is the part of an image's state kept in its record, so that lists
// need not replay the evidence.
type Progress struct {
	Clicks  int     // superpixels with a click
	Decided float64 // share of the area that has a class, 0..1
	// Classes are those of clicks and labelling, by the ids used in the
	// evidence; nil, in older records, means unknown.
	Classes []ClassShare
	// Left is how many pixels an import left undecided. An image is done when no
	// more than these are undecided.
	Left int
	// Untouched says that no person has worked on the image: its events are first
	// guesses by the project and embeddings.
	Untouched bool
	// Guessed says that a first guess by the project, which no person has
	// reviewed, is all that is said of the image's classes.
	Guessed bool
	// Hinted says that the image has a first guess, be it the project's, from imported
	// scores or from another image.
	Hinted bool
}

// OnlyHinted reports whether a first guess is all that is said of the image's classes,
// so that nothing has a label until somebody accepts one.
func (p *Progress) OnlyHinted() bool { return p.Hinted && p.Decided == 0 }

// ClassShare is one class's share of an image.
type ClassShare struct {
	ID     uint8
	Area   int // pixels of the labelling
	Clicks int // superpixels with a click
}

// Resolve updates a progress that was stored before classes were deleted.
func (p *Progress) Resolve(table *ClassTable, area int) {
	if p.Classes == nil {
		return
	}
	decided := 0
	p.Clicks = 0
	for _, c := range p.Classes {
		if table[c.ID] != Void {
			decided += c.Area
			p.Clicks += c.Clicks
		}
	}
	p.Decided = float64(decided) / float64(area)
}

// Complete reports whether nothing is left to decide of an image of an area in
// pixels.
func (p *Progress) Complete(area int) bool {
	return p.Decided >= 1 || p.Left > 0 && p.Decided*float64(area)+float64(p.Left) >= float64(area)-0.5
}

// What an image's status can be.
const (
	StatusUntouched = "untouched"
	StatusStarted   = "started"
	StatusDone      = "done" // everything is decided but for what an import left undecided
)

// Status is the status of an image.
func (im *Image) Status() string {
	switch {
	case im.Seq == 0 || im.Untouched:
		return StatusUntouched
	case im.Complete(im.Width * im.Height):
		return StatusDone
	}
	return StatusStarted
}

// Keys of an image's blobs.
func (im *Image) OriginalKey() string  { return "original/" + im.ID }
func (im *Image) DisplayKey() string   { return "display/" + im.ID }
func (im *Image) HierarchyKey() string { return "hierarchy/" + im.ID }
func (im *Image) GraphKey() string     { return "graph/" + im.ID }
func (im *Image) ThumbnailKey() string { return "thumbnail/" + im.ID }

// FeaturesKey is the key of the features for learning. They can be recomputed
// and need not exist.
func (im *Image) FeaturesKey() string { return "features/" + im.ID }

// LearntKey is the key of a project's model, which can be lost.
func LearntKey(projectID string) string { return "learnt/" + projectID }

// EmbeddingsKey is the key of how much a project's embeddings count, which can be
// lost.
func EmbeddingsKey(projectID string) string { return "embeddings/" + projectID }

// Keys are the keys of all blobs that an image has.
func (im *Image) Keys() []string {
	return []string{im.OriginalKey(), im.DisplayKey(), im.HierarchyKey(), im.GraphKey(), im.ThumbnailKey()}
}
