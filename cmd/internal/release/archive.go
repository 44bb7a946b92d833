package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"time"
)

// file is one member of an archive.
type file struct {
	name string
	from string // path to read
	mode int64
}

// written is the time of every member: a fixed one, so that archives depend on
// nothing but their contents. Zip can't express earlier ones.
var written = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// writeTar packs files into a folder of a gzipped tar archive.
func writeTar(path, folder string, files []file) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	zipped, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zipped)
	for _, f := range files {
		b, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(b)), ModTime: written, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(b); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), zipped.Close())
}

// writeZip is writeTar for a zip archive.
func writeZip(path, folder string, files []file) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	archive := zip.NewWriter(out)
	for _, f := range files {
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: written}
		header.SetMode(os.FileMode(f.mode))
		w, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if err := copyFile(w, f.from); err != nil {
			return err
		}
	}
	return archive.Close()
}

func copyFile(w io.Writer, path string) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	_, err = io.Copy(w, in)
	return err
}
