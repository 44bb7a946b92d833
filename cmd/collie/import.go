package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"collie/cmd/internal/mapping"
)

// importCommand imports labels and scores that were made elsewhere.
type importCommand struct {
	Project string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	Files   []string `arg:"" type:"path" help:"Zip archives, masks as PNG or TIFF, COCO or labelme JSON, scores or embeddings in .npz files, or folders of these."`
	mapping.Flags
}

// together are the names of files and folders that give the others in a folder their
// meaning: objects beside classes, names of colours and of images.
var together = []string{"SegmentationClass", "labelmap.txt", "manifest.json"}

// Run imports the files one by one, but folders that have one of together, or label
// images, as a whole, and reports the outcome of each mask, and what numbers became.
func (c *importCommand) Run(ctx context.Context, s *server, out streams) error {
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	var files []string
	whole := map[string]bool{} // folders
	for _, place := range c.Files {
		if c.isDataSet(place) {
			files, whole[place] = append(files, place), true
			continue
		}
		some, err := filesIn([]string{place}, []string{".zip", ".png", ".json", ".npz", ".tif", ".tiff"})
		if err != nil {
			return err
		}
		files = append(files, masksOf(some)...)
	}
	fields := map[string]string{}
	if c.Map != nil {
		b, err := json.Marshal(c.Map)
		if err != nil {
			return err
		}
		fields["mapping"] = string(b)
	}
	path := "/api/v1/projects/" + p.ID + "/imports?" + url.Values{"numbers": {c.Numbers}, "uncovered": {c.Uncovered}, "names": {c.Names}}.Encode()
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
		content := wholeFile(file)
		switch folder := filepath.Dir(file); {
		case whole[file]:
			content = zipped(file)
		case filepath.Base(folder) == "SegmentationObject":
			failed++
			fmt.Fprintf(out.stderr, "%s: its values are objects, not classes; import the folder %s as a whole\n", file, filepath.Dir(folder))
			continue
		}
		used, err := s.sendFile(ctx, path, file, content, fields, &answer, out)
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
			if v.Class == nil || v.Name != "" && c.Numbers == "classes" {
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

// isDataSet reports whether a place is a folder whose files belong together. Where label
// images are, their names tell them from photographs.
func (c *importCommand) isDataSet(place string) bool {
	if c.Numbers == "objects" {
		info, err := os.Stat(place)
		return err == nil && info.IsDir()
	}
	return slices.ContainsFunc(together, func(name string) bool {
		_, err := os.Stat(filepath.Join(place, name))
		return err == nil
	})
}

// masksOf leaves TIFFs out of the files in a folder that has others: they are photographs.
func masksOf(files []string) []string {
	others := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return slices.Contains([]string{".tif", ".tiff"}, strings.ToLower(filepath.Ext(file)))
	})
	if len(others) > 0 {
		return others
	}
	return files
}
