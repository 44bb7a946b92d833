// Package move takes an installation's data from one kind of place to another.
package move

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"

	"collie/segment"
)

// Summary counts what a move came to.
type Summary struct {
	Files  int // that are in both places now
	Copied int // by this call; the others were there
	Bytes  int64
	Lost   []string // files that are not, because they were lost or damaged, in words
}

// Files copies the blobs of from to to, where these are missing or differ, and then
// reads all of them in to and compares them with the checksums of from. What only
// to has stays there: after an interrupted move in the other direction, to is the
// complete one. Files that are damaged, or that an image of images needs and neither
// has, are left out, unless all are. Nobody else can write to either
// meanwhile. After an error, from is as it was, and calling it again goes on.
func Files(ctx context.Context, from, to segment.Blobs, images iter.Seq2[segment.Image, error]) (Summary, error) {
	var s Summary
	sums := map[string]string{}   // of from, by key
	damaged := map[string]error{} // by key
	for info, err := range from.All(ctx) {
		if err != nil {
			return s, err
		}
		there, err := to.Sum(info.Key)
		if err != nil {
			return s, err
		}
		here, err := from.Sum(info.Key)
		if err != nil {
			return s, err
		}
		if here == "" || here != there {
			here, err = copyFile(ctx, from, to, info.Key)
			if segment.KindOf(err) == segment.Damaged {
				damaged[info.Key] = err
				continue
			}
			if err != nil {
				return s, fmt.Errorf("%s: %w", info.Key, err)
			}
			s.Copied++
		}
		sums[info.Key] = here
		s.Files++
		s.Bytes += info.Bytes
	}
	err := s.miss(ctx, sums, damaged, to, images)
	return s, errors.Join(err, compare(ctx, sums, to))
}

// miss names the files that are neither among the moved ones nor whole in to already. It
// returns an error if some are lost and none was moved: they are elsewhere then.
func (s *Summary) miss(ctx context.Context, moved map[string]string, damaged map[string]error, to segment.Blobs, images iter.Seq2[segment.Image, error]) error {
	var why error
	for im, err := range images {
		if err != nil && segment.KindOf(err) != segment.Damaged { // whose id says what its files are
			return err
		}
		for _, key := range im.Keys() {
			if moved[key] != "" {
				continue
			}
			_, err := read(ctx, to, key)
			if err == nil {
				delete(damaged, key)
				continue
			}
			if kind := segment.KindOf(err); kind != segment.NotFound && kind != segment.Damaged {
				return fmt.Errorf("%s: %w", key, err)
			}
			s.Lost = append(s.Lost, fmt.Sprintf("image %s, %q: %s", im.ID, im.Name, key))
			why = cmp.Or(why, damaged[key])
			delete(damaged, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(damaged)) {
		s.Lost = append(s.Lost, key)
		why = cmp.Or(why, damaged[key])
	}
	if s.Files > 0 || len(s.Lost) == 0 {
		return nil
	}
	return fmt.Errorf("none of the files can be read where they should come from: %w", cmp.Or(why, fs.ErrNotExist))
}

// copyFile replaces the blob of a key and returns the SHA-256 of what it copied.
func copyFile(ctx context.Context, from, to segment.Blobs, key string) (sum string, err error) {
	file, err := from.Open(ctx, key)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := to.Remove(ctx, key); err != nil {
		return "", err
	}
	hash := sha256.New()
	err = to.Put(ctx, key, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, hash), file)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}

// compare reads blobs and compares them with their checksums, by key. It removes the first
// that is not what it should be, so that the next move copies it again.
func compare(ctx context.Context, sums map[string]string, blobs segment.Blobs) error {
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		sum, err := read(ctx, blobs, key)
		if err == nil && sum != sums[key] {
			err = segment.Errorf(segment.Damaged, "The file %s differs after it was copied.", key)
		}
		if segment.KindOf(err) == segment.Damaged {
			err = errors.Join(err, blobs.Remove(ctx, key))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func read(ctx context.Context, blobs segment.Blobs, key string) (sum string, err error) {
	file, err := blobs.Open(ctx, key)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, file.Close())
}
