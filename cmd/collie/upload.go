package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// uploadCommand adds images to a project.
type uploadCommand struct {
	Project string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	Files   []string `arg:"" type:"path" help:"Images, zip archives of images, or folders."`
	Again   bool     `help:"Upload images whose names the project already has, too."`
}

// pictureEndings are the endings of files that are uploaded from a folder.
var pictureEndings = []string{".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".zip"}

// Run uploads the files one by one and reports each outcome. Files that can't be
// used don't stop the others. Names that the project already has are skipped, so
// that an interrupted command can be run again to continue.
func (c *uploadCommand) Run(ctx context.Context, s *server, out streams) error {
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	files, err := filesIn(c.Files, pictureEndings)
	if err != nil {
		return err
	}
	if err := distinct(files); err != nil {
		return err
	}
	images, err := s.images(ctx, p.ID)
	if err != nil {
		return err
	}
	uploaded, skipped, failed := 0, 0, 0
	for _, file := range files {
		name := filepath.Base(file)
		if !c.Again && slices.ContainsFunc(images, func(im picture) bool { return im.Name == name }) {
			skipped++
			continue
		}
		var answer []struct {
			picture
			Problem struct{ Detail string }
		}
		used, err := s.sendFile(ctx, "/api/v1/projects/"+p.ID+"/images", file, &answer, out)
		if err != nil {
			return err
		}
		if !used {
			failed++
			continue
		}
		for _, im := range answer {
			if im.Status == "failed" {
				failed++
				fmt.Fprintf(out.stderr, "%s: %s: %s\n", file, im.Name, im.Problem.Detail)
				continue
			}
			uploaded++
			fmt.Fprintf(out.stdout, "%s\t%d × %d\t%s\n", im.ID, im.Width, im.Height, im.Name)
		}
	}
	fmt.Fprintf(out.stderr, "%d uploaded, %d already there, %d failed\n", uploaded, skipped, failed)
	if failed > 0 {
		return errors.New("some files could not be used")
	}
	return nil
}

// filesIn lists files, and those with certain endings in folders.
func filesIn(places, endings []string) ([]string, error) {
	var files []string
	for _, place := range places {
		info, err := os.Stat(place)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, place)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(place, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains(endings, strings.ToLower(filepath.Ext(name))) {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s contains no file that ends in %s", place, strings.Join(endings, ", "))
		}
	}
	return files, nil
}

// distinct refuses files of the same name in different folders: the server knows
// images by name, and the second would be skipped as already there.
func distinct(files []string) error {
	seen := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if first, ok := seen[name]; ok && first != file {
			return fmt.Errorf("%s and %s have the same name: upload them in a zip archive, which keeps the folders' names. Nothing was uploaded", first, file)
		}
		seen[name] = file
	}
	return nil
}

// sendFile posts a file. One that the server can't use is reported and false
// returned, so that the others can follow.
func (s *server) sendFile(ctx context.Context, path, file string, into any, out streams) (used bool, err error) {
	err = s.postFile(ctx, path, file, into)
	var r *refusal
	switch {
	case errors.As(err, &r) && (r.status == 422 || r.status == 415 || r.status == 413):
		fmt.Fprintf(out.stderr, "%s: %s\n", file, r.detail)
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s: %w", file, err)
	}
	return true, nil
}

// postFile posts a form with one file, again while the server is too busy.
func (s *server) postFile(ctx context.Context, path, file string, into any) error {
	return s.patiently(ctx, func() error {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer in.Close()
		reader, writer := io.Pipe()
		form := multipart.NewWriter(writer)
		go func() {
			part, err := form.CreateFormFile("file", filepath.Base(file))
			if err == nil {
				_, err = io.Copy(part, in)
			}
			if err == nil {
				err = form.Close()
			}
			writer.CloseWithError(err)
		}()
		defer reader.Close()
		resp, err := s.open(ctx, "POST", path, form.FormDataContentType(), reader)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		return decode(resp.Body, into)
	})
}

// importCommand imports labels and scores that were made elsewhere.
type importCommand struct {
	Project   string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	Files     []string `arg:"" type:"path" help:"Zip archives, PNG masks, COCO or labelme JSON, scores or embeddings in .npz files, or folders of these."`
	Uncovered string   `default:"background" enum:"background,undecided" help:"What pixels outside every shape become."`
}

// Run imports the files one by one and reports the outcome of each mask.
func (c *importCommand) Run(ctx context.Context, s *server, out streams) error {
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	files, err := filesIn(c.Files, []string{".zip", ".png", ".json", ".npz"})
	if err != nil {
		return err
	}
	imported, failed := 0, 0
	for _, file := range files {
		var answer struct {
			Images []struct {
				Mask, Image, Problem string
				Lossy                []string
			}
		}
		path := "/api/v1/projects/" + p.ID + "/imports?" + url.Values{"uncovered": {c.Uncovered}}.Encode()
		used, err := s.sendFile(ctx, path, file, &answer, out)
		if err != nil {
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
	}
	fmt.Fprintf(out.stderr, "%d imported, %d failed\n", imported, failed)
	if failed > 0 {
		return errors.New("some files could not be imported")
	}
	return nil
}
