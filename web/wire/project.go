// Package wire is what the calls under /api/v1 and the messages of the websocket
// have in common: projects, events and repairs as JSON.
package wire

import (
	"time"

	"collie/segment"
)

// Class is a class in project order.
type Class struct {
	ID    int    `json:"id" doc:"identifies the class in evidence, labels and hypotheses; never changes" schema:"min=0,max=254"`
	Index int    `json:"index" doc:"position in the project's list and value in exported masks"`
	Name  string `json:"name"`
	Color string `json:"color" schema:"pattern=^#[0-9a-fA-F]{6}$"`
}

// DeletedClass is a class that can be restored.
type DeletedClass struct {
	ID      int       `json:"id"`
	Name    string    `json:"name"`
	Color   string    `json:"color"`
	Target  int       `json:"target" doc:"id of the class that its labels became, or 255 for undecided"`
	Deleted time.Time `json:"deleted"`
}

// Project answers project calls.
type Project struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Classes  []Class        `json:"classes"`
	Deleted  []DeletedClass `json:"deleted,omitempty" doc:"classes that can be restored; absent if no class can"`
	Rest     Rest           `json:"rest"`
	Learning bool           `json:"learning" doc:"whether images that nobody has worked on get a first guess from the project's model"`
	Created  time.Time      `json:"created"`
	Role     string         `json:"role,omitempty" doc:"what whoever asks can do in the project; absent in messages of the websocket and in problems" schema:"enum=viewer|reviewer|annotator|owner|admin"`
}

// ProjectOf converts a project to JSON.
func ProjectOf(p segment.Project) Project {
	out := Project{ID: p.ID, Name: p.Name, Learning: !p.Unaided, Created: p.Created, Rest: RestOf(&p), Classes: make([]Class, len(p.Classes))}
	for i, c := range p.Classes {
		out.Classes[i] = Class{ID: int(c.ID), Index: i, Name: c.Name, Color: c.Color}
	}
	for _, c := range p.Deleted {
		if c.Restorable(time.Now()) {
			out.Deleted = append(out.Deleted, DeletedClass{int(c.ID), c.Name, c.Color, int(c.Target), c.Deleted})
		}
	}
	return out
}
