package zipfile

import (
	"archive/zip"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"io"
)

// Document is a file with one or more entries per image: Head, entries with Separator
// between them, and what Foot writes, which is called when all images are done. Begin,
// if not nil, returns the start of entry number n, from 1.
type Document struct {
	Name, Head, Separator string
	Foot                  func(w io.Writer) error
	Begin                 func(n int) string
}

// Static is a Foot that doesn't depend on the images.
func Static(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// Spool is a Document that grows while other members are written. It is
// compressed on the fly and kept in memory while small, then in a temporary
// file.
type Spool struct {
	Document
	entries int
	size    int64
	sum     hash.Hash
	crc     hash.Hash32
	packer  *flate.Writer
	packed  Overflow
}

// NewSpool begins a document.
func NewSpool(d Document) (*Spool, error) {
	s := &Spool{Document: d, sum: sha256.New(), crc: crc32.NewIEEE()}
	var err error
	if s.packer, err = flate.NewWriter(&s.packed, flate.DefaultCompression); err != nil {
		return nil, err
	}
	_, err = io.WriteString(s, d.Head)
	return s, err
}

// Write adds text that is not an entry.
func (s *Spool) Write(b []byte) (int, error) {
	s.size += int64(len(b))
	s.sum.Write(b)
	s.crc.Write(b)
	return s.packer.Write(b)
}

// Entry adds one entry.
func (s *Spool) Entry(e []byte) error {
	begin := ""
	if s.entries++; s.entries > 1 {
		begin = s.Separator
	}
	if s.Begin != nil {
		begin += s.Begin(s.entries)
	}
	if _, err := io.WriteString(s, begin); err != nil {
		return err
	}
	_, err := s.Write(e)
	return err
}

// Into ends the document and adds it to the archive.
func (s *Spool) Into(z *Writer) error {
	if err := s.Foot(s); err != nil {
		return err
	}
	if err := s.packer.Close(); err != nil {
		return err
	}
	r, packed, err := s.packed.Reader()
	if err != nil {
		return err
	}
	return z.copy(Member{
		Report: FileReport{s.Name, s.size, hex.EncodeToString(s.sum.Sum(nil))},
		method: zip.Deflate, crc: s.crc.Sum32(),
	}, r, packed)
}

// Close removes the temporary file, if any.
func (s *Spool) Close() error { return s.packed.Close() }
