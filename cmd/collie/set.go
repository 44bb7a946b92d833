package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// setCommand sets the status of images by hand, or who is to work on them.
type setCommand struct {
	Project string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	Images  []string `arg:"" optional:"" help:"Ids or names of images; all images of the project if none are given."`

	Status  *string `enum:"none,todo,progress,done,approved,rejected" help:"Status by hand: ${enum}."`
	Comment string  `help:"Comment for whoever works on the images; needed with --status rejected."`
	Assign  *string `help:"Name of the member who is to work on the images; \"\" for nobody."`
}

// Validate is called before the server is asked.
func (c *setCommand) Validate() error {
	switch {
	case c.Status == nil && c.Assign == nil:
		return errors.New("say what to set: --status, --assign or both")
	case c.Comment != "" && c.Status == nil:
		return errors.New("--comment goes with --status")
	case c.Status != nil && *c.Status == "rejected" && strings.TrimSpace(c.Comment) == "":
		return errors.New("--status rejected needs a --comment that says what to correct")
	}
	return nil
}

// most is how many images one request can change.
const most = 10_000

// Run changes all images or, after an error, none of a request, which has most images.
// Assignments are requests before those of statuses.
func (c *setCommand) Run(ctx context.Context, s *server) error {
	p, chosen, err := s.chosen(ctx, c.Project, c.Images)
	if err != nil {
		return err
	}
	ids := make([]string, len(chosen))
	for i, im := range chosen {
		ids[i] = im.ID
	}
	for part := range slices.Chunk(ids, most) {
		if c.Assign != nil {
			body := map[string]any{"images": part, "assignee": *c.Assign}
			if err := s.send(ctx, "PUT", "/api/v1/projects/"+p.ID+"/assignments", body, nil); err != nil {
				return err
			}
		}
		if c.Status != nil {
			body := map[string]any{"images": part, "status": *c.Status}
			if *c.Status == "none" {
				body["status"] = ""
			}
			if c.Comment != "" {
				body["comment"] = c.Comment
			}
			err := s.send(ctx, "PUT", "/api/v1/projects/"+p.ID+"/reviews", body, nil)
			if err != nil && c.Assign != nil {
				return fmt.Errorf("the images have been assigned, but their status could not be set: %w", err)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// chosen returns a project and those of its images that are wanted by id or name, all if
// none are.
func (s *server) chosen(ctx context.Context, name string, wanted []string) (p project, chosen []picture, err error) {
	if p, err = s.project(ctx, name); err != nil {
		return p, nil, err
	}
	all, err := s.images(ctx, p.ID)
	if err != nil || len(wanted) == 0 {
		return p, all, err
	}
	named := map[string][]picture{}
	for _, im := range all {
		named[im.Name] = append(named[im.Name], im)
		named[im.ID] = []picture{im}
	}
	for _, name := range wanted {
		switch found := named[name]; len(found) {
		case 0:
			return p, nil, fmt.Errorf("no image of the project has the id or name %q; nothing was changed", name)
		case 1:
			chosen = append(chosen, found[0])
		default:
			return p, nil, fmt.Errorf("%d images are called %q; use the ids, which 'collie list' shows. Nothing was changed", len(found), name)
		}
	}
	return p, chosen, nil
}
