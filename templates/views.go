// Package templates holds the pages of Collie as templ components over plain
// view models. The pages carry no logic and no inline script or style: what the
// modules under /static need travels in data attributes, so that a Content
// Security Policy of 'self' alone serves them.
package templates

import (
	"fmt"
	"strconv"
	"time"
)

// StartView is the start page: where work begins and what there is already.
type StartView struct {
	Projects []ProjectCard
	Sample   string // address of the sample image if a project has it
}

// ProjectCard is a project as the start page lists it.
type ProjectCard struct {
	ID, Name string
	Images   int      // images in the project
	Done     int      // whose superpixels are all decided
	Own      int      // that wait for whoever looks
	Cover    string   // address of a picture, or empty
	Colors   []string // the colours of the classes, #rrggbb

	MayManage bool // whoever looks can delete it
}

// ProjectView is the page of one project.
type ProjectView struct {
	ID, Name string
	Classes  []Class
	Rest     string // what nobody clicks, in JSON
	Images   int
	Export   ExportView
	Users    []string // who can become a member, as far as the visitor knows
}

// Class is one class in project order.
type Class struct {
	ID    int // names it in evidence and labels
	Index int
	Name  string
	Color string // #rrggbb
}

// ImageCard is an image as lists and the annotation page show it.
type ImageCard struct {
	ID, Name      string
	Status        string // untouched, started or done
	Width, Height int    // pixels of the upright image
	Decided       float64
	Thumbnail     string // address of the thumbnail
}

// AnnotateView is the annotation page of one image.
type AnnotateView struct {
	Image                  ImageCard
	ProjectID, ProjectName string
	Classes                []Class
	Palette                []string // colours of new classes, by place
	Rest                   string   // what nobody clicks, in JSON
	Learning               bool     // the project makes guesses
	Previous, Next         string   // identifiers of the neighbouring images, or empty
	Position, Total        int      // 1-based place of the image in its project
	Regions                int      // superpixels
	Rejected               Rejection
	Assignee               string // name of the user who is to work on the image, or empty

	DisplayURL, SuperpixelsURL, SocketPath string

	Export ExportView
}

// Rejection is why an image was rejected, if it was.
type Rejection struct {
	By      string // name of the user, or empty
	Comment string // empty if it was not
}

// said says whose comment it is.
func (r *Rejection) said() string {
	if r.By == "" {
		return "Rejected:"
	}
	return "Rejected by " + r.By + ":"
}

// describes lists what a screen reader says of the image: the comment, if it was
// rejected, and the keys.
func (r *Rejection) describes() string {
	if r.Comment == "" {
		return "canvas-hint"
	}
	return "review-by review-comment canvas-hint"
}

// ExportView is the dialog that exports a project, or the image that is open.
type ExportView struct {
	ProjectID string
	Images    int    // in the project
	ImageID   string // empty where none is open
	Size      string // of the image
	Formats   []ExportFormat
}

// ExportFormat is a format in which images can be exported.
type ExportFormat struct {
	Name, Title, Summary string
	Uses                 string // names of the options that make a difference, with spaces between them
	Shapes               string // the default of that option
	Pictures, Background bool   // the defaults of those
}

// ProblemView is the page that says what went wrong.
type ProblemView struct {
	Status int // HTTP status, or 0
	Title  string
	Detail string
}

// TrashView is the page of what was deleted.
type TrashView struct {
	Days  int // how long things stay
	Items []TrashRow
}

// TrashRow is one thing in the trash.
type TrashRow struct {
	Kind      string // project, image or class
	ID, Name  string
	Project   string // name of the one it belongs to
	ProjectID string
	Images    int // that come back with it
	Until     time.Time
	Days      int // until then, begun ones included
}

// note says what the thing is.
func (r *TrashRow) note() string {
	switch r.Kind {
	case "project":
		return "Project with " + counted(r.Images, "image", "images")
	case "class":
		return "Class in " + r.Project
	}
	return "Image in " + r.Project
}

// imageOf is the project that an image belongs to; empty for other things.
func (r *TrashRow) imageOf() string {
	if r.Kind == "image" {
		return r.ProjectID
	}
	return ""
}

func (r *TrashRow) icon() string {
	switch r.Kind {
	case "project":
		return "folder"
	case "class":
		return "region"
	}
	return "picture"
}

// open is the address of the thing once it is restored.
func (r *TrashRow) open() string {
	if r.Kind == "image" {
		return "/images/" + r.ID
	}
	return "/projects/" + r.ProjectID
}

// left says how long a thing stays.
func left(days int) string {
	if days == 0 {
		return "erased today"
	}
	return counted(days, "day", "days") + " left"
}

func size(im ImageCard) string { return fmt.Sprintf("%d × %d", im.Width, im.Height) }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func statusIcon(status string) string {
	switch status {
	case "done":
		return "check"
	case "started":
		return "half"
	}
	return "ring"
}
