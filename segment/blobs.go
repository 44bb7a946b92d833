package segment

import (
	"context"
	"encoding"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"regexp"
	"time"
)

// Blobs keeps immutable files under slash-separated keys.
type Blobs interface {
	// Put stores what write produces; nothing appears under the key unless all
	// of it has reached the disk.
	Put(ctx context.Context, key string, write func(io.Writer) error) error
	// Open returns the content; a missing key is NotFound, content that is not what
	// was stored is Damaged. The caller closes it.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Sum is the SHA-256, in hexadecimal, of what was stored under a key, whatever
	// has become of it; empty when that is not known.
	Sum(key string) (string, error)
	// Remove deletes a blob; a missing blob is not an error.
	Remove(ctx context.Context, key string) error
	// All goes through the blobs there are, in no order.
	All(ctx context.Context) iter.Seq2[BlobInfo, error]
}

// BlobInfo is what is known of a blob without opening it.
type BlobInfo struct {
	Key      string
	Bytes    int64
	Modified time.Time
}

// ReadBlob reads an opened blob and allocates no more memory than its size.
func ReadBlob(blob io.ReadSeeker) ([]byte, error) {
	size, err := blob.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = blob.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	_, err = io.ReadFull(blob, b)
	return b, err
}

// Unmarshal reads the blob under a key, which has the binary form of a value, into it.
func Unmarshal(ctx context.Context, blobs Blobs, key string, into encoding.BinaryUnmarshaler) error {
	blob, err := blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer blob.Close()
	b, err := ReadBlob(blob)
	if err != nil {
		return fmt.Errorf("reading %s: %w", key, err)
	}
	if err := into.UnmarshalBinary(b); err != nil {
		return fmt.Errorf("decoding %s: %w", key, err)
	}
	return nil
}

// keyPattern matches keys: up to eight names of lower-case letters, digits and
// hyphens, separated by slashes.
var keyPattern = regexp.MustCompile(`^[a-z0-9-]{1,100}(/[a-z0-9-]{1,100}){0,7}$`)

// CheckKey returns nil for what can be the key of a blob, in a folder on any
// system and in a bucket. Keys have no dots, so that a store can give other names
// to what it keeps beside its blobs.
func CheckKey(key string) error {
	if !keyPattern.MatchString(key) || !filepath.IsLocal(key) {
		return Errorf(Invalid, "%q is not a valid file key: use lower-case letters, digits and hyphens, separated by slashes.", key)
	}
	return nil
}
