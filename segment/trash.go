package segment

import "time"

// TrashDays is how long what was deleted can be restored.
const TrashDays = 30

// TrashKind is the sort of thing that an item of the trash is.
type TrashKind string

// The kinds of TrashItem.
const (
	TrashedProject TrashKind = "project"
	TrashedImage   TrashKind = "image"
	TrashedClass   TrashKind = "class"
)

// Erased is a project or an image that was deleted for good.
type Erased struct {
	Kind     TrashKind
	ID, Name string
}

// TrashItem is something that was deleted and can still be restored.
type TrashItem struct {
	Kind        TrashKind
	ID          string // of a class: that of its project, a hyphen and its own
	Name        string
	ProjectID   string // the project it belongs to; a project belongs to itself
	ProjectName string
	Images      int // number of images restored with it
	Trashed     time.Time
}

// Until is when the item can no longer be restored: the first sweep after it
// erases the item.
func (i *TrashItem) Until() time.Time { return i.Trashed.AddDate(0, 0, TrashDays) }
