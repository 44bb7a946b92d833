package segment

import (
	"context"
	"iter"
	"time"

	"collie/segment/audit"
)

// Store keeps what people made: projects, image records and evidence. Every
// write has reached the disk when its call returns; a write that can't be done
// changes nothing and is an Error of kind Unavailable, or Full when only space
// is missing. Only when the connection to a database breaks can a write that is
// Unavailable have been stored, which its Detail says. Unknown and deleted things are
// NotFound. Safe for concurrent use.
type Store interface {
	ProjectStore
	ImageStore
	ImageLists
	EvidenceStore
	TrashStore
	MemberStore
	audit.Store
}

// ProjectStore keeps projects.
type ProjectStore interface {
	CreateProject(ctx context.Context, p Project) error
	Project(ctx context.Context, id string) (Project, error)
	// Projects lists them in the order in which they were stored, the latest first. Those
	// whose records can't be read are left out, and named by an error of kind Damaged
	// that comes with the others.
	Projects(ctx context.Context) ([]Project, error)
	// Overviews sums up the images of each project, in the order of Projects and with
	// its error.
	// Done goes by the progress that records hold; Own counts the images that wait for
	// the user of a name, none if it is empty: those assigned to them that aren't done, by
	// their status by hand or, without one, by their progress.
	Overviews(ctx context.Context, name string) ([]Overview, error)
	// UpdateProject stores a record made from the one with the same Revision, as
	// the next one. When the stored record has another Revision, the error is a
	// Conflict: somebody else has changed the project in between.
	UpdateProject(ctx context.Context, p Project) error
}

// ImageStore keeps image records.
type ImageStore interface {
	// CreateImage stores a new image's record, with an empty log. A project that has
	// most images already is TooLarge, also when others add to it; 0 is any number.
	CreateImage(ctx context.Context, im Image, most int) error
	Image(ctx context.Context, id string) (Image, error)
	// Heads says how far the given images and their projects have come, by id of
	// image, without those that are unknown or deleted.
	Heads(ctx context.Context, imageIDs []string) (map[string]Head, error)
	// NoteDoubt sets what an image's record says of doubt, which can be nothing.
	NoteDoubt(ctx context.Context, imageID string, share *float64) error
	// SetReview gives images of a project a review, all or, when one of them is
	// unknown, none. Looked has, by id of image, what the review is about, whose Seq
	// takes the place of r.Seq and counts as at most the number of events that the
	// image has. An image with another review than it says is a Conflict, and so is an
	// approved one unless approved says that those get it, too.
	SetReview(ctx context.Context, projectID string, looked map[string]Looked, r Review, approved bool) error
	// Assign gives images of a project to the user of a name, or to nobody if it is
	// empty, all or, when one of them is unknown, none. Where replaces is not nil, an
	// image that somebody else has is a Conflict.
	Assign(ctx context.Context, projectID string, imageIDs []string, assignee string, replaces *string) error
}

// ImageLists lists the images of projects, in order of upload.
type ImageLists interface {
	// ImagesAfter lists up to limit images that follow the one with the id after,
	// which can be in the trash; the first ones if it is empty.
	ImagesAfter(ctx context.Context, projectID, after string, limit int) ([]Image, error)
	// CountImages is how many images a project has.
	CountImages(ctx context.Context, projectID string) (int, error)
	// Place says where an image is in its project.
	Place(ctx context.Context, imageID string) (Place, error)
}

// Place is where an image is among those of its project, in order of upload.
type Place struct {
	Position, Total int    // from 1 to Total
	Previous, Next  string // ids of the images beside it; empty at the ends
}

// Head is the current state of an image, as a reader can compare it with its own.
type Head struct {
	Seq      int    // events in the image's log
	Last     string // id of the last of them; empty without any
	Revision int    // of the project
}

// EvidenceStore keeps the evidence log of each image.
type EvidenceStore interface {
	// Append stores e as number expected+1 of the image's log, and more behind it, all
	// or none, together with the progress they lead to. When the log already has another length, or another
	// last event than e.After, the error is a Conflict whose Seq is the current length.
	Append(ctx context.Context, imageID string, expected int, e Event, p Progress, more ...Event) error
	// Events returns the log from number after+1 on, in order.
	Events(ctx context.Context, imageID string, after int) ([]Event, error)
	// Efforts says what people did to each image of a project that has events, by id.
	Efforts(ctx context.Context, projectID string) (map[string]Effort, error)
	// FindEvent returns the event of an image that has a client-made id, or nil.
	FindEvent(ctx context.Context, imageID, id string) (*Event, error)
}

// Effort is what an image took.
type Effort struct {
	Actions int  // events by people, undos and redos included, imports not
	Guessed bool // it had a guess: the project's, imported scores or the labelling of another image
}

// TrashStore keeps what was deleted until it is erased for good. A project in the
// trash hides its images.
type TrashStore interface {
	TrashProject(ctx context.Context, id string) error
	// RemoveEmpty deletes a project for good that is not in the trash and has no image,
	// not even there. Others are NotFound.
	RemoveEmpty(ctx context.Context, id string) error
	// TrashImages moves images of a project to the trash, all or, when one of them is
	// unknown or there already, none.
	TrashImages(ctx context.Context, projectID string, imageIDs []string) error
	// Trash lists what was moved to the trash by itself, latest first.
	Trash(ctx context.Context) ([]TrashItem, error)
	// Trashed returns one such item.
	Trashed(ctx context.Context, id string) (TrashItem, error)
	// Restore takes one such item out of it. An image whose project is in the
	// trash too is a Conflict, and one whose project is full as in CreateImage is
	// TooLarge.
	Restore(ctx context.Context, id string, most int) (TrashItem, error)
	// RestoreImages is Restore for images of one project, all or none.
	RestoreImages(ctx context.Context, projectID string, imageIDs []string, most int) error
	// Erase deletes what went to the trash before a time, with its evidence, and
	// returns what is gone, images before projects, also with an error. entry makes
	// the entry of the audit log about the images, and about the projects, that are
	// to be erased. It is written together with the first of them; the others follow
	// one by one, so that others can write in between.
	Erase(ctx context.Context, before time.Time, entry func([]Erased) audit.Entry) ([]Erased, error)
	// EveryImage goes through all records, those in the trash included. One that can't be
	// read has its id, project and name, and an error of kind Damaged; others follow it.
	EveryImage(ctx context.Context) iter.Seq2[Image, error]
}
