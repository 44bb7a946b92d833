package blob

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"syscall"

	"collie/segment"
)

// sealed ends the names of files that have a seal after their content: its
// SHA-256. Files of earlier versions have neither. The mark is in the name so
// that damaged content can't make a sealed file look unsealed.
const sealed = ".s"

// sealBytes is the length of a seal.
const sealBytes = sha256.Size

// checkedBytes is the largest size of a file whose seal is checked whenever it
// is opened. Larger ones are archives, which contain checksums.
const checkedBytes = 128 << 20

// Seal copies content to w, followed by its seal.
func Seal(w io.Writer, content io.Reader) error {
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, sum), content); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// SealedName is the name of the file, in a store's folder, with the sealed
// content of a key.
func SealedName(key string) string { return key + sealed }

// content is an open file without its seal.
type content struct {
	*io.SectionReader
	file *os.File
}

func (c *content) Close() error { return c.file.Close() }

// unseal checks the seal of a file and returns its content; after an error the
// file is closed.
func unseal(file *os.File, size int64, key string) (*content, error) {
	c := &content{io.NewSectionReader(file, 0, size-sealBytes), file}
	err := c.check(size, key)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return c, nil
}

func (c *content) check(size int64, key string) error {
	wrong := damaged(key, "its checksum is wrong")
	if size < sealBytes {
		return wrong
	}
	if size > checkedBytes {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(c.file, 0, size-sealBytes)); err != nil {
		return unreadable(key, err)
	}
	want, err := seal(c.file, size)
	if err != nil {
		return unreadable(key, err)
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return wrong
	}
	return nil
}

func unreadable(key string, err error) error {
	return damaged(key, "the disk can't read it").Because(err)
}

func damaged(key, why string) *segment.Error {
	return segment.Errorf(segment.Damaged, "The file %s in the data folder is damaged: %s. Run `server doctor` to see what can be done.", key, why)
}

// seal reads the seal of a file.
func seal(file *os.File, size int64) ([]byte, error) {
	b := make([]byte, sealBytes)
	_, err := file.ReadAt(b, size-sealBytes)
	return b, err
}

// Sum is the SHA-256, in hexadecimal, that the content of key had when it was
// stored; empty for files of earlier versions, and where the disk can't read it.
func (s *Store) Sum(key string) (string, error) {
	if err := segment.CheckKey(key); err != nil {
		return "", err
	}
	file, err := s.root.Open(SealedName(key))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.EIO) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() < sealBytes {
		return "", err
	}
	b, err := seal(file, info.Size())
	if errors.Is(err, syscall.EIO) {
		return "", nil
	}
	return hex.EncodeToString(b), err
}
