package e2e

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/storage/blob"
	"collie/storage/s3/s3test"
)

// refuses runs a subcommand that must fail with exit code 1 and a text.
func refuses(t *testing.T, want string, arguments ...string) {
	t.Helper()
	cmd := exec.Command(binary, arguments...)
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), want) {
		t.Errorf("server %s: %v, want exit code 1 and %q:\n%s", strings.Join(arguments, " "), err, want, out)
	}
}

// TestBucket takes an installation to a bucket, lets people work on it there while
// the bucket goes away for a while, and takes it back: whatever was acknowledged is
// there, and each wrong way to start says what to do.
func TestBucket(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	gateway := s3test.MustStart(t)
	dir := t.TempDir()
	data, address := filepath.Join(dir, "data"), gateway.Address()
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	tr.runFor(500*time.Millisecond, p.url)
	refuses(t, "another server", "move", "bucket", "--data", data, "--blobs", address)
	p.stop()

	refuses(t, "server move bucket", "doctor", "--data", data, "--blobs", address)
	refuses(t, "in the folder itself", "move", "folder", "--data", data, "--blobs", address)
	command(t, "move", "bucket", "--data", data, "--blobs", address)
	refuses(t, "give its address with --blobs", "--data", data)
	refuses(t, "give its address with --blobs", "move", "bucket", "--data", data, "--blobs", address)
	refuses(t, "another installation", "--data", filepath.Join(dir, "other"), "--blobs", address)

	p = start(t, data, "--blobs", address)
	tr.check(p.url, time.Now())
	tr.runFor(500*time.Millisecond, p.url)
	image := "/api/v1/images/" + tr.workers[0].image + "/"
	gateway.Stop()
	p.body(image + "evidence") // is in the database
	p.body(image + "mask.png") // the image is open, or in the cache
	if err := gateway.Resume(); err != nil {
		t.Fatal(err)
	}
	tr.runFor(500*time.Millisecond, p.url)
	if out := command(t, "doctor", "--data", data, "--blobs", address); !strings.Contains(out, "bucket: s3://collie") || strings.Contains(out, "server's promise") {
		t.Errorf("doctor:\n%s", out)
	}
	copied := filepath.Join(dir, "backup.tar")
	command(t, "backup", copied, "--data", data, "--blobs", address)
	p.stop()

	command(t, "restore", copied, "--data", filepath.Join(dir, "restored"))
	restored := start(t, filepath.Join(dir, "restored"))
	tr.check(restored.url, time.Now())
	restored.stop()

	part, other := strings.Replace(address, "collie?", "collie/part?", 1), filepath.Join(dir, "restored to the bucket")
	refuses(t, "doesn't have the files of the images", "--data", data, "--blobs", part)
	refuses(t, "doesn't have the files of the images", "doctor", "--data", data, "--blobs", part)
	refuses(t, "already belongs to an installation", "restore", copied, "--data", other, "--blobs", address)
	refuses(t, "needs the address of the bucket", "restore", copied, "--data", other, "--reuse-bucket")
	command(t, "restore", copied, "--data", other, "--blobs", part)
	restored = start(t, other, "--blobs", part)
	tr.check(restored.url, time.Now())
	restored.stop()

	again := filepath.Join(dir, "as if the folder was lost")
	command(t, "restore", copied, "--data", again, "--blobs", address, "--reuse-bucket")
	restored = start(t, again, "--blobs", address)
	tr.check(restored.url, time.Now())
	restored.stop()

	command(t, "move", "folder", "--data", data, "--blobs", address)
	if err := os.RemoveAll(gateway.Dir); err != nil {
		t.Fatal(err)
	}
	examine(t, data)
	p = start(t, data)
	tr.check(p.url, time.Now())
	p.stop()
}

// TestFrozenBucket freezes the bucket: clicks go on, an upload of several files is refused
// once the bucket has had its time, and not once for each file. When the bucket goes on,
// so do uploads and the export that began meanwhile.
func TestFrozenBucket(t *testing.T) {
	t.Parallel()
	gateway := s3test.MustStart(t)
	p := start(t, filepath.Join(t.TempDir(), "data"), "--blobs", gateway.Address())
	tr := newTraffic(t, p.url, 2)
	tr.runFor(300*time.Millisecond, p.url)
	thaw := gateway.MustFreeze(t)
	began := time.Now()
	export := beginExport(t, p, tr.project, "coco")
	answer := make(chan error, 1)
	go func() {
		_, err := tr.uploadFiles(t.Context(), p.url, 5)
		answer <- err
	}()
	before := tr.clicks()
	for range 5 {
		for _, w := range tr.workers {
			if err := w.click(t.Context(), p.url); err != nil {
				t.Errorf("a click: %v", err)
			}
		}
	}
	if tr.clicks() == before {
		t.Error("no click was acknowledged while the bucket was frozen")
	}
	p.ready(http.StatusOK)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("clicks took %v", took)
	}
	err := <-answer
	var refused *answerError
	if !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable {
		t.Errorf("the upload: %v", err)
	}
	if took := time.Since(began); took < 15*time.Second || took > 45*time.Second { // it is 24 s on a quiet machine
		t.Errorf("the upload took %v", took)
	}
	thaw()
	awaitExport(t, p, export, "done")
	if _, err := tr.uploadFiles(t.Context(), p.url, 5); err != nil {
		t.Errorf("an upload when the bucket is back: %v", err)
	}
	tr.check(p.url, time.Now())
	p.stop()
}

// Each bucket that can't be used is refused in a sentence that names the setting, and
// nothing is made.
func TestUnusableBuckets(t *testing.T) {
	t.Parallel()
	gateway := s3test.MustStart(t)
	dir := t.TempDir()
	for name, c := range map[string]struct{ address, want string }{
		"no address":   {"bucket", "--blobs: this is not the address of a bucket"},
		"no server":    {"s3://collie?endpoint=http://127.0.0.1:1", "can't be reached; is the endpoint in --blobs right"},
		"no bucket":    {"s3://other?region=us-east-1&endpoint=http://" + gateway.Host(), "doesn't exist; create it, or correct --blobs"},
		"other region": {"s3://collie?region=eu-west-1&endpoint=http://" + gateway.Host(), "--blobs"},
	} {
		data := filepath.Join(dir, name)
		refuses(t, c.want, "--listen", "127.0.0.1:0", "--data", data, "--blobs", c.address)
		if _, err := os.Stat(filepath.Join(data, "collie.db")); err == nil {
			t.Errorf("%s: a database was made", name)
		}
	}
	for secret, want := range map[string]string{"wrong": "correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", "": "set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"} {
		cmd := exec.Command(binary, "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "keys"), "--blobs", gateway.Address())
		cmd.Env = append(os.Environ(), "AWS_SECRET_ACCESS_KEY="+secret)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("the secret %q: %v, want %q\n%s", secret, err, want, out)
		}
	}
}

// A move brings all files that can be read, says which can't, and ends with an error;
// the doctor then repairs what can be repaired at the new place.
func TestMoveWithDamage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	gateway := s3test.MustStart(t)
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	tr.runFor(200*time.Millisecond, p.url)
	p.stop()
	image := tr.workers[0].image
	if err := os.WriteFile(filepath.Join(data, "blobs", blob.SealedName("display/"+image)), make([]byte, 50), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(data, "blobs", blob.SealedName("thumbnail/"+image))); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--data", data, "--blobs", gateway.Address()}
	out, err := exec.Command(binary, append([]string{"move", "bucket"}, flags...)...).CombinedOutput()
	for _, want := range []string{"display/" + image, "thumbnail/" + image, "complete but for files that are lost or damaged: 2"} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("the move: %v, want an error and %q:\n%s", err, want, out)
		}
	}
	command(t, append([]string{"doctor", "--repair"}, flags...)...)
	p = start(t, data, "--blobs", gateway.Address())
	tr.check(p.url, time.Now())
	p.stop()
}
