package main

import (
	"context"
	"fmt"

	"collie/storage/postgres"
)

// settings are what the audit log has of a server's start.
func settings(listen string, auth bool, origin string, b files) string {
	s := fmt.Sprintf("listen %s, auth %t, origin %q", listen, auth, origin)
	if b, ok := b.(*bucket); ok {
		s += ", bucket " + b.store.String()
	}
	return s
}

// together notes the bucket in a database of several servers. It refuses one that nobody
// has used yet while others work with another one: each would miss the files that were
// uploaded to the other.
func (b *bucket) together(ctx context.Context, shared *postgres.Store, unused bool) error {
	theirs, err := shared.UseBucket(ctx, b.store.String())
	if err == nil && unused && theirs != b.store.String() {
		err = fmt.Errorf("the bucket %v is new, while other servers of the database %v use the bucket %s; correct --blobs. For a new bucket, stop all servers first. Nothing was changed", b.store, shared, theirs)
	}
	return err
}
