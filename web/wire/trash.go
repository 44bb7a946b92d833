package wire

import (
	"time"

	"collie/segment"
)

// TrashItem is something in the trash.
type TrashItem struct {
	Kind        segment.TrashKind `json:"kind" schema:"enum=project|image|class"`
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Project     string            `json:"project" doc:"identifier of the project it belongs to"`
	ProjectName string            `json:"project_name"`
	Images      int               `json:"images" doc:"number of images restored with it"`
	Trashed     time.Time         `json:"trashed"`
	Until       time.Time         `json:"until" doc:"when it is deleted for good"`
}

// TrashItemOf converts an item of the trash to JSON.
func TrashItemOf(item segment.TrashItem) TrashItem {
	return TrashItem{
		Kind: item.Kind, ID: item.ID, Name: item.Name, Project: item.ProjectID, ProjectName: item.ProjectName,
		Images: item.Images, Trashed: item.Trashed, Until: item.Until(),
	}
}
