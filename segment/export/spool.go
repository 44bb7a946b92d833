package export

import (
	"archive/zip"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"io"
)

// document is a file with one or more entries per image: head, entries with
// separators between them, and what foot writes, which is called when all images are
// done. begin, if not nil, returns the start of entry number n, from 1.
type document struct {
	name, head, separator string
	foot                  func(w io.Writer) error
	begin                 func(n int) string
}

// static is a foot that doesn't depend on the images.
func static(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// spool is a document that grows while other members are written. It is
// compressed on the fly and kept in memory while small, then in a temporary
// file.
type spool struct {
	document
	entries int
	size    int64
	sum     hash.Hash
	crc     hash.Hash32
	packer  *flate.Writer
	packed  overflow
}

func newSpool(d document) (*spool, error) {
	s := &spool{document: d, sum: sha256.New(), crc: crc32.NewIEEE()}
	var err error
	if s.packer, err = flate.NewWriter(&s.packed, flate.DefaultCompression); err != nil {
		return nil, err
	}
	_, err = io.WriteString(s, d.head)
	return s, err
}

func (s *spool) Write(b []byte) (int, error) {
	s.size += int64(len(b))
	s.sum.Write(b)
	s.crc.Write(b)
	return s.packer.Write(b)
}

// entry adds one entry.
func (s *spool) entry(e []byte) error {
	begin := ""
	if s.entries++; s.entries > 1 {
		begin = s.separator
	}
	if s.begin != nil {
		begin += s.begin(s.entries)
	}
	if _, err := io.WriteString(s, begin); err != nil {
		return err
	}
	_, err := s.Write(e)
	return err
}

// into ends the document and adds it to the archive.
func (s *spool) into(a *archive) error {
	if err := s.foot(s); err != nil {
		return err
	}
	if err := s.packer.Close(); err != nil {
		return err
	}
	r, packed, err := s.packed.reader()
	if err != nil {
		return err
	}
	return a.copy(member{
		report: FileReport{s.name, s.size, hex.EncodeToString(s.sum.Sum(nil))},
		method: zip.Deflate, crc: s.crc.Sum32(),
	}, r, packed)
}

// Close removes the temporary file, if any.
func (s *spool) Close() error { return s.packed.Close() }
