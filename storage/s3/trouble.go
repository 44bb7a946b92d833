package s3

import (
	"context"
	"net/http"

	"github.com/minio/minio-go/v7"

	"collie/segment"
)

// trouble turns an error of the client into one for people. An error of ctx stays
// what it is.
func (s *Store) trouble(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	answer := minio.ToErrorResponse(err)
	switch answer.Code {
	case minio.NoSuchKey, minio.NoSuchVersion:
		return segment.Errorf(segment.NotFound, "This file doesn't exist.").Because(err)
	}
	switch {
	case isFull(answer):
		return segment.Errorf(segment.Full, "The bucket for files is full. This was not saved; earlier work is safe. Saving works again as soon as there is space.").Because(err)
	case isAway(answer):
		return segment.Errorf(segment.Unavailable, "The bucket for files can't be reached at the moment. Nothing was changed; try again soon.").Because(err)
	case answer.StatusCode == http.StatusForbidden:
		return segment.Errorf(segment.Unavailable, "The bucket for files refuses this server: its keys lack a right, or its clock is wrong. Nothing was changed; `server doctor` says more.").Because(err)
	}
	return segment.Errorf(segment.Unavailable, "The bucket's server answered with an error. Nothing was changed; try again soon.").Because(err)
}

// isAway reports whether no server answered.
func isAway(answer minio.ErrorResponse) bool {
	return answer.StatusCode == 0 || answer.StatusCode == stoodStill
}

// isFull reports whether a bucket lacks space, which servers say in different ways.
func isFull(answer minio.ErrorResponse) bool {
	switch answer.Code {
	case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientCapacity":
		return true
	}
	return answer.StatusCode == http.StatusInsufficientStorage
}
