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
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	all, err := s.images(ctx, p.ID)
	if err != nil {
		return err
	}
	chosen, err := choose(all, c.Images)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(chosen, most) {
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

// choose returns the ids of the images that are wanted by id or name, of all if none are.
func choose(all []picture, wanted []string) (ids []string, err error) {
	if len(wanted) == 0 {
		for _, im := range all {
			ids = append(ids, im.ID)
		}
		return ids, nil
	}
	named := map[string][]string{}
	for _, im := range all {
		named[im.Name] = append(named[im.Name], im.ID)
		named[im.ID] = []string{im.ID}
	}
	for _, name := range wanted {
		switch found := named[name]; len(found) {
		case 0:
			return nil, fmt.Errorf("no image of the project has the id or name %q; nothing was changed", name)
		case 1:
			ids = append(ids, found[0])
		default:
			return nil, fmt.Errorf("%d images are called %q; use the ids, which 'collie list' shows. Nothing was changed", len(found), name)
		}
	}
	return ids, nil
}
