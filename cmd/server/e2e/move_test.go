package e2e

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/storage/postgres/postgrestest"
	"collie/storage/s3/s3test"
)

// TestMove takes an installation from its folder to a bucket and a database, and back:
// what people did at each place is there, and each wrong way to start says what to do.
func TestMove(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	dir := t.TempDir()
	server := postgrestest.MustStart(t)
	data, blobs, url := filepath.Join(dir, "data"), s3test.MustStart(t).Address(), server.MustURL(t, dir)
	place := []string{"--data", data, "--blobs", blobs, "--database", url}
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	tr.runFor(300*time.Millisecond, p.url)
	p.stop()
	shared := []string{"--data", filepath.Join(dir, "shared"), "--blobs", strings.Replace(blobs, "collie?", "collie/part?", 1), "--database", server.MustURL(t, dir+" restored")}
	checkRestore(t, tr, data, shared)
	refuses(t, "begin with: server move bucket", append([]string{"move", "database"}, place...)...)
	command(t, append([]string{"move", "bucket"}, place...)...)
	refuses(t, "has records itself", append([]string{"users", "list"}, place...)...)
	t.Log(command(t, append([]string{"move", "database"}, place...)...))
	refuses(t, "give its address with --database", "--data", data, "--blobs", blobs)

	p = start(t, data, "--database", url, "--blobs", blobs)
	tr.check(p.url, time.Now())
	done := make(chan struct{})
	copied, at := filepath.Join(dir, "backup.tar"), time.Now()
	go func() {
		time.Sleep(100 * time.Millisecond)
		tr.runFor(300*time.Millisecond, p.url)
		close(done)
	}()
	command(t, append([]string{"backup", copied}, place...)...)
	<-done
	command(t, "restore", copied, "--data", filepath.Join(dir, "restored"))
	restored := start(t, filepath.Join(dir, "restored"))
	tr.check(restored.url, at)
	restored.stop()
	again := []string{"--data", filepath.Join(dir, "again"), "--blobs", blobs, "--database", server.MustURL(t, dir+" again")}
	refuses(t, "already belongs to an installation", append([]string{"restore", copied}, again...)...)
	refuses(t, "begin with: server move database --back --data "+data, append([]string{"move", "folder"}, place...)...)
	refuses(t, "another server", append([]string{"move", "database", "--back"}, place...)...)
	elsewhere := []string{"--data", filepath.Join(dir, "elsewhere"), "--blobs", blobs, "--database", url}
	refuses(t, "stop all servers first", append([]string{"move", "database", "--back"}, elsewhere...)...)
	p.stop()
	note := filepath.Join(data, "database")
	_ = killWhen(t, func() bool { _, err := os.Stat(note); return err != nil }, append([]string{"move", "database", "--back"}, place...)...)
	refuses(t, "was moved to "+data, append([]string{"users", "list"}, elsewhere...)...)
	if err := os.WriteFile(note, []byte("as if it was killed a moment before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Log(command(t, append([]string{"move", "database", "--back"}, place...)...))
	refuses(t, "was moved to "+data, append([]string{"move", "database", "--back"}, place...)...)
	command(t, append([]string{"move", "folder"}, place...)...)

	examine(t, data)
	p = start(t, data)
	tr.check(p.url, time.Now())
	p.stop()

	// The bucket goes to the installation that is restored to it, which is another one.
	command(t, append([]string{"restore", copied, "--reuse-bucket"}, again...)...)
	p = start(t, again[1], again[2:]...)
	tr.check(p.url, at)
	p.stop()
	refuses(t, "belongs to another installation", "move", "bucket", "--data", data, "--blobs", blobs)
}

// TestKilledMoves kills moves back halfway: the place that was in use before can still be
// used, and the same command, or one in the other direction, completes it. Killed any later,
// a move is in the audit log.
func TestKilledMoves(t *testing.T) {
	t.Parallel()
	server := postgrestest.MustStart(t)
	dir := t.TempDir()
	data, blobs, url := filepath.Join(dir, "data"), s3test.MustStart(t).Address(), server.MustURL(t, dir)
	files := []string{"--data", data, "--blobs", blobs}
	place := append(slices.Clone(files), "--database", url)
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	tr.runFor(300*time.Millisecond, p.url)
	p.stop()
	checkAt := func(flags ...string) {
		t.Helper()
		p := start(t, data, flags...)
		tr.check(p.url, time.Now())
		tr.runFor(100*time.Millisecond, p.url)
		p.stop()
	}
	halfway := func(err error) {
		t.Helper()
		if err == nil {
			t.Fatal("the command ended before it was killed")
		}
	}

	logged := func(what string, place ...string) { // also of a move whose command was killed
		t.Helper()
		if log := command(t, append([]string{"audit"}, place...)...); !strings.Contains(log, what) {
			t.Errorf("the audit log has nothing of a move %q:\n%s", what, log)
		}
	}
	switches := func(note string, there bool, arguments ...string) { // killed when it goes on with the other place
		t.Helper()
		_ = killWhen(t, func() bool { return matches(filepath.Join(data, note))() == there }, arguments...)
		_ = exec.Command(binary, arguments...).Run() // refused if nothing is left to do
	}

	switches("bucket", true, append([]string{"move", "bucket"}, files...)...)
	logged("to the bucket", files...)
	switches("database", true, append([]string{"move", "database"}, place...)...)
	logged("to the database", place...)
	if err := os.Rename(filepath.Join(data, "records-moved-to-database", "collie.db"), filepath.Join(data, "collie.db")); err != nil { // as if it was killed before this
		t.Fatal(err)
	}
	for _, start := range [][]string{files, place} { // a move back that is killed before it marks the database leaves the same
		refuses(t, "was interrupted; complete it with the command 'server move database', and with --back", append([]string{"--listen", "127.0.0.1:0"}, start...)...)
	}
	command(t, append([]string{"move", "database"}, place...)...)
	refuses(t, "the records of "+data+" are in the database", append([]string{"move", "database"}, place...)...)
	halfway(killWhen(t, matches(filepath.Join(data, ".collie-part-*", "collie.db*")), append([]string{"move", "database", "--back"}, place...)...))
	checkAt(place[2:]...)
	_ = killWhen(t, matches(filepath.Join(data, "collie.db")), append([]string{"move", "database", "--back"}, place...)...)
	if matches(filepath.Join(data, "database"))() {
		refuses(t, "was interrupted", append([]string{"users", "list"}, place...)...)
		command(t, append([]string{"move", "database", "--back"}, place...)...)
	}
	halfway(killWhen(t, matches(filepath.Join(data, "blobs", "original", "*")), append([]string{"move", "folder"}, files...)...))
	checkAt(files[2:]...)
	if err := os.RemoveAll(filepath.Join(data, "blobs-moved-to-bucket")); err != nil {
		t.Fatal(err)
	}
	command(t, append([]string{"move", "bucket"}, files...)...)
	switches("bucket", false, append([]string{"move", "folder"}, files...)...)
	logged("from the bucket", "--data", data)
	examine(t, data)
	checkAt()
	if left, err := filepath.Glob(filepath.Join(data, ".collie-part-*")); err != nil || len(left) > 0 { // the server's start sweeps what kills leave
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// killWhen starts a command and kills it at a moment, and returns how it ended: without an
// error if that was before.
func killWhen(t *testing.T, now func() bool, arguments ...string) error {
	t.Helper()
	cmd := exec.Command(binary, arguments...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); !now(); time.Sleep(time.Millisecond / 10) {
		if time.Now().After(limit) {
			_ = cmd.Process.Kill()
			t.Fatalf("server %s was not killed halfway: %v", strings.Join(arguments, " "), cmd.Wait())
		}
	}
	_ = cmd.Process.Kill()
	return cmd.Wait()
}

// matches says whether a file is there that matches a pattern.
func matches(pattern string) func() bool {
	return func() bool { found, _ := filepath.Glob(pattern); return len(found) > 0 }
}

// checkRestore restores a backup of a data folder to an empty database and a bucket.
func checkRestore(t *testing.T, tr *traffic, data string, place []string) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "backup.tar")
	command(t, "backup", copied, "--data", data)
	refuses(t, "Nothing was restored", append([]string{"restore", binary}, place...)...)
	if _, err := os.Stat(place[1]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a broken backup leaves the data folder behind: %v", err)
	}
	// A server that was started too early has made the bucket that of the empty database.
	refuses(t, "server users add", append([]string{"--auth", "--listen", "127.0.0.1:0"}, place...)...)
	t.Log(command(t, append([]string{"restore", copied}, place...)...))
	refuses(t, "already has data", append([]string{"restore", copied}, place...)...)
	p := start(t, place[1], place[2:]...)
	tr.check(p.url, time.Now())
	p.stop()
	left, err := filepath.Glob(filepath.Join(place[1], ".collie-part-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
