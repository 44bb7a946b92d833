package workspace

import "context"

// Watch sets what is called with the id of an open image whose state has
// changed in another way than by Annotation.Append: a change of the project's
// classes, an imported mask. It must be set before the workspace is used.
func (w *Workspace) Watch(changed func(imageID string)) { w.changed = changed }

// tell calls what Watch has set.
func (w *Workspace) tell(imageID string) {
	if w.changed != nil {
		w.changed(imageID)
	}
}

// classesChanged brings the images of the project that are open up to date.
func (w *Workspace) classesChanged(ctx context.Context, projectID string) {
	for _, a := range w.open.ready() {
		if a.image.ProjectID != projectID {
			continue
		}
		// An image whose project can't be read now reads it at its next event.
		if changed, err := a.refresh(ctx); err == nil && changed {
			w.tell(a.image.ID)
		}
	}
}
