package main

import (
	"context"
	"fmt"
	"strings"

	"collie/segment/audit"
	"collie/storage/postgres"
)

// bucketSetting comes before the bucket in what the audit log has of a server's start.
const bucketSetting = ", bucket "

// settings are what the audit log has of a server's start.
func settings(listen string, auth bool, origin string, b files) string {
	s := fmt.Sprintf("listen %s, auth %t, origin %q", listen, auth, origin)
	if b, ok := b.(*bucket); ok {
		s += bucketSetting + b.store.String()
	}
	return s
}

// newestStarts is among how many entries of the audit log the last start of another
// server is looked for.
const newestStarts = 200

// together refuses a bucket that nobody has used yet while other servers of the database
// work with another one: each would miss the files that were uploaded to the other. Servers
// that are started at once with one new bucket are not refused.
func (b *bucket) together(ctx context.Context, shared *postgres.Store) error {
	others, err := shared.Others(ctx)
	if err != nil || others == 0 {
		return err
	}
	newest, err := shared.EntriesBefore(ctx, 0, newestStarts)
	if err != nil {
		return err
	}
	for _, e := range newest {
		if e.Action != audit.ServerStarted {
			continue
		}
		if _, theirs, ok := strings.Cut(e.Detail, bucketSetting); ok && theirs != b.store.String() {
			return fmt.Errorf("the bucket %v is new, while other servers of the database %v use the bucket %s; correct --blobs. For a new bucket, stop all servers first. Nothing was changed", b.store, shared, theirs)
		}
		return nil
	}
	return nil
}
