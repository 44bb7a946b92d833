// Package zipfile writes zip archives whose bytes depend on nothing but the files in them,
// and the documents that grow while other files of an archive are written. It knows no
// formats.
package zipfile

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"unicode"

	"collie/segment/archive/zipnames"
)

// FileReport describes a file of the archive.
type FileReport struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Member is a file of the archive, ready to be written.
type Member struct {
	Report FileReport
	Packed []byte // the content as it is in the archive

	method uint16
	crc    uint32
}

// Stored is a member that compression would not shrink: a picture or an
// archive.
func Stored(name string, content []byte) Member {
	sum := sha256.Sum256(content)
	return Member{
		Report: FileReport{name, int64(len(content)), hex.EncodeToString(sum[:])},
		method: zip.Store, Packed: content, crc: crc32.ChecksumIEEE(content),
	}
}

// Written is a member like Stored, of what write writes.
func Written(name string, write func(io.Writer) error) (Member, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return Member{}, err
	}
	return Stored(name, b.Bytes()), nil
}

// Deflated is a compressed member.
func Deflated(name string, content []byte) (Member, error) {
	m := Stored(name, content)
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return Member{}, err
	}
	if _, err := z.Write(content); err != nil {
		return Member{}, err
	}
	if err := z.Close(); err != nil {
		return Member{}, err
	}
	m.method, m.Packed = zip.Deflate, b.Bytes()
	return m, nil
}

// Writer writes a zip whose bytes depend only on its members: all are of the first
// day that a zip can hold, and are written one after the other, with their sizes first.
type Writer struct {
	zip   *zip.Writer
	names map[string]bool
	added func(FileReport) error
}

// NewWriter returns a Writer that calls added, if not nil, after each member.
func NewWriter(w io.Writer, added func(FileReport) error) *Writer {
	return &Writer{zip: zip.NewWriter(w), names: map[string]bool{}, added: added}
}

// Add adds a member.
func (z *Writer) Add(m Member) error {
	return z.copy(m, bytes.NewReader(m.Packed), int64(len(m.Packed)))
}

// copy adds a member whose packed bytes come from r.
func (z *Writer) copy(m Member, r io.Reader, packed int64) error {
	if z.names[m.Report.Name] {
		return fmt.Errorf("export: the archive has two files %s", m.Report.Name)
	}
	z.names[m.Report.Name] = true
	header := &zip.FileHeader{
		Name: m.Report.Name, Method: m.method, CRC32: m.crc,
		CompressedSize64: uint64(packed), UncompressedSize64: uint64(m.Report.Bytes),
	}
	header.ModifiedDate = 1<<5 | 1 //lint:ignore SA1019 CreateRaw ignores Modified, and some programs can't read a month 0
	if strings.ContainsFunc(m.Report.Name, func(r rune) bool { return r > unicode.MaxASCII }) {
		header.Flags |= zipnames.UTF8
	}
	w, err := z.zip.CreateRaw(header)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil || z.added == nil {
		return err
	}
	return z.added(m.Report)
}

// Close ends the archive.
func (z *Writer) Close() error { return z.zip.Close() }
