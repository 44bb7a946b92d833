package main

import (
	"fmt"
	"strings"
	"testing"

	"collie/segment/access"
	"collie/segment/audit"
	"collie/storage/postgres/postgrestest"
	"collie/storage/s3/s3test"
)

// A server with a new bucket is refused while another one uses another, from the moment
// on in which that has opened its data, and however much has happened since.
func TestOtherBucket(t *testing.T) {
	database, gateway := postgrestest.MustStart(t).MustURL(t, t.TempDir()), s3test.MustStart(t)
	open := func(prefix string) (*data, error) {
		blobs := strings.Replace(gateway.Address(), "collie?", "collie"+prefix+"?", 1)
		return openData(t.Context(), dataFlag{Data: t.TempDir(), Database: database, Blobs: blobs}, 0, anyPhoto)
	}
	first, err := open("")
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	refused := func(when string) {
		t.Helper()
		tries++
		other, err := open(fmt.Sprint("/other", tries))
		if err == nil {
			other.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "use the bucket s3://collie") {
			t.Errorf("%s: %v", when, err)
		}
	}
	refused("before it serves")
	ctx := access.With(t.Context(), access.Operator)
	if err := first.workspace.Record(ctx, audit.ServerStarted, "", settings("127.0.0.1:8080", false, "", first.blobs)); err != nil {
		t.Fatal(err)
	}
	refused("when it has started")
	for range 200 {
		if err := first.workspace.Record(ctx, audit.LogFetched, "", ""); err != nil {
			t.Fatal(err)
		}
	}
	refused("after a day's work")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := open("/other1")
	if err != nil {
		t.Fatalf("a new bucket when all servers have stopped: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}
