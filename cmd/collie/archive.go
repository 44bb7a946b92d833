package main

import (
	"archive/zip"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"collie/segment/archive/zipnames"
	"collie/segment/beside"
)

// maxName is how many characters of a file's name the server keeps, from its end.
const maxName = 100

// nameKept is the name that the server gives the image in a file, without the marks of
// direction that it drops.
func nameKept(name string) string {
	r := []rune(name)
	return strings.TrimSpace(marks.Replace(string(r[max(0, len(r)-maxName):])))
}

var marks = strings.NewReplacer("\u061c", "", "\u200e", "", "\u200f", "")

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
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, 0, false // the server says what is wrong with it
	}
	defer z.Close()
	var left []int
	pictures := false
	names := zipnames.Of(z.File)
	taken := make([]string, len(names)) // as the server takes them
	for i, name := range names {
		taken[i] = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	}
	others := beside.Others(taken, nil)
	for i, entry := range z.File {
		name := taken[i]
		switch {
		case strings.HasSuffix(name, "/"), others[name]:
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
		z, err := zip.OpenReader(file)
		if err != nil {
			return err
		}
		defer z.Close()
		rest := zip.NewWriter(out)
		for _, i := range left {
			if err := copyEntry(rest, z.File[i], names[i]); err != nil {
				return err
			}
		}
		return rest.Close()
	}, skipped, true
}

// copyEntry copies an entry without decompressing it. Its name is marked as UTF-8: the names
// that are left may not show which encoding they were in.
func copyEntry(to *zip.Writer, entry *zip.File, name string) error {
	header := entry.FileHeader
	header.Name, header.NonUTF8 = name, false
	header.Flags |= zipnames.UTF8
	w, err := to.CreateRaw(&header)
	if err != nil {
		return err
	}
	r, err := entry.OpenRaw()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

// zipped writes an archive of the pictures and labels in a folder.
func zipped(folder string) func(io.Writer) error {
	return func(out io.Writer) error {
		files, err := filesIn([]string{folder}, append([]string{".json", ".npz", ".txt", ".xml", ".yaml", ".yml"}, pictureEndings...))
		if err != nil {
			return err
		}
		z := zip.NewWriter(out)
		for _, file := range files {
			name, err := filepath.Rel(folder, file)
			if err != nil {
				return err
			}
			entry, err := z.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name)}) // pictures can't be compressed further
			if err != nil {
				return err
			}
			if err := wholeFile(file)(entry); err != nil {
				return err
			}
		}
		return z.Close()
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
