package workspace

import (
	"context"
	"fmt"
	"strings"

	"collie/segment"
)

// ClassesInUse is the cause of the Conflict when an edit deletes classes that
// images use without a replacement.
type ClassesInUse struct {
	Images map[uint8]int // by class id, how many images use it
}

func (e *ClassesInUse) Error() string { return fmt.Sprintf("classes in use: %v", e.Images) }

// unused returns a Conflict if an image uses one of the newly deleted classes
// and remap has no replacement for it.
func (w *Workspace) unused(ctx context.Context, before *segment.Project, deleted []segment.DeletedClass, remap map[uint8]uint8) error {
	var open []segment.Class
	for _, c := range deleted {
		_, listed := before.Class(int(c.ID))
		if _, mapped := remap[c.ID]; listed && !mapped {
			open = append(open, c.Class)
		}
	}
	if len(open) == 0 {
		return nil
	}
	used, err := w.classUse(ctx, before)
	if err != nil {
		return err
	}
	inUse := &ClassesInUse{Images: map[uint8]int{}}
	var names []string
	for _, c := range open {
		if n := used[c.ID]; n > 0 {
			inUse.Images[c.ID] = n
			names = append(names, fmt.Sprintf("%q (in %s)", c.Name, plural(n, "image")))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return segment.Errorf(segment.Conflict, "Labels use %s. Choose a replacement: another class, or 255 for undecided. Nothing was changed.", strings.Join(names, ", ")).Because(inUse)
}

// classUse counts, for each class of the list, the images whose labelling has
// it. Image records list their classes; images with older records, which don't,
// are opened.
func (w *Workspace) classUse(ctx context.Context, p *segment.Project) (*[segment.MaxClasses]int, error) {
	images, err := w.store.Images(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	var counts [segment.MaxClasses]int
	table := p.Resolve()
	for _, im := range images {
		classes := im.Classes
		if im.Seq > 0 && classes == nil {
			a, err := w.Visit(ctx, im.ID)
			if err != nil {
				return nil, err
			}
			classes = a.Classes()
			a.Close()
		}
		var here [256]bool
		for _, c := range classes {
			here[table[c.ID]] = true
		}
		for id := range counts {
			if here[id] {
				counts[id]++
			}
		}
	}
	return &counts, nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
