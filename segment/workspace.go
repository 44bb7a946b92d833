package segment

import (
	"context"
	"io"
	"runtime"
	"time"

	"collie/segment/access"
	"collie/segment/photo"
)

// DefaultImages is how many images one project can hold unless LimitImages says
// otherwise.
const DefaultImages = 10_000

// Workspace is all that a person can do with projects and images, whatever the
// transport. Errors meant for people are of type *Error. Safe for concurrent
// use.
type Workspace struct {
	store  Store
	blobs  Blobs
	gate   *photo.Gate
	images int           // that a project can hold
	ingest chan struct{} // a place per image that is being segmented
	open   *openImages
	guard  *guard
}

// NewWorkspace returns a workspace over the given stores. Uploads pass through
// gate.
func NewWorkspace(store Store, blobs Blobs, gate *photo.Gate) *Workspace {
	w := &Workspace{store: store, blobs: blobs, gate: gate, guard: new(guard)}
	w.images = DefaultImages
	w.ingest = make(chan struct{}, runtime.GOMAXPROCS(0))
	w.open = newOpenImages(w.load)
	return w
}

// LimitImages sets how many images one project can hold; call it before the
// workspace is used.
func (w *Workspace) LimitImages(n int) { w.images = n }

// CreateProject makes a project; with no classes it gets DefaultClasses.
func (w *Workspace) CreateProject(ctx context.Context, name string, classes []Class) (Project, error) {
	if err := w.May(ctx, access.Manage); err != nil {
		return Project{}, err
	}
	if len(classes) == 0 {
		classes = DefaultClasses()
	}
	name, err := CleanName("project name", name)
	if err != nil {
		return Project{}, err
	}
	if classes, err = NormalizeClasses(classes); err != nil {
		return Project{}, err
	}
	p := Project{ID: NewID(), Name: name, Classes: classes, Created: now()}
	return p, w.store.CreateProject(ctx, p)
}

// Project returns a project.
func (w *Workspace) Project(ctx context.Context, id string) (Project, error) {
	if err := w.May(ctx, access.Read); err != nil {
		return Project{}, err
	}
	return w.store.Project(ctx, id)
}

// Projects lists the projects that are not in the trash, newest first.
func (w *Workspace) Projects(ctx context.Context) ([]Project, error) {
	if err := w.May(ctx, access.Read); err != nil {
		return nil, err
	}
	return w.store.Projects(ctx)
}

// EditProject changes the name, unless it is empty, and the classes, unless the
// list is. Classes keep their index, so the list can rename, recolour and add
// at the end, but not shorten: evidence may refer to any class.
func (w *Workspace) EditProject(ctx context.Context, id, name string, classes []Class) (Project, error) {
	if err := w.May(ctx, access.Manage); err != nil {
		return Project{}, err
	}
	p, err := w.store.Project(ctx, id)
	if err != nil {
		return Project{}, err
	}
	if name != "" {
		if p.Name, err = CleanName("project name", name); err != nil {
			return Project{}, err
		}
	}
	if len(classes) > 0 {
		if len(classes) < len(p.Classes) {
			return Project{}, Errorf(Invalid, "The project has %d classes and the new list only %d. Classes can be renamed, recoloured and added at the end, not removed. Nothing was changed.", len(p.Classes), len(classes))
		}
		if p.Classes, err = NormalizeClasses(classes); err != nil {
			return Project{}, err
		}
	}
	return p, w.store.UpdateProject(ctx, p)
}

// Image returns an image's record.
func (w *Workspace) Image(ctx context.Context, id string) (Image, error) {
	if err := w.May(ctx, access.Read); err != nil {
		return Image{}, err
	}
	return w.store.Image(ctx, id)
}

// Images lists a project's images in order of upload.
func (w *Workspace) Images(ctx context.Context, projectID string) ([]Image, error) {
	if err := w.May(ctx, access.Read); err != nil {
		return nil, err
	}
	if _, err := w.store.Project(ctx, projectID); err != nil {
		return nil, err
	}
	return w.store.Images(ctx, projectID)
}

// Blob opens one of an image's blobs; the caller closes it.
func (w *Workspace) Blob(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if err := w.May(ctx, access.Read); err != nil {
		return nil, err
	}
	return w.blobs.Open(ctx, key)
}

// Open returns the image ready to work on; Close it when done.
func (w *Workspace) Open(ctx context.Context, imageID string) (*Annotation, error) {
	if err := w.May(ctx, access.Read); err != nil {
		return nil, err
	}
	// One that is in memory may have gone to the trash meanwhile.
	if _, err := w.store.Image(ctx, imageID); err != nil {
		return nil, err
	}
	return w.open.acquire(ctx, imageID)
}

// now is the present time as the store keeps it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
