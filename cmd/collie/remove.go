package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
)

// removeCommand takes embeddings or first guesses away from images.
type removeCommand struct {
	Project string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	What    string   `arg:"" enum:"embeddings,guesses" help:"What to remove: embeddings, or guesses, which are imported scores, what the project has learned, and copied labellings."`
	Images  []string `arg:"" optional:"" help:"Ids or names of images; all images of the project if none are given."`
}

// Run adds the event that removes it to each image that has one, prints these, and
// continues after an image that somebody is changing, or has just moved to the trash.
func (c *removeCommand) Run(ctx context.Context, s *server, out streams) error {
	_, chosen, err := s.chosen(ctx, c.Project, c.Images)
	if err != nil {
		return err
	}
	kind := map[string]string{"embeddings": "embedding", "guesses": "guess"}[c.What]
	removed, failed := 0, 0
	for _, im := range chosen {
		event := map[string]any{"id": rand.Text(), "expected_seq": im.Seq, "kind": kind}
		err := s.send(ctx, "POST", "/api/v1/images/"+im.ID+"/evidence", event, nil)
		var f *failure
		switch {
		case err == nil:
			removed++
			fmt.Fprintf(out.stdout, "%s\t%s\n", im.ID, im.Name)
		case errors.As(err, &f) && f.status == http.StatusConflict:
			failed++
			fmt.Fprintf(out.stderr, "%s: changed meanwhile; nothing was removed\n", im.Name)
		case errors.As(err, &f) && f.status == http.StatusNotFound && s.gone(ctx, im.ID): // rather than hidden from a role
			fmt.Fprintf(out.stderr, "%s: moved to the trash meanwhile\n", im.Name)
		case errors.As(err, &f) && f.status == http.StatusUnprocessableEntity: // there is nothing to remove
		default:
			return fmt.Errorf("%s: %w", im.Name, err)
		}
	}
	fmt.Fprintf(out.stderr, "%s removed from %d of %d images, %d failed\n", c.What, removed, len(chosen), failed)
	if failed > 0 {
		return errors.New("some images were changed meanwhile; run the command again")
	}
	return nil
}

// gone reports whether an image can't even be looked at.
func (s *server) gone(ctx context.Context, id string) bool {
	var f *failure
	return errors.As(s.send(ctx, "GET", "/api/v1/images/"+id, nil, nil), &f) && f.status == http.StatusNotFound
}
