package e2e

import (
	"strings"
	"testing"
	"time"

	"collie/storage/postgres/postgrestest"
	"collie/storage/s3/s3test"
)

// A server whose migration has to wait for somebody else's transaction says so, and
// starts when that has ended.
func TestWaitingStart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: waits for seconds")
	}
	postgres, bucket, data := postgrestest.MustStart(t), s3test.MustStart(t), t.TempDir()
	address := postgres.MustURL(t, data)
	release := postgres.MustHold(t, data, "SELECT pg_advisory_xact_lock(hashtextextended('collie ' || current_schema(), 0))")
	p, err := begin(t, data, binary, "--database", address, "--blobs", bucket.Address())
	if err != nil {
		release()
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); !strings.Contains(p.stderr.String(), "still opening the data"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Errorf("in a minute the server has said nothing of what it waits for:\n%s", p.stderr)
			break
		}
	}
	release()
	if err := p.greets(data); err != nil {
		t.Fatal(err)
	}
	p.stop()
}
