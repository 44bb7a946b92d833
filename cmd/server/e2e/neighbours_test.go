package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"collie/segment"
	"collie/sharedtest"
	"collie/storage/postgres/postgrestest"
	"collie/storage/s3/s3test"
)

// nextRelease builds this program with one more migration, whose number it returns.
func nextRelease(t *testing.T) (program string, version int) {
	t.Helper()
	folder, err := filepath.Abs("../../../storage/postgres")
	if err != nil {
		t.Fatal(err)
	}
	present, err := filepath.Glob(filepath.Join(folder, "migrations", "*.sql"))
	if err != nil || len(present) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	if _, err := fmt.Sscanf(filepath.Base(present[len(present)-1]), "%04d_", &version); err != nil {
		t.Fatal(err)
	}
	version++
	dir := t.TempDir()
	overlay := filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(folder, "migrations", fmt.Sprintf("%04d_later.sql", version)): filepath.Join(folder, "testdata", "later.sql")}})
	if err == nil {
		err = os.WriteFile(overlay, replace, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "server")
	if out, err := exec.Command("go", "build", "-ldflags=-s", fmt.Sprintf("-race=%t", sharedtest.Race), "-overlay", overlay, "-o", program, "collie/cmd/server").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program, version
}

// TestNeighbours upgrades one of two servers while people work at them, and back: the
// next release is this program with one more migration. Nobody notices, and nothing
// is lost. The control is a release whose tables this program can't use: it then
// ends and refuses to start, while the newer one does, and refuses images that have events
// of a kind that it doesn't know.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	server, bucket, dir := postgrestest.MustStart(t), s3test.MustStart(t), t.TempDir()
	program, version := nextRelease(t)
	at := func(name string) []string {
		return []string{"--listen", "127.0.0.1:0", "--data", filepath.Join(dir, name), "--database", server.MustURL(t, dir), "--blobs", bucket.Address()}
	}
	older := start(t, filepath.Join(dir, "a"), at("a")...)
	tr := newTraffic(t, older.url, 2)

	var people sync.WaitGroup
	var upgraded atomic.Bool
	people.Go(func() {
		for !upgraded.Load() {
			tr.runFor(100*time.Millisecond, older.url)
		}
	})
	newer, err := run(t, filepath.Join(dir, "b"), append([]string{program}, at("b")...)...) // which migrates
	upgraded.Store(true)
	people.Wait()
	if err != nil {
		t.Fatal(err)
	}
	server.MustExec(t, dir, fmt.Sprintf("SELECT later FROM event LIMIT 1; SELECT 1 / count(*) FROM schema WHERE version = %d AND oldest < version", version))
	tr.runFor(100*time.Millisecond, older.url, newer.url) // two people at each image, on a server each
	tr.runFor(100*time.Millisecond, newer.url, older.url)
	tr.check(older.url, time.Now())
	tr.check(newer.url, time.Now())

	older.stop()
	older = start(t, filepath.Join(dir, "a"), at("a")...) // on tables that it doesn't know
	tr.runFor(100*time.Millisecond, older.url, newer.url)
	tr.check(older.url, time.Now())

	image := tr.workers[0].image
	server.MustExec(t, dir, fmt.Sprintf(`WITH head AS (UPDATE image SET seq = seq + 1 WHERE id = '%s' RETURNING number, seq)
		INSERT INTO event (image, seq, id, kind, class, regions, author, created) SELECT number, seq, 'later', 'later', 0, 0, '', 0 FROM head`, image))
	for method, path := range map[string]string{http.MethodPost: "/evidence", http.MethodGet: "/mask.png"} {
		body := fmt.Sprintf(`{"id":%q,"expected_seq":%d,"kind":"label","points":[[1,1]],"class":1}`, segment.NewID(), tr.workers[0].seq)
		status, err := send(t.Context(), method, older.url+"/api/v1/images/"+image+path, "application/json", []byte(body), new([]byte))
		if status != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "newer release") {
			t.Errorf("%s %s of an image with an event that only a newer release knows: %v", method, path, err)
		}
	}
	server.MustExec(t, dir, fmt.Sprintf(`DELETE FROM event WHERE kind = 'later'; UPDATE image SET seq = seq - 1 WHERE id = '%s'`, image))
	newer.stop()

	server.MustExec(t, dir, "UPDATE schema SET oldest = version")
	_, _ = io.ReadAll(older.stdout) // until it ends by itself
	if err := older.cmd.Wait(); older.cmd.ProcessState.ExitCode() != 1 || !strings.Contains(older.stderr.String(), "Use the newer program") {
		t.Errorf("the older server, on tables that it can't use any more: %v\n%s", err, older.stderr)
	}
	refuses(t, fmt.Sprintf("which programs from version %d on can use, but this one is of version %d. Use the newer program; nothing was changed", version, version-1), at("a")...)
	newer, err = run(t, filepath.Join(dir, "b"), append([]string{program}, at("b")...)...)
	if err != nil {
		t.Fatal(err)
	}
	tr.check(newer.url, time.Now())
	newer.stop()
}
