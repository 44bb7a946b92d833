// Package s3 keeps immutable files (originals, display copies, superpixel
// hierarchies, exports) in a bucket of an S3 server.
//
// A file is written to a temporary file on this machine first. Its length and its
// SHA-256 are then known, and the bucket gets it under the condition that it has
// nothing under that key: whatever fails, a key has its complete content or
// doesn't exist, and of two writers one gets a Conflict. The SHA-256 is kept as
// metadata, and what is read is checked against it. Whether an accepted file
// survives a power cut is the server's promise.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"collie/segment"
	"collie/segment/reserve"
)

const (
	// tries is how often a request is made that the server could not answer.
	tries = 4
	// connectWithin is the time for a connection.
	connectWithin = 5 * time.Second
	// stallWithin is the time without progress after which a request fails: less than
	// people's own requests may take, so that they are told why.
	stallWithin = 20 * time.Second
	// settleWithin is the time to find out what has become of a request.
	settleWithin = 10 * time.Second
	// checkedBytes is the largest size of a file that is read and checked as a
	// whole before anything of it is passed on. Larger ones are archives, which
	// contain checksums.
	checkedBytes = 128 << 20
)

// Store is a segment.Blobs in a bucket. Safe for concurrent use, also by several
// processes on several machines.
type Store struct {
	core    minio.Core
	place   Place
	scratch string
	close   func()
}

var _ segment.Blobs = (*Store)(nil)

// New returns the store in a bucket, without asking the server anything. Its keys
// are those of the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
// AWS_SESSION_TOKEN) or of the file ~/.aws/credentials. Temporary files go to the
// folder scratch, which is made when needed. Close it.
func New(place Place, scratch string) (*Store, error) { return newStore(place, scratch, stallWithin) }

// newStore is New with a time without progress after which a request fails.
func newStore(place Place, scratch string, stall time.Duration) (*Store, error) {
	transport, err := minio.DefaultTransport(place.Secure)
	if err != nil {
		return nil, err
	}
	transport.DialContext = steadyDialer(stall)
	transport.IdleConnTimeout = stall / 2 // not used again shortly before its time is over
	lookup := minio.BucketLookupPath
	if place.Endpoint == amazon {
		lookup = minio.BucketLookupAuto
	}
	core, err := minio.NewCore(place.Endpoint, &minio.Options{
		Creds:        credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}),
		Secure:       place.Secure,
		Region:       place.Region,
		BucketLookup: lookup,
		Transport:    &patience{Transport: transport, probe: stall / 5},
		MaxRetries:   tries,
	})
	if err != nil {
		return nil, fmt.Errorf("the bucket %v: %w", place, err)
	}
	return &Store{core: *core, place: place, scratch: scratch, close: transport.CloseIdleConnections}, nil
}

// Close closes connections; open blobs of up to 128 MiB stay readable.
func (s *Store) Close() error { s.close(); return nil }

// String is the bucket for people.
func (s *Store) String() string { return s.place.String() }

// name is the name of a key's object.
func (s *Store) name(key string) string { return s.place.Prefix + key }

// Put stores what write produces under key, which must be new. After an error,
// which can be write's or ctx's, the key doesn't exist, unless the bucket became
// unreachable at that moment.
func (s *Store) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	if err := segment.CheckKey(key); err != nil {
		return err
	}
	content, err := s.spool(ctx, write)
	if err != nil {
		return err
	}
	defer content.Close()
	return s.upload(ctx, key, content)
}

// Open returns the content of key, from a temporary file that has passed the check
// against the SHA-256; the caller closes it. Larger files are read from the bucket
// as the caller goes on, and ctx must last as long.
func (s *Store) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if err := segment.CheckKey(key); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		content, broken, err := s.open(ctx, key)
		if err == nil {
			return content, nil
		}
		if !broken || try == tries || ctx.Err() != nil || segment.KindOf(err) == segment.Full {
			return nil, err
		}
	}
}

// open makes one attempt; broken says that the connection ended in the middle of
// the content, where the client library doesn't try again. One that stood
// still is not broken: people have waited long enough.
func (s *Store) open(ctx context.Context, key string) (_ io.ReadSeekCloser, broken bool, err error) {
	body, info, _, err := s.core.GetObject(ctx, s.place.Bucket, s.name(key), minio.GetObjectOptions{})
	if err != nil {
		return nil, false, s.trouble(ctx, err)
	}
	defer body.Close()
	if info.Size > checkedBytes {
		object, err := s.core.Client.GetObject(ctx, s.place.Bucket, s.name(key), minio.GetObjectOptions{})
		return object, false, s.trouble(ctx, err)
	}
	content, err := s.spool(reserve.Use(ctx), func(w io.Writer) error {
		n, err := io.Copy(w, body)
		if err == nil && n < info.Size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			broken = !errors.Is(err, os.ErrDeadlineExceeded)
			err = s.trouble(ctx, err)
		}
		return err
	})
	if err != nil {
		return nil, broken, err
	}
	if content.size != info.Size || content.sum != info.UserMetadata[sumName] {
		return nil, false, errors.Join(content.Close(), segment.Errorf(segment.Damaged, "The file %s in the bucket is damaged: its checksum is wrong or missing. Run `server doctor` to see what can be done.", key))
	}
	return content, false, nil
}

// Sum is the SHA-256, in hexadecimal, that the content of key had when it was
// stored; empty for a key that doesn't exist.
func (s *Store) Sum(key string) (string, error) {
	if err := segment.CheckKey(key); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleWithin)
	defer cancel()
	info, err := s.core.StatObject(ctx, s.place.Bucket, s.name(key), minio.StatObjectOptions{})
	if err = s.trouble(ctx, err); segment.KindOf(err) == segment.NotFound {
		return "", nil
	}
	return info.UserMetadata[sumName], err
}

// Remove deletes key if it exists.
func (s *Store) Remove(ctx context.Context, key string) error {
	if err := segment.CheckKey(key); err != nil {
		return err
	}
	err := s.trouble(ctx, s.core.RemoveObject(ctx, s.place.Bucket, s.name(key), minio.RemoveObjectOptions{}))
	if segment.KindOf(err) == segment.NotFound {
		return nil
	}
	return err
}

// All iterates over the keys, by name.
func (s *Store) All(ctx context.Context) iter.Seq2[segment.BlobInfo, error] {
	return func(yield func(segment.BlobInfo, error) bool) {
		for info := range s.core.ListObjectsIter(ctx, s.place.Bucket, minio.ListObjectsOptions{Prefix: s.place.Prefix, Recursive: true}) {
			if info.Err != nil {
				yield(segment.BlobInfo{}, s.trouble(ctx, info.Err))
				return
			}
			key := strings.TrimPrefix(info.Key, s.place.Prefix)
			if segment.CheckKey(key) == nil && !yield(segment.BlobInfo{Key: key, Bytes: info.Size, Modified: info.LastModified}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(segment.BlobInfo{}, err)
		}
	}
}
