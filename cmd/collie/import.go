package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"collie/cmd/internal/mapping"
)

// importCommand imports labels and scores that were made elsewhere.
type importCommand struct {
	Project string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	Files   []string `arg:"" type:"path" help:"Zip archives, PNG masks, COCO or labelme JSON, scores or embeddings in .npz files, or folders of these."`
	mapping.Flag
	Names     string `default:"project" enum:"project,voc" help:"What numbers without a name or a mapping mean: positions in the project's list of classes (project), or the classes of PASCAL VOC (voc)."`
	Uncovered string `default:"background" enum:"background,undecided" help:"What pixels outside every shape become: background or undecided."`
}

// Run imports the files one by one and reports the outcome of each mask, and what
// numbers without names became.
func (c *importCommand) Run(ctx context.Context, s *server, out streams) error {
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	files, err := filesIn(c.Files, []string{".zip", ".png", ".json", ".npz"})
	if err != nil {
		return err
	}
	fields := map[string]string{}
	if c.Map != nil {
		b, err := json.Marshal(c.Map)
		if err != nil {
			return err
		}
		fields["mapping"] = string(b)
	}
	imported, failed := 0, 0
	meanings := map[string]bool{} // that were printed
	for i, file := range files {
		var answer struct {
			Images []struct {
				Mask, Image, Problem string
				Lossy                []string
			}
			Values []struct {
				Value, Name string
				Class       *string
			}
		}
		path := "/api/v1/projects/" + p.ID + "/imports?" + url.Values{"uncovered": {c.Uncovered}, "names": {c.Names}}.Encode()
		used, err := s.sendFile(ctx, path, file, wholeFile(file), fields, &answer, out)
		if err != nil {
			fmt.Fprintf(out.stderr, "%d imported, %d failed; files left: %d\n", imported, failed, len(files)-i)
			return err
		}
		if !used {
			failed++
			continue
		}
		for _, im := range answer.Images {
			if im.Problem != "" {
				failed++
				fmt.Fprintf(out.stderr, "%s: %s: %s\n", file, im.Mask, im.Problem)
				continue
			}
			imported++
			fmt.Fprintf(out.stdout, "%s\t%s\n", im.Image, strings.Join(append([]string{im.Mask}, im.Lossy...), "; "))
		}
		for _, v := range answer.Values {
			if v.Name != "" || v.Class == nil {
				continue
			}
			if meaning := fmt.Sprintf("value %s is %s here", v.Value, *v.Class); !meanings[meaning] {
				meanings[meaning] = true
				fmt.Fprintln(out.stderr, meaning)
			}
		}
	}
	fmt.Fprintf(out.stderr, "%d imported, %d failed\n", imported, failed)
	if failed > 0 {
		return errors.New("some files could not be imported")
	}
	return nil
}
