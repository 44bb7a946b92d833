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
	"collie/segment/beside"
)

// importCommand imports labels and scores that were made elsewhere.
type importCommand struct {
	Project string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	Files   []string `arg:"" type:"path" help:"Zip archives, masks as PNG or TIFF, JSON of COCO, labelme or Label Studio, XML of CVAT, scores or embeddings in .npz files, scores in .npy files, or folders of these."`
	mapping.Flags
}

// together are the names of files and folders that give the others in a folder their
// meaning: objects beside classes, names of colours, numbers and images.
var together = []string{"SegmentationClass", "labelmap.txt", "manifest.json", "annotations.xml", "data.yaml", "labels"}

// Run imports the files one by one, but folders as a whole whose files belong together, and
// reports the outcome of each mask, and what numbers became.
func (c *importCommand) Run(ctx context.Context, s *server, out streams) error {
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	i := importing{
		server: s, streams: out, numbers: c.Numbers, fields: map[string]string{}, whole: map[string]bool{}, meanings: map[string]bool{},
		path: "/api/v1/projects/" + p.ID + "/imports?" + url.Values{"numbers": {c.Numbers}, "uncovered": {c.Uncovered}, "names": {c.Names}}.Encode(),
	}
	var files []string
	for _, place := range c.Files {
		if c.isDataSet(place) {
			files, i.whole[place] = append(files, place), true
			continue
		}
		some, err := filesIn([]string{place}, slices.Concat(labelEndings...))
		if err != nil {
			return err
		}
		sure, left := labelsOf(some)
		if sure[0] != place && (namesakes(sure) || slices.ContainsFunc(sure, needsOthers)) {
			files, i.whole[place] = append(files, place), true
			continue
		}
		if len(left) > 0 {
			fmt.Fprintf(out.stderr, "%s: left out, because beside the others they can be anything: %s; to import them, name them\n", place, firstOf(left))
		}
		files = append(files, sure...)
	}
	if c.Map != nil {
		b, err := json.Marshal(c.Map)
		if err != nil {
			return err
		}
		i.fields["mapping"] = string(b)
	}
	for n, file := range files {
		if err := i.file(ctx, file); err != nil {
			fmt.Fprintf(out.stderr, "%d imported, %d failed; files left: %d\n", i.imported, i.failed, len(files)-n)
			return err
		}
	}
	fmt.Fprintf(out.stderr, "%d imported, %d failed\n", i.imported, i.failed)
	if i.failed > 0 {
		return errors.New("some files could not be imported")
	}
	return nil
}

// importing is an import under way.
type importing struct {
	*server
	streams
	path, numbers    string
	fields           map[string]string // of each form
	whole            map[string]bool   // folders
	meanings         map[string]bool   // that were printed
	imported, failed int
}

// file imports a file, or a folder as a whole, and reports the outcome.
func (i *importing) file(ctx context.Context, file string) error {
	content := wholeFile(file)
	switch folder := filepath.Dir(file); {
	case i.whole[file]:
		content = zipped(file)
	case filepath.Base(folder) == "SegmentationObject":
		i.failed++
		fmt.Fprintf(i.stderr, "%s: its values are objects, not classes; import the folder %s as a whole\n", file, filepath.Dir(folder))
		return nil
	}
	var answer struct {
		Added  []string `json:"classes_added"`
		Images []struct {
			Mask, Image, Problem string
			Replaces, Empty      bool
			Lossy, Columns       []string
		}
		Values []struct {
			Value, Name string
			Class       *string
		}
	}
	used, err := i.sendFile(ctx, form{path: i.path, file: file, content: content, fields: i.fields}, &answer, i.streams)
	if err != nil {
		return err
	}
	if !used {
		i.failed++
		return nil
	}
	before := i.imported
	for _, im := range answer.Images {
		if im.Problem != "" {
			i.failed++
			fmt.Fprintf(i.stderr, "%s: %s: %s\n", file, im.Mask, im.Problem)
			continue
		}
		i.imported++
		said := []string{im.Mask}
		if im.Replaces {
			said = append(said, "replaces the labels that the image had; undo brings them back")
		}
		if im.Empty {
			said = append(said, "no shapes, so all of it is outside every shape")
		}
		fmt.Fprintf(i.stdout, "%s\t%s\n", im.Image, strings.Join(append(said, im.Lossy...), "; "))
		if im.Columns != nil {
			i.once("columns of scores are " + strings.Join(im.Columns, ", ") + " here")
		}
	}
	for _, class := range answer.Added {
		fmt.Fprintf(i.stderr, "class %s was added\n", class)
	}
	for _, v := range answer.Values {
		if i.imported == before || v.Class == nil || v.Name != "" && i.numbers == "classes" {
			continue
		}
		i.once(fmt.Sprintf("value %s is %s here", v.Value, *v.Class))
	}
	return nil
}

// once says what something in the files means, unless it has been said.
func (i *importing) once(meaning string) {
	if !i.meanings[meaning] {
		i.meanings[meaning] = true
		fmt.Fprintln(i.stderr, meaning)
	}
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

// needsOthers reports whether other files say what a file means: it is a mask of Cityscapes,
// or JSON with a folder of its name, in which COCO panoptic has the masks.
func needsOthers(file string) bool {
	folder, isJSON := strings.CutSuffix(file, ".json")
	if !isJSON {
		return beside.Cityscapes(file)
	}
	info, err := os.Stat(folder)
	return err == nil && info.IsDir()
}

// namesakes reports whether only their folders tell some of the files apart. Archives don't
// count: each is a data set of its own. NumPy's are files like others.
func namesakes(files []string) bool {
	seen := map[string]bool{}
	for _, file := range files {
		name := baseName(file)
		if seen[name] && (strings.EqualFold(filepath.Ext(file), ".npz") || !isZip(file)) {
			return true
		}
		seen[name] = true
	}
	return false
}

// firstOf names the first file, and counts the others.
func firstOf(files []string) string {
	if len(files) == 1 {
		return files[0]
	}
	return fmt.Sprintf("%s and %d more", files[0], len(files)-1)
}

// labelEndings are the endings of files that are imported from a folder, those that are
// surely labels first. Beside these, arrays and XML can be anything, such as what another
// program needs; beside any of them, TIFFs are photographs.
var labelEndings = [][]string{{".zip", ".png", ".json", ".npz"}, {".npy", ".xml"}, {".tif", ".tiff"}}

// labelsOf divides the files in a folder into those that are surest to be labels and others.
func labelsOf(files []string) (sure, left []string) {
	for _, endings := range labelEndings {
		is := func(file string) bool { return slices.Contains(endings, strings.ToLower(filepath.Ext(file))) }
		left = slices.DeleteFunc(slices.Clone(files), is)
		if len(left) < len(files) {
			return slices.DeleteFunc(slices.Clone(files), func(file string) bool { return !is(file) }), left
		}
	}
	return files, nil // one that was named, whatever its ending
}
