package export

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

// member is a file of the archive, ready to be written.
type member struct {
	report FileReport
	method uint16
	packed []byte
	crc    uint32
}

// stored is a member that compression would not shrink: a picture or an
// archive.
func stored(name string, content []byte) member {
	sum := sha256.Sum256(content)
	return member{
		report: FileReport{name, int64(len(content)), hex.EncodeToString(sum[:])},
		method: zip.Store, packed: content, crc: crc32.ChecksumIEEE(content),
	}
}

// written is a member like stored, of what write writes.
func written(name string, write func(io.Writer) error) (member, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return member{}, err
	}
	return stored(name, b.Bytes()), nil
}

// deflated is a compressed member.
func deflated(name string, content []byte) (member, error) {
	m := stored(name, content)
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return member{}, err
	}
	if _, err := z.Write(content); err != nil {
		return member{}, err
	}
	if err := z.Close(); err != nil {
		return member{}, err
	}
	m.method, m.packed = zip.Deflate, b.Bytes()
	return m, nil
}

// archive writes a zip whose bytes depend only on its members: all are of the first
// day that a zip can hold, and are written one after the other, with their sizes first.
type archive struct {
	zip   *zip.Writer
	names map[string]bool
	added func(FileReport) error
}

// newArchive returns an archive that calls added, if not nil, after each member.
func newArchive(w io.Writer, added func(FileReport) error) *archive {
	return &archive{zip: zip.NewWriter(w), names: map[string]bool{}, added: added}
}

func (a *archive) add(m member) error {
	return a.copy(m, bytes.NewReader(m.packed), int64(len(m.packed)))
}

// copy adds a member whose packed bytes come from r.
func (a *archive) copy(m member, r io.Reader, packed int64) error {
	if a.names[m.report.Name] {
		return fmt.Errorf("export: the archive has two files %s", m.report.Name)
	}
	a.names[m.report.Name] = true
	header := &zip.FileHeader{
		Name: m.report.Name, Method: m.method, CRC32: m.crc,
		CompressedSize64: uint64(packed), UncompressedSize64: uint64(m.report.Bytes),
	}
	header.ModifiedDate = 1<<5 | 1 //lint:ignore SA1019 CreateRaw ignores Modified, and some programs can't read a month 0
	if strings.ContainsFunc(m.report.Name, func(r rune) bool { return r > unicode.MaxASCII }) {
		header.Flags |= zipnames.UTF8
	}
	w, err := a.zip.CreateRaw(header)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil || a.added == nil {
		return err
	}
	return a.added(m.report)
}

// close ends the archive.
func (a *archive) close() error { return a.zip.Close() }
