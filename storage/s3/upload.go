package s3

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"time"

	"github.com/minio/minio-go/v7"

	"collie/segment"
)

// partBytes is the size of the parts of larger files, and of the largest file that
// is sent at once.
const partBytes = 16 << 20

// Metadata of objects, as headers name it.
const (
	sumName = "Sha256" // of the content, in hexadecimal
	putName = "Put"    // random, one for each call of Store.Put
)

// upload stores content under a key that must be new.
func (s *Store) upload(ctx context.Context, key string, content *spooled) error {
	options := newObject(content)
	send := s.send
	if content.size > partBytes {
		send = s.sendParts
	}
	for try := 1; ; try++ {
		err := send(ctx, s.name(key), content, options)
		if err == nil {
			return nil
		}
		// Of a request whose connection broke, or that was made again, the outcome
		// is unknown. The object tells.
		ours, exists, settled := s.settle(ctx, key, options.UserMetadata[putName])
		switch {
		case ours && ctx.Err() != nil:
			if gone := s.Remove(context.WithoutCancel(ctx), key); gone != nil {
				return errors.Join(ctx.Err(), gone)
			}
			return ctx.Err()
		case ours:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case settled == nil && exists:
			return segment.Errorf(segment.Conflict, "A file with the key %q already exists; files are never changed.", key)
		// Two writers at once get this from some servers, even when neither wins.
		case refused(err) && try < tries:
			if err := pause(ctx, try); err != nil {
				return err
			}
		default:
			return s.trouble(ctx, err)
		}
	}
}

// pause waits before the next try, for a time that differs between writers.
func pause(ctx context.Context, try int) error {
	select {
	case <-time.After(mathrand.N(time.Duration(try) * 200 * time.Millisecond)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle says whether the object of a key exists, and whether this call of
// Store.Put made it.
func (s *Store) settle(ctx context.Context, key, put string) (ours, exists bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
	defer cancel()
	info, err := s.core.StatObject(ctx, s.place.Bucket, s.name(key), minio.StatObjectOptions{})
	if err != nil {
		return false, false, err
	}
	return info.UserMetadata[putName] == put, true, nil
}

// send stores content at once. The server checks the SHA-256.
func (s *Store) send(ctx context.Context, name string, content *spooled, options minio.PutObjectOptions) error {
	_, err := s.core.PutObject(ctx, s.place.Bucket, name, io.NewSectionReader(content, 0, content.size), content.size, "", content.sum, options)
	return err
}

// sendParts stores content in parts. The client library's own way to do that leaves
// out the condition when it completes the object.
func (s *Store) sendParts(ctx context.Context, name string, content *spooled, options minio.PutObjectOptions) (err error) {
	id, err := s.core.NewMultipartUpload(ctx, s.place.Bucket, name, minio.PutObjectOptions{UserMetadata: options.UserMetadata})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
			defer cancel()
			_ = s.core.AbortMultipartUpload(late, s.place.Bucket, name, id) // a rule of the bucket can do it later
		}
	}()
	var parts []minio.CompletePart
	for at := int64(0); at < content.size; at += partBytes {
		part := io.NewSectionReader(content, at, min(partBytes, content.size-at))
		sum := sha256.New()
		if _, err := io.Copy(sum, part); err != nil {
			return err
		}
		sent, err := s.core.PutObjectPart(ctx, s.place.Bucket, name, id, len(parts)+1, part, part.Size(), minio.PutObjectPartOptions{Sha256Hex: hex.EncodeToString(sum.Sum(nil))})
		if err != nil {
			return err
		}
		parts = append(parts, minio.CompletePart{PartNumber: sent.PartNumber, ETag: sent.ETag})
	}
	options.UserMetadata = nil // the object has it already
	_, err = s.core.CompleteMultipartUpload(ctx, s.place.Bucket, name, id, parts, options)
	return err
}
