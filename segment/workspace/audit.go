package workspace

import (
	"context"
	"fmt"
	"strings"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// Record writes into the audit log that the principal of ctx does something that
// no store changes. What changes the store is written with the change.
func (w *Workspace) Record(ctx context.Context, action audit.Action, about, detail string) error {
	return w.store.Record(ctx, audit.New(ctx, action, about, detail))
}

// EntriesAfter returns up to limit entries of the audit log after a number, the
// oldest first.
func (w *Workspace) EntriesAfter(ctx context.Context, after int64, limit int) ([]audit.Entry, error) {
	if err := w.May(ctx, access.Administer); err != nil {
		return nil, err
	}
	return w.store.EntriesAfter(ctx, after, limit)
}

// EntriesBefore returns up to limit entries of the audit log before a number, 0 for
// the end, the newest first.
func (w *Workspace) EntriesBefore(ctx context.Context, before int64, limit int) ([]audit.Entry, error) {
	if err := w.May(ctx, access.Administer); err != nil {
		return nil, err
	}
	return w.store.EntriesBefore(ctx, before, limit)
}

// TrashedNames returns the names of projects that were moved to the trash, or removed,
// after an entry of the audit log, by their identifiers.
func (w *Workspace) TrashedNames(ctx context.Context, after int64) (map[string]string, error) {
	if err := w.May(ctx, access.Administer); err != nil {
		return nil, err
	}
	trashed, err := w.store.EntriesOf(ctx, audit.ProjectTrashed, after)
	if err != nil {
		return nil, err
	}
	removed, err := w.store.EntriesOf(ctx, audit.ProjectRemoved, after)
	names := map[string]string{}
	for _, e := range append(trashed, removed...) {
		names[e.About] = e.Detail
	}
	return names, err
}

// mostNamed is how many images or classes an entry of the audit log names.
const mostNamed = 20

// named is an image or a project in the details of an entry.
func named(name, id string) string { return fmt.Sprintf("%q %s", name, id) }

func namedImage(im segment.Image) string { return named(im.Name, im.ID) }

// erased are the details of audit.Erased: images or projects.
func erased(gone []segment.Erased) string {
	return segment.Counted(len(gone), string(gone[0].Kind)) + ": " + listed(gone, func(e segment.Erased) string { return named(e.Name, e.ID) })
}

// listed is the first of some images or classes in the details of an entry.
func listed[T any](all []T, name func(T) string) string {
	var names []string
	for _, one := range all[:min(len(all), mostNamed)] {
		names = append(names, name(one))
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
