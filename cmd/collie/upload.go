package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"collie/segment/beside"
)

// uploadCommand adds images to a project.
type uploadCommand struct {
	Project string   `arg:"" help:"Id of the project, or its name if no other project has it."`
	Files   []string `arg:"" type:"path" help:"Images, zip archives of images, or folders."`
	Again   bool     `help:"Upload images whose names the project already has, too."`
}

// pictureEndings are the endings of files that are uploaded from a folder.
var pictureEndings = []string{".jpg", ".jpeg", ".jfif", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".zip"}

// Run uploads the files one by one and reports each outcome. Files that can't be
// used don't stop the others. Names that the project already has are skipped, also
// in archives, so that an interrupted command can be run again to continue.
func (c *uploadCommand) Run(ctx context.Context, s *server, out streams) error {
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	files, err := filesIn(c.Files, pictureEndings)
	if err != nil {
		return err
	}
	files, others := photographs(files)
	if others > 0 {
		fmt.Fprintf(out.stderr, "masks, annotations and lists beside photographs left out: %d; 'collie import' reads them\n", others)
	}
	names := namesOf(files, c.Files)
	if err := distinct(files, names); err != nil {
		return err
	}
	u := uploading{server: s, streams: out, project: p.ID, again: c.Again, names: names, owners: map[string]string{}}
	for file, name := range names {
		u.owners[nameKept(name)] = file
	}
	if err := u.list(ctx); err != nil {
		return err
	}
	for i, file := range files {
		if err := u.file(ctx, file); err != nil {
			u.tally(len(files) - i)
			return err
		}
	}
	u.tally(0)
	if u.failed > 0 {
		return errors.New("some files could not be used")
	}
	return nil
}

// photographs returns the files without masks of others among them, and how many those are.
func photographs(files []string) (left []string, others int) {
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = filepath.ToSlash(file)
	}
	masks := beside.Others(names, nil)
	for i, file := range files {
		if !masks[names[i]] {
			left = append(left, file)
		}
	}
	return left, len(masks)
}

// uploading is an upload under way.
type uploading struct {
	*server
	streams
	project                   string
	again                     bool                 // also names that are there
	names                     map[string]string    // of the images in files
	owners                    map[string]string    // the files that have these names, as the server keeps them
	there                     map[string][]picture // the project's images, by name
	uploaded, skipped, failed int
}

// list asks which images the project has.
func (u *uploading) list(ctx context.Context) error {
	images, err := u.images(ctx, u.project)
	if err != nil {
		return err
	}
	u.there = map[string][]picture{}
	for _, im := range images {
		if !u.again {
			u.there[im.Name] = append(u.there[im.Name], im)
		}
	}
	return nil
}

// has reports whether the project has an image of a file's name. An image of another
// size in bytes is another one, as cameras number theirs alike: it isn't uploaded
// either, but that is said.
func (u *uploading) has(place, name string, bytes int64) bool {
	named := u.there[nameKept(name)]
	if len(named) > 0 && !sized(named, bytes) {
		fmt.Fprintf(u.stderr, "%s: skipped, but the project's image of this name is another one. To add it, rename it or upload the folder that its folder is in\n", place)
	}
	return len(named) > 0
}

// sized reports whether one of the images has a size in bytes.
func sized(images []picture, bytes int64) bool {
	return slices.ContainsFunc(images, func(im picture) bool { return im.Bytes == bytes })
}

// file uploads a file. If the connection breaks before the answer, it looks which
// images of the file have been stored and goes on with the others, once.
func (u *uploading) file(ctx context.Context, file string) error {
	err := u.missing(ctx, file)
	var f *failure
	if !errors.As(err, &f) || !f.unsure || u.again {
		return err
	}
	if u.list(ctx) != nil {
		return err
	}
	return u.missing(ctx, file)
}

// missing uploads what the project doesn't have of a file.
func (u *uploading) missing(ctx context.Context, file string) error {
	content := wholeFile(file)
	if left, skipped, ok := u.missingIn(file); ok {
		u.skipped += skipped
		if left == nil {
			return nil
		}
		content = left
	} else if info, err := os.Stat(file); err == nil {
		name, err := u.elsewhere(ctx, file, info.Size())
		if err != nil {
			return err
		}
		if name != "" {
			fmt.Fprintf(u.stderr, "%s: already there as %s\n", file, name)
		}
		if name != "" || u.has(file, u.names[file], info.Size()) {
			u.skipped++
			return nil
		}
	}
	var answer []struct {
		picture
		Pictures int
		LeftOut  int `json:"left_out"`
		Problem  struct{ Detail string }
	}
	used, err := u.sendFile(ctx, form{path: "/api/v1/projects/" + u.project + "/images", file: file, name: u.names[file], content: content}, &answer, u.streams)
	if err != nil {
		return err
	}
	if !used {
		u.failed++
		return nil
	}
	for _, im := range answer {
		if im.Status == "failed" {
			u.failed++
			fmt.Fprintf(u.stderr, "%s: %s: %s\n", file, im.Name, im.Problem.Detail)
			continue
		}
		u.uploaded++
		fmt.Fprintf(u.stdout, "%s\t%d × %d\t%s\n", im.ID, im.Width, im.Height, im.Name)
		if im.Pictures > 1 {
			fmt.Fprintf(u.stderr, "%s: only the first of its %d pictures is used\n", im.Name, im.Pictures)
		}
		if im.LeftOut > 0 {
			fmt.Fprintf(u.stderr, "%s: masks, annotations and lists beside its photographs left out: %d; 'collie import' reads them\n", file, im.LeftOut)
		}
	}
	return nil
}

// tally says how far the upload has come, with a number of files still to do.
func (u *uploading) tally(left int) {
	rest := ""
	if left > 0 {
		rest = fmt.Sprintf("; files left: %d", left)
		if !u.again {
			rest += ". The same command goes on with them"
		}
	}
	fmt.Fprintf(u.stderr, "%d uploaded, %d already there, %d failed%s\n", u.uploaded, u.skipped, u.failed, rest)
}

// filesIn lists files, and those with certain endings in folders, without hidden ones.
// Links to files count, also those that lead nowhere, which are reported in their turn.
func filesIn(places, endings []string) ([]string, error) {
	var files []string
	for _, place := range places {
		info, err := os.Stat(place)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no such file or folder: %s", place)
		} else if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, place)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(place, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case name != place && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
			case slices.Contains(endings, strings.ToLower(filepath.Ext(name))):
				if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
					files = append(files, name)
				}
			}
			return nil
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

// namesOf returns the names that the images in files get: paths below the place that was
// given, without the folders that all files there have in common.
func namesOf(files, places []string) map[string]string {
	names := map[string]string{}
	for _, file := range files {
		names[file] = baseName(file)
	}
	for _, place := range places {
		if names[place] != "" {
			continue // a file
		}
		below := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
			name, ok := pathIn(place, file)
			return !ok || strings.Contains(name, `\`)
		})
		folder := sharedFolder(below)
		for _, file := range below {
			names[file], _ = pathIn(folder, file)
		}
	}
	return names
}

// sharedFolder returns the innermost folder that all files are in; empty without files.
func sharedFolder(files []string) string {
	folder := ""
	for i, file := range files {
		if i == 0 {
			folder = filepath.Dir(file)
		}
		for {
			if _, ok := pathIn(folder, file); ok {
				break
			}
			folder = filepath.Dir(folder)
		}
	}
	return folder
}

// pathIn returns the path of a file from a folder on, with slashes, if it is in there.
func pathIn(folder, file string) (name string, ok bool) {
	name, err := filepath.Rel(folder, file)
	return filepath.ToSlash(name), err == nil && filepath.IsLocal(name)
}

// distinct refuses images of the same name: the server knows them by name, and the
// second would be skipped as already there.
func distinct(files []string, names map[string]string) error {
	seen := map[string]string{}
	for _, file := range files {
		name := names[file]
		if first, ok := seen[name]; ok && first != file {
			return fmt.Errorf("%s and %s would have the same name: upload the folder that both are in, and names will have those of the folders in it. Nothing was uploaded", first, file)
		}
		seen[name] = file
	}
	return nil
}

// form is a form with one file, for a call at a path.
type form struct {
	path, file, name string
	content          func(io.Writer) error // writes what is sent of the file
	fields           map[string]string     // others
}

// sendFile posts a form. A file that can't be read, or that the server can't use, is
// reported and false returned, so that the others can follow.
func (s *server) sendFile(ctx context.Context, sent form, into any, out streams) (used bool, err error) {
	err = s.postFile(ctx, sent, into)
	var f *failure
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		fmt.Fprintln(out.stderr, err)
		return false, nil
	case errors.As(err, &f) && (f.status == 422 || f.status == 415 || f.status == 413):
		fmt.Fprintf(out.stderr, "%s: %s\n", sent.file, f.detail)
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s: %w", sent.file, err)
	}
	return true, nil
}

// wholeFile writes a file.
func wholeFile(file string) func(io.Writer) error {
	return func(out io.Writer) error {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(out, in)
		return err
	}
}

// postFile posts a form, again while the server is too busy.
func (s *server) postFile(ctx context.Context, sent form, into any) error {
	return s.patiently(ctx, func() error {
		reader, writer := io.Pipe()
		form := multipart.NewWriter(writer)
		written := make(chan error, 1)
		go func() {
			var err error
			for field, value := range sent.fields {
				err = errors.Join(err, form.WriteField(field, value))
			}
			if err == nil && strings.ContainsAny(sent.name, "/\r\n") {
				err = form.WriteField("filename", sent.name) // the file's own field loses folders and escapes line breaks
			}
			var part io.Writer
			if err == nil {
				part, err = form.CreateFormFile("file", baseName(sent.file))
			}
			if err == nil {
				err = sent.content(part)
			}
			if err == nil {
				err = form.Close()
			}
			writer.CloseWithError(err)
			written <- err
		}()
		resp, err := s.open(ctx, "POST", sent.path, form.FormDataContentType(), reader)
		reader.Close()
		if own := <-written; own != nil && !errors.Is(own, io.ErrClosedPipe) {
			return own // the file can't be read
		}
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		return s.decode(resp, into)
	})
}
