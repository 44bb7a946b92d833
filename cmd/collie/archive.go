package main

import (
	"archive/zip"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxName is how many characters of a file's name the server keeps, from its end.
const maxName = 100

// nameKept is the name that the server gives the image in a file.
func nameKept(name string) string {
	r := []rune(name)
	return strings.TrimSpace(string(r[max(0, len(r)-maxName):]))
}

// baseName is the last element of a path as the server takes it, for which a backslash
// separates folders on every system.
func baseName(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// missingIn says what of a zip archive the project doesn't have yet: content writes an
// archive of it, nil if it has all of it. It is not ok when the file is no archive, or
// when the project has nothing of it.
func (u *uploading) missingIn(file string) (content func(io.Writer) error, skipped int, ok bool) {
	if !isZip(file) {
		return nil, 0, false
	}
	archive, err := zip.OpenReader(file)
	if err != nil {
		return nil, 0, false // the server says what is wrong with it
	}
	defer archive.Close()
	var left []int
	pictures := false
	for i, entry := range archive.File {
		name := strings.TrimPrefix(strings.ReplaceAll(entry.Name, `\`, "/"), "./") // as the server takes it
		switch {
		case strings.HasSuffix(name, "/"):
		case u.has(file+": "+name, name, int64(entry.UncompressedSize64)):
			skipped++
		default:
			left = append(left, i)
			pictures = pictures || !strings.HasPrefix(name, "__MACOSX/") && slices.Contains(pictureEndings, strings.ToLower(path.Ext(name)))
		}
	}
	if skipped == 0 {
		return nil, 0, false
	}
	if !pictures {
		return nil, skipped, true
	}
	return func(out io.Writer) error {
		archive, err := zip.OpenReader(file)
		if err != nil {
			return err
		}
		defer archive.Close()
		rest := zip.NewWriter(out)
		for _, i := range left {
			if err := rest.Copy(archive.File[i]); err != nil {
				return err
			}
		}
		return rest.Close()
	}, skipped, true
}

// zipped writes an archive of the pictures and labels in a folder.
func zipped(folder string) func(io.Writer) error {
	return func(out io.Writer) error {
		files, err := filesIn([]string{folder}, append([]string{".json", ".npz", ".txt"}, pictureEndings...))
		if err != nil {
			return err
		}
		archive := zip.NewWriter(out)
		for _, file := range files {
			name, err := filepath.Rel(folder, file)
			if err != nil {
				return err
			}
			entry, err := archive.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name)}) // pictures can't be compressed further
			if err != nil {
				return err
			}
			if err := wholeFile(file)(entry); err != nil {
				return err
			}
		}
		return archive.Close()
	}
}

// isZip reports whether a file begins like a zip archive, as the server sees it: a
// picture with an archive at its end is a picture.
func isZip(file string) bool {
	in, err := os.Open(file)
	if err != nil {
		return false
	}
	defer in.Close()
	start := make([]byte, 4)
	_, err = io.ReadFull(in, start)
	return err == nil && string(start) == "PK\x03\x04"
}
