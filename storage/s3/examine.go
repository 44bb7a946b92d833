package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/minio/minio-go/v7"
)

// Names of objects beside the blobs, whose keys have no dots.
const (
	ownerName   = "collie.installation"
	examineName = "collie.test." // and a random end
)

// racers is how many writers of one object Examine lets run at once.
const racers = 8

// Examine finds out whether the bucket can do what the store needs: it writes a
// test object from several connections at once, reads it, and removes it. The error
// says in one sentence what is wrong and which setting it belongs to. Nothing else
// is changed.
func (s *Store) Examine(ctx context.Context) (err error) {
	// A listing, because the answer to a HEAD, as BucketExists sends, can't say what is
	// wrong: the keys, the clock or the bucket.
	for _, err := range s.All(ctx) {
		if err != nil {
			return s.explain(ctx, "list its files", errors.Unwrap(err))
		}
		break
	}
	name := s.name(examineName + rand.Text())
	defer func() {
		if gone := s.core.RemoveObject(context.WithoutCancel(ctx), s.place.Bucket, name, minio.RemoveObjectOptions{}); gone != nil && err == nil {
			err = s.explain(ctx, "remove files", gone)
		}
	}()
	won, err := s.race(ctx, name)
	if err != nil {
		return err
	}
	if won != 1 {
		return fmt.Errorf("the bucket %v let %d of %d writers of one file succeed; Collie needs a server that observes If-None-Match, as Amazon's and recent versions of others do", s, won, racers)
	}
	again, err := s.spool(ctx, writes("again"))
	if err != nil {
		return err
	}
	defer again.Close()
	if err := s.sendParts(ctx, name, again, newObject(again)); err == nil {
		return fmt.Errorf("the bucket %v let a large file replace another; Collie needs a server that observes If-None-Match when it completes an upload in parts", s)
	} else if !refused(err) {
		return s.explain(ctx, "take files in parts", err)
	}
	return s.check(ctx, name)
}

// race lets several writers make one object and returns how many succeeded.
func (s *Store) race(ctx context.Context, name string) (won int, err error) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	for i := range racers {
		wait.Go(func() {
			content, sent := s.spool(ctx, writes(fmt.Sprint("test ", i)))
			if sent == nil {
				defer content.Close()
				sent = s.send(ctx, name, content, newObject(content))
				if sent != nil && !refused(sent) {
					sent = s.explain(ctx, "take files", sent)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case sent == nil:
				won++
			case !refused(sent):
				err = sent
			}
		})
	}
	wait.Wait()
	return won, err
}

// check reads the test object.
func (s *Store) check(ctx context.Context, name string) error {
	body, info, _, err := s.core.GetObject(ctx, s.place.Bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return s.explain(ctx, "be read", err)
	}
	defer body.Close()
	content, err := s.spool(ctx, func(w io.Writer) error { _, err := io.Copy(w, body); return err })
	if err != nil {
		return s.explain(ctx, "be read", err)
	}
	defer content.Close()
	if content.sum != info.UserMetadata[sumName] {
		return fmt.Errorf("the bucket %v doesn't keep the metadata of files; Collie needs it for their checksums", s)
	}
	return nil
}

// Claim makes the bucket belong to an installation, which has a random id, unless
// it belongs to one already, and returns the id of that.
func (s *Store) Claim(ctx context.Context, installation string) (owner string, err error) {
	content, err := s.spool(ctx, writes(installation))
	if err != nil {
		return "", err
	}
	defer content.Close()
	for try := 1; ; try++ {
		owner, err := s.Owner(ctx)
		if err != nil || owner != "" {
			return owner, err
		}
		err = s.send(ctx, s.name(ownerName), content, newObject(content))
		switch {
		case err == nil:
			return s.Owner(ctx)
		case !refused(err) || try == tries:
			return "", s.explain(ctx, "take files", err)
		default:
			if err := pause(ctx, try); err != nil {
				return "", err
			}
		}
	}
}

// Owner is the id of the installation that the bucket belongs to; empty if it
// belongs to none yet.
func (s *Store) Owner(ctx context.Context) (string, error) {
	name := s.name(ownerName)
	body, _, _, err := s.core.GetObject(ctx, s.place.Bucket, name, minio.GetObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return "", nil
	}
	if err != nil {
		return "", s.explain(ctx, "be read", err)
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, 100))
	if err != nil {
		return "", s.explain(ctx, "be read", err)
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return "", fmt.Errorf("the object %s in the bucket %v is empty: it should say which installation the files belong to", name, s)
	}
	return string(b), nil
}

// Release makes the bucket belong to no installation if it belongs to this one, which
// must not be in use.
func (s *Store) Release(ctx context.Context, installation string) error {
	owner, err := s.Owner(ctx)
	if err != nil || owner != installation {
		return err
	}
	if err := s.core.RemoveObject(ctx, s.place.Bucket, s.name(ownerName), minio.RemoveObjectOptions{}); err != nil {
		return s.explain(ctx, "remove files", err)
	}
	return nil
}

// newObject are the options for an object that must be new.
func newObject(content *spooled) (o minio.PutObjectOptions) {
	o.UserMetadata = map[string]string{sumName: content.sum, putName: rand.Text()}
	o.SetMatchETagExcept("*")
	return o
}

// refused reports whether a server has refused to replace an object.
func refused(err error) bool {
	status := minio.ToErrorResponse(err).StatusCode
	return status == http.StatusPreconditionFailed || status == http.StatusConflict
}

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// keyless reports whether requests are made without keys, as when one of them is missing.
func (s *Store) keyless() bool {
	keys, err := s.core.GetCreds()
	return err == nil && keys.SignerType.IsAnonymous()
}

// explain says why the bucket can't do something, for an administrator.
func (s *Store) explain(ctx context.Context, do string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	answer := minio.ToErrorResponse(err)
	switch answer.Code {
	case minio.NoSuchBucket:
		return fmt.Errorf("the bucket %v doesn't exist; create it, or correct --blobs", s)
	case minio.RequestTimeTooSkewed:
		return fmt.Errorf("the bucket %v refuses this machine because its clock is wrong; set it, for example with NTP", s)
	case minio.AuthorizationHeaderMalformed, minio.InvalidRegion:
		return fmt.Errorf("the bucket %v is in another region; correct region=… in the address in --blobs, or add it: %w", s, err)
	case minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch, "XAdminUserNotFound": // the last one is versitygw's
		return fmt.Errorf("the bucket %v doesn't know these keys; correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: %w", s, err)
	}
	refused := answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized
	switch {
	case isFull(answer):
		return fmt.Errorf("the bucket %v is full", s)
	case refused && s.keyless():
		return fmt.Errorf("the bucket %v needs keys: set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or a file ~/.aws/credentials: %w", s, err)
	case refused:
		return fmt.Errorf("the bucket %v can't %s with these keys; they need the rights to list the bucket and to get, put and delete its objects (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY): %w", s, do, err)
	case isAway(answer):
		return fmt.Errorf("the bucket %v can't be reached; is the endpoint in --blobs right, and is the server running? %w", s, err)
	}
	return fmt.Errorf("the bucket %v can't %s; are the address and the region in --blobs right? %w", s, do, err)
}
