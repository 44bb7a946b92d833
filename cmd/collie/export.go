package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"collie/cmd/internal/remarks"
	"collie/storage/disk"
)

// exportCommand downloads labels.
type exportCommand struct {
	Project string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	Out     string   `arg:"" type:"path" help:"Zip file to write; an existing file is replaced once the new one is complete."`
	Format  string   `default:"index-png" help:"Format, such as index-png, voc, coco, yolo, numpy, hypotheses or backup."`
	Option  []string `sep:"none" placeholder:"NAME=VALUE" help:"Option of the format, such as drafts=false or undecided=background; repeat it for more. /api on the server lists them."`
}

// Run starts the export, waits until it is done and downloads it.
func (c *exportCommand) Run(ctx context.Context, s *server, out streams) error {
	options, err := optionsOf(c.Option)
	if err != nil {
		return err
	}
	if c.Out, err = disk.Target(c.Out); err != nil { // before the server makes it
		return err
	}
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	var j job
	if err := s.send(ctx, "POST", "/api/v1/projects/"+p.ID+"/exports", map[string]any{"format": c.Format, "options": options}, &j); err != nil {
		return err
	}
	address := "/api/v1/exports/" + j.ID
	for wait := 50 * time.Millisecond; j.Status != "done"; wait = min(2*wait, 2*time.Second) {
		if err := pause(ctx, wait); err != nil {
			return err
		}
		if err := s.send(ctx, "GET", address, nil, &j); err != nil {
			return err
		}
		if j.Status == "failed" {
			return fmt.Errorf("the export failed: %s", j.Problem)
		}
	}
	if err := s.patiently(ctx, func() error { return s.download(ctx, address+"/file", c.Out) }); err != nil {
		return err
	}
	r := &j.Report
	fmt.Fprintf(out.stderr, "%d exported to %s, %d left out, %d not exact\n", r.Exported, c.Out, r.Omitted, r.Lossy)
	if r.LeftOut > 0 {
		fmt.Fprintf(out.stderr, "images without labels, whose guess nobody has accepted: %d (--option guesses=true exports the guess)\n", r.LeftOut)
	}
	var said remarks.List
	for _, im := range r.Images {
		said.Add(im.Name, im.Lossy+" "+im.Note)
	}
	for _, im := range r.Skipped {
		said.Add(im.Name, "left out. "+im.Why)
	}
	said.Print(out.stderr)
	if r.Damaged == 0 {
		return nil
	}
	return fmt.Errorf("%s is complete but for images whose files on the server are lost or damaged: %d", c.Out, r.Damaged)
}

// optionsOf reads NAME=VALUE; a value that is not JSON is taken as a string.
func optionsOf(arguments []string) (map[string]any, error) {
	options := map[string]any{}
	for _, argument := range arguments {
		name, text, ok := strings.Cut(argument, "=")
		if !ok {
			return nil, fmt.Errorf("--option %q is not of the form NAME=VALUE", argument)
		}
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text
		}
		options[name] = value
	}
	return options, nil
}

// download writes an answer to a file, which is complete or doesn't exist.
func (s *server) download(ctx context.Context, address, to string) error {
	resp, err := s.open(ctx, "GET", address, "", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	err = disk.Replace(to, func(part *os.File) error {
		n, err := io.Copy(part, resp.Body)
		if err == nil && resp.ContentLength >= 0 && n != resp.ContentLength {
			err = io.ErrUnexpectedEOF
		}
		if ours := new(fs.PathError); err != nil && !errors.As(err, &ours) {
			err = fmt.Errorf("the download broke off: %w", s.broken(resp.Request, err))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s was not written: %w", to, err)
	}
	return nil
}
